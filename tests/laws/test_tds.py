"""What holds of TDS on random tables, with and without people and missing values."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.test_hilbert import check_regions, models, problem_of, search
from oracles import tds as oracle
from shoal.algorithms import TDS
from shoal.algorithms.column_tree import ColumnTree
from shoal.core.protocols import Closure
from shoal.errors import SpecError
from shoal.models import KAnonymity, LDiversity
from strategies import hierarchies, table_of, tables

LAW = settings(max_examples=80, deadline=None)

labels = st.sampled_from(["nodes", "ranges", "sets", "stars"])


def tree_of(hierarchy, labels):
    """The nodes of a column as intervals, each with those below it."""
    tree = ColumnTree.of(hierarchy, labels)
    sides = list(zip(tree.lo.tolist(), tree.hi.tolist(), strict=True))
    return {
        side: [sides[child] for child in children] for side, children in zip(sides, tree.children, strict=True)
    }


@LAW
@given(hierarchies(max_leaves=9), labels)
def test_the_children_of_a_node_make_it_up(hierarchy, labels):
    tree = tree_of(hierarchy, labels)
    assert (0, hierarchy.n_values - 1) in tree
    for (lo, hi), children in tree.items():
        assert bool(children) == (lo < hi)
        if children:
            assert [code for a, b in children for code in range(a, b + 1)] == list(range(lo, hi + 1))


@LAW
@given(tables(), labels, models)
def test_what_is_published_meets_every_model(drawn, labels, models):
    table, _ = drawn
    problem = problem_of(table, models)
    regions = search(TDS(labels=labels), table, problem)
    root = table.classes(np.zeros(table.n_items, np.int32), 1, problem.columns)
    assert (regions is None) == bool(problem.violating(root)[0])
    if regions is not None:
        check_regions(table, problem, regions)


@LAW
@given(tables(), labels, models, st.sampled_from([Fraction(0), Fraction(1, 3)]), st.data())
def test_every_column_follows_one_cut_within_the_limits(drawn, labels, models, limit, data):
    table, _ = drawn
    highest = {
        name: data.draw(st.integers(0, h.height)) for name, h in zip(table.names, table.hierarchies, strict=True)
    }
    problem = problem_of(table, models, suppression_limit=limit, max_levels=highest)
    regions = search(TDS(labels=labels), table, problem)
    if regions is None:
        return
    check_regions(table, problem, regions)
    for j, (name, h) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        sides = set(zip(regions.lo[:, j].tolist(), regions.hi[:, j].tolist(), strict=True))
        assert all(a == b or a[1] < b[0] or b[1] < a[0] for a in sides for b in sides)
        top = h.levels[highest[name]][regions.lo[:, j]]
        assert (h.lo[top] <= regions.lo[:, j]).all()
        assert (regions.hi[:, j] <= h.hi[top]).all()


@LAW
@given(
    tables(unit=False),
    labels,
    st.sampled_from(
        [
            (LDiversity(sensitive="s0", l=2, kind="frequency"),),
            (LDiversity(sensitive="s0", l="3/2", kind="frequency"), KAnonymity(k=2)),
            (LDiversity(sensitive="s0", l="3/2", kind="entropy"),),
        ]
    ),
)
def test_equals_specializing_plain_lists(drawn, labels, models):
    table, rows = drawn
    problem = problem_of(table, models)
    assert problem.closed_under(Closure.UNION)
    regions = search(TDS(labels=labels), table, problem)
    if regions is None:
        return

    def counted(records):
        alone = table_of(records, table.hierarchies, table.sensitive_hierarchies)
        return alone.classes(np.zeros(alone.n_items, np.int32), 1, problem.columns)

    def passes(classes):
        return not any(problem.violating(counted(records)).any() for records in classes)

    def reached(classes):
        return [min(m.achieved(counted(records), problem.context) for records in classes) for m in models]

    trees = [tree_of(h, labels) for h in table.hierarchies]
    start = [{(0, h.n_values - 1)} for h in table.hierarchies]
    cuts = oracle.specialize(rows, trees, passes, reached, start)
    for j, cut in enumerate(cuts):
        codes = {q[j] for q, _, _ in rows}
        occurring = {side for side in cut if any(side[0] <= code <= side[1] for code in codes)}
        assert set(zip(regions.lo[:, j].tolist(), regions.hi[:, j].tolist(), strict=True)) == occurring


@LAW
@given(tables(), labels)
def test_nothing_is_lost_where_nothing_is_asked(drawn, labels):
    table, _ = drawn
    regions = search(TDS(labels=labels), table, problem_of(table, (KAnonymity(k=1),)))
    assert (regions.lo == regions.hi).all()


@LAW
@given(tables(), labels, models, st.randoms())
def test_the_order_of_rows_changes_nothing(drawn, labels, models, random):
    table, rows = drawn
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = table_of(shuffled, table.hierarchies, table.sensitive_hierarchies)
    first, second = (search(TDS(labels=labels), t, problem_of(t, models)) for t in (table, again))
    assert (first is None) == (second is None)
    if first is not None:
        np.testing.assert_array_equal(first.lo, second.lo)
        np.testing.assert_array_equal(first.region, second.region)


def test_unknown_labels_are_refused():
    with pytest.raises(SpecError, match="unknown"):
        TDS(labels="node")
