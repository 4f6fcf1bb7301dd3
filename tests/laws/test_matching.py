"""Pairs of least cost are the optimum for two sensitive values, and no heuristic is below an optimum."""

import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from laws.test_hilbert import check_regions, hierarchy
from oracles import best_grouping as oracle
from shoal.algorithms import TDS, Hilbert, Matching, Mondrian
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.regions import publishable
from shoal.errors import EngineError, InfeasibleError, SpecError
from shoal.loss import NCP, Discernibility, NCPValue, NonUniformEntropy, Stars
from shoal.loss.measure import measure
from shoal.models import KAnonymity, LDiversity
from strategies import hierarchies, table_of

LAW = settings(max_examples=120, deadline=None)
PAIRS = (LDiversity(sensitive="s0", l=2, kind="frequency"),)
labels = st.sampled_from(["nodes", "ranges", "sets", "stars"])
RNG = np.random.default_rng(0)


@st.composite
def small_tables(draw, *, values, max_rows=8):
    trees = [draw(hierarchies(max_leaves=4)) for _ in range(draw(st.integers(1, 3)))]
    quasi = st.tuples(*(st.integers(0, h.n_values - 1) for h in trees))
    row = st.tuples(quasi, st.tuples(st.integers(0, values - 1)), st.just(None))
    rows = draw(st.lists(row, min_size=2, max_size=max_rows))
    assume(len({s for _, s, _ in rows}) > 1)
    return table_of(rows, trees, [hierarchy("abcd"[:values])]), rows


def cost_of(table, rows, loss, labels, weights):
    """The cost of publishing some rows as one class."""
    counts = table.marginals

    def cost(group):
        total = 0.0
        for j, h in enumerate(table.hierarchies):
            leaf = np.array([rows[i][0][j] for i in group], np.int32)
            lo, hi = publishable(h, leaf.min(keepdims=True), leaf.max(keepdims=True), labels)
            sides = np.repeat(lo, len(leaf)), np.repeat(hi, len(leaf))
            total += weights.get(table.names[j], 1.0) * loss.costs(h, counts[j], leaf, *sides).sum()
        return total

    return cost


def passing(rows, l):
    return lambda group: l * max(Counter(rows[i][1] for i in group).values()) <= len(group)


def summed(loss, table, regions, weights):
    """The measured loss as a sum over cells."""
    full = sum(
        weights.get(name, 1.0) * loss.full(h, m)
        for name, h, m in zip(table.names, table.hierarchies, table.marginals, strict=True)
    )
    return measure(loss, table, regions, weights) * (full if loss.normalized else 1)


@LAW
@given(
    small_tables(values=2),
    labels,
    st.sampled_from([Stars(), NCP(), NonUniformEntropy()]),
    st.sampled_from([{}, {"q0": 3.0}]),
)
def test_pairs_cost_as_little_as_the_best_of_all_groupings(drawn, labels, loss, weights):
    table, rows = drawn
    problem = Problem(models=PAIRS, loss=loss, context=table.context(), weights=weights)
    counts = Counter(s for _, s, _ in rows)
    if len(set(counts.values())) > 1:
        with pytest.raises(InfeasibleError, match="equally"):
            Matching(labels=labels).search(table, problem, RNG)
        return
    found = Matching(labels=labels).search(table, problem, RNG)
    assert found.optimal
    check_regions(table, problem, found.recoding)
    expected = oracle.least_cost(len(rows), passing(rows, 2), cost_of(table, rows, loss, labels, weights))
    assert summed(loss, table, found.recoding, weights) == pytest.approx(expected, abs=1e-9)


