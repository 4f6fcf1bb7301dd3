"""A class becomes two: cut along a column, or with a part that grows around one of its records."""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.improving.asked import passes
from shoal.kernels.improving.linked import GAIN, fit_class, take
from shoal.kernels.improving.prices import price_with, side_price
from shoal.kernels.jit import kernel


@kernel
def cut(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, c: int, empty: int, number: int, boxes: Any
) -> int:
    """Cut a class in two along a column where that saves most and both parts pass; the second becomes *empty*."""
    cost = s.price[c] * s.size[c]
    best, column, place = GAIN, -1, 0
    n_qi = s.codes.shape[1]
    below = np.empty(s.counts.shape[1], np.int64)
    for j in range(n_qi):
        if s.lo[c, j] == s.hi[c, j]:
            continue
        at = s.head[c]
        while at >= 0:
            where = s.codes[at, j]
            at = s.after[at]
            n_below = 0
            below[:] = 0
            first = np.ones(2, np.bool_)
            i = s.head[c]
            while i >= 0:
                side = 1 if s.codes[i, j] > where else 0
                if side == 0:
                    n_below += s.rows[i]
                    below[s.value[i]] += s.rows[i]
                for x in range(n_qi):
                    code = s.codes[i, x]
                    if first[side]:
                        boxes[2 * side, x] = boxes[2 * side + 1, x] = code
                    else:
                        boxes[2 * side, x] = min(boxes[2 * side, x], code)
                        boxes[2 * side + 1, x] = max(boxes[2 * side + 1, x], code)
                first[side] = False
                i = s.after[i]
            n_above = s.size[c] - n_below
            if n_below < asked.least or n_above < asked.least or n_above == 0:
                continue
            total = 0.0
            for side in range(2):
                price = 0.0
                for x in range(n_qi):
                    lo, hi = boxes[2 * side, x], boxes[2 * side + 1, x]
                    if p.fixed[x] and lo < hi:
                        lo, hi = s.lo[c, x], s.hi[c, x]
                        if x == j and side == 0:
                            hi = where
                        elif x == j:
                            lo = where + 1
                    price += side_price(p, x, lo, hi)
                total += price * (n_below if side == 0 else n_above)
            if cost - total > best and passes(asked, below, n_below):
                for v in range(below.shape[0]):
                    below[v] = s.counts[c, v] - below[v]
                if passes(asked, below, n_above):
                    best, column, place = cost - total, j, where
    if column < 0:
        return 0
    s.lo[empty], s.hi[empty] = s.lo[c], s.hi[c]
    if p.fixed[column]:
        s.hi[c, column] = place
        s.lo[empty, column] = place + 1
    i = s.head[c]
    while i >= 0:
        following = s.after[i]
        if s.codes[i, column] > place:
            take(s, i, empty)
        i = following
    fit_class(s, p, c)
    fit_class(s, p, empty)
    s.change[c] = s.change[empty] = number
    return 1


@kernel
def part(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, b: int, empty: int, number: int, atoms: Any
) -> int:
    """Let a part of a class grow around atom *b* until it passes; return 1 if that saves loss and the rest passes.

    Rows of one record may lie in both parts, which no cut along a column can do.
    """
    c = s.owner[b]
    low, high = s.codes[b].copy(), s.codes[b].copy()
    price, n, i = 0.0, 0, b
    while i >= 0:
        atoms[n] = i
        n += 1
        take(s, i, empty)
        price = 0.0
        for j in range(low.shape[0]):
            low[j] = min(low[j], s.codes[i, j])
            high[j] = max(high[j], s.codes[i, j])
            price += side_price(p, j, low[j], high[j])
        if passes(asked, s.counts[empty], s.size[empty]):
            break
        least, i = np.inf, -1
        a = s.head[c]
        while a >= 0:
            joined = price_with(p, low, high, s.codes[a], least)
            if joined < least and s.size[c] - s.rows[a] >= asked.least:
                least, i = joined, a
            a = s.after[a]
    saves = (s.price[c] - price) * s.size[empty] > GAIN
    if saves and passes(asked, s.counts[empty], s.size[empty]) and passes(asked, s.counts[c], s.size[c]):
        fit_class(s, p, c)
        s.lo[empty], s.hi[empty] = low, high
        fit_class(s, p, empty)
        s.change[c] = s.change[empty] = number
        return 1
    for at in range(n - 1, -1, -1):
        take(s, atoms[at], c)
    return 0
