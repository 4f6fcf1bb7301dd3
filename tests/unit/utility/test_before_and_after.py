"""Distributions and associations of a release against their definitions over plain rows."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.associations import cramers_v as v_by_definition
from oracles.associations import spread as spread_by_definition
from shoal.core.hierarchy import Hierarchy
from shoal.core.recoding import Generalization
from shoal.utility.associations import associations, cramers_v
from shoal.utility.distributions import distributions
from shoal.utility.groups import group_values
from strategies import hierarchies, tables


@st.composite
def releases(draw):
    """A table, its plain rows, and a full-domain recoding of it with some points suppressed."""
    table, rows = draw(tables(max_qi=3))
    levels = tuple(draw(st.integers(0, h.height)) for h in table.hierarchies)
    suppressed = np.array(draw(st.lists(st.booleans(), min_size=table.n_points, max_size=table.n_points)), bool)
    return table, rows, Generalization(levels, suppressed)


def published(table, recoding):
    """The interval of each attribute of each row by its codes, or None where the row is suppressed."""
    sides = {}
    for point, gone in zip(table.codes.tolist(), recoding.suppressed, strict=True):
        nodes = [h.levels[n][c] for h, n, c in zip(table.hierarchies, recoding.levels, point, strict=True)]
        pairs = [(h.lo[v], h.hi[v]) for h, v in zip(table.hierarchies, nodes, strict=True)]
        sides[tuple(point)] = None if gone else pairs
    return sides


def null_of(hierarchy):
    return hierarchy.n_values - 1 if hierarchy.has_null else None


@given(releases())
@settings(max_examples=50)
def test_a_distribution_spreads_each_cell_evenly_over_what_it_covers(release):
    table, rows, recoding = release
    sides = published(table, recoding)
    for j, found in enumerate(distributions(table, recoding.regions(table))):
        group = found.grouping.of_leaf.tolist()
        before = np.zeros(found.grouping.n_groups)
        after = np.zeros(found.grouping.n_groups)
        lost = np.zeros(found.grouping.n_groups)
        for quasi, _, _ in rows:
            before[group[quasi[j]]] += 1
            if sides[quasi] is None:
                lost[group[quasi[j]]] += 1
                continue
            shares = spread_by_definition(*sides[quasi][j], group, null_of(table.hierarchies[j]))
            for g, share in shares.items():
                after[g] += share
        assert found.before.tolist() == before.tolist()
        assert found.after == pytest.approx(after)
        assert found.suppressed.tolist() == lost.tolist()
        people = [{u for q, _, u in rows if group[q[j]] == g} for g in range(found.grouping.n_groups)]
        if rows[0][2] is not None:
            assert found.members.tolist() == [len(p) for p in people]


@given(releases())
@settings(max_examples=30)
def test_associations_are_cramers_v_of_the_groups(release):
    table, rows, recoding = release
    sides = published(table, recoding)
    found = {(a.first, a.second): a for a in associations(table, recoding.regions(table))}
    groups = [d.grouping.of_leaf.tolist() for d in distributions(table, recoding.regions(table))]

    def shares(quasi, j):
        return spread_by_definition(*sides[quasi][j], groups[j], null_of(table.hierarchies[j]))

    for i, j in combinations(range(table.n_qi), 2):
        pair = found[table.names[i], table.names[j]]
        before = [(groups[i][q[i]], groups[j][q[j]], 1) for q, _, _ in rows]
        after = [
            (a, b, x * y)
            for q, _, _ in rows
            if sides[q] is not None
            for a, x in shares(q, i).items()
            for b, y in shares(q, j).items()
        ]
        assert pair.before == pytest.approx(v_by_definition(before), abs=1e-7)
        assert pair.after == pytest.approx(v_by_definition(after), abs=1e-6)
    values = group_values(table.sensitive_hierarchies[0], np.zeros(9, np.int64)).of_leaf.tolist()
    for j in range(table.n_qi):
        pair = found[table.names[j], table.sensitive_names[0]]
        after = [(a, values[s[0]], x) for q, s, _ in rows if sides[q] is not None for a, x in shares(q, j).items()]
        assert pair.after == pytest.approx(v_by_definition(after), abs=1e-6)


def test_the_corrected_v_of_a_table_worked_by_hand():
    # Each of the four cells expects 10: chi2 = 4 * 25 / 10 = 10 of 40 records.
    counts = np.array([[15.0, 5], [5, 15]])
    phi2 = 10 / 40 - 1 / 39
    assert cramers_v(counts) == pytest.approx(np.sqrt(phi2 / (2 - 1 / 39 - 1)))


@given(hierarchies(max_leaves=6), st.integers(1, 6))
def test_groups_part_the_values(hierarchy, most):
    found = group_values(hierarchy, np.arange(hierarchy.n_values), most=most)
    assert found.of_leaf.shape == (hierarchy.n_values,)
    assert sorted(set(found.of_leaf.tolist())) == list(range(found.n_groups))
    assert found.n_groups <= most + hierarchy.has_null
    assert len(set(found.labels)) == found.n_groups
    if hierarchy.has_null:
        alone = found.of_leaf == found.of_leaf[-1]
        assert alone.sum() == 1


@given(hierarchies(max_leaves=6), st.integers(1, 6), st.data())
def test_spread_shares_add_up(hierarchy, most, data):
    found = group_values(hierarchy, np.arange(hierarchy.n_values), most=most)
    lo = data.draw(st.integers(0, hierarchy.n_values - 1))
    hi = data.draw(st.integers(lo, hierarchy.n_values - 1))
    shares = found.spread(np.array([lo], np.int32), np.array([hi], np.int32))[0]
    told = spread_by_definition(lo, hi, found.of_leaf.tolist(), null_of(hierarchy))
    assert shares == pytest.approx([told.get(g, 0) for g in range(found.n_groups)])


def test_the_most_detailed_level_that_is_few_enough_is_shown():
    codes = [f"{a}{b}" for a in "123" for b in "45678"]
    tree = Hierarchy.from_paths(codes, [[code[0] + "*"] for code in codes])
    assert group_values(tree, np.ones(15, np.int64), most=4).labels == ("1*", "2*", "3*")
