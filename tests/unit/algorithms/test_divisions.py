"""Divisions of a node: what they are, how many there are, and how well they score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import diffgen as oracle
from shoal.algorithms.divisions import SCORES, ColumnRecords, children_of, n_divisions, sensitivity
from strategies import hierarchies, tables

LAW = settings(max_examples=80, deadline=None)


def sides_of(hierarchy, *, cut, rng):
    """Every side on one way down to single values, cut points drawn, with the parts of each."""
    waiting = [(0, hierarchy.n_values - 1)]
    while waiting:
        side = waiting.pop()
        children = children_of(hierarchy, side, cut=cut)
        if children is None:
            at = int(rng.integers(side[0], side[1]))
            children = [(side[0], at), (at + 1, side[1])]
        yield side, children
        waiting += children


@LAW
@given(hierarchies(max_leaves=7, max_inner=3), st.booleans(), st.integers(0, 9))
def test_parts_make_up_their_node_and_there_are_as_many_divisions_as_said(hierarchy, cut, seed):
    cut = cut and hierarchy.ordered
    divided = 0
    for (lo, hi), children in sides_of(hierarchy, cut=cut, rng=np.random.default_rng(seed)):
        if not children:
            assert lo == hi
            continue
        divided += 1
        assert [code for a, b in children for code in range(a, b + 1)] == list(range(lo, hi + 1))
        assert len(children) > 1
    assert divided == n_divisions(hierarchy, cut=cut)


def test_a_missing_value_is_parted_off_before_any_cut():
    from shoal.core.hierarchy import Hierarchy

    tree = Hierarchy.from_paths(["1", "2", "3"], [[]] * 3, order=[1, 2, 3], null=True)
    assert children_of(tree, (0, 3), cut=True) == [(0, 2), (3, 3)]
    assert children_of(tree, (0, 2), cut=True) is None


@pytest.mark.parametrize("score", SCORES)
@LAW
@given(drawn=tables(unit=False), seed=st.integers(0, 9))
def test_scores_are_what_the_definition_says(score, drawn, seed):
    table, rows = drawn
    hierarchy = table.hierarchies[0]
    records = ColumnRecords.of(table, 0)
    plain = [(quasi[0], sensitive[0]) for quasi, sensitive, _ in rows]
    cut = hierarchy.ordered
    for (lo, hi), children in sides_of(hierarchy, cut=cut, rng=np.random.default_rng(seed)):
        if not children:
            continue
        expected = oracle.score(plain, children, score)
        assert records.score((lo, hi), children, score) == pytest.approx(expected, abs=1e-9)
        halves = [[(lo, at), (at + 1, hi)] for at in range(lo, hi)]
        expected = [oracle.score(plain, parts, score) for parts in halves]
        assert records.cut_scores((lo, hi), score) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("score", SCORES)
@LAW
@given(drawn=tables(unit=False, min_rows=2), data=st.data())
def test_one_record_changes_a_score_by_its_sensitivity_at_most(score, drawn, data):
    table, rows = drawn
    hierarchy = table.hierarchies[0]
    if hierarchy.n_values < 2:
        return
    at = data.draw(st.integers(0, hierarchy.n_values - 2))
    parts = [(0, at), (at + 1, hierarchy.n_values - 1)]
    plain = [(quasi[0], sensitive[0]) for quasi, sensitive, _ in rows]
    gone = data.draw(st.integers(0, len(rows) - 1))
    with_it, without = (oracle.score(some, parts, score) for some in (plain, plain[:gone] + plain[gone + 1 :]))
    most = sensitivity(score, table.sensitive_hierarchies[0].n_values)
    assert abs(with_it - without) <= most + 1e-9
