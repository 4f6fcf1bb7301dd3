"""Zayatz 1991, from the hypergeometric distribution as it is written in textbooks."""

from fractions import Fraction
from math import comb

from oracles.tables import sizes


def zayatz(found, fraction):
    """The share of the population that is alone; sizes and the size of the population must be whole."""
    n = sum(found)
    population = Fraction(n) / Fraction(fraction)
    assert population.denominator == 1
    big = int(population)

    def once(size):
        return Fraction(size * comb(big - size, n - 1), comb(big, n))

    alone = found.count(1)
    if not alone:
        return Fraction(0)
    is_unique = alone * once(1) / sum(once(size) for size in found)
    return alone * is_unique / Fraction(fraction) / big


def passes(rows, _population, *, share, sampling_fraction, method="zayatz"):
    assert method == "zayatz"
    return zayatz(sizes(rows), sampling_fraction) <= Fraction(share)
