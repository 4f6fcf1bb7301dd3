"""Rows put into groups, before it is said how the groups are published."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import sum_by_group
from shoal.kernels.hulls import hulls
from shoal.kernels.shares import shares_by_item
from shoal.kernels.tp.removal import Removal, remove

__all__ = ["Grouping", "residue_of", "take_residue"]


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which rows of which item belong to which group.

    Parameters
    ----------
    table : FrequencyTable
    offsets : int64 [n_items + 1]
        Shares ``offsets[i]:offsets[i + 1]`` belong to item *i*.
    group : int32 [n_shares]
    rows : int64 [n_shares]
        Rows of each share, positive; the shares of an item add up to its count.
    lo, hi : int32 [n_groups, n_qi]
        Smallest box around each group.
    """

    table: FrequencyTable
    offsets: NDArray[np.int64]
    group: NDArray[np.int32]
    rows: NDArray[np.int64]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]

    @classmethod
    def of_regions(cls, table: FrequencyTable, regions: Regions) -> Grouping:
        """Take the boxes of a recoding that suppresses nothing as groups."""
        point, group = table.point_of_item[regions.item_of_share], regions.region
        lo, hi = hulls(table.codes, table.codes, cell=point, group=group, n_groups=regions.n_regions)
        return cls(table, regions.offsets, group, regions.rows, lo, hi)

    @cached_property
    def item(self) -> NDArray[np.int64]:
        """Item of each share, int64 [n_shares]."""
        return np.repeat(np.arange(self.table.n_items), np.diff(self.offsets))

    def with_last_divided(self, part: Grouping, item: NDArray[np.int64]) -> Grouping:
        """Put groups in the place of the last one.

        Parameters
        ----------
        part : Grouping
            The rows of the last group as a table of their own, divided.
        item : int64 [n_items of part]
            Item here that each of its items is.
        """
        last = len(self.lo) - 1
        stay = np.flatnonzero(self.group != last)
        shares = shares_by_item(
            np.concatenate([self.item[stay], item[part.item]]),
            np.concatenate([self.group[stay], part.group + np.int32(last)]),
            np.concatenate([self.rows[stay], part.rows]),
            self.table.n_items,
        )
        return Grouping(
            self.table,
            *shares,
            np.concatenate([self.lo[:last], part.lo]),
            np.concatenate([self.hi[:last], part.hi]),
        )

    @property
    def starred(self) -> tuple[int, int]:
        """Records with a cell that differs within their group, and the number of these cells."""
        rows = sum_by_group(self.group, self.rows, len(self.lo))
        different = (self.lo < self.hi).sum(axis=1)
        return int(rows[different > 0].sum()), int((rows * different).sum())


def take_residue(table: FrequencyTable, *, l: int, k: int = 1) -> tuple[Grouping, Removal]:
    """Run TP: points keep their rows, and the rows taken from them form the last group.

    Parameters
    ----------
    table : FrequencyTable
        With one sensitive column and at least *k* rows, eligible as a whole.
    l : int
    k : int, default 1
        Rows of every group at least: smaller ones go to the last group, which stays eligible.
    """
    n_values = table.sensitive_hierarchies[0].n_values
    values = np.ascontiguousarray(table.sensitive[:, 0])
    found = remove(table.offsets, values, table.counts, l=l, n_values=n_values)
    if k > l:
        found = found._replace(kept=_without_small_groups(table, found.kept, k))
    point, taken = table.point_of_item, table.counts - found.kept
    stays, leaves = found.kept > 0, taken > 0
    offsets = np.zeros(table.n_items + 1, np.int64)
    np.cumsum(stays.astype(np.int64) + leaves, out=offsets[1:])
    # Points of which nothing is kept, often most, are no groups.
    is_group = np.zeros(table.n_points, bool)
    is_group[point[stays]] = True
    number = np.cumsum(is_group, dtype=np.int32) - np.int32(1)
    group = np.full(offsets[-1], np.count_nonzero(is_group), np.int32)
    rows = np.empty(offsets[-1], np.int64)
    first, last = offsets[:-1][stays], offsets[1:][leaves] - 1
    group[first], rows[first] = number[point[stays]], found.kept[stays]
    rows[last] = taken[leaves]
    left = np.zeros(table.n_points, bool)
    left[point[leaves]] = True
    box = np.zeros((2, 1, table.n_qi), np.int32)
    if left.any():
        columns = [codes[left] for codes in table.codes.T]
        box[:, 0] = [codes.min() for codes in columns], [codes.max() for codes in columns]
    codes = table.codes[is_group]
    lo, hi = (np.concatenate([codes, side]) for side in box)
    return Grouping(table, offsets, group, rows, lo, hi), found


def _without_small_groups(table: FrequencyTable, kept: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the rows that stay once groups of fewer than *k* leave, and the residue has none or *k* of them."""
    rows = sum_by_group(table.point_of_item, kept, table.n_points)
    stays = rows >= k
    left = table.n_rows - int(rows[stays].sum())
    for point in np.argsort(rows, kind="stable"):
        if not 0 < left < k:
            break
        if stays[point]:
            stays[point] = False
            left += int(rows[point])
    return np.where(stays[table.point_of_item], kept, 0)


def residue_of(table: FrequencyTable, kept: NDArray[np.int64]) -> tuple[FrequencyTable, NDArray[np.int64]]:
    """Return the rows taken out as a table of their own, and which item of *table* each of its items is."""
    rows = table.counts - kept
    item = np.flatnonzero(rows)
    point = table.point_of_item[item]
    at = np.flatnonzero(np.diff(point, prepend=-1))
    points = point[at]
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
