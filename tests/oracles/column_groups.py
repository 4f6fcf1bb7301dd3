"""Which columns go together, over plain lists: mean-square contingency and exact k-medoids."""

from collections import Counter
from fractions import Fraction
from itertools import combinations


def contingency(first, second):
    """The mean-square contingency coefficient of two columns, as its definition sums it over all cells."""
    n = len(first)
    f = Counter(zip(first, second, strict=True))
    row, column = Counter(first), Counter(second)
    smaller = min(len(row), len(column))
    if smaller == 1:
        return Fraction(0)
    total = Fraction(0)
    for i in row:
        for j in column:
            expected = Fraction(row[i], n) * Fraction(column[j], n)
            total += (Fraction(f[i, j], n) - expected) ** 2 / expected
    return total / (smaller - 1)


def medoids(distance, c):
    """The medoids of least cost, the first set of them in lexicographic order, and the cluster of each member."""
    n = len(distance)
    best = min(
        combinations(range(n), c), key=lambda chosen: sum(min(distance[i][m] for m in chosen) for i in range(n))
    )
    cluster = [0 if i not in best else best.index(i) for i in range(n)]
    for i in range(n):
        if i not in best:
            cluster[i] = min(range(c), key=lambda number: (distance[i][best[number]], number))
    return list(best), cluster


def bins(values, occurring, n_bins=10):
    """The interval of equal width that each number lies in; the largest number closes the last one."""
    low, high = min(occurring), max(occurring)
    if low == high:
        return [0 for _ in values]
    return [min(n_bins - 1, int((v - low) * n_bins / (high - low))) for v in values]
