"""Boxes of leaf codes: the recoding that every algorithm over hierarchies ends in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.hierarchy import Hierarchy
from shoal.core.population import count_labels, members_of, needed_population
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import rank_columns, sum_by_group
from shoal.kernels.inside import all_inside
from shoal.kernels.shares import merged_shares

__all__ = ["SUPPRESSED", "WITHHELD", "Regions", "publishable"]

SUPPRESSED = -1
"""Region of a row that is published with ``*`` in every quasi-identifier, or not at all."""

WITHHELD = -2
"""Region of a row that a sample left out: it is not published, counts against no limit and loses nothing."""


@dataclass(frozen=True, eq=False)
class Regions:
    """Boxes of leaf codes, and which rows of which item are published as which box.

    Parameters
    ----------
    lo, hi : int32 [n_regions, n_qi]
        First and last leaf code of each side, both included.
    offsets : int64 [n_items + 1]
        Shares ``offsets[i]:offsets[i + 1]`` belong to item *i*.
    region : int32 [n_shares]
        Box of each share, or :data:`SUPPRESSED`, or :data:`WITHHELD`.
    rows : int64 [n_shares]
        How many rows of the item go there, positive; the shares of an item add up to its count.
    labels : {"nodes", "ranges", "sets", "stars"}
        How the boxes are written.
    is_normalized : bool
        Whether this is what :meth:`normalized` returns.
    sampling_rate : float, default 1
        Probability with which a row was taken at all; the others are :data:`WITHHELD`, and estimates of the whole
        table divide by it.
    """

    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    offsets: NDArray[np.int64]
    region: NDArray[np.int32]
    rows: NDArray[np.int64]
    labels: str = "nodes"
    is_normalized: bool = False
    sampling_rate: float = 1.0

    @property
    def n_regions(self) -> int:
        """Number of boxes."""
        return len(self.lo)

    @cached_property
    def item_of_share(self) -> NDArray[np.int64]:
        """Item of each share, int64 [n_shares]."""
        return np.repeat(np.arange(self.offsets.shape[0] - 1), np.diff(self.offsets))

    @property
    def suppressed_rows(self) -> int:
        """Number of suppressed rows."""
        return int(self.rows[self.region == SUPPRESSED].sum())

    @property
    def withheld_rows(self) -> int:
        """Number of rows that a sample left out."""
        return int(self.rows[self.region == WITHHELD].sum())

    @cached_property
    def region_rows(self) -> NDArray[np.int64]:
        """Rows of each box, int64 [n_regions]."""
        return sum_by_group(self.region, self.rows, self.n_regions)

    def hold(self, table: FrequencyTable) -> bool:
        """Tell whether every row lies in its box, so that no published cell is untrue."""
        return all_inside(table.codes, table.point_of_item, self.offsets, self.region, self.lo, self.hi)

    def published_part(self, table: FrequencyTable) -> tuple[FrequencyTable, Regions]:
        """Return the rows that a sample did not leave out, as a table of their own with the same boxes."""
        kept = self.region != WITHHELD
        if kept.all():
            return table, self
        item = self.item_of_share[kept]
        part, at = table.with_counts(sum_by_group(item, self.rows[kept], table.n_items))
        offsets = np.searchsorted(item, np.append(at, table.n_items)).astype(np.int64)
        return part, replace(self, offsets=offsets, region=self.region[kept], rows=self.rows[kept])

    def classes(
        self,
        table: FrequencyTable,
        sensitive: Iterable[str] = (),
        *,
        reads: Collection[str] = (),
        population: FrequencyTable | None = None,
    ) -> Classes:
        """Count the classes that these boxes publish; suppressed rows form none.

        *reads* and *population* as in :func:`shoal.core.population.classes_at`; a row of the population counts in
        every box that it lies in.
        """
        wanted = tuple(sensitive)
        if table.unit is None and not wanted and not reads:
            return Classes(self.region_rows, self.region_rows)
        item = self.item_of_share
        found = table.classes(self.region, self.n_regions, wanted, items=item, counts=self.rows)
        if not reads:
            return found
        sides = [_sides(self.lo[:, j], self.hi[:, j]) for j in range(table.n_qi)]
        cells = np.stack([cell for cell, _ in sides], axis=1)
        if "cells" in reads:
            members = None
            if table.unit is not None:
                members = members_of(self.region, table.unit[item], self.n_regions, table.n_units)
            found = replace(found, cells=cells, members=members)
        if "population" in reads:
            covers = [_cover(side, h.n_values) for (_, side), h in zip(sides, table.hierarchies, strict=True)]
            counts, outside = count_labels(cells, covers, needed_population(population))
            found = replace(found, population=counts, outside=outside)
        return found

    def normalized(self, hierarchies: Sequence[Hierarchy]) -> Regions:
        """Widen each side to what its labels can say, merge equal boxes, drop empty ones, number by codes.

        Equal boxes would be published as equal label vectors, so they are one class.
        """
        if self.is_normalized:
            return self
        used = self.region_rows > 0
        lo, hi = self.lo[used], self.hi[used]
        # What is below 0 stays as it is: the last two entries are what the indices -2 and -1 find.
        region = np.full(self.n_regions + 2, SUPPRESSED, np.int32)
        region[-2:] = WITHHELD, SUPPRESSED
        if lo.size:
            # Ranks of the sides that occur make keys that are short enough to sort at once.
            ranks, sizes = [], []
            for j, hierarchy in enumerate(hierarchies):
                lo[:, j], hi[:, j] = publishable(hierarchy, lo[:, j], hi[:, j], self.labels)
                rank, some = rank_columns([lo[:, j], hi[:, j]], [hierarchy.n_values] * 2)
                ranks.append(rank)
                sizes.append(len(some))
            region[:-2][used], first = rank_columns(ranks, sizes)
            lo, hi = lo[first], hi[first]
        # Shares of one item that came to lie in one box are joined.
        offsets, region, rows = merged_shares(self.offsets, region[self.region], self.rows)
        return replace(self, lo=lo, hi=hi, offsets=offsets, region=region, rows=rows, is_normalized=True)


def _sides(lo: NDArray[np.int32], hi: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the different sides of a column: the number of each box, and the sides, int32 [n_sides, 2]."""
    n_values = int(hi.max()) + 1 if hi.size else 1
    cell, first = rank_columns([lo, hi], [n_values, n_values])
    return cell, np.stack([lo[first], hi[first]], axis=1)


