"""Classes that lie near each other, by halving along drawn columns."""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.improving.prices import side_price
from shoal.kernels.jit import kernel


@kernel
def neighbourhoods(  # pragma: no cover - compiled
    s: Any, p: Any, order: Any, most: int, draws: Any, starts: Any
) -> int:
    """Sort the classes in *order* into neighbourhoods of at most *most*, by halving along drawn columns.

    ``starts`` gets where each begins and the end of the last; the number of neighbourhoods is returned. *draws*
    are numbers in [0, 1), used in turn.
    """
    n_qi = s.codes.shape[1]
    n, at, used = 0, 0, 0
    stack = np.empty((128, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, order.shape[0]
    top = 1
    starts[0] = 0
    while top > 0:
        top -= 1
        first, last = stack[top, 0], stack[top, 1]
        if last - first <= most:
            at = last
            n += 1
            starts[n] = at
            continue
        column, widest = 0, -1.0
        for j in range(n_qi):
            lo = hi = s.lo[order[first], j] + s.hi[order[first], j]
            for q in range(first, last):
                centre = s.lo[order[q], j] + s.hi[order[q], j]
                lo = min(lo, centre)
                hi = max(hi, centre)
            draw = draws[used % draws.shape[0]]
            used += 1
            price = side_price(p, j, lo // 2, hi // 2) if lo < hi else 0.0
            if price == np.inf:
                price = 1e300
            if lo < hi and (price + 1e-6) * (0.1 + draw) > widest:
                column, widest = j, (price + 1e-6) * (0.1 + draw)
        part = order[first:last].copy()
        keys = np.empty(last - first, np.float64)
        for q in range(last - first):
            # Equal centres part at random, so that other neighbours meet in the next round.
            keys[q] = s.lo[part[q], column] + s.hi[part[q], column] + 0.5 * draws[used % draws.shape[0]]
            used += 1
        rank = np.argsort(keys, kind="mergesort")
        for q in range(last - first):
            order[first + q] = part[rank[q]]
        middle = (first + last) // 2
        stack[top, 0], stack[top, 1] = middle, last
        stack[top + 1, 0], stack[top + 1, 1] = first, middle
        top += 2
    return n
