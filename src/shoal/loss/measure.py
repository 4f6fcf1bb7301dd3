"""Measuring a loss on a recoding, the same for all losses and all kinds of recoding."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.core.protocols import CellLoss, LossMetric
from shoal.core.recoding import SUPPRESSED, Regions
from shoal.core.table import FrequencyTable

__all__ = ["marginals", "measure", "measure_columns"]


def marginals(table: FrequencyTable) -> list[NDArray[np.int64]]:
    """Return the count of each leaf of each quasi-identifier, int64 [n_values] each."""
    rows = table.point_rows
    return [
        np.bincount(table.codes[:, j], rows, h.n_values).astype(np.int64) for j, h in enumerate(table.hierarchies)
    ]


def measure(
    loss: LossMetric, table: FrequencyTable, regions: Regions, weights: Mapping[str, float] | None = None
) -> float:
    """Return the loss of normalized *regions*; suppressed rows count as fully generalized."""
    if not isinstance(loss, CellLoss):
        return loss.of_sizes(regions.region_rows, regions.suppressed_rows)
    columns = measure_columns(loss, table, regions)
    weights = weights or {}
    total = sum(weights.get(name, 1.0) * cost for name, (cost, _) in columns.items())
    full = sum(weights.get(name, 1.0) * norm for name, (_, norm) in columns.items())
    return total / full if loss.normalized and full else total


def measure_columns(loss: CellLoss, table: FrequencyTable, regions: Regions) -> dict[str, tuple[float, float]]:
    """Return per quasi-identifier the sum of its cells' costs and its part of the denominator."""
    point = table.point_of_item[regions.item_of_share]
    kept = regions.region != SUPPRESSED
    result = {}
    for j, (name, hierarchy, marginal) in enumerate(
        zip(table.names, table.hierarchies, marginals(table), strict=True)
    ):
        leaf = table.codes[point, j]
        lo = np.where(kept, regions.lo[regions.region, j], 0) if regions.n_regions else np.zeros_like(leaf)
        hi = np.full_like(leaf, hierarchy.n_values - 1)
        if regions.n_regions:
            hi = np.where(kept, regions.hi[regions.region, j], hi)
        costs = loss.costs(hierarchy, marginal, leaf, lo.astype(np.int32), hi.astype(np.int32))
        result[name] = float((costs * regions.rows).sum()), loss.full(hierarchy, marginal)
    return result
