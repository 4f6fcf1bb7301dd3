"""Segments of an order of records: what they cost, joining neighbours, and the cheapest division."""

# ruff: noqa: PLR0917
from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel

__all__ = ["box_costs", "cheapest_division", "join_neighbours", "window_costs"]

WIDTHS, NODES, STARS = 0, 1, 2
"""How a side is widened before it is published: not at all, to a node of a tree, to the whole domain."""


@kernel
def _cost(lo: Any, hi: Any, form: int, last: Any, null: Any, scale: Any, tree: Any) -> float:  # pragma: no cover
    parent, node_hi, node_lo, first = tree
    total = 0.0
    for j in range(lo.shape[0]):
        width = hi[j] - lo[j]
        if width > 0:
            if form == STARS or (form == WIDTHS and null[j] and hi[j] == last[j]):
                width = last[j]
            elif form == NODES:
                node = first[j] + lo[j]
                while node_hi[node] < hi[j]:
                    node = parent[node]
                width = node_hi[node] - node_lo[node]
            total += scale[j] * width
    return total


@kernel
def box_costs(  # pragma: no cover - compiled
    lo: Any, hi: Any, form: int, last: Any, null: Any, scale: Any, tree: Any, costs: Any
) -> None:
    """Write the cost of a row in each box: the scaled widths of its sides as they will be published."""
    for box in range(lo.shape[0]):
        costs[box] = _cost(lo[box], hi[box], form, last, null, scale, tree)


@kernel
def window_costs(  # pragma: no cover - compiled
    codes: Any, rows: Any, form: int, last: Any, null: Any, scale: Any, tree: Any, costs: Any
) -> None:
    """Write what the ``1 + w`` records from each on cost as one class, ``costs[i, w]``; infinite past the end."""
    n, d = codes.shape
    lo = np.empty(d, np.int64)
    hi = np.empty(d, np.int64)
    for i in range(n):
        size = 0
        for w in range(costs.shape[1]):
            if i + w >= n:
                costs[i, w] = np.inf
                continue
            for j in range(d):
                code = codes[i + w, j]
                lo[j] = code if w == 0 else min(lo[j], code)
                hi[j] = code if w == 0 else max(hi[j], code)
            size += rows[i + w]
            costs[i, w] = size * _cost(lo, hi, form, last, null, scale, tree)


@kernel
def join_neighbours(  # pragma: no cover - compiled
    order: Any, open_: Any, joined: Any
) -> None:
    """Pick edges between neighbours in *order*, no segment twice; edge *e* joins segments *e* and *e + 1*.

    *open_* says which edges may be picked; *joined* gets the picked ones.
    """
    used = np.zeros(open_.shape[0] + 1, np.bool_)
    for at in range(order.shape[0]):
        edge = order[at]
        joined[edge] = open_[edge] and not used[edge] and not used[edge + 1]
        if joined[edge]:
            used[edge] = True
            used[edge + 1] = True


@kernel
def cheapest_division(  # pragma: no cover - compiled
    costs: Any, passes: Any, known_stop: Any, known_costs: Any, stop: Any
) -> float:
    """Divide records into passing windows, and known segments, at the least cost; ``stop[i]`` ends the one at *i*.

    ``known_stop[i]`` is the end of the known segment that starts at *i*, or -1. Ties go to the shorter window.
    """
    n = costs.shape[0]
    best = np.full(n + 1, np.inf)
    best[n] = 0.0
    for i in range(n - 1, -1, -1):
        stop[i] = -1
        for w in range(costs.shape[1]):
            if i + w < n and passes[i, w]:
                total = costs[i, w] + best[i + w + 1]
                if total < best[i]:
                    best[i] = total
                    stop[i] = i + w + 1
        if known_stop[i] >= 0:
            total = known_costs[i] + best[known_stop[i]]
            if total < best[i]:
                best[i] = total
                stop[i] = known_stop[i]
    cost: float = best[0]
    return cost
