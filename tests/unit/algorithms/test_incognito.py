"""Incognito: what it accepts, what it counts, and what an error says; its answers are compared in the laws."""

import re
from fractions import Fraction

import numpy as np
import pytest

from shoal.algorithms import Incognito
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.errors import InfeasibleError, SpecError
from shoal.loss import NCP
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity
from strategies import table_of

RNG = np.random.default_rng(0)
SICK = Hierarchy.from_paths(list("abc"), [["*"]] * 3)


def binary_tree(height):
    """A tree of 2^height leaves with two children each."""
    codes = range(2**height)
    paths = [[f"{code >> up}:{up}" for up in range(1, height)] + ["*"] for code in codes]
    return Hierarchy.from_paths([str(code) for code in codes], paths)


def random_table(n_rows, heights):
    rng = np.random.default_rng(1)
    trees = [binary_tree(height) for height in heights]
    rows = [
        (tuple(int(rng.integers(tree.n_values)) for tree in trees), (int(rng.integers(3)),), None)
        for _ in range(n_rows)
    ]
    return table_of(rows, trees, [SICK])


def problem_of(table, *models, limit="0", **settings):
    return Problem(
        models=models, loss=NCP(), context=table.context(), suppression_limit=Fraction(limit), **settings
    )


def test_too_many_subsets_are_refused_with_the_way_out():
    table = random_table(10, [3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5])
    with pytest.raises(SpecError, match="optimal"):
        Incognito().search(table, problem_of(table, KAnonymity(k=3)), RNG)
    with pytest.raises(SpecError, match="accepts 3"):
        Incognito(max_nodes=3).search(random_table(10, [1, 1]), problem_of(table, KAnonymity(k=3)), RNG)
    with pytest.raises(SpecError, match="at least 1"):
        Incognito(max_nodes=0)


@pytest.mark.parametrize(
    "models",
    [
        (KAnonymity(k=4),),
        (AlphaKAnonymity(sensitive="s0", alpha="2/3", k=3),),
        (AlphaKAnonymity(sensitive="s0", alpha="2/3", k=3, form="ceiling"),),
    ],
)
def test_fewer_nodes_are_counted_than_there_are(models):
    table = random_table(300, [3, 3, 3, 3])
    statistics = Incognito().search(table, problem_of(table, *models), RNG).statistics
    assert statistics["nodes"] == 4**4
    assert statistics["counted"] < 4**4 / 2


def test_nodes_are_listed_on_request_alone():
    table = random_table(40, [2, 2])
    problem = problem_of(table, KAnonymity(k=4))
    assert "valid_nodes" not in Incognito().search(table, problem, RNG).statistics
    listed = Incognito(all_valid=True).search(table, problem, RNG).statistics["valid_nodes"]
    assert [tuple(levels) for levels in listed] == Incognito().valid_nodes(table, problem)
    assert [2, 2] in listed


def test_an_infeasible_problem_names_choices_that_are_feasible():
    table = random_table(7, [2])
    problem = problem_of(table, KAnonymity(k=3), max_levels={"q0": 0})
    with pytest.raises(InfeasibleError) as caught:
        Incognito().search(table, problem, RNG)
    limit = re.search(r"suppression limit to ([0-9.]+)", caught.value.choices[0])[1]
    again = problem_of(table, KAnonymity(k=3), limit=limit, max_levels={"q0": 0})
    assert Incognito().search(table, again, RNG).recoding.levels == (0,)
    assert Incognito().valid_nodes(table, problem) == []


def test_a_spent_budget_is_told():
    table = random_table(60, [3, 3, 3])
    problem = problem_of(table, KAnonymity(k=4), budget_s=0.0)
    solution = Incognito().search(table, problem, RNG)
    assert not solution.optimal
    assert solution.statistics["valid"] is None
    with pytest.raises(InfeasibleError, match="budget"):
        Incognito().valid_nodes(table, problem)
    hard = problem_of(table, LDiversity(sensitive="s0", l=3, kind="frequency"), budget_s=0.0)
    with pytest.raises(InfeasibleError, match="was found"):
        Incognito().search(table, hard, RNG)


def test_progress_is_told():
    table = random_table(300, [4, 4, 4, 4])
    told = []
    problem = problem_of(
        table, KAnonymity(k=2), limit="1/5", progress=lambda share, text: told.append((share, text))
    )
    Incognito().search(table, problem, RNG)
    assert told
    assert told[0] == (None, "64 nodes counted")
