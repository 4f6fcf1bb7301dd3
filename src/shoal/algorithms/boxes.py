"""Boxes of records: those of one level, and those that are done."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.cuts import Start
from shoal.core.table import FrequencyTable
from shoal.kernels.side_by_side import fill_columns

__all__ = ["Boxes", "Partition", "first_boxes"]

NARROW = 1 << 16
"""Most values of a column whose codes are kept in two bytes."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of one level and their records, sorted by box.

    Parameters
    ----------
    lo, hi, node : int32 [n_boxes, n_qi]
        Sides, and the lowest node of the column's tree around each.
    starts : int64 [n_boxes + 1]
        Box *b* holds the records ``starts[b]:starts[b + 1]``; none is empty.
    codes : uint16 or int32 [n, n_qi]
        Leaf codes of each record.
    rows : int32 or int64 [n]
        Rows of each record.
    record : int32 or int64 [n]
        Point, or item, that each record is of.
    """

    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    node: NDArray[np.int32]
    starts: NDArray[np.int64]
    codes: NDArray[Any]
    rows: NDArray[Any]
    record: NDArray[Any]

    def __len__(self) -> int:
        return len(self.lo)

    @property
    def owner(self) -> NDArray[np.int64]:
        """Box of each record, int64 [n]."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def wide(self) -> Boxes:
        """Return the boxes with codes of four bytes, and rows and records of eight."""
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes, np.int32),
            rows=self.rows.astype(np.int64),
            record=self.record.astype(np.int64),
        )

    def between(self, first: int, last: int) -> Boxes:
        """Return the boxes from *first* up to *last* without copying."""
        begin, end = self.starts[first], self.starts[last]
        return Boxes(
            self.lo[first:last],
            self.hi[first:last],
            self.node[first:last],
            self.starts[first : last + 1] - begin,
            self.codes[begin:end],
            self.rows[begin:end],
            self.record[begin:end],
        )

    def in_parts(self, n_records: int) -> list[Boxes]:
        """Return the boxes in consecutive parts of about *n_records* records or one box, without copying."""
        cuts = np.searchsorted(self.starts, np.arange(n_records, len(self.record), n_records), side="left")
        cuts = np.unique(np.concatenate([[0], cuts, [len(self)]]))
        return [self.between(first, last) for first, last in pairwise(cuts.tolist())]

    def only(self, boxes: NDArray[np.int64]) -> Boxes:
        """Return some boxes with their records."""
        if len(boxes) == len(self):
            return self
        sizes = np.diff(self.starts)
        kept = np.zeros(len(self), bool)
        kept[boxes] = True
        records = np.repeat(kept, sizes)
        return Boxes(
            self.lo[boxes],
            self.hi[boxes],
            self.node[boxes],
            np.concatenate([[0], np.cumsum(sizes[boxes])]),
            self.codes[records],
            self.rows[records],
            self.record[records],
        )


@dataclass(eq=False)
class Partition:
    """The boxes that are cut no further, in the order in which they were found.

    Parameters
    ----------
    lo, hi, node : list of int32 [n, n_qi]
    record, rows, box : list of integers [n]
        Records, their rows, and the box that each went to.
    n_boxes, n_rounds, n_tested, n_moved : int
        Boxes that are done, rounds of cutting that the deepest took, cuts whose parts were tested, and records
        that changed their box.
    out_of_time : bool
        Whether the budget ended the cutting.
    """

    lo: list[NDArray[np.int32]] = field(default_factory=list)
    hi: list[NDArray[np.int32]] = field(default_factory=list)
    node: list[NDArray[np.int32]] = field(default_factory=list)
    record: list[NDArray[Any]] = field(default_factory=list)
    rows: list[NDArray[Any]] = field(default_factory=list)
    box: list[NDArray[np.int32]] = field(default_factory=list)
    n_boxes: int = 0
    n_rounds: int = 0
    n_tested: int = 0
    n_moved: int = 0
    out_of_time: bool = False

    def add(self, boxes: Boxes) -> None:
        """Take boxes that are done."""
        self.lo.append(boxes.lo)
        self.hi.append(boxes.hi)
        self.node.append(boxes.node)
        self.record.append(boxes.record)
        self.rows.append(boxes.rows)
        self.box.append((boxes.owner + self.n_boxes).astype(np.int32))
        self.n_boxes += len(boxes)

    def extend(self, other: Partition) -> None:
        """Take what another part of the search has done."""
        self.lo += other.lo
        self.hi += other.hi
        self.node += other.node
        self.record += other.record
        self.rows += other.rows
        self.box += [box + np.int32(self.n_boxes) for box in other.box]
        self.n_boxes += other.n_boxes
        self.n_rounds = max(self.n_rounds, other.n_rounds)
        self.n_tested += other.n_tested
        self.n_moved += other.n_moved
        self.out_of_time |= other.out_of_time


def first_boxes(table: FrequencyTable, start: Start, *, by_item: bool) -> Boxes:
    """Return the boxes that the search starts from, with points or items as records."""
    sizes = np.bincount(start.of_point, minlength=len(start.lo))
    in_order = len(sizes) == 1 and not by_item
    points = np.arange(table.n_points) if len(sizes) == 1 else np.argsort(start.of_point, kind="stable")
    record, rows = points, table.point_rows[points]
    if by_item:
        per_point = np.diff(table.offsets)[points]
        ends = np.cumsum(per_point)
        record = np.arange(table.n_items) + np.repeat(table.offsets[points] - (ends - per_point), per_point)
        rows = table.counts[record]
        sizes = np.bincount(start.of_point[table.point_of_item], minlength=len(sizes))
        points = table.point_of_item[record]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    # Cutting goes record by record, so the codes of a record lie together here; it moves every record some twenty
    # times, so they are as narrow as they can be.
    widest = max(hierarchy.n_values for hierarchy in table.hierarchies)
    codes = np.empty((len(points), table.n_qi), np.uint16 if widest <= NARROW else np.int32)
    fill_columns(codes, lambda j: table.codes[:, j] if in_order else table.codes[points, j])
    whole = np.int32 if max(table.n_rows, table.n_items) <= np.iinfo(np.int32).max else np.int64
    return Boxes(start.lo, start.hi, start.node, starts, codes, rows.astype(whole), record.astype(whole))
