"""Breadth-first cutting: all boxes of a level are cut, tested and divided together."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.cuts import Trees
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns
from shoal.kernels.mondrian import CHILD, CUT, DEAL, deal_places, divide, propose, refine, take_sides

__all__ = ["Boxes", "Partition", "Rules", "Tester", "partition"]

FEW_CUTS = 3
"""Cuts of each column that are tested however many records there are."""

TESTED_RECORDS = 5_000_000
"""Records that all tests of a level may read, beyond :data:`FEW_CUTS`."""

Tester = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int], NDArray[np.bool_]]
"""``(records, rows, class of each record, n_classes) -> which classes fail``, bool [n_classes]."""


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


@dataclass(frozen=True, eq=False)
class Rules:
    """How boxes are cut.

    Parameters
    ----------
    trees : Trees
    scale : float64 [n_qi]
        Loss of one code of width in each column.
    least : int
        Rows that every class needs at the very least.
    lend : bool
        Whether a child may leave rows to the others of its node.
    deal : bool
        Whether rows of one code may go to both sides.
    per_column : int
        How many cuts of one column are tried at most.
    fails : Tester or None
        The models; None where *least* says it all.
    deadline : float
        When to stop cutting, by :func:`time.monotonic`.
    progress : callable
        Called with (share of rows done, text) after each level.
    """

    trees: Trees
    scale: NDArray[np.float64]
    least: int
    lend: bool
    deal: bool
    per_column: int
    fails: Tester | None
    deadline: float
    progress: Callable[[float | None, str], None]


@dataclass(eq=False)
class Partition:
    """The boxes that are cut no further, in the order in which they were found.

    Parameters
    ----------
    lo, hi : list of int32 [n, n_qi]
    record, rows, box : list of int64 [n]
        Records, their rows, and the box that each went to.
    n_boxes, n_levels, n_tested : int
        Boxes that are done, rounds of cutting, and cuts whose parts were tested.
    out_of_time : bool
        Whether the budget ended the cutting.
    """

    lo: list[NDArray[np.int32]] = field(default_factory=list)
    hi: list[NDArray[np.int32]] = field(default_factory=list)
    record: list[NDArray[np.int64]] = field(default_factory=list)
    rows: list[NDArray[np.int64]] = field(default_factory=list)
    box: list[NDArray[np.int64]] = field(default_factory=list)
    n_boxes: int = 0
    n_levels: int = 0
    n_tested: int = 0
    out_of_time: bool = False

    def add(self, boxes: Boxes) -> None:
        """Take boxes that are done."""
        self.lo.append(boxes.lo)
        self.hi.append(boxes.hi)
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


def partition(boxes: Boxes, rules: Rules) -> Partition:
    """Cut *boxes* until no cut is left whose parts all pass."""
    done = Partition()
    n_rows = max(1, int(boxes.rows.sum()))
    finished = 0
    dense = np.empty(1 << 16, np.int64)
    while len(boxes):
        low, high = np.empty_like(boxes.lo), np.empty_like(boxes.lo)
        _refine(boxes, rules, low, high)
        if time.monotonic() >= rules.deadline:
            done.out_of_time = True
            done.add(boxes)
            break
        cuts, n_cuts = _propose(boxes, rules, low, high, dense)
        boxes, chosen, side = _choose(boxes, rules, cuts, n_cuts, done)
        whole = chosen[:, 0] < 0
        leaves = boxes.only(np.flatnonzero(whole))
        done.add(leaves)
        finished += int(leaves.rows.sum())
        done.n_levels += 1
        rules.progress(finished / n_rows, "cutting")
        boxes = _divide(boxes, rules, np.flatnonzero(~whole), chosen, side)
    return done


def _refine(boxes: Boxes, rules: Rules, low: NDArray[np.int32], high: NDArray[np.int32]) -> None:
    trees = rules.trees
    refine(
        boxes.codes, boxes.starts, boxes.lo, boxes.hi, boxes.node, low, high,
        trees.lo, trees.hi, trees.offsets, trees.kids, trees.fit,
    )  # fmt: skip


def _propose(
    boxes: Boxes, rules: Rules, low: NDArray[np.int32], high: NDArray[np.int32], dense: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ranked cuts of each box, int64 [n_boxes, room, 4], and how many there are."""
    trees = rules.trees
    n_records, n_qi = boxes.codes.shape
    per_column = min(rules.per_column, max(FEW_CUTS, TESTED_RECORDS // (n_records * n_qi)))
    room = per_column * n_qi
    scores = np.empty((len(boxes), room), np.float64)
    cuts = np.empty((len(boxes), room, 4), np.int64)
    n_cuts = np.empty(len(boxes), np.int64)
    propose(
        boxes.codes, boxes.rows, boxes.starts, boxes.lo, boxes.hi, boxes.node, low, high,
        trees.lo, trees.hi, trees.offsets, trees.kids, rules.scale, trees.fit,
        rules.least, rules.lend, rules.deal, per_column, dense, scores, cuts, n_cuts,
    )  # fmt: skip
    return cuts, n_cuts


def _choose(
    boxes: Boxes, rules: Rules, cuts: NDArray[np.int64], n_cuts: NDArray[np.int64], done: Partition
) -> tuple[Boxes, NDArray[np.int64], NDArray[np.uint8]]:
    """Give each box its best cut whose parts pass: ``chosen [n_boxes, 4]``, kind -1 where there is none.

    Boxes come back too, since dealing out the rows of a code may split records.
    """
    chosen = np.full((len(boxes), 4), -1, np.int64)
    side = np.zeros(len(boxes.record), np.uint8)
    for rank in range(cuts.shape[1]):
        open_ = np.flatnonzero((chosen[:, 0] < 0) & (n_cuts > rank))
        if not open_.size:
            break
        mine = cuts[open_, rank]
        if rules.deal and (mine[:, 0] == DEAL).any():
            boxes, side = _split_records(boxes, open_, mine, side)
        possible = np.empty(len(open_), bool)
        trees = rules.trees
        take_sides(
            boxes.codes, boxes.rows, boxes.starts, boxes.lo, boxes.hi, trees.lo, trees.hi, rules.scale,
            open_, mine, rules.least, side, possible,
        )  # fmt: skip
        open_, mine = open_[possible], mine[possible]
        if rules.fails is not None and open_.size:
            done.n_tested += len(open_)
            good = ~_failing(boxes, rules.fails, open_, side)
            open_, mine = open_[good], mine[good]
        chosen[open_] = mine
    return boxes, chosen, side


def _failing(boxes: Boxes, fails: Tester, open_: NDArray[np.int64], side: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which of some boxes have a part that fails."""
    place = np.full(len(boxes), -1, np.int64)
    place[open_] = np.arange(len(open_))
    of_record = np.repeat(place, np.diff(boxes.starts))
    at = np.flatnonzero(of_record >= 0)
    failing = fails(boxes.record[at], boxes.rows[at], 2 * of_record[at] + side[at], 2 * len(open_))
    either: NDArray[np.bool_] = failing[0::2] | failing[1::2]
    return either


def _split_records(
    boxes: Boxes, open_: NDArray[np.int64], cuts: NDArray[np.int64], side: NDArray[np.uint8]
) -> tuple[Boxes, NDArray[np.uint8]]:
    """Split the record through which a cut goes, so that every record lies on one side."""
    places = np.empty(len(open_), np.int64)
    kept = np.empty(len(open_), np.int64)
    deal_places(boxes.codes, boxes.rows, boxes.starts, open_, cuts, places, kept)
    through = places >= 0
    order = np.argsort(places[through], kind="stable")
    at, left = places[through][order], kept[through][order]
    rows = boxes.rows.copy()
    rows[at] = left
    more = np.zeros(len(boxes), np.int64)
    more[open_[through]] = 1
    starts = boxes.starts + np.concatenate([[0], np.cumsum(more)])
    split = Boxes(
        boxes.lo,
        boxes.hi,
        boxes.node,
        starts,
        np.insert(boxes.codes, at + 1, boxes.codes[at], axis=0),
        np.insert(rows, at + 1, boxes.rows[at] - left),
        np.insert(boxes.record, at + 1, boxes.record[at]),
    )
    return split, np.insert(side, at + 1, side[at])


def _divide(
    boxes: Boxes, rules: Rules, cut: NDArray[np.int64], chosen: NDArray[np.int64], side: NDArray[np.uint8]
) -> Boxes:
    """Return the parts of the boxes that are cut."""
    n = int(np.diff(boxes.starts)[cut].sum())
    codes = np.empty((n, boxes.codes.shape[1]), np.int32)
    rows, record = np.empty(n, np.int64), np.empty(n, np.int64)
    starts = np.zeros(2 * len(cut) + 1, np.int64)
    divide(boxes.codes, boxes.rows, boxes.record, boxes.starts, cut, side, codes, rows, record, starts[1:])
    lo, hi, node = (np.repeat(of[cut], 2, axis=0) for of in (boxes.lo, boxes.hi, boxes.node))
    kind, column, where = chosen[cut, 0], chosen[cut, 1], chosen[cut, 2]
    first = 2 * np.arange(len(cut))
    between = kind != CHILD
    hi[first[between], column[between]] = where[between]
    lo[first[between] + 1, column[between]] = (where + (kind == CUT))[between]
    child = ~between
    hi[first[child], column[child]] = rules.trees.hi[where[child]]
    lo[first[child], column[child]] = rules.trees.lo[where[child]]
    node[first[child], column[child]] = where[child]
    return Boxes(lo, hi, node, starts, codes, rows, record)
