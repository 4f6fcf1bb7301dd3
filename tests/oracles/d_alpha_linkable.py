"""Sattar et al. 2014, reconstructed: d values of a class recur by chance with probability alpha."""

from fractions import Fraction
from itertools import combinations
from math import prod

from oracles.counting import count, histogram, members


def violates(records, whole, *, d=2, alpha="0.9", count_nulls=False):
    total = sum(count(whole, value) for value in histogram(whole))
    size = members(records)
    chances = [
        1 - (1 - Fraction(count(whole, value), total)) ** size
        for value in histogram(records)
        if count_nulls or value is not None
    ]
    fewer = Fraction(0)
    for happen in range(d):
        for chosen in combinations(range(len(chances)), happen):
            fewer += prod(q if i in chosen else 1 - q for i, q in enumerate(chances))
    return 1 - fewer < Fraction(alpha)
