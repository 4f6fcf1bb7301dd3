"""Cao and Karras 2012: no value gains more than beta in a class, relative to its share in the whole table."""

import math
from fractions import Fraction

from oracles.counting import count, histogram, members


def violates(records, whole, *, beta, kind="basic"):
    for value in histogram(records):
        p, q = Fraction(count(whole, value), members(whole)), Fraction(count(records, value), members(records))
        gain = (q - p) / p
        if q > p and gain > Fraction(beta):
            return True
        if q > p and kind == "enhanced" and gain > -math.log(p) + 1e-9:
            return True
    return False
