"""Boxes of records: those of one level, and those that are done."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns

__all__ = ["Boxes", "Partition", "first_boxes"]


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of one level and their records, sorted by box.

    Parameters
    ----------
    lo, hi, node : int32 [n_boxes, n_qi]
        Sides, and the lowest node of the column's tree around each.
    starts : int64 [n_boxes + 1]
        Box *b* holds the records ``starts[b]:starts[b + 1]``; none is empty.
    codes : int32 [n, n_qi]
        Leaf codes of each record.
    rows : int64 [n]
        Rows of each record.
    record : int64 [n]
        Point, or item, that each record is of.
    """

    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    node: NDArray[np.int32]
    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    rows: NDArray[np.int64]
    record: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lo)

    @property
    def owner(self) -> NDArray[np.int64]:
        """Box of each record, int64 [n]."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

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
    record, rows, box : list of int64 [n]
        Records, their rows, and the box that each went to.
    n_boxes, n_rounds, n_tested, n_moved : int
        Boxes that are done, rounds of cutting, cuts whose parts were tested, and records that changed their box.
    out_of_time : bool
        Whether the budget ended the cutting.
    """

    lo: list[NDArray[np.int32]] = field(default_factory=list)
    hi: list[NDArray[np.int32]] = field(default_factory=list)
    node: list[NDArray[np.int32]] = field(default_factory=list)
    record: list[NDArray[np.int64]] = field(default_factory=list)
    rows: list[NDArray[np.int64]] = field(default_factory=list)
    box: list[NDArray[np.int64]] = field(default_factory=list)
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
        self.box.append(boxes.owner + self.n_boxes)
        self.n_boxes += len(boxes)


def first_boxes(
    table: FrequencyTable,
    sides: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
    *,
    by_item: bool,
) -> Boxes:
    """Return the boxes that the search starts from, with points or items as records."""
    lo, hi, node = sides
    trees = [int(column.max()) + 1 for column in hi.T]
    groups, first = group_columns([*lo.T, *hi.T], trees + trees)
    points = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=len(first))
    record, rows = points, table.point_rows[points]
    if by_item:
        per_point = np.diff(table.offsets)[points]
        ends = np.cumsum(per_point)
        record = np.arange(table.n_items) + np.repeat(table.offsets[points] - (ends - per_point), per_point)
        rows = table.counts[record]
        sizes = np.bincount(groups[table.point_of_item], minlength=len(first))
        points = table.point_of_item[record]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Boxes(lo[first], hi[first], node[first], starts, table.codes[points], rows, record)
