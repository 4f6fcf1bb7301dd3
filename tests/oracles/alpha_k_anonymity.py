"""Wong et al. 2006: at least k members, and no sensitive value above the share alpha."""

import math
from fractions import Fraction

from oracles.counting import count, histogram, members


def violates(records, _whole, *, alpha, k=1, values=None, form="ratio", reading="per-value"):
    n = members(records)
    if n < k:
        return True
    if isinstance(alpha, dict):
        shown = [(count(records, value), Fraction(limit)) for value, limit in alpha.items()]
    elif reading == "union":
        # People with several of the values count several times, up to the size of the class.
        shown = [(min(n, sum(count(records, value) for value in set(values))), Fraction(alpha))]
    else:
        shown = [(count(records, v), Fraction(alpha)) for v in (histogram(records) if values is None else values)]
    if form == "ceiling":
        return any(c > math.ceil(limit * n) for c, limit in shown)
    return any(c > limit * n for c, limit in shown)
