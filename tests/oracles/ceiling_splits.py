"""The most sensitive records among n that are split into classes of at least k, each with ceil(alpha * size)."""

import math
from fractions import Fraction
from functools import cache


def most(n, *, alpha, k):
    """The definition: the maximum over all splits; None where there is no split."""

    @cache
    def best(rest):
        if rest < k:
            return None
        split = [math.ceil(Fraction(alpha) * part) + best(rest - part) for part in range(k, rest - k + 1)]
        return max([math.ceil(Fraction(alpha) * rest), *split])

    return best(n)
