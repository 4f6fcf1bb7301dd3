"""What a row costs on each side of a box."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shoal.kernels.jit import kernel


class Prices(NamedTuple):
    """What a row costs on each side ``[lo, hi]`` of a box, never negative and never less for a wider one.

    Parameters
    ----------
    table : float64 [n]
        Price of each side of the columns with few values, ``table[start + lo * n_values + hi]``.
    start, n_values : int64 [n_qi]
        Where a column begins in *table*, or -1 where it has too many values.
    root, slope : float64 [n_qi]
        Price of the root, and for columns without a table that of one code of width.
    null : int64 [n_qi]
        Code of the missing value, which a side wider than it does not name; -1 where there is none.
    node_lo, node_hi, parents : int32 [n_nodes]
        Trees of the columns without a table whose sides are nodes.
    node_price : float64 [n_nodes]
    first : int64 [n_qi]
        Where a column's nodes begin; -1 where its sides are intervals.
    group : int32 [n_groups]
        For columns without a table: highest allowed node around each code, at ``group[group_start + code]``.
    group_start : int64 [n_qi]
    fixed : bool [n_qi]
    """

    table: Any
    start: Any
    n_values: Any
    slope: Any
    root: Any
    null: Any
    node_lo: Any
    node_hi: Any
    parents: Any
    node_price: Any
    first: Any
    group: Any
    group_start: Any
    fixed: Any


@kernel
def side_price(p: Any, j: int, lo: int, hi: int) -> Any:  # pragma: no cover - compiled
    """Return the price of one side; infinite where it is above the highest allowed level."""
    at = p.start[j]
    if at >= 0:
        return p.table[at + lo * p.n_values[j] + hi]
    if p.group[p.group_start[j] + lo] != p.group[p.group_start[j] + hi]:
        return np.inf
    if p.first[j] >= 0:
        node = p.first[j] + lo
        while p.node_hi[node] < hi:
            node = p.parents[node]
        return p.node_price[node]
    if lo < hi and hi == p.null[j]:
        return p.root[j]
    return p.slope[j] * (hi - lo)


@kernel
def price_with(p: Any, low: Any, high: Any, code: Any, most: float) -> float:  # pragma: no cover - compiled
    """Return the price of a box that takes a record; infinite where it is more than *most* or forbidden."""
    price = 0.0
    for j in range(code.shape[0]):
        x = code[j]
        lo, hi = low[j], high[j]
        if x < lo or x > hi:
            if p.fixed[j]:
                return np.inf
            lo = min(lo, x)
            hi = max(hi, x)
        price += side_price(p, j, lo, hi)
        if price > most:
            return np.inf
    return price
