"""An atom leaves its class for another, alone or in exchange."""
# ruff: noqa: PLR0917, FBT001 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.improving.linked import GAIN, fit_class, hull_without, keep_cheapest, passes_changed, take
from shoal.kernels.improving.prices import price_with
from shoal.kernels.jit import kernel

MOST_ATOMS = 128
"""Atoms of the largest class that others leave one by one."""


MOST_GIVING = 24
"""Atoms of the largest class that gives one to a third class."""


@kernel
def leave(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, hood: Any, b: int, once: bool, number: int, boxes: Any
) -> int:
    """Let atom *b* leave its class for another; return 1 if that was done.

    Where its class fails without it, an atom of a third class, or of the one that it goes to, takes its place.
    """
    source = s.owner[b]
    low, high, low_d, high_d = boxes[0], boxes[1], boxes[2], boxes[3]
    rows = s.rows[b]
    left = s.size[source] - rows
    cost = s.price[source] * s.size[source]
    without = hull_without(s, p, source, b, low, high)
    room = cost - without * left - GAIN
    if room <= 0.0:
        return 0
    # The cheapest class that passes with b, and the four cheapest that need not.
    target, least = -1, room
    near = np.full(4, -1, np.int64)
    added = np.full(4, room)
    for q in range(hood.shape[0]):
        u = hood[q]
        if u == source or s.head[u] < 0 or (once and s.change[u] >= 0):
            continue
        own = s.price[u] * s.size[u]
        more = price_with(p, s.lo[u], s.hi[u], s.codes[b], (added[3] + own) / (s.size[u] + rows))
        more = more * (s.size[u] + rows) - own
        if more < least and passes_changed(s, asked, u, -1, b):
            least, target = more, u
        if more < added[3]:
            keep_cheapest(near, added, u, more)
    if target >= 0 and (left == 0 or passes_changed(s, asked, source, b, -1)):
        take(s, b, target)
        fit_class(s, p, source)
        fit_class(s, p, target)
        s.change[source] = s.change[target] = number
        return 1
    if left == 0:
        return 0
    best, filler, goal = GAIN, -1, -1
    # Some atom of the class that b goes to comes in exchange.
    for r in range(4):
        u = near[r]
        if u < 0 or s.atoms[u] > MOST_ATOMS:
            continue
        a = s.head[u]
        while a >= 0:
            mine = left + s.rows[a]
            theirs = s.size[u] - s.rows[a] + rows
            total = cost + s.price[u] * s.size[u] - best
            joined = price_with(p, low, high, s.codes[a], total / mine) * mine
            if joined < total:
                after = 0.0
                if s.atoms[u] > 1:
                    hull_without(s, p, u, a, low_d, high_d)
                    after = price_with(p, low_d, high_d, s.codes[b], (total - joined) / theirs) * theirs
                else:
                    after = price_with(p, s.codes[b], s.codes[b], s.codes[b], np.inf) * theirs
                if (
                    joined + after < total
                    and passes_changed(s, asked, source, b, a)
                    and passes_changed(s, asked, u, a, b)
                ):
                    best = cost + s.price[u] * s.size[u] - joined - after
                    filler, goal = a, u
            a = s.after[a]
    # Some atom of a class that can spare it comes, and b goes to another. Where classes are like the table few can
    # spare any.
    if target >= 0 and asked.t >= 1.0:
        for q in range(hood.shape[0]):
            d = hood[q]
            if d in {source, target} or s.head[d] < 0 or s.atoms[d] > MOST_GIVING or (once and s.change[d] >= 0):
                continue
            if s.size[d] <= asked.least:
                continue
            a = s.head[d]
            while a >= 0:
                spare = s.size[d] - s.rows[a]
                mine = left + s.rows[a]
                if spare >= asked.least and mine >= asked.least:
                    own = s.price[d] * s.size[d]
                    total = cost + own - least - best
                    joined = price_with(p, low, high, s.codes[a], total / mine) * mine
                    if joined < total:
                        rest = hull_without(s, p, d, a, low_d, high_d) * spare
                        if (
                            joined + rest < total
                            and passes_changed(s, asked, d, a, -1)
                            and passes_changed(s, asked, source, b, a)
                        ):
                            best = cost + own - least - joined - rest
                            filler, goal = a, target
                a = s.after[a]
    if filler < 0:
        return 0
    giver = s.owner[filler]
    take(s, b, goal)
    take(s, filler, source)
    fit_class(s, p, source)
    fit_class(s, p, goal)
    fit_class(s, p, giver)
    s.change[source] = s.change[goal] = s.change[giver] = number
    return 1