@LAW
@given(small_tables(values=2, max_rows=7), labels)
def test_the_rows_of_which_there_are_too_many_are_suppressed_at_least_cost(drawn, labels):
    table, rows = drawn
    one, other = Counter(s for _, s, _ in rows).values()
    limit = Fraction(abs(one - other), len(rows))
    problem = Problem(models=PAIRS, loss=Stars(), context=table.context(), suppression_limit=limit)
    try:
        regions = Matching(labels=labels).search(table, problem, RNG).recoding
    except InfeasibleError as error:
        assert "* in every column" in str(error)
        return
    check_regions(table, problem, regions)
    whole = sum(h.n_values > 1 for h in table.hierarchies)
    expected = oracle.least_cost(
        len(rows), passing(rows, 2), cost_of(table, rows, Stars(), labels, {}), lost=(whole, abs(one - other))
    )
    assert measure(Stars(), table, regions) == expected


@LAW
@given(small_tables(values=2), labels, st.data())
def test_highest_levels_are_kept(drawn, labels, data):
    table, _ = drawn
    highest = {
        name: data.draw(st.integers(0, h.height)) for name, h in zip(table.names, table.hierarchies, strict=True)
    }
    problem = Problem(models=PAIRS, loss=NCPValue(), context=table.context(), max_levels=highest)
    try:
        regions = Matching(labels=labels).search(table, problem, RNG).recoding
    except InfeasibleError:
        return
    check_regions(table, problem, regions)
    for j, (name, h) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        top = h.levels[highest[name]][regions.lo[:, j]]
        assert (regions.hi[:, j] <= h.hi[top]).all()


@LAW
@given(small_tables(values=3, max_rows=7), labels, st.sampled_from([Stars(), NCP()]))
def test_no_heuristic_is_below_the_best_of_all_groupings(drawn, labels, loss):
    table, rows = drawn
    problem = Problem(models=PAIRS, loss=loss, context=table.context())
    expected = oracle.least_cost(len(rows), passing(rows, 2), cost_of(table, rows, loss, labels, {}))
    for algorithm in (Hilbert(labels=labels), Mondrian(labels=labels, boxes="tight"), TDS(labels=labels)):
        try:
            regions = algorithm.search(table, problem, RNG).recoding
        except InfeasibleError:
            assert expected == np.inf
        else:
            assert summed(loss, table, regions, {}) >= expected - 1e-9


def two_and_two():
    tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    return table_of([((q,), (s,), None) for q in (0, 1) for s in (0, 1)], [tree], [tree])


@pytest.mark.parametrize(
    ("models", "loss"),
    [
        ((KAnonymity(k=2),), Stars()),
        ((LDiversity(sensitive="s0", l=2),), Stars()),
        ((LDiversity(sensitive="s0", l="3/2", kind="frequency"),), Stars()),
        ((*PAIRS, KAnonymity(k=3)), Stars()),
        (PAIRS, Discernibility()),
    ],
)
def test_other_models_and_objectives_are_refused(models, loss):
    table = two_and_two()
    with pytest.raises(SpecError):
        Matching().search(table, Problem(models=models, loss=loss, context=table.context()), RNG)


def test_three_values_are_refused():
    tree = hierarchy("abc")
    table = table_of([((0,), (s,), None) for s in (0, 1, 2)], [tree], [tree])
    with pytest.raises(SpecError, match="3 value"):
        Matching().search(table, Problem(models=PAIRS, loss=Stars(), context=table.context()), RNG)


def test_a_missing_extra_is_named(monkeypatch):
    table = two_and_two()
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(EngineError, match=r"shoal\[learn\]"):
        Matching().search(table, Problem(models=PAIRS, loss=Stars(), context=table.context()), RNG)


def test_too_many_rows_are_refused(monkeypatch):
    from shoal.algorithms import matching

    monkeypatch.setattr(matching, "MOST_PAIRS", 3)
    tree = hierarchy("abcd")
    table = table_of([((q,), (q // 2,), None) for q in range(4)], [tree], [hierarchy()])
    with pytest.raises(EngineError, match="too many"):
        Matching().search(table, Problem(models=PAIRS, loss=Stars(), context=table.context()), RNG)


def test_labels_are_checked():
    with pytest.raises(SpecError, match="unknown"):
        Matching(labels="star")
