"""Every bound of TP on tens of thousands of random tables, against brute force where that is affordable."""

import numpy as np
import pytest

from groups import random_instance, residue, run, table_of_groups
from oracles import tp as oracle
from shoal.algorithms import TP
from shoal.core.problem import Problem
from shoal.loss import NCP
from shoal.models import LDiversity

pytestmark = pytest.mark.slow


def draw(n, rng, *, l, **shape):
    """Yield random feasible instances."""
    while n:
        groups = random_instance(rng, l=l, **shape)
        if groups is not None:
            n -= 1
            yield groups


def check(groups, l):
    """Check what needs no optimum; return what brute force is compared with."""
    left, said = run(groups, l)
    removed = residue(groups, left)
    rows, height = sum(removed), max(removed)
    assert all(oracle.eligible(counts, l) for counts in [*left, removed])
    assert said.phase in ((1, 2) if l == 2 else (1, 2, 3))
    if said.phase == 1:
        assert rows == said.first_rows
    if said.phase <= 2:
        assert height == said.first_height
    if said.phase == 2:
        assert rows <= l * height + l - 1
    if said.phase == 3:
        # |R| <= l (l - 1) h + l - 1, and every round closes the gap of (l - 2) h by l at least.
        assert rows <= l * (l - 1) * said.first_height + l - 1
        assert said.rounds <= -(-(l - 2) * said.first_height // l)
    return rows, said


@pytest.mark.parametrize("l", [2, 3, 4])
def test_bounds_against_the_fewest_rows(l):
    rng = np.random.default_rng(l)
    phases, worst = [0, 0, 0], 1.0
    for groups in draw(20_000, rng, n_groups=3, n_values=5, most=2, l=l):
        rows, said = check(groups, l)
        fewest = oracle.optimal_removal(groups, l)
        assert max(said.first_rows, l * said.first_height) <= fewest <= rows
        assert rows <= {1: fewest, 2: fewest + l - 1, 3: l * fewest - 1}[said.phase]
        phases[said.phase - 1] += 1
        worst = max(worst, rows / fewest if fewest else 1.0)
    assert phases[1]
    assert worst < l


@pytest.mark.parametrize("l", [2, 3, 4, 5, 6])
def test_bounds_on_larger_tables_equal_to_the_definition(l):
    rng = np.random.default_rng(10 + l)
    phases = [0, 0, 0]
    for groups in draw(3_000, rng, n_groups=8, n_values=l + 3, most=6, l=l):
        _, said = check(groups, l)
        defined = oracle.tp(groups, l)
        assert [tuple(move) for move in said.moves.tolist()] == [move for move in defined.moves if move[0] > 1]
        phases[said.phase - 1] += 1
    assert all(phases) or l == 2


@pytest.mark.parametrize("l", [3, 4])
def test_bounds_where_phase_three_is_reached(l):
    """Groups that are thin, and one whose rows phase one takes, so that all are dead at once."""
    rng = np.random.default_rng(20 + l)
    reached = 0
    for _ in range(20_000):
        n_values = l + int(rng.integers(1, 3))
        height = int(rng.integers(1, 4))
        groups = []
        for _ in range(int(rng.integers(2, 4))):
            counts = rng.integers(0, height + 1, n_values)
            counts[int(rng.integers(0, l - 1))] = height
            groups.append(tuple(counts.tolist()))
        groups.append(tuple([height + 1] * (l - 1) + [0] * (n_values - l + 1)))
        if oracle.eligible([sum(column) for column in zip(*groups, strict=True)], l):
            reached += check(groups, l)[1].phase == 3
    assert reached > 100


def test_certificates_against_the_fewest_stars():
    rng = np.random.default_rng(30)
    checked = 0
    for _ in range(2_000):
        l = int(rng.integers(2, 4))
        groups = random_instance(rng, n_groups=3, n_values=4, most=2, l=l)
        if groups is None or sum(map(sum, groups)) > 9:
            continue
        table = table_of_groups(groups)
        model = LDiversity(sensitive="s0", l=l, kind="frequency")
        problem = Problem(models=(model,), loss=NCP(), context=table.context())
        proven = TP().search(table, problem, rng).certificate
        rows = [((g,), v) for g, counts in enumerate(groups) for v, n in enumerate(counts) for _ in range(n)]
        stars = oracle.optimal_stars(rows, l)
        assert proven.lower_bound <= stars <= proven.stars <= proven.bound_stars * stars + 1e-9
        assert proven.stars <= proven.ratio_stars * stars + 1e-9
        checked += 1
    assert checked > 300
