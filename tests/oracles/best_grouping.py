"""The least cost of dividing a few records into groups that pass, by trying all groups."""

from functools import cache
from math import inf


def least_cost(n, passes, cost, *, lost=None):
    """Return the least cost of dividing ``range(n)``; infinite where no division passes.

    ``passes`` and ``cost`` take a tuple of positions; ``lost`` is the cost of leaving one out and how many may be.
    """
    judged = cache(lambda group: cost(group) if passes(group) else inf)
    price, most = lost or (inf, 0)

    @cache
    def best(left, may_lose):
        if not left:
            return 0
        first, rest = left[0], left[1:]
        found = price + best(rest, may_lose - 1) if may_lose else inf
        for mask in range(1 << len(rest)):
            group = (first, *(row for i, row in enumerate(rest) if mask >> i & 1))
            if judged(group) < inf:
                others = tuple(row for i, row in enumerate(rest) if not mask >> i & 1)
                found = min(found, judged(group) + best(others, may_lose))
        return found

    return best(tuple(range(n)), most)
