"""What publishing a node costs, for searches that climb trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.cuts import Trees
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.protocols import CellLoss
from shoal.core.table import FrequencyTable
from shoal.loss.ncp import NCP

__all__ = ["node_prices"]


def node_prices(table: FrequencyTable, problem: Problem, trees: Trees) -> NDArray[np.float64]:
    """Return what a row costs at each node of the trees, up to a constant of its leaf, float64 [n_nodes].

    The root costs nothing and lower nodes less than nothing. For losses that depend on the leaf in a way that no
    constant covers, it is the mean over the node's rows. Losses of class sizes are replaced by ``ncp``.
    """
    loss = problem.loss if isinstance(problem.loss, CellLoss) else NCP()
    prices = np.zeros(len(trees.lo))
    for j, (hierarchy, marginal) in enumerate(zip(table.hierarchies, table.marginals, strict=True)):
        first, last = int(trees.first[j]), int(trees.first[j + 1])
        weight = problem.weights.get(table.names[j], 1.0)
        prices[first:last] = -weight * _saved(
            loss, hierarchy, marginal, trees.lo[first:last], trees.hi[first:last]
        )
    return prices


def _saved(
    loss: CellLoss,
    hierarchy: Hierarchy,
    marginal: NDArray[np.int64],
    lo: NDArray[np.int32],
    hi: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return what each node saves against the root, on average over its rows."""
    sizes = hi - lo + 1
    node = np.repeat(np.arange(len(lo)), sizes)
    leaf = (np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes) + lo[node]).astype(np.int32)
    whole = np.zeros(len(leaf), np.int32)
    saved = loss.costs(hierarchy, marginal, leaf, whole, whole + np.int32(hierarchy.n_values - 1))
    saved = saved - loss.costs(hierarchy, marginal, leaf, lo[node], hi[node])
    alike = np.minimum.reduceat(saved, np.cumsum(sizes) - sizes)
    if np.array_equal(alike[node], saved):
        return alike
    rows = marginal[leaf] + 1e-9
    mean: NDArray[np.float64] = np.bincount(node, saved * rows) / np.bincount(node, rows)
    return mean
