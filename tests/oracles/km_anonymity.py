"""Terrovitis et al. 2008, for columns: every combination of values of m columns has at least k members."""

from itertools import combinations

from oracles.tables import sizes


def passes(rows, _population, *, k, m):
    n = len(rows[0][0]) if rows else 0
    for chosen in combinations(range(n), min(m, n)):
        if any(size < k for size in sizes([(tuple(q[j] for j in chosen), p) for q, p in rows])):
            return False
    return True
