"""Machanavajjhala et al. 2006 and Xiao et al. 2010: at least l well-represented values."""

import math
from fractions import Fraction

from oracles.counting import histogram, members


def violates(records, _whole, *, l, kind="distinct", c=None, count_nulls=False):
    counts = histogram(records)
    if kind == "distinct":
        return sum(1 for value in counts if count_nulls or value is not None) < Fraction(l)
    if kind == "frequency":
        return any(Fraction(l) * n > members(records) for n in counts.values())
    if kind == "entropy":
        total = sum(counts.values())
        entropy = -sum(n / total * math.log(n / total) for n in counts.values())
        return math.exp(entropy) < float(Fraction(l)) * (1 - 1e-12)
    falling = sorted(counts.values(), reverse=True)
    return len(falling) < int(l) or falling[0] >= Fraction(c) * sum(falling[int(l) - 1 :])
