"""Brickell and Shmatikov 2008: the share of each value is within a factor of its share in the whole table."""

import math
from fractions import Fraction

from oracles.counting import count, histogram, members


def violates(records, whole, *, delta, present_only=False, base="e"):
    for value in histogram(records if present_only else whole):
        p, q = Fraction(count(whole, value), members(whole)), Fraction(count(records, value), members(records))
        if q == 0:
            return True
        distance = abs(math.log(q / p)) / math.log({"e": math.e, "2": 2}[base])
        if distance >= float(Fraction(delta)) - 1e-12:
            return True
    return False
