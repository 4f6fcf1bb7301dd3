"""Records in one order, along which classes are formed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.cube import coordinates
from shoal.core.problem import Problem
from shoal.core.regions import SUPPRESSED, Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.bitsets import spread
from shoal.kernels.hilbert import curve_order
from shoal.kernels.hulls import hulls
from shoal.kernels.shares import shares_by_item

__all__ = ["Line", "line_along_curve", "regions_of_shares"]


@dataclass(frozen=True, eq=False)
class Line:
    """Records in the order of a curve, part by part; no class may reach from one part into another.

    Parameters
    ----------
    table : FrequencyTable
        Whose items the records are.
    item : int64 [n]
        Item of each record.
    rows : int64 [n]
        Rows of each record, positive.
    part : int32 [n]
        Part of each record, ascending from 0.
    lost_item, lost_rows : int64 [n_lost]
        Rows of items that are suppressed.
    """

    table: FrequencyTable
    item: NDArray[np.int64]
    rows: NDArray[np.int64]
    part: NDArray[np.int32]
    lost_item: NDArray[np.int64]
    lost_rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.item)

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Leaf codes of each record, int32 [n, n_qi]."""
        return self.table.codes[self.table.point_of_item[self.item]]

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return int(self.part[-1]) + 1 if len(self) else 0

    def without(self, removed: NDArray[np.int64]) -> Line:
        """Return the line with *removed* rows of each record suppressed, int64 [n]."""
        left = self.rows - removed
        kept, lost = left > 0, removed > 0
        parts, part = np.unique(self.part[kept], return_inverse=True)
        return replace(
            self,
            item=self.item[kept],
            rows=left[kept],
            part=part.astype(np.int32) if parts.size else self.part[:0],
            lost_item=np.concatenate([self.lost_item, self.item[lost]]),
            lost_rows=np.concatenate([self.lost_rows, removed[lost]]),
        )


def line_along_curve(table: FrequencyTable, problem: Problem, *, cube: str, stars: bool) -> Line:
    """Return the items along the Hilbert curve, one part for each vector of highest allowed nodes.

    *cube* is as in :func:`~shoal.algorithms.cube.coordinates`. With *stars* a column that may not climb to its
    root may not climb at all.
    """
    levels = []
    for name, hierarchy in zip(table.names, table.hierarchies, strict=True):
        level = min(problem.max_levels.get(name, hierarchy.height), hierarchy.height)
        levels.append(0 if stars and level < hierarchy.height else level)
    part_of_point, first = table.coarsen(levels)
    points = curve_order(coordinates(table.codes, table.hierarchies, cube=cube))
    if len(first) > 1:
        points = points[np.argsort(part_of_point[points], kind="stable")]
    per_point = np.diff(table.offsets)[points]
    item = spread(table.offsets[points], per_point)
    nothing = np.empty(0, np.int64)
    part = np.repeat(part_of_point[points], per_point)
    return Line(table, item, table.counts[item], part, nothing, nothing)


def regions_of_shares(line: Line, shares: tuple[NDArray[Any], NDArray[Any], NDArray[Any]], labels: str) -> Regions:
    """Return the boxes of groups, normalized; *shares* are record, group and rows, sorted by group."""
    table, (record, group, rows) = line.table, shares
    n_groups = int(group[-1]) + 1 if len(group) else 0
    item = line.item[record]
    lo, hi = hulls(table.codes, table.codes, cell=table.point_of_item[item], group=group, n_groups=n_groups)
    item = np.concatenate([line.lost_item, item])
    region = np.concatenate([np.full(len(line.lost_item), SUPPRESSED), group])
    offsets, region, rows = shares_by_item(item, region, np.concatenate([line.lost_rows, rows]), table.n_items)
    return Regions(lo, hi, offsets, region, rows, labels).normalized(table.hierarchies)
