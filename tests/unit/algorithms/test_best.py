"""Best on tables small enough to see what it must find, and what it promises about budgets and seeds."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import models, problem_of, search
from shoal.algorithms import Best, TopDown, side_prices, starts
from shoal.algorithms.anytime import Trace, rounds_for
from shoal.core.hierarchy import Hierarchy
from shoal.core.recoding import regions_of
from shoal.errors import InfeasibleError, SpecError
from shoal.loss import LOSSES, NCP
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness
from strategies import table_of, tables


def line(n):
    names = [str(i) for i in range(n)]
    return Hierarchy.from_paths(names, [["*"]] * n, order=range(n), type="integer")


def values(*names):
    return Hierarchy.from_paths(names, [["*"]] * len(names))


def grid(seed=3, n=60):
    """Records over two ordered columns of eight values, with one of two sensitive values."""
    rng = np.random.default_rng(seed)
    rows = [((int(rng.integers(8)), int(rng.integers(8))), (int(rng.integers(2)),), None) for _ in range(n)]
    return table_of(rows, (line(8), line(8)), (values("a", "b"),))


def loss_of(algorithm, table, problem, seed=0):
    recoding = algorithm.search(table, problem, np.random.default_rng(seed)).recoding
    return measure(problem.loss, table, regions_of(recoding, table), problem.weights)


def test_rows_of_one_record_part_where_a_neighbour_needs_one():
    # Three rows of 0 and one of 1: {0, 0} and {0, 1} lose 2 rows * 1/7, all together 4 * 1/7; mean over 4 rows.
    table = table_of([((0,), (), None)] * 3 + [((1,), (), None)], (line(8),))
    problem = problem_of(table, (KAnonymity(k=2),))
    found = Best(labels="ranges", boxes="tight").search(table, problem, np.random.default_rng(0)).recoding
    assert measure(NCP(), table, found) == pytest.approx(2 / 7 / 4)


def test_weights_say_which_column_is_kept():
    # Corners of a square, k = 2: pairs share one column; the heavy one stays as it is.
    rows = [((a, b), (), None) for a in (0, 7) for b in (0, 7)]
    table = table_of(rows, (line(8), line(8)))
    problem = problem_of(table, (KAnonymity(k=2),), weights={"q0": 1.0, "q1": 5.0})
    found = Best(labels="ranges", boxes="tight").search(table, problem, np.random.default_rng(0)).recoding
    assert (found.lo[:, 1] == found.hi[:, 1]).all()


@given(st.integers(0, 40))
@settings(max_examples=15, deadline=None)
def test_any_number_of_moves_passes_and_the_same_number_gives_the_same(moves):
    table = grid()
    problem = problem_of(table, (KAnonymity(k=3),))
    first, second = (search(Best(labels="sets", boxes="tight", moves=moves), table, problem) for _ in range(2))
    for name in ("lo", "hi", "offsets", "region", "rows"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert not problem.violating(regions_of(first, table).classes(table)).any()


def test_no_moves_return_the_start():
    table = grid()
    problem = problem_of(table, (KAnonymity(k=3),))
    start = loss_of(TopDown(), table, problem)
    assert loss_of(Best(starts=("top-down",), moves=0), table, problem) == start
    assert loss_of(Best(starts="top-down"), table, problem) <= start


def test_a_spent_budget_returns_what_passes():
    table = grid()
    problem = problem_of(table, (KAnonymity(k=3),), budget_s=0.0)
    solution = Best().search(table, problem, np.random.default_rng(0))
    assert solution.statistics["out of time"]
    assert not problem.violating(regions_of(solution.recoding, table).classes(table)).any()


def test_progress_tells_the_loss():
    told = []
    table = grid()
    problem = problem_of(table, (KAnonymity(k=3),), progress=lambda _share, text: told.append(text))
    reached = loss_of(Best(), table, problem)
    losses = [float(text.split()[1]) for text in told if text.startswith("loss") and "changes" in text]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == pytest.approx(reached, abs=1e-4)


def test_the_trace_tells_the_loss_against_time():
    table = grid()
    problem = problem_of(table, (KAnonymity(k=3),))
    solution = Best().search(table, problem, np.random.default_rng(0))
    seconds, losses = zip(*solution.statistics["trace"], strict=True)
    assert seconds == tuple(sorted(seconds))
    assert losses == tuple(sorted(losses, reverse=True))
    assert losses[-1] == pytest.approx(measure(NCP(), table, solution.recoding))


def test_a_long_trace_keeps_its_last_step():
    trace = Trace()
    for loss in range(1000, 0, -1):
        trace.note(loss)
        trace.note(loss)
    assert len(trace.steps) <= 201
    assert [loss for _, loss in trace.steps] == sorted({loss for _, loss in trace.steps}, reverse=True)
    assert trace.steps[-1][1] == 1
    assert Trace().steps == []


def test_a_trace_ends_at_what_is_returned():
    trace = Trace()
    for loss in (3.0, 2.0, 1.0):
        trace.note(loss)
    trace.end(1.5)
    assert [loss for _, loss in trace.steps] == [3.0, 2.0, 1.5]
    trace.end(1.5)
    assert [loss for _, loss in trace.steps] == [3.0, 2.0, 1.5]


@pytest.mark.parametrize(
    ("n_points", "class_size", "rounds"),
    [(1, 5, 20), (100_000, 5, 20), (1_000_000, 5, 2), (1_000_000, 30, 1), (3_000_000, 5, 0), (0, 0, 20)],
)
def test_the_rounds_of_a_large_table_are_few(n_points, class_size, rounds):
    assert rounds_for(n_points, class_size, None) == rounds


def test_seconds_are_used_up_where_there_are_some():
    assert rounds_for(3_000_000, 5, 60.0) > 1000


def test_models_that_bound_shares_are_given_more_starts():
    table = grid()

    def tried(*models):
        with patch.object(starts, "FEW_POINTS", 2):
            found = Best(moves=0).search(table, problem_of(table, models), np.random.default_rng(0)).statistics
        return {key.removeprefix("loss of ") for key in found if key.startswith("loss of")}

    assert tried(KAnonymity(k=3), LDiversity(sensitive="s0", l=2)) == {"top-down", "mondrian"}
    share = AlphaKAnonymity(sensitive="s0", alpha="3/4", k=3)
    assert tried(share) == {"top-down", "mondrian", "hilbert", "progressive", "quotas"}
    assert tried(LDiversity(sensitive="s0", l="3/2", kind="frequency")) >= {"progressive", "hilbert"}


def test_a_vast_table_gets_one_quick_start_unless_there_is_a_budget():
    table = grid()
    problem = problem_of(table, (KAnonymity(k=3),))
    with patch.object(starts, "FEW_POINTS", 2), patch.object(starts, "MANY_POINTS", 4):
        quick = Best().search(table, problem, np.random.default_rng(0)).statistics
        patient = Best().search(table, replace(problem, budget_s=60.0), np.random.default_rng(0)).statistics
    assert {key for key in quick if key.startswith("loss of")} == {"loss of mondrian without lookahead"}
    assert {key for key in patient if key.startswith("loss of")} == {
        "loss of mondrian without lookahead",
        "loss of mondrian",
        "loss of top-down",
    }


def test_a_model_of_closure_none_gets_the_best_start():
    table = grid()
    problem = problem_of(table, (AlphaKAnonymity(sensitive="s0", alpha="1/2", k=2, form="ceiling"),))
    solution = Best().search(table, problem, np.random.default_rng(0))
    assert solution.statistics["moves"] == 0


def test_dealing_serves_closeness_to_the_table():
    """The sensitive value follows the column, so that every cut leaves classes far from the table."""
    rows = [((i // 8,), (i // 32,), None) for i in range(64)]
    table = table_of(rows, (line(8),), (values("a", "b"),))
    problem = problem_of(table, (TCloseness(sensitive="s0", t="0.1"),))
    assert loss_of(TopDown(), table, problem) == 1.0
    nodes = replace(problem, loss=NCP())
    solution = Best(labels="ranges", boxes="tight").search(table, nodes, np.random.default_rng(0))
    assert solution.statistics["loss of quotas"] < 1.0


def test_the_bound_is_said_in_words():
    table = grid()
    problem = problem_of(table, (KAnonymity(k=3),))
    proven = Best(bound="all").search(table, problem, np.random.default_rng(0))
    sampled = Best(bound="sample", starts="top-down").search(table, problem, np.random.default_rng(0))
    assert proven.notes[0].startswith("No recoding with these labels loses less than")
    assert proven.statistics["bound proven"]
    assert "bound" in sampled.statistics
    sizes = replace(problem, loss=LOSSES.make("discernibility"))
    assert "No bound" in Best(bound="all").search(table, sizes, np.random.default_rng(0)).notes[0]


def test_infeasible_is_said_by_the_starts():
    table = grid(n=3)
    with pytest.raises(InfeasibleError):
        Best().search(table, problem_of(table, (KAnonymity(k=4),)), np.random.default_rng(0))


@given(tables(max_rows=20), st.sampled_from(["nodes", "ranges", "sets", "stars"]), models, st.data())
@settings(max_examples=30, deadline=None)
def test_columns_with_many_values_are_priced_alike(drawn, labels, models, data):
    table, _ = drawn
    most = {
        name: data.draw(st.integers(0, h.height)) for name, h in zip(table.names, table.hierarchies, strict=True)
    }
    problem = problem_of(table, models, max_levels=most)
    algorithm = Best(labels=labels, starts=("top-down",))
    few = search(algorithm, table, problem)
    with patch.object(side_prices, "MOST_VALUES", 0):
        many = search(algorithm, table, problem)
    assert (few is None) == (many is None)
    if few is not None:
        assert measure(NCP(), table, few) == pytest.approx(measure(NCP(), table, many), abs=0.05)


@pytest.mark.parametrize("start", ["sampled", "anatomy", "hybrid"])
def test_a_start_that_does_not_generalize_every_record_is_refused(start):
    with pytest.raises(SpecError, match=f"'best' cannot use algorithm '{start}'"):
        Best(starts=(start,))
