"""Whole-numbered noise: its probabilities, and tables whose every cell gets some."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms import noise as module
from shoal.algorithms.noise import DiscreteLaplace, RoundedLaplace, noisy_cells
from shoal.errors import SpecError

RATES = [Fraction(1, 20), Fraction(3, 10), Fraction(1), Fraction(7, 2)]


def rounded_laplace(x, rate):
    """P(round(L) = x), by the distribution function of the Laplace distribution."""

    def below(y):
        return math.exp(rate * y) / 2 if y < 0 else 1 - math.exp(-rate * y) / 2

    return below(x + 0.5) - below(x - 0.5)


def discrete_laplace(x, rate):
    q = math.exp(-rate)
    return (1 - q) / (1 + q) * q ** abs(x)


DISTRIBUTIONS = [(RoundedLaplace, rounded_laplace), (DiscreteLaplace, discrete_laplace)]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("noise", "probability"), DISTRIBUTIONS)
def test_the_chance_of_a_positive_number_is_the_sum_of_their_probabilities(noise, probability, rate):
    assert noise(rate).chance == pytest.approx(sum(probability(x, float(rate)) for x in range(1, 2_000)))


def test_published_chances_of_false_values():
    # exp(-eps/2)/2 for 0.3 and 1.
    assert RoundedLaplace(Fraction(3, 10)).chance == pytest.approx(0.430, abs=5e-4)
    assert RoundedLaplace(Fraction(1)).chance == pytest.approx(0.303, abs=5e-4)


@pytest.mark.parametrize("rate", RATES)
def test_the_discrete_mechanism_keeps_its_budget(rate):
    # Neighbouring counts differ by one, and so do the noises that make them the same.
    for x in range(-20, 20):
        ratio = discrete_laplace(x, float(rate)) / discrete_laplace(x + 1, float(rate))
        assert math.exp(-rate) - 1e-12 <= ratio <= math.exp(rate) + 1e-12


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("noise", "probability"), DISTRIBUTIONS)
def test_draws_are_as_frequent_as_their_probabilities(noise, probability, rate):
    # The seed is fixed, so this is a fact and no experiment: five standard deviations are far.
    n = 100_000
    rng = np.random.default_rng(7)
    drawn, positive = noise(rate).draw(n, rng), noise(rate).draw_positive(n, rng)
    assert drawn.dtype == positive.dtype == np.int64
    assert positive.min() == 1
    for x in range(-3, 4):
        p = probability(x, float(rate))
        assert abs((drawn == x).mean() - p) < 5 * math.sqrt(p * (1 - p) / n)
    for x in range(1, 4):
        p = probability(x, float(rate)) / noise(rate).chance
        assert abs((positive == x).mean() - p) < 5 * math.sqrt(p * (1 - p) / n) + 1e-9


class Scripted:
    """Gives whole numbers from a list, in place of a generator."""

    def __init__(self, numbers):
        self.numbers = list(numbers)
        self.asked = []

    def integers(self, low, high, n):
        self.asked.append((low, high))
        return np.array([self.numbers.pop(0) for _ in range(n)])


def test_a_coin_of_an_exponential_needs_whole_numbers_alone():
    # exp(-2/3): a draw below 2 of 3 goes on, then below 2 of 6, ...; the number of draws decides by being odd.
    rng = Scripted([2])
    assert module._with_chance_exp(np.array([2]), 3, rng).tolist() == [True]
    rng = Scripted([1, 5])
    assert module._with_chance_exp(np.array([2]), 3, rng).tolist() == [False]
    rng = Scripted([1, 0, 8])
    assert module._with_chance_exp(np.array([2]), 3, rng).tolist() == [True]
    assert rng.asked == [(0, 3), (0, 6), (0, 9)]


def test_the_chance_of_that_coin_by_all_ways_to_toss_it():
    # P(K odd) with P(K > k) = a^k / (b^k k!) is the series of exp(-a/b).
    a, b = 2, 3
    still = [Fraction(a**k, b**k * math.factorial(k)) for k in range(20)]
    odd = sum(still[k - 1] - still[k] for k in range(1, 20, 2))
    assert float(odd) == pytest.approx(math.exp(-a / b), abs=1e-15)


@dataclass
class Always:
    """Noise that is one, everywhere."""

    chance: float = 1.0

    def draw(self, n, rng):
        return np.ones(n, np.int64)

    def draw_positive(self, n, rng):
        return np.ones(n, np.int64)


@st.composite
def counted(draw):
    n_cells = draw(st.integers(1, 40))
    cells = sorted(draw(st.sets(st.integers(0, n_cells - 1))))
    counts = draw(st.lists(st.integers(1, 5), min_size=len(cells), max_size=len(cells)))
    return n_cells, np.array(cells, np.int64), np.array(counts, np.int64)


@pytest.mark.parametrize("dense", [0, 100])
@settings(deadline=None, max_examples=60)
@given(table=counted())
def test_every_cell_gets_noise_the_empty_ones_too(dense, table):
    n_cells, cells, counts = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "DENSE_CELLS", dense)
        found, sums = noisy_cells(cells, counts, n_cells=n_cells, noise=Always(), rng=np.random.default_rng(0))
    expected = np.ones(n_cells, np.int64)
    expected[cells] += counts
    assert found.tolist() == list(range(n_cells))
    assert sums.tolist() == expected.tolist()


@pytest.mark.parametrize("dense", [0, 100])
@pytest.mark.parametrize("noise", [RoundedLaplace(Fraction(1000)), DiscreteLaplace(Fraction(1000))])
@settings(deadline=None, max_examples=20)
@given(table=counted())
def test_without_noise_to_speak_of_counts_stay_as_they_are(dense, noise, table):
    n_cells, cells, counts = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "DENSE_CELLS", dense)
        found, sums = noisy_cells(cells, counts, n_cells=n_cells, noise=noise, rng=np.random.default_rng(0))
    assert found.tolist() == cells.tolist()
    assert sums.tolist() == counts.tolist()


def test_a_huge_table_costs_what_is_published_of_it():
    # 10^12 cells, of which the noise of epsilon 24 makes about 38 positive.
    noise = DiscreteLaplace(Fraction(24))
    cells = np.array([0, 10**11, 10**12 - 1])
    found, sums = noisy_cells(
        cells, np.array([100, 200, 300]), n_cells=10**12, noise=noise, rng=np.random.default_rng(3)
    )
    assert (np.diff(found) > 0).all()
    assert found.max() < 10**12
    assert 10 < len(found) < 80
    assert sorted(sums.tolist())[-3:] == [100, 200, 300]


@pytest.mark.parametrize("n_cells", [10**9, 10**16])
def test_more_inventions_than_can_be_published_are_refused(n_cells):
    nothing = np.empty(0, np.int64)
    noise = RoundedLaplace(Fraction(3, 10))
    with pytest.raises(SpecError, match=rf"all {n_cells:,} cells"):
        noisy_cells(nothing, nothing, n_cells=n_cells, noise=noise, rng=np.random.default_rng(0))
