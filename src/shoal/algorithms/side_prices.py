"""What a row costs on each side that a box may have, laid out for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.protocols import CellLoss
from shoal.core.regions import publishable
from shoal.core.table import FrequencyTable
from shoal.kernels.improving.prices import Prices
from shoal.loss.ncp import NCP

__all__ = ["SidePrices", "side_prices"]

MOST_VALUES = 1024
"""Values of the largest column all of whose sides are priced beforehand."""

ALIKE = 1e-9


@dataclass(frozen=True, eq=False)
class SidePrices:
    """Prices of sides, and how they relate to the objective.

    Parameters
    ----------
    prices : Prices
        The cheapest side of each column costs nothing.
    constant : float64 [n_points]
        What a row of each point costs beyond the prices of its sides.
    full : float
        What the sum over all rows is divided by; 1 for losses that are sums.
    exact : bool
        Whether price and constant add up to the objective for every row and side; else they are means.
    """

    prices: Prices
    constant: NDArray[np.float64]
    full: float
    exact: bool


def side_prices(table: FrequencyTable, problem: Problem, labels: str, *, fit: bool) -> SidePrices:
    """Return the prices of a problem's loss; those of ``ncp`` where the loss is one of class sizes.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
    labels : {"nodes", "ranges", "sets", "stars"}
    fit : bool
        Whether sides of columns with an order keep the ends at which they were cut, where labels are intervals.
    """
    exact = isinstance(problem.loss, CellLoss)
    loss = problem.loss if isinstance(problem.loss, CellLoss) else NCP()
    constant = np.zeros(table.n_points)
    full = 0.0
    flat: list[NDArray[np.float64]] = [np.empty(0)]
    groups: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
    trees: list[Hierarchy] = []
    node_prices: list[NDArray[np.float64]] = [np.empty(0)]
    columns: dict[str, list[Any]] = {
        key: [] for key in ("start", "n_values", "slope", "root", "null", "first", "group_start", "fixed")
    }
    n_flat = n_groups = n_nodes = 0
    for j, (name, h) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        marginal, n = table.marginals[j], h.n_values
        weight = problem.weights.get(name, 1.0)
        level = min(problem.max_levels.get(name, h.height), h.height)
        if labels == "stars" and level < h.height:
            level = 0
        highest = h.levels[level].astype(np.int32)
        leaf = np.arange(n, dtype=np.int32)
        whole = np.full(n, n - 1, np.int32)
        at_root = weight * loss.costs(h, marginal, leaf, np.zeros(n, np.int32), whole)
        full += weight * loss.full(h, marginal)
        small = n <= MOST_VALUES
        start = first = -1
        shift = 0.0
        if small:
            side, alike = _sides(loss, h, marginal, labels)
            side *= weight
            lo, hi = np.triu_indices(n)
            shift = -float(side.min())
            square = np.full((n, n), np.inf)
            square[lo, hi] = np.where(highest[lo] == highest[hi], side + shift, np.inf)
            flat.append(square.ravel())
            start, exact = n_flat, exact and alike
            n_flat += n * n
        else:
            exact = exact and loss.name == "ncp"
            at_root = np.full(n, weight)
            shift = weight
            if labels in {"nodes", "stars"}:
                first = n_nodes
                trees.append(h)
                wide = (h.hi - h.lo) / max(1, n - 1)
                node_prices.append(weight * (wide if labels == "nodes" else (h.hi > h.lo).astype(np.float64)))
                n_nodes += len(h.lo)
        columns["start"].append(start)
        columns["n_values"].append(n)
        columns["slope"].append(weight / max(1, n - 1))
        columns["root"].append(shift)
        columns["null"].append(n - 1 if h.has_null else -1)
        columns["first"].append(first)
        columns["group_start"].append(n_groups)
        columns["fixed"].append(bool(fit and h.ordered and labels in {"ranges", "sets"}))
        groups.append(highest)
        n_groups += n
        constant += (at_root - shift)[table.codes[:, j]]
    offsets = np.cumsum([0, *(len(h.lo) for h in trees)])[:-1]
    prices = Prices(
        table=np.concatenate(flat),
        slope=np.array(columns["slope"], np.float64),
        root=np.array(columns["root"], np.float64),
        node_lo=_joined([h.lo for h in trees]),
        node_hi=_joined([h.hi for h in trees]),
        parents=_joined([_above(h) + offset for h, offset in zip(trees, offsets, strict=True)]),
        node_price=np.concatenate(node_prices),
        group=np.concatenate(groups),
        fixed=np.array(columns["fixed"], np.bool_),
        **{key: np.array(columns[key], np.int64) for key in ("start", "n_values", "null", "first", "group_start")},
    )
    return SidePrices(prices, constant, full if loss.normalized and full else 1.0, exact)


def _above(hierarchy: Hierarchy) -> NDArray[np.int32]:
    return np.where(hierarchy.parents < 0, hierarchy.root, hierarchy.parents).astype(np.int32)


def _joined(arrays: list[NDArray[Any]]) -> NDArray[np.int32]:
    return np.concatenate([np.empty(0, np.int32), *arrays]).astype(np.int32)


def _sides(
    loss: CellLoss, hierarchy: Hierarchy, marginal: NDArray[np.int64], labels: str
) -> tuple[NDArray[np.float64], bool]:
    """Return what each interval costs beyond the root, and whether that is the same for both of its ends."""
    n = hierarchy.n_values
    lo, hi = (ends.astype(np.int32) for ends in np.triu_indices(n))
    low, high = publishable(hierarchy, lo, hi, labels)
    zero = np.zeros(len(lo), np.int32)
    cost = []
    for leaf in (lo, hi):
        at_root = loss.costs(hierarchy, marginal, leaf, zero, zero + np.int32(n - 1))
        cost.append(loss.costs(hierarchy, marginal, leaf, low, high) - at_root)
    # Values that do not occur cost nothing anywhere for some losses, so they say nothing of a side.
    occurs = [marginal[leaf] > 0 for leaf in (lo, hi)]
    first, last = np.where(occurs[0], cost[0], cost[1]), np.where(occurs[1], cost[1], cost[0])
    alike = bool((np.abs(first - last) <= ALIKE).all())
    return (first + last) / 2, alike
