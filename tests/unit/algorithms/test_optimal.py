"""The full-domain searches: limits, ties, budgets, lattices that are too large, and what an error says."""

import re
from fractions import Fraction

import numpy as np
import pytest

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.lattice import Lattice
from shoal.algorithms.optimal import Optimal
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.errors import InfeasibleError, SpecError
from shoal.loss import NCP, Discernibility
from shoal.loss.measure import measure
from shoal.models import KAnonymity, LDiversity, TCloseness
from strategies import table_of

RNG = np.random.default_rng(0)


def binary_tree(height):
    """A tree of 2^height ordered leaves with two children each."""
    codes = range(2**height)
    paths = [[f"{code >> up}:{up}" for up in range(1, height)] + ["*"] for code in codes]
    return Hierarchy.from_paths([str(code) for code in codes], paths, order=[float(code) for code in codes])


def pairs_of_four():
    """Eight records over one column of height 2: two records of each of the values 0 to 3."""
    return table_of([((code,), (), None) for code in (0, 0, 1, 1, 2, 2, 3, 3)], [binary_tree(2)])


def problem_of(table, *models, limit="0", loss=None, **settings):
    return Problem(
        models=models, loss=loss or NCP(), context=table.context(), suppression_limit=Fraction(limit), **settings
    )


@pytest.fixture(params=["exhaustive", "optimal"])
def algorithm(request):
    return ALGORITHMS.make(request.param)


@pytest.mark.parametrize(("k", "level"), [(2, 0), (3, 1), (4, 1), (5, 2)])
def test_climbs_as_far_as_k_needs(algorithm, k, level):
    table = pairs_of_four()
    solution = algorithm.search(table, problem_of(table, KAnonymity(k=k)), RNG)
    assert solution.recoding.levels == (level,)
    assert solution.optimal
    assert not solution.recoding.suppressed.any()


def test_suppresses_where_that_is_cheaper(algorithm):
    """One record of value 3 beside four of 0 and four of 1: suppressing it costs 1/9, climbing once 1/3."""
    table = table_of([((code,), (), None) for code in (0, 0, 0, 0, 1, 1, 1, 1, 3)], [binary_tree(2)])
    problem = problem_of(table, KAnonymity(k=2), limit="1/9")
    solution = algorithm.search(table, problem, RNG)
    assert solution.recoding.levels == (0,)
    assert table.codes[solution.recoding.suppressed].tolist() == [[3]]
    assert measure(NCP(), table, regions_of(solution.recoding, table)) == pytest.approx(1 / 9)


def test_a_release_without_any_row_is_infeasible(algorithm):
    table = pairs_of_four()
    with pytest.raises(InfeasibleError):
        algorithm.search(table, problem_of(table, KAnonymity(k=9), limit="1"), RNG)


def test_equal_losses_go_to_the_first_level_vector(algorithm):
    """Either column alone reaches k = 2 at the same loss."""
    tree = binary_tree(1)
    table = table_of([((a, b), (), None) for a in (0, 1) for b in (0, 1)], [tree, tree])
    assert algorithm.search(table, problem_of(table, KAnonymity(k=2)), RNG).recoding.levels == (0, 1)


def test_weights_say_which_column_to_keep(algorithm):
    tree = binary_tree(1)
    table = table_of([((a, b), (), None) for a in (0, 1) for b in (0, 1)], [tree, tree])
    problem = problem_of(table, KAnonymity(k=2), weights={"q1": 2.0})
    assert algorithm.search(table, problem, RNG).recoding.levels == (1, 0)


def test_highest_levels_are_kept(algorithm):
    table = pairs_of_four()
    solution = algorithm.search(table, problem_of(table, KAnonymity(k=3), max_levels={"q0": 1}), RNG)
    assert solution.recoding.levels == (1,)
    with pytest.raises(InfeasibleError, match="max_levels") as caught:
        algorithm.search(table, problem_of(table, KAnonymity(k=5), max_levels={"q0": 1}), RNG)
    assert "q0 1" in caught.value.where or "q0 0" in caught.value.where


def test_a_highest_level_of_an_unknown_column_is_refused(algorithm):
    table = pairs_of_four()
    with pytest.raises(SpecError, match="did you mean 'q0'"):
        algorithm.search(table, problem_of(table, KAnonymity(k=2), max_levels={"q": 1}), RNG)


def test_an_infeasible_problem_names_choices_that_are_feasible(algorithm):
    table = table_of([((code,), (), None) for code in (0, 0, 0, 1, 1, 2, 3)], [binary_tree(2)])
    problem = problem_of(table, KAnonymity(k=3), max_levels={"q0": 0})
    with pytest.raises(InfeasibleError) as caught:
        algorithm.search(table, problem, RNG)
    error = caught.value
    assert "4 of 7 records in violating classes" in error.where
    limit = re.search(r"suppression limit to ([0-9.]+) \(4 of 7 records\)", error.choices[0])
    again = problem_of(table, KAnonymity(k=3), limit=limit[1], max_levels={"q0": 0})
    assert algorithm.search(table, again, RNG).recoding.suppressed.sum() == 3
    assert error.choices[1] == "lower k to 1"
    assert "max_levels" in error.choices[2]


