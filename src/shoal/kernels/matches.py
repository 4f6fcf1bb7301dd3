"""Buckets that a record may lie in, and how surely each sensitive value is linked with it.

A group of columns is *exact* where no bucket has a widened cell in it. What point *p* shows in an exact group *g*
is the feature ``part[p, g]``. Its entries ``offsets[f]:offsets[f + 1]`` are the buckets that show it too,
by number, with the share of their rows that do; entries of the last group have the sensitive values
``value_offsets[e]:value_offsets[e + 1]`` with their shares. Of a group that is not exact, bucket *b* has the cells
``cell_offsets[g, b]:cell_offsets[g, b + 1]`` with their rows and, in the last group, values. All cells of a bucket
lie between ``hull_lo`` and ``hull_hi [n_buckets, n_qi]``.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel

__all__ = ["largest_links"]


@kernel
def _covers(code: Any, lo: Any, hi: Any, group: Any, g: int) -> bool:  # pragma: no cover - compiled
    """Whether a cell covers a point in the columns of one group."""
    for j in range(code.shape[0]):  # noqa: SIM110 (compiled: it stops at the first column)
        if group[j] == g and (code[j] < lo[j] or code[j] > hi[j]):
            return False
    return True


@kernel
def _slot(bucket: Any, first: int, last: int, b: int) -> int:  # pragma: no cover - compiled
    """Return the entry of a bucket in a sorted stretch, or -1."""
    end = last
    while first < last:
        middle = (first + last) // 2
        if bucket[middle] < b:
            first = middle + 1
        else:
            last = middle
    return first if first < end and bucket[first] == b else -1


@kernel
def _spread(  # pragma: no cover - compiled
    p: int,
    b: int,
    codes: Any,
    group: Any,
    part: Any,
    exact: Any,
    offsets: Any,
    bucket: Any,
    share: Any,
    value_offsets: Any,
    value: Any,
    value_share: Any,
    cell_offsets: Any,
    cell_lo: Any,
    cell_hi: Any,
    cell_rows: Any,
    cell_value: Any,
    bucket_rows: Any,
    values: Any,
    shares: Any,
) -> Any:
    """Return how likely a bucket is for a point, before scaling, and how many values are written."""
    chance = 1.0
    n_groups = exact.shape[0]
    own = -1
    covered = 0
    for g in range(n_groups):
        if exact[g]:
            own = _slot(bucket, offsets[part[p, g]], offsets[part[p, g] + 1], b)
            if own < 0:
                return 0.0, 0
            chance *= share[own]
        else:
            covered = 0
            for c in range(cell_offsets[g, b], cell_offsets[g, b + 1]):
                if _covers(codes[p], cell_lo[c], cell_hi[c], group, g):
                    covered += cell_rows[c]
            if covered == 0:
                return 0.0, 0
            chance *= covered / bucket_rows[b]
    n = 0
    g = n_groups - 1
    if exact[g]:
        for i in range(value_offsets[own], value_offsets[own + 1]):
            values[n] = value[i]
            shares[n] = value_share[i]
            n += 1
        return chance, n
    last = -1
    for c in range(cell_offsets[g, b], cell_offsets[g, b + 1]):
        if _covers(codes[p], cell_lo[c], cell_hi[c], group, g):
            # Cells of a bucket are sorted by value.
            if cell_value[c] != last:
                last = cell_value[c]
                values[n] = last
                shares[n] = 0.0
                n += 1
            shares[n - 1] += cell_rows[c] / covered
    return chance, n


@kernel
def largest_links(  # pragma: no cover - compiled
    codes: Any,
    group: Any,
    part: Any,
    exact: Any,
    offsets: Any,
    bucket: Any,
    share: Any,
    value_offsets: Any,
    value: Any,
    value_share: Any,
    cell_offsets: Any,
    cell_lo: Any,
    cell_hi: Any,
    cell_rows: Any,
    cell_value: Any,
    hull_lo: Any,
    hull_hi: Any,
    bucket_rows: Any,
    n_values: int,
    limit: float,
    largest: Any,
    blamed: Any,
) -> None:
    """Find the largest probability with which a sensitive value is linked with each point.

    Where it exceeds *limit*, ``blamed`` marks the buckets that alone would link the point more surely than that.
    """
    weight = np.zeros(n_values, np.float64)
    seen = np.empty(n_values, np.int64)
    values = np.empty(n_values, np.int64)
    shares = np.empty(n_values, np.float64)
    for p in range(codes.shape[0]):
        short = -1
        n_candidates = bucket_rows.shape[0]
        for g in range(exact.shape[0]):
            if exact[g]:
                n = offsets[part[p, g] + 1] - offsets[part[p, g]]
                if n <= n_candidates:
                    short = g
                    n_candidates = n
        total = 0.0
        n_seen = 0
        for again in range(2):
            for candidate in range(n_candidates):
                b = bucket[offsets[part[p, short]] + candidate] if short >= 0 else candidate
                # Most candidates fail here, and calling with so many arrays costs more than the test.
                inside = True
                for j in range(codes.shape[1]):
                    if codes[p, j] < hull_lo[b, j] or codes[p, j] > hull_hi[b, j]:
                        inside = False
                        break
                if not inside:
                    continue
                chance, n = _spread(
                    p, b, codes, group, part, exact, offsets, bucket, share, value_offsets, value, value_share,
                    cell_offsets, cell_lo, cell_hi, cell_rows, cell_value, bucket_rows, values, shares,
                )  # fmt: skip
                if chance == 0.0:
                    continue
                if again:
                    for i in range(n):
                        if shares[i] > limit:
                            blamed[b] = True
                    continue
                total += chance
                for i in range(n):
                    s = values[i]
                    if weight[s] == 0.0:
                        seen[n_seen] = s
                        n_seen += 1
                    weight[s] += chance * shares[i]
            if again:
                break
            most = 0.0
            for i in range(n_seen):
                most = max(most, weight[seen[i]])
                weight[seen[i]] = 0.0
            largest[p] = most / total if total > 0.0 else 0.0
            if largest[p] <= limit:
                break
