"""TP on worked examples, move for move: those of Xiao, Yi and Tao (2010), and three of phase three by hand."""

from collections import defaultdict

import numpy as np
import pytest

from groups import residue, run
from oracles import tp as oracle
from shoal.algorithms import TP, TPPlus
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.loss import NCP, Stars
from shoal.loss.measure import measure
from shoal.models import LDiversity
from strategies import table_of

# (phase, group, value), all counted from 0; the moves of phase one are not listed, since their order is free.
EXAMPLES = [
    pytest.param(
        3,
        [(3, 1, 1, 2, 3), (0, 2, 2, 4, 4), (4, 4, 0, 0, 0)],
        (4, 4, 0, 0, 0),
        [(2, 0, 2), (2, 1, 3), (2, 1, 4), (2, 1, 2)],
        [(3, 1, 0, 2, 3), (0, 2, 1, 3, 3), (0, 0, 0, 0, 0)],
        (4, 4, 2, 1, 1),
        id="phase two",
    ),
    pytest.param(
        4,
        [(3, 1, 2, 3, 3), (1, 3, 2, 3, 3), (4, 4, 4, 0, 0)],
        (4, 4, 4, 0, 0),
        [(3, 0, 0), (3, 0, 3), (3, 0, 4), (3, 1, 1), (3, 1, 3), (3, 1, 4), (3, 0, 2), (3, 1, 3)],
        [(2, 1, 1, 2, 2), (1, 2, 2, 1, 2), (0, 0, 0, 0, 0)],
        (5, 5, 5, 3, 2),
        id="phase three",
    ),
    pytest.param(
        3,
        [(1, 1, 1, 2), (2, 1, 2, 1)],
        (0, 0, 0, 1),
        [(2, 0, 0), (3, 0, 1), (3, 0, 2), (3, 0, 3), (3, 1, 0), (3, 1, 2)],
        [(0, 0, 0, 0), (1, 1, 1, 1)],
        (2, 1, 2, 2),
        id="7 records where 3 are enough",
    ),
    pytest.param(
        3,
        [(1, 0, 2, 0), (2, 3, 0, 2), (1, 2, 1, 2)],
        (1, 1, 2, 0),
        [(2, 1, 0), (2, 1, 1), (2, 1, 3)],
        [(0, 0, 0, 0), (1, 1, 0, 1), (1, 2, 1, 2)],
        (2, 2, 2, 1),
        id="7 records where 6 are enough",
    ),
    pytest.param(
        4,
        [(1, 2, 2, 2, 2), (0, 0, 0, 1, 0), (2, 2, 2, 1, 2)],
        (0, 0, 0, 1, 0),
        [
            *[(2, 0, 0), (2, 2, 1), (3, 2, 0), (3, 2, 2), (3, 2, 4)],
            *[(3, 0, 1), (3, 0, 2), (3, 0, 3), (3, 0, 4)],
        ],
        [(0, 1, 1, 1, 1), (0, 0, 0, 0, 0), (1, 1, 1, 1, 1)],
        (2, 2, 2, 2, 2),
        id="10 records where 5 are enough",
    ),
]


@pytest.mark.parametrize(("l", "groups", "first", "moves", "left", "removed"), EXAMPLES)
def test_move_for_move(l, groups, first, moves, left, removed):
    found, said = run(groups, l)
    assert [tuple(move) for move in said.moves.tolist()] == moves
    assert (said.first_rows, said.first_height) == (sum(first), max(first))
    assert said.phase == moves[-1][0]
    assert found == left
    assert residue(groups, found) == removed
    defined = oracle.tp(groups, l)
    assert (tuple(defined.first), defined.moves[sum(first) :]) == (first, moves)


@pytest.mark.parametrize(
    ("l", "groups", "removed", "fewest"),
    [
        (3, [(1, 1, 1, 2), (2, 1, 2, 1)], 7, 3),
        (3, [(1, 0, 2, 0), (2, 3, 0, 2), (1, 2, 1, 2)], 7, 6),
        (4, [(1, 2, 2, 2, 2), (0, 0, 0, 1, 0), (2, 2, 2, 1, 2)], 10, 5),
    ],
)
def test_how_far_from_the_optimum(l, groups, removed, fewest):
    found, _ = run(groups, l)
    assert sum(residue(groups, found)) == removed
    assert oracle.optimal_removal(groups, l) == fewest


# Table 1 of the paper: age, gender, education; the sensitive column holds diseases.
AGE = Hierarchy.from_paths(["<30", "[30,50)", ">=50"], [[]] * 3, order=[0, 1, 2])
GENDER = Hierarchy.from_paths(["M", "F"], [[]] * 2)
EDUCATION = Hierarchy.from_paths(["HighSch", "Bachelor", "Master"], [[]] * 3, order=[0, 1, 2])
DISEASE = Hierarchy.from_paths(["HIV", "pneumonia", "bronchitis", "dyspepsia"], [[]] * 4)
HIV, PNEUMONIA, BRONCHITIS, DYSPEPSIA = range(4)
ROWS = [
    ((0, 0, 2), HIV),
    ((0, 0, 2), HIV),
    ((0, 0, 1), PNEUMONIA),
    ((1, 0, 1), BRONCHITIS),
    ((1, 1, 1), PNEUMONIA),
    ((1, 1, 1), BRONCHITIS),
    ((1, 1, 1), BRONCHITIS),
    ((1, 1, 1), PNEUMONIA),
    ((2, 1, 0), DYSPEPSIA),
    ((2, 1, 0), PNEUMONIA),
]


def search(algorithm):
    table = table_of([(q, (s,), None) for q, s in ROWS], [AGE, GENDER, EDUCATION], [DISEASE])
    model = LDiversity(sensitive="s0", l=2, kind="frequency")
    problem = Problem(models=(model,), loss=NCP(), context=table.context())
    return table, algorithm.search(table, problem, np.random.default_rng(0))


def boxes(regions):
    """Rows of each published box."""
    found = defaultdict(int)
    for region, rows in zip(regions.region.tolist(), regions.rows.tolist(), strict=True):
        found[tuple(zip(regions.lo[region].tolist(), regions.hi[region].tolist(), strict=True))] += rows
    return dict(found)


REST = {((1, 1), (1, 1), (1, 1)): 4, ((2, 2), (1, 1), (0, 0)): 2}


def test_table_one_ends_in_phase_one_with_eight_stars():
    _, solution = search(TP())
    assert boxes(solution.recoding) == {**REST, ((0, 2), (0, 0), (0, 2)): 4}
    proven = solution.certificate
    assert (proven.phase, proven.lower_bound, proven.records, proven.stars) == (1, 4, 4, 8)
    assert (proven.ratio_records, proven.ratio_stars) == (1.0, 2.0)


def test_table_one_in_ranges_covers_the_values_that_occur():
    _, solution = search(TP(labels="ranges"))
    assert boxes(solution.recoding) == {**REST, ((0, 1), (0, 0), (1, 2)): 4}


def test_tp_plus_reaches_the_six_stars_that_are_the_least():
    assert oracle.optimal_stars(ROWS, 2) == 6
    table, solution = search(TPPlus())
    assert measure(Stars(), table, solution.recoding) == 6
