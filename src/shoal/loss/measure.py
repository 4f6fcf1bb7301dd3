"""Measuring a loss on a recoding, the same for all losses and all kinds of recoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.core.protocols import CellLoss, LossMetric, ReleaseLoss
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.cells import rows_by_cell
from shoal.kernels.grouping import group_columns

__all__ = ["measure", "measure_columns", "total_of"]

MAX_CELLS = 1 << 22
"""Largest (leaf, side) matrix that is summed at once; beyond it the shares are walked in blocks."""

BLOCK = 1 << 18

Costs = Callable[[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]], NDArray[np.float64]]


def measure(
    loss: LossMetric | ReleaseLoss,
    table: FrequencyTable,
    regions: Regions,
    weights: Mapping[str, float] | None = None,
) -> float:
    """Return the loss of normalized *regions*; suppressed rows count as fully generalized.

    Rows that a sample left out lose nothing and count nowhere: the loss is that of the published rows alone.
    """
    table, regions = regions.published_part(table)
    if isinstance(loss, ReleaseLoss):
        return loss.of_release(table, regions)
    if not isinstance(loss, CellLoss):
        return loss.of_sizes(regions.region_rows, regions.suppressed_rows)
    return total_of(loss, measure_columns(loss, table, regions), weights)


def total_of(
    loss: CellLoss, columns: Mapping[str, tuple[float, float]], weights: Mapping[str, float] | None = None
) -> float:
    """Return the loss that columns add up to, given what :func:`measure_columns` found."""
    weights = weights or {}
    total = sum(weights.get(name, 1.0) * cost for name, (cost, _) in columns.items())
    full = sum(weights.get(name, 1.0) * norm for name, (_, norm) in columns.items())
    return total / full if loss.normalized and full else total


def measure_columns(loss: CellLoss, table: FrequencyTable, regions: Regions) -> dict[str, tuple[float, float]]:
    """Return per quasi-identifier the sum of its cells' costs and its part of the denominator.

    Rows that a sample left out count in neither.
    """
    table, regions = regions.published_part(table)
    result = {}
    for j, (name, hierarchy, marginal) in enumerate(
        zip(table.names, table.hierarchies, table.marginals, strict=True)
    ):
        costs = partial(loss.costs, hierarchy, marginal)
        result[name] = _column(costs, table, regions, j), loss.full(hierarchy, marginal)
    return result


def _column(costs: Costs, table: FrequencyTable, regions: Regions, j: int) -> float:
    """Sum the costs of one column over its distinct (leaf, side) pairs."""
    sides = _sides(regions, j, table.hierarchies[j].n_values)
    n_values, n_sides = table.hierarchies[j].n_values, sides.lo.shape[0] - 1
    if n_values * (n_sides + 1) > MAX_CELLS:
        return _column_in_blocks(costs, table, regions, j, sides)
    rows = rows_by_cell(
        np.ascontiguousarray(table.codes[:, j]),
        items=table.offsets,
        shares=regions.offsets,
        region=regions.region,
        rows=regions.rows,
        side=sides.of_region,
        n_values=n_values,
        n_sides=n_sides,
    )
    leaf, at = np.nonzero(rows)
    return float((costs(leaf.astype(np.int32), sides.lo[at], sides.hi[at]) * rows[leaf, at]).sum())


class _Sides(NamedTuple):
    """The distinct sides of the boxes in one column; the whole domain stands last, for suppressed rows."""

    of_region: NDArray[np.int32]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]


def _sides(regions: Regions, j: int, n_values: int) -> _Sides:
    lo, hi = regions.lo[:, j], regions.hi[:, j]
    side, first = np.empty(0, np.int32), np.empty(0, np.int64)
    if regions.n_regions:
        side, first = group_columns([lo, hi], [n_values, n_values])
    return _Sides(
        side,
        np.append(lo[first], 0).astype(np.int32),
        np.append(hi[first], n_values - 1).astype(np.int32),
    )


def _column_in_blocks(costs: Costs, table: FrequencyTable, regions: Regions, j: int, sides: _Sides) -> float:
    total = 0.0
    of_region = np.append(sides.of_region, sides.lo.shape[0] - 1)  # where the index -1 of suppressed shares falls
    for start in range(0, regions.region.shape[0], BLOCK):
        share = np.arange(start, min(start + BLOCK, regions.region.shape[0]))
        item = np.searchsorted(regions.offsets, share, side="right") - 1
        leaf = table.codes[np.searchsorted(table.offsets, item, side="right") - 1, j]
        at = of_region[regions.region[share]]
        total += float((costs(leaf, sides.lo[at], sides.hi[at]) * regions.rows[share]).sum())
    return total
