"""The cuts of the classical Mondrian: the widest column first, at its median or into the children of its node.

The arrays are those of :mod:`shoal.kernels.mondrian`.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.mondrian import CHILD, CUT, child_at, count_codes

__all__ = ["propose_widest"]


@kernel
def _width(  # pragma: no cover - compiled
    low: int, high: int, at: int, n_values: int, place: Any, node_lo: Any, node_hi: Any, kid_offsets: Any
) -> float:
    """Return the share of the column that a side spans: of its places, or of the leaves of its node."""
    if low == high:
        return 0.0
    if kid_offsets[at] == kid_offsets[at + 1]:
        span: float = place[high] - place[low]
        return span
    share: float = (node_hi[at] - node_lo[at] + 1) / n_values
    return share


@kernel
def propose_widest(  # pragma: no cover - compiled
    codes: Any,
    rows: Any,
    starts: Any,
    node: Any,
    low: Any,
    high: Any,
    node_lo: Any,
    node_hi: Any,
    kid_offsets: Any,
    kids: Any,
    places: Any,
    first_place: Any,
    least: int,
    per_column: int,
    dense: Any,
    cuts: Any,
    n_cuts: Any,
) -> None:
    """Write the cuts of each box in the order in which they are tried.

    ``places[first_place[j]:first_place[j + 1]]`` is where each leaf of column *j* lies, in [0, 1]. Columns go by
    falling width, equal ones by their number. A side without children is cut beside its median, the more even cut
    first; of one with children each child is a part, the most even first.
    """
    d = codes.shape[1]
    room = cuts.shape[1]
    widest = 0
    for b in range(starts.shape[0] - 1):
        widest = max(widest, starts[b + 1] - starts[b])
    values = np.empty(widest, np.int64)
    counts = np.empty(widest, np.int64)
    width = np.empty(d, np.float64)
    for b in range(starts.shape[0] - 1):
        n_cuts[b] = 0
        total = 0
        for i in range(starts[b], starts[b + 1]):
            total += rows[i]
        if total < 2 * least:
            continue
        for j in range(d):
            of = places[first_place[j] : first_place[j + 1]]
            width[j] = _width(low[b, j], high[b, j], node[b, j], of.shape[0], of, node_lo, node_hi, kid_offsets)
        # Widths of equal spans differ in their last digits; a stable order of rounded ones keeps schema order.
        for j in np.argsort(-np.round(width, 12), kind="mergesort"):
            if low[b, j] == high[b, j]:
                continue
            at = node[b, j]
            n = count_codes(codes, rows, starts[b], starts[b + 1], j, low[b, j], high[b, j], dense, values, counts)
            begin = n_cuts[b]
            if kid_offsets[at] == kid_offsets[at + 1]:
                _beside_the_median(cuts[b], n_cuts, b, j, n, values, counts, total, least)
                continue
            v = 0
            while v < n:
                kid = child_at(kids, node_hi, kid_offsets[at], kid_offsets[at + 1], values[v])
                part = 0
                while v < n and values[v] <= node_hi[kid]:
                    part += counts[v]
                    v += 1
                even = min(part, total - part)
                if even < least:
                    continue
                to = n_cuts[b]
                if to - begin < per_column and to < room:
                    n_cuts[b] += 1
                elif to > begin and cuts[b, to - 1, 3] < even:
                    # The least even child makes room.
                    to -= 1
                else:
                    continue
                # Evenness is kept in the last column until all children are in; it says how many rows are lent.
                while to > begin and cuts[b, to - 1, 3] < even:
                    for c in range(4):
                        cuts[b, to, c] = cuts[b, to - 1, c]
                    to -= 1
                cuts[b, to, 0] = CHILD
                cuts[b, to, 1] = j
                cuts[b, to, 2] = kid
                cuts[b, to, 3] = even
            for c in range(begin, n_cuts[b]):
                cuts[b, c, 3] = 0


@kernel
def _beside_the_median(  # pragma: no cover - compiled
    cuts: Any, n_cuts: Any, b: int, j: int, n: int, values: Any, counts: Any, total: int, least: int
) -> None:
    middle = (total - 1) // 2
    upto = np.int64(0)
    at = 0
    while upto + counts[at] <= middle:
        upto += counts[at]
        at += 1
    # ``at`` is the median: cut behind it, or behind the value before it.
    behind = upto + counts[at]
    first, second = at, at - 1
    if min(upto, total - upto) > min(behind, total - behind):
        first, second = second, first
    for v in (first, second):
        part = behind if v == at else upto
        if v < 0 or v == n - 1 or min(part, total - part) < least or n_cuts[b] >= cuts.shape[0]:
            continue
        to = n_cuts[b]
        cuts[to, 0] = CUT
        cuts[to, 1] = j
        cuts[to, 2] = values[v]
        cuts[to, 3] = 0
        n_cuts[b] += 1
