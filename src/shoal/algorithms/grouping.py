"""Rows put into groups, before it is said how the groups are published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.recoding import Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import sum_by_group
from shoal.kernels.hulls import hulls
from shoal.kernels.tp import Removal, remove

__all__ = ["Grouping", "residue_of", "take_residue"]


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which rows of which item belong to which group.

    Parameters
    ----------
    table : FrequencyTable
    item : int64 [n_shares]
        Item of each share, ascending.
    group : int32 [n_shares]
    rows : int64 [n_shares]
        Rows of each share, positive; the shares of an item add up to its count.
    lo, hi : int32 [n_groups, n_qi]
        Smallest box around each group.
    """

    table: FrequencyTable
    item: NDArray[np.int64]
    group: NDArray[np.int32]
    rows: NDArray[np.int64]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        table: FrequencyTable,
        item: NDArray[np.int64],
        group: NDArray[np.int32],
        rows: NDArray[np.int64],
        *,
        n_groups: int,
    ) -> Grouping:
        """Build one from shares in ascending order of items."""
        point = table.point_of_item[item]
        return cls(table, item, group, rows, *hulls(table.codes, point=point, group=group, n_groups=n_groups))

    @classmethod
    def of_regions(cls, table: FrequencyTable, regions: Regions) -> Grouping:
        """Take the boxes of a recoding that suppresses nothing as groups."""
        return cls.of(table, regions.item_of_share, regions.region, regions.rows, n_groups=regions.n_regions)

    @property
    def starred(self) -> tuple[int, int]:
        """Records with a cell that differs within their group, and the number of these cells."""
        rows = sum_by_group(self.group, self.rows, len(self.lo))
        different = (self.lo < self.hi).sum(axis=1)
        return int(rows[different > 0].sum()), int((rows * different).sum())


def take_residue(table: FrequencyTable, *, l: int) -> tuple[Grouping, Removal]:
    """Run TP: points keep their rows, and the rows taken from them form the last group.

    Parameters
    ----------
    table : FrequencyTable
        With one sensitive column, eligible as a whole.
    l : int
    """
    n_values = table.sensitive_hierarchies[0].n_values
    found = remove(
        table.offsets, np.ascontiguousarray(table.sensitive[:, 0]), table.counts, l=l, n_values=n_values
    )
    point = table.point_of_item
    rows = np.stack([found.kept, table.counts - found.kept], axis=1).ravel()
    group = np.stack([point, np.full_like(point, table.n_points)], axis=1).ravel()
    item = np.repeat(np.arange(table.n_items), 2)
    filled = rows > 0
    grouping = Grouping.of(
        table, item[filled], group[filled].astype(np.int32), rows[filled], n_groups=table.n_points + 1
    )
    return grouping, found


def residue_of(table: FrequencyTable, kept: NDArray[np.int64]) -> tuple[FrequencyTable, NDArray[np.int64]]:
    """Return the rows taken out as a table of their own, and which item of *table* each of its items is."""
    rows = table.counts - kept
    item = np.flatnonzero(rows)
    points, at = np.unique(table.point_of_item[item], return_index=True)
    part = FrequencyTable(
        names=table.names,
        hierarchies=table.hierarchies,
        codes=table.codes[points],
        offsets=np.append(at, len(item)).astype(np.int64),
        sensitive_names=table.sensitive_names,
        sensitive_hierarchies=table.sensitive_hierarchies,
        sensitive=table.sensitive[item],
        counts=rows[item],
    )
    return part, item
