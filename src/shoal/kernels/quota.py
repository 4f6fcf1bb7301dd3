"""Dealing the rows of each sensitive value to all classes, near rows together."""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.improving.prices import side_price
from shoal.kernels.jit import kernel

WINDOW = 6000
"""Rows after the first one that are looked at, unless none of them fits."""


@kernel
def _best_overlap(  # pragma: no cover - compiled
    shares: Any, taken: Any, more: Any, goal: int, extra: int, chosen: int
) -> float:
    """Return what a class of *goal* rows can share with the table at most after value *chosen* takes an extra.

    *taken* are rows per value, those owed included; *more* says which values may take one more.
    """
    overlap = 0.0
    n = shares.shape[0]
    gains = np.zeros(n)
    for v in range(n):
        now = min(shares[v], taken[v] / goal)
        gain = min(shares[v], (taken[v] + 1) / goal) - now
        overlap += now
        if v == chosen:
            overlap += gain
        elif more[v]:
            gains[v] = gain
    gains.sort()
    for at in range(extra - 1):
        if at < n:
            overlap += gains[n - 1 - at]
    return overlap


@kernel
def grow_classes(  # pragma: no cover - compiled
    codes: Any, value: Any, p: Any, shares: Any, t: float, rows: int, slack: float, group: Any
) -> int:
    """Write the class of each row, int64 [n]; return their number.

    Parameters
    ----------
    codes : int32 [n, n_qi]
        In the order in which rows begin a class.
    value : int32 [n]
    p : Prices
    shares : float64 [n_values]
        Shares of the values in the whole table.
    t : float
        Largest distance to them, as far as it can be kept.
    rows : int
        Rows of a class, about.
    slack : float
        Share of its quota by which a class may miss it, beyond rounding.
    """
    n, n_qi = codes.shape
    n_values = shares.shape[0]
    left = np.zeros(n_values, np.int64)
    for i in range(n):
        left[value[i]] += 1
    group[:] = -1
    following = np.arange(1, n + 1)
    before = np.arange(-1, n - 1)
    first, remaining, c = 0, n, 0
    owed, taken = np.empty(n_values, np.int64), np.empty(n_values, np.int64)
    most = np.empty(n_values, np.int64)
    more, allowed = np.empty(n_values, np.bool_), np.empty(n_values, np.bool_)
    low, high = np.empty(n_qi, np.int32), np.empty(n_qi, np.int32)
    while remaining > 0:
        parts = max(1, remaining // rows)
        goal = remaining // parts
        extra = goal
        for v in range(n_values):
            owed[v] = int(left[v] * (1.0 - slack)) // parts
            most[v] = int(left[v] * (1.0 + slack)) // parts + 1
            taken[v] = owed[v]
            more[v] = left[v] > owed[v]
            extra -= owed[v]
        pick = first
        for step in range(goal):
            if step > 0:
                for v in range(n_values):
                    allowed[v] = owed[v] > 0
                    if not allowed[v] and more[v] and extra > 0:
                        best = _best_overlap(shares, taken, more, goal, extra, v)
                        allowed[v] = best >= 1.0 - t - 1e-9
                least, pick = np.inf, -1
                for strict in range(2):
                    i, looked = first, 0
                    while i < n and (pick < 0 or looked < WINDOW):
                        v = value[i]
                        looked += 1
                        if allowed[v] or (strict == 1 and more[v] and extra > 0):
                            price = 0.0
                            for j in range(n_qi):
                                x = codes[i, j]
                                price += side_price(p, j, min(low[j], x), max(high[j], x))
                                if price >= least:
                                    break
                            if price < least:
                                least, pick = price, i
                        i = following[i]
                    if pick >= 0:
                        break
                if pick < 0:
                    break
            v = value[pick]
            if owed[v] > 0:
                owed[v] -= 1
            else:
                extra -= 1
                taken[v] += 1
                more[v] = left[v] > 1 and (taken[v] < most[v] or parts == 1)
            left[v] -= 1
            remaining -= 1
            group[pick] = c
            for j in range(n_qi):
                x = codes[pick, j]
                low[j] = x if step == 0 else min(low[j], x)
                high[j] = x if step == 0 else max(high[j], x)
            if pick == first:
                first = following[first]
            else:
                following[before[pick]] = following[pick]
            if following[pick] < n:
                before[following[pick]] = before[pick]
        c += 1
    return c