def _cover(sides: NDArray[np.int32], n_values: int) -> NDArray[Any]:
    """Return the one side that covers each leaf, -1 for none; where sides overlap, which leaves each covers."""
    ends = np.zeros(n_values + 1, np.int64)
    np.add.at(ends, sides[:, 0], 1)
    np.add.at(ends, sides[:, 1] + 1, -1)
    leaf = np.arange(n_values)
    if (np.cumsum(ends) > 1).any():
        overlapping: NDArray[Any] = (sides[:, :1] <= leaf) & (leaf <= sides[:, 1:])
        return overlapping
    cover = np.full(n_values, -1, np.int32)
    for number, (lo, hi) in enumerate(sides.tolist()):
        cover[lo : hi + 1] = number
    return cover


def publishable(
    hierarchy: Hierarchy, lo: NDArray[np.int32], hi: NDArray[np.int32], labels: str
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Widen intervals of leaf codes to the smallest that the label form can say.

    ``nodes``: the lowest common ancestor. ``ranges`` and ``sets``: any interval, except that missing and present
    values together are ``*``. ``stars``: a leaf or ``*``.
    """
    last = np.int32(hierarchy.n_values - 1)
    if labels == "nodes":
        nodes = hierarchy.covering(lo, hi)
        return hierarchy.lo[nodes], hierarchy.hi[nodes]
    wide = (lo < hi) & (True if labels == "stars" else (hi == last) & hierarchy.has_null)
    return np.where(wide, np.int32(0), lo), np.where(wide, last, hi)