def test_the_nearest_suppression_limit_is_looked_for():
    """The top fails as one class, which alone rules out all nodes at limit 0; each value apart loses 2 of 6."""
    tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    rows = [((0,), (0,), None), ((0,), (0,), None), ((1,), (0,), None), ((1,), (1,), None)]
    rows += [((1,), (0,), None), ((1,), (1,), None)]
    table = table_of(rows, [binary_tree(1)], [tree])
    model = LDiversity(sensitive="s0", l=2, kind="frequency")
    with pytest.raises(InfeasibleError) as caught:
        Optimal().search(table, problem_of(table, model), RNG)
    assert "2 of 6 records in violating classes (levels: q0 0)" in caught.value.where
    assert "suppression limit to 0.3334 (2 of 6 records)" in caught.value.choices[0]


def test_thresholds_in_an_error_are_rounded_to_the_side_on_which_they_are_met(algorithm):
    """One class of a, a, b: entropy l is exp(0.636514) = 1.889881..., the rest of the sum in the oracle."""
    tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    table = table_of(
        [((0,), (0,), None), ((0,), (0,), None), ((0,), (1,), None)],
        [
            binary_tree(0),
        ],
        [tree],
    )
    with pytest.raises(InfeasibleError) as caught:
        algorithm.search(table, problem_of(table, LDiversity(sensitive="s0", l="2", kind="entropy")), RNG)
    assert caught.value.choices[0] == "lower l to 1.8898 on s0"


def test_exhaustive_refuses_large_lattices():
    table = pairs_of_four()
    with pytest.raises(SpecError, match="3 nodes"):
        Exhaustive(max_nodes=2).search(table, problem_of(table, KAnonymity(k=2)), RNG)


def test_levels_that_group_the_values_alike_are_searched_once():
    """Values 0 and 3 alone occur: levels 0 and 1 keep them apart."""
    table = table_of([((code,), (), None) for code in (0, 0, 3, 3)], [binary_tree(2)])
    assert Lattice.of(table, problem_of(table, KAnonymity(k=2))).columns[0].levels == (0, 2)


def random_table(n_rows, heights, seed=1):
    rng = np.random.default_rng(seed)
    trees = [binary_tree(height) for height in heights]
    rows = [
        (tuple(int(rng.integers(tree.n_values)) for tree in trees), (int(rng.integers(3)),), None)
        for _ in range(n_rows)
    ]
    return table_of(rows, trees, [Hierarchy.from_paths(list("abc"), [["*"]] * 3)])


@pytest.mark.parametrize("limit", ["0", "1/5", "1"])
def test_ten_rows_and_fourteen_quasi_identifiers_give_a_release(limit):
    table = random_table(10, [3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4])
    problem = problem_of(table, KAnonymity(k=3), limit=limit)
    solution = Optimal(max_nodes=300).search(table, problem, RNG)
    regions = regions_of(solution.recoding, table)
    assert regions.region_rows.min() >= 3
    assert regions.suppressed_rows <= problem.allowed
    assert not solution.optimal
    assert solution.statistics["pruned"] is None
    assert measure(NCP(), table, regions) < 1


@pytest.mark.parametrize("models", [(KAnonymity(k=4),), (KAnonymity(k=3), TCloseness(sensitive="s0", t="0.3"))])
def test_a_spent_budget_gives_the_best_so_far(models):
    table = random_table(60, [3, 3, 3, 2])
    problem = problem_of(table, *models, limit="1/5")
    solution = Optimal(max_nodes=12).search(table, problem, RNG)
    assert not solution.optimal
    assert not problem.violating(regions_of(solution.recoding, table).classes(table, problem.columns)).any()
    proven = Optimal().search(table, problem, RNG)
    assert proven.optimal
    assert (
        proven.statistics["counted"] + proven.statistics["pruned"] == proven.statistics["nodes"] == 4 * 4 * 4 * 3
    )


def test_no_seconds_left_is_a_spent_budget():
    table = random_table(60, [3, 3, 3, 2])
    solution = Optimal().search(table, problem_of(table, KAnonymity(k=4), budget_s=0.0), RNG)
    assert not solution.optimal


def test_an_infeasible_problem_within_a_budget_says_that_more_may_be_found():
    table = random_table(60, [3, 3, 3, 2])
    problem = problem_of(table, LDiversity(sensitive="s0", l=3, kind="frequency"), budget_s=0.0)
    with pytest.raises(InfeasibleError, match="was found"):
        Optimal().search(table, problem, RNG)


def test_progress_is_told():
    table = random_table(300, [4, 4, 4, 4])
    told = []
    problem = problem_of(
        table,
        KAnonymity(k=4),
        limit="1/5",
        loss=Discernibility(),
        progress=lambda share, text: told.append((share, text)),
    )
    Optimal().search(table, problem, RNG)
    assert told
    assert told[0][1].startswith("64 of 625 nodes")


def test_fewer_nodes_are_counted_than_there_are():
    table = random_table(300, [4, 4, 4, 4])
    solution = Optimal().search(table, problem_of(table, KAnonymity(k=4), limit="1/20"), RNG)
    assert solution.statistics["counted"] < 625 / 3


def test_a_budget_must_allow_one_node():
    with pytest.raises(SpecError):
        Optimal(max_nodes=0)
