"""The cheapest permutation: a linear assignment."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel


@kernel
def assign(cost: Any, n: int, chosen: Any) -> None:  # pragma: no cover - compiled
    """Write the column of each of the first *n* rows, int64 [n], so that the sum of costs is least.

    Shortest augmenting paths with potentials, after a reduction of columns and rows. Some of the costs may be
    infinite, if there is a finite assignment.

    References
    ----------
    .. [1] Jonker, R., Volgenant, A. (1987), A shortest augmenting path algorithm for dense and sparse linear
       assignment problems. doi:10.1007/BF02278710
    """
    row_of = np.full(n, -1, np.int64)
    u, v = np.empty(n), np.full(n, np.inf)
    for i in range(n):
        for j in range(n):
            v[j] = min(v[j], cost[i, j])
    for i in range(n):
        least, at = np.inf, -1
        for j in range(n):
            reduced = cost[i, j] - v[j]
            if reduced < least or (reduced == least and j == i):
                least, at = reduced, j
        u[i] = least
        chosen[i] = -1
        if row_of[at] < 0:
            row_of[at], chosen[i] = i, at
    distance, before = np.empty(n), np.empty(n, np.int64)
    left, order = np.empty(n, np.int64), np.empty(n, np.int64)
    for start in range(n):
        if chosen[start] >= 0:
            continue
        for j in range(n):
            distance[j], left[j] = np.inf, j
        n_left, i, reached, end = n, start, 0.0, -1
        while end < 0:
            least, at = np.inf, -1
            for q in range(n_left):
                j = left[q]
                through = reached + cost[i, j] - u[i] - v[j]
                if through < distance[j]:
                    distance[j], before[j] = through, i
                if distance[j] < least or (distance[j] == least and row_of[j] < 0):
                    least, at = distance[j], q
            reached = least
            j = left[at]
            n_left -= 1
            left[at] = left[n_left]
            order[n - 1 - n_left] = j
            if row_of[j] < 0:
                end = j
            else:
                i = row_of[j]
        u[start] += reached
        for q in range(n - n_left - 1):
            j = order[q]
            u[row_of[j]] += reached - distance[j]
            v[j] -= reached - distance[j]
        j = end
        while True:
            i = before[j]
            row_of[j] = i
            chosen[i], j = j, chosen[i]
            if i == start:
                break
