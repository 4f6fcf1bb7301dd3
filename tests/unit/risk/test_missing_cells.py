"""Readings of missing cells, against comparing every pair of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.core.table import FrequencyTable
from shoal.errors import SpecError
from shoal.risk.missing_cells import class_sizes
from strategies import hierarchies, tables


def matches(mine, other, my_gaps, other_gaps, reading):
    for a, b, mine_missing, other_missing in zip(mine, other, my_gaps, other_gaps, strict=True):
        equal = a == b and mine_missing == other_missing
        if reading == "own":
            equal = a == b
        elif reading == "wildcard":
            equal = equal or mine_missing or other_missing
        else:
            equal = equal or mine_missing
        if not equal:
            return False
    return True


def expected(table, gaps, reading):
    points, rows = table.codes.tolist(), table.point_rows.tolist()
    return [
        sum(
            n
            for other, other_gaps, n in zip(points, gaps, rows, strict=True)
            if matches(mine, other, my_gaps, other_gaps, reading)
        )
        for mine, my_gaps in zip(points, gaps, strict=True)
    ]


@pytest.mark.parametrize("reading", ["own", "wildcard", "conservative"])
@settings(deadline=None)
@given(st.data())
def test_sizes_are_those_of_comparing_every_pair(reading, data):
    trees = [data.draw(hierarchies(max_leaves=2, null=True)) for _ in range(3)]
    row = st.tuples(*(st.integers(0, tree.n_values - 1) for tree in trees))
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    columns = np.array(rows, np.int32).T
    table, _ = FrequencyTable.from_columns({f"q{j}": (t, columns[j]) for j, t in enumerate(trees)})
    gaps = [[code == t.n_values - 1 for code, t in zip(p, trees, strict=True)] for p in table.codes.tolist()]
    assert class_sizes(table, reading).tolist() == expected(table, gaps, reading)


@settings(deadline=None)
@given(tables(), st.sampled_from(["wildcard", "conservative"]), st.data())
def test_a_caller_may_say_which_cells_are_missing(drawn, reading, data):
    table, _ = drawn
    cell = st.lists(st.booleans(), min_size=table.n_qi, max_size=table.n_qi)
    gaps = data.draw(st.lists(cell, min_size=table.n_points, max_size=table.n_points))
    sizes = class_sizes(table, reading, missing=np.array(gaps, bool))
    assert sizes.tolist() == expected(table, gaps, reading)


def test_an_unknown_reading_is_refused():
    with pytest.raises(SpecError, match="unknown reading"):
        class_sizes(None, "wild")
