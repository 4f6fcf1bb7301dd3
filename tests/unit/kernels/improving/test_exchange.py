"""Exchanges of many records at once, against trying all permutations, and what they leave as it is."""

from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import problem_of
from shoal.algorithms import TopDown
from shoal.algorithms.improving import Improver
from shoal.algorithms.side_prices import side_prices
from shoal.core.recoding import regions_of
from shoal.errors import InfeasibleError
from shoal.kernels.improving.asked import excess
from shoal.kernels.improving.assignment import assign
from shoal.models import BetaLikeness, KAnonymity, LDiversity, TCloseness
from strategies import tables

costs = st.integers(1, 5).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0, np.inf]), min_size=n, max_size=n), min_size=n, max_size=n
    )
)


@given(costs)
@settings(max_examples=200, deadline=None)
def test_the_assignment_is_the_cheapest_permutation(rows):
    cost = np.array(rows)
    n = len(cost)
    np.fill_diagonal(cost, np.minimum(cost.diagonal(), 9.0))
    chosen = np.empty(n, np.int64)
    assign(cost, n, chosen)
    assert sorted(chosen.tolist()) == list(range(n))
    least = min(sum(cost[i, j] for i, j in enumerate(order)) for order in permutations(range(n)))
    assert cost[np.arange(n), chosen].sum() == least


models = st.sampled_from(
    [
        (KAnonymity(k=2), LDiversity(sensitive="s0", l=2)),
        (LDiversity(sensitive="s0", l="3/2", kind="frequency"),),
        (LDiversity(sensitive="s0", l="3/2", kind="entropy"),),
        (KAnonymity(k=2), TCloseness(sensitive="s0", t="1/3")),
        (BetaLikeness(sensitive="s0", beta=1),),
    ]
)


def improver_of(table, models):
    problem = problem_of(table, models)
    try:
        start = regions_of(TopDown().search(table, problem, np.random.default_rng(0)).recoding, table)
    except InfeasibleError:
        return None
    return Improver(table, problem, start, side_prices(table, problem, "nodes", fit=False))


@given(tables(max_rows=30), models)
@settings(max_examples=30, deadline=None)
def test_records_alike_are_exchanged_without_any_change_of_size_or_sensitive_values(drawn, models):
    improver = improver_of(drawn[0], models)
    if improver is None:
        return
    s, before = improver.state, improver.cost
    counts, size = s.counts.copy(), s.size.copy()
    rng = np.random.default_rng(0)
    done = improver.exchange(*improver.hoods(rng, 8), rng, mixed=0)
    np.testing.assert_array_equal(s.counts, counts)
    np.testing.assert_array_equal(s.size, size)
    assert improver.cost < before or done == 0


@given(tables(max_rows=30), models, st.sampled_from([1, 3, 2**62]))
@settings(max_examples=30, deadline=None)
def test_exchanges_leave_classes_that_pass_and_make_no_more_changes_than_allowed(drawn, models, moves):
    improver = improver_of(drawn[0], models)
    if improver is None or not improver.exact:
        return
    before = improver.cost
    rng = np.random.default_rng(0)
    assert improver.exchange(*improver.hoods(rng, 8), rng, mixed=3, moves=moves) <= moves
    assert improver.cost <= before + 1e-9
    problem = problem_of(drawn[0], models)
    assert not problem.violating(improver.regions("nodes").classes(drawn[0], problem.columns)).any()


@given(tables(max_rows=12), models)
@settings(max_examples=30, deadline=None)
def test_a_class_without_excess_passes(drawn, models):
    table = drawn[0]
    improver = improver_of(table, models)
    if improver is None or not improver.exact or improver.state.counts.shape[1] < 2:
        return
    asked = improver.asked._replace(least=1)
    rng = np.random.default_rng(1)
    for counts in rng.integers(0, 4, (20, len(asked.shares))):
        size = int(counts.sum())
        if size and not excess(asked, counts, size):
            problem = problem_of(table, models)
            value = np.repeat(np.arange(len(counts)), counts)
            item = np.array([np.flatnonzero(table.sensitive[:, 0] == v)[:1] for v in value], object)
            if all(len(one) for one in item):
                held = np.array([one[0] for one in item])
                found = table.classes(
                    np.zeros(size, np.int64), 1, problem.columns, items=held, counts=np.ones(size, np.int64)
                )
                only = [model for model in models if not isinstance(model, KAnonymity)]
                assert not any(model.violating(found, problem.context).any() for model in only)
