"""Buckets that a record may lie in, and how surely each sensitive value is linked with it."""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel

__all__ = ["cover_pairs", "largest_links"]


@kernel
def cover_pairs(  # pragma: no cover - compiled
    leaf: Any, lo: Any, hi: Any, which: Any, cell: Any
) -> int:
    """Return how many (leaf vector, box) pairs there are whose box covers the vector; list them where room is."""
    n = 0
    for u in range(leaf.shape[0]):
        for c in range(lo.shape[0]):
            covers = True
            for j in range(leaf.shape[1]):
                if leaf[u, j] < lo[c, j] or leaf[u, j] > hi[c, j]:
                    covers = False
                    break
            if covers:
                if n < which.shape[0]:
                    which[n] = u
                    cell[n] = c
                n += 1
    return n


@kernel
def largest_links(  # pragma: no cover - compiled
    part: Any,
    offsets: Any,
    bucket: Any,
    share: Any,
    value_offsets: Any,
    value: Any,
    value_share: Any,
    n_values: int,
    largest: Any,
) -> None:
    """Find the largest probability with which a sensitive value is linked with each point.

    ``part[p, g]`` is what point *p* shows in group *g* of columns; the entries ``offsets[part]:offsets[part + 1]``
    are the buckets, in rising order, with the share of their entries that cover it. Entries of the last group
    have the sensitive values ``value_offsets[e]:value_offsets[e + 1]`` with their shares.
    """
    n_groups = part.shape[1]
    weight = np.zeros(n_values, np.float64)
    seen = np.empty(n_values, np.int64)
    at = np.empty(n_groups, np.int64)
    for p in range(part.shape[0]):
        short = 0
        for g in range(n_groups):
            u = part[p, g]
            if offsets[u + 1] - offsets[u] < offsets[part[p, short] + 1] - offsets[part[p, short]]:
                short = g
        total = 0.0
        n_seen = 0
        for e in range(offsets[part[p, short]], offsets[part[p, short] + 1]):
            chance = share[e]
            for g in range(n_groups):
                if g == short:
                    at[g] = e
                    continue
                first, last = offsets[part[p, g]], offsets[part[p, g] + 1]
                end = last
                while first < last:
                    middle = (first + last) // 2
                    if bucket[middle] < bucket[e]:
                        first = middle + 1
                    else:
                        last = middle
                if first == end or bucket[first] != bucket[e]:
                    chance = 0.0
                    break
                chance *= share[first]
                at[g] = first
            if chance == 0.0:
                continue
            total += chance
            own = at[n_groups - 1]
            for i in range(value_offsets[own], value_offsets[own + 1]):
                s = value[i]
                if weight[s] == 0.0:
                    seen[n_seen] = s
                    n_seen += 1
                weight[s] += chance * value_share[i]
        most = 0.0
        for i in range(n_seen):
            most = max(most, weight[seen[i]])
            weight[seen[i]] = 0.0
        largest[p] = most / total if total > 0.0 else 0.0
