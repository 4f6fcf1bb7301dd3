"""Noise and drawn divisions follow their distributions; releases of neighbouring tables stay within the budget."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from shoal.algorithms import DiffGen
from shoal.algorithms import noise as noises
from shoal.algorithms.diffgen import _Divisions
from shoal.algorithms.noise import DiscreteLaplace, RoundedLaplace, noisy_cells
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.errors import InfeasibleError
from shoal.loss import NCP
from shoal.models import KAnonymity
from strategies import table_of

pytestmark = pytest.mark.slow

RATES = [Fraction(1, 7), Fraction(3, 10), Fraction(1), Fraction(5, 2)]
UNLIKELY = 1e-4
"""Seeds are fixed; a true distribution would fail one in ten thousand of such tests."""


def agree(observed, probabilities):
    """The chi-square test, with rare outcomes taken together."""
    n = sum(observed)
    expected = np.array(probabilities) * n
    often = expected >= 10
    seen = np.append(np.array(observed)[often], n - np.array(observed)[often].sum())
    meant = np.append(expected[often], n - expected[often].sum())
    return chisquare(seen[meant > 10], meant[meant > 10] * seen[meant > 10].sum() / meant[meant > 10].sum()).pvalue


def discrete(x, rate):
    q = math.exp(-rate)
    return (1 - q) / (1 + q) * q ** abs(x)


def rounded(x, rate):
    low, high = (abs(x) - 0.5) * rate, (abs(x) + 0.5) * rate
    return 1 - math.exp(-high) if x == 0 else (math.exp(-low) - math.exp(-high)) / 2


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("noise", "probability"), [(DiscreteLaplace, discrete), (RoundedLaplace, rounded)])
def test_draws_follow_the_distribution(noise, probability, rate):
    drawn = noise(rate).draw(2_000_000, np.random.default_rng(11))
    span = range(-150, 151)
    observed = [int((drawn == x).sum()) for x in span]
    assert agree(observed, [probability(x, float(rate)) for x in span]) > UNLIKELY
    positive = noise(rate).draw_positive(2_000_000, np.random.default_rng(12))
    observed = [int((positive == x).sum()) for x in range(1, 150)]
    chance = noise(rate).chance
    assert agree(observed, [probability(x, float(rate)) / chance for x in range(1, 150)]) > UNLIKELY


@pytest.mark.parametrize("noise", [DiscreteLaplace(Fraction(1, 2)), RoundedLaplace(Fraction(3, 10))])
def test_large_tables_are_drawn_as_small_ones_are(noise, monkeypatch):
    cells, counts = np.array([1, 3]), np.array([2, 1])
    found = {}
    for dense in (0, 100):
        monkeypatch.setattr(noises, "DENSE_CELLS", dense)
        rng = np.random.default_rng(dense)
        positive, total = np.zeros(6), np.zeros(6)
        for _ in range(40_000):
            at, sums = noisy_cells(cells, counts, n_cells=6, noise=noise, rng=rng)
            positive[at] += 1
            total[at] += sums
        found[dense] = positive / 40_000, total / 40_000
    for sparse, dense in zip(found[0], found[100], strict=True):
        # Five standard deviations of the difference of two means; the noise has one of about 5 at most.
        assert np.abs(sparse - dense).max() < 5 * math.sqrt(2) * 5 / math.sqrt(40_000)
    # Pairs of empty cells turn positive independently of each other.
    monkeypatch.setattr(noises, "DENSE_CELLS", 0)
    rng, nothing = np.random.default_rng(5), np.empty(0, np.int64)
    both = Counter(
        tuple(noisy_cells(nothing, nothing, n_cells=3, noise=noise, rng=rng)[0].tolist()) for _ in range(40_000)
    )
    sets = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    p = noise.chance
    assert agree([both[s] for s in sets], [p ** len(s) * (1 - p) ** (3 - len(s)) for s in sets]) > UNLIKELY


TREE = Hierarchy.from_paths(["a", "b"], [[], []], declared=True)
NUMBERS = Hierarchy.from_paths(["0", "1", "4"], [[], [], []], order=[0, 1, 4], declared=True)


def test_divisions_are_drawn_by_the_exponential_mechanism():
    # Column q0 tells the values apart (score 8), q1 does not (score 4); budget 1 a draw, sensitivity 1.
    rows = [((i % 2, i // 4), (i % 2,), None) for i in range(8)]
    table = table_of(rows, [TREE, TREE], [TREE])
    problem = Problem(models=(KAnonymity(k=1),), loss=NCP(), context=table.context())
    rng, first = np.random.default_rng(1), 0
    n = 20_000
    for _ in range(n):
        search = _Divisions(table, "nodes", "max", 1)
        search.run(0.5, problem, rng)
        first += len(search.cuts[0]) == 2
    weights = math.exp(0.5 * 8 / 2), math.exp(0.5 * 4 / 2)
    assert agree([first, n - first], [w / sum(weights) for w in weights]) > UNLIKELY


def test_cut_points_are_drawn_by_score_and_by_length():
    # Behind 0 the cut has length 1 and score 3; behind 1 length 3 and score 4.
    rows = [((0,), (0,), None), ((1,), (0,), None), ((2,), (1,), None), ((2,), (1,), None)]
    table = table_of(rows, [NUMBERS], [TREE])
    problem = Problem(models=(KAnonymity(k=1),), loss=NCP(), context=table.context())
    rng, behind = np.random.default_rng(2), Counter()
    for _ in range(20_000):
        search = _Divisions(table, "ranges", "max", 1)
        search.run(1.0, problem, rng)
        behind[search.cuts[0][0][1]] += 1
    weights = 1 * math.exp(3 / 2), 3 * math.exp(4 / 2)
    assert agree([behind[0], behind[1]], [w / sum(weights) for w in weights]) > UNLIKELY


@pytest.mark.parametrize("labels", ["nodes", "ranges"])
@pytest.mark.parametrize("epsilon", [1, 3])
def test_releases_of_neighbouring_tables_stay_within_the_budget(labels, epsilon):
    # Three records and two of them: whatever is published is e^epsilon times as likely with the third at most.
    rows = [((0,), (0,), None), ((2,), (1,), None), ((1,), (1,), None)]
    n = 40_000
    found = []
    for seed, some in ((1, rows), (2, rows[:2])):
        table = table_of(some, [NUMBERS], [TREE])
        problem = Problem(models=(KAnonymity(k=1),), loss=NCP(), context=table.context())
        rng, seen = np.random.default_rng(seed), Counter()
        for _ in range(n):
            try:
                release = DiffGen(epsilon=epsilon, h=1, labels=labels).search(table, problem, rng).recoding
            except InfeasibleError:
                seen["nothing"] += 1
                continue
            boxes = release.lo[release.region, 0], release.hi[release.region, 0]
            seen[tuple(zip(*(a.tolist() for a in (*boxes, release.values, release.counts)), strict=True))] += 1
        assert release.guarantee.holds
        found.append(seen)
    outcomes = [key for key in {*found[0], *found[1]} if min(seen[key] for seen in found) >= 50]
    assert len(outcomes) > 20
    for key in outcomes:
        with_it, without = (seen[key] for seen in found)
        ratio = abs(math.log(with_it / without))
        assert ratio < epsilon + 5 * math.sqrt(1 / with_it + 1 / without)
