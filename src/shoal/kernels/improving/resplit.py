"""The best division of two neighbouring classes into two, by branch and bound."""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.improving.asked import passes
from shoal.kernels.improving.linked import GAIN, fit_class, keep_cheapest, take
from shoal.kernels.improving.prices import side_price
from shoal.kernels.jit import kernel

MOST_STEPS = 5000
"""Partial divisions that are looked at for two classes, at most; with more the best so far is taken."""


@kernel
def resplit(s: Any, p: Any, asked: Any, c: Any, u: Any) -> int:  # pragma: no cover - compiled
    """Divide the atoms of two classes anew; return 1 if that saves loss.

    Atoms join a part one by one, those far from the first one early. A part's price never falls, and each row that
    is left pays the lower of the two at the least.
    """
    n, n_qi, n_values = s.atoms[c] + s.atoms[u], s.codes.shape[1], s.counts.shape[1]
    atoms, far = np.empty(n, np.int64), np.zeros(n)
    at = 0
    for one in (c, u):
        i = s.head[one]
        while i >= 0:
            atoms[at] = i
            for j in range(n_qi):
                a, b = s.codes[atoms[0], j], s.codes[i, j]
                far[at] -= side_price(p, j, min(a, b), max(a, b))
            at += 1
            i = s.after[i]
    far[0] = -np.inf
    atoms = atoms[np.argsort(far, kind="mergesort")]
    left = np.zeros(n + 1, np.int64)
    for at in range(n - 1, -1, -1):
        left[at] = left[at + 1] + s.rows[atoms[at]]
    low, high = np.empty((n + 1, 2, n_qi), np.int32), np.empty((n + 1, 2, n_qi), np.int32)
    price, size = np.zeros((n + 1, 2)), np.zeros((n + 1, 2), np.int64)
    low[0], high[0] = np.iinfo(np.int32).max, -1
    counts = np.zeros((2, n_values), np.int64)
    side, chosen = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    best = s.price[c] * s.size[c] + s.price[u] * s.size[u] - GAIN
    depth, steps, found = 0, 0, False
    while depth >= 0 and steps < MOST_STEPS:
        i = atoms[depth]
        if side[depth] >= 0:
            counts[side[depth], s.value[i]] -= s.rows[i]
        side[depth] += 1
        if side[depth] > (1 if depth > 0 else 0):
            side[depth] = -1
            depth -= 1
            continue
        steps += 1
        x, following = side[depth], depth + 1
        counts[x, s.value[i]] += s.rows[i]
        low[following], high[following] = low[depth], high[depth]
        price[following], size[following] = price[depth], size[depth]
        size[following, x] += s.rows[i]
        price[following, x] = 0.0
        for j in range(n_qi):
            low[following, x, j] = min(low[depth, x, j], s.codes[i, j])
            high[following, x, j] = max(high[depth, x, j], s.codes[i, j])
            price[following, x] += side_price(p, j, low[following, x, j], high[following, x, j])
        if min(size[following, 0], size[following, 1]) + left[following] < asked.least:
            continue
        cost = min(price[following, 0], price[following, 1]) * left[following]
        cost += price[following, 0] * size[following, 0] + price[following, 1] * size[following, 1]
        if not cost < best:
            continue
        if following < n:
            depth = following
        elif size[n, 1] > 0 and passes(asked, counts[0], size[n, 0]) and passes(asked, counts[1], size[n, 1]):
            best, found = cost, True
            chosen[:] = side
    if not found:
        return 0
    for at in range(n):
        target = c if chosen[at] == 0 else u
        if s.owner[atoms[at]] != target:
            take(s, atoms[at], target)
    fit_class(s, p, c)
    fit_class(s, p, u)
    return 1


@kernel
def resplit_hoods(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, starts: Any, classes: Any, most: int, moves: int
) -> int:
    """Divide each class anew with the neighbours that it could join for least; return how often that saved loss.

    Parameters
    ----------
    starts : int64 [n_hoods + 1]
        Classes ``classes[starts[h]:starts[h + 1]]`` are neighbours.
    classes : int64 [n]
    most : int
        Atoms of the two classes at most.
    moves : int
        Changes that may be made at most.
    """
    done, n_qi = 0, s.codes.shape[1]
    near, added = np.empty(3, np.int64), np.empty(3)
    for h in range(starts.shape[0] - 1):
        hood = classes[starts[h] : starts[h + 1]]
        for c in hood:
            if s.head[c] < 0 or s.price[c] <= 0.0 or done >= moves:
                continue
            near[:] = -1
            added[:] = np.inf
            for u in hood:
                if u == c or s.head[u] < 0 or s.atoms[c] + s.atoms[u] > most:
                    continue
                own = s.price[c] * s.size[c] + s.price[u] * s.size[u]
                both = s.size[c] + s.size[u]
                price = 0.0
                for j in range(n_qi):
                    price += side_price(p, j, min(s.lo[c, j], s.lo[u, j]), max(s.hi[c, j], s.hi[u, j]))
                    if price * both - own >= added[2]:
                        price = np.inf
                        break
                if price < np.inf:
                    keep_cheapest(near, added, u, price * both - own)
            for u in near:
                if u >= 0 and done < moves:
                    done += resplit(s, p, asked, c, u)
    return done
