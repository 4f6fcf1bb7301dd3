"""Cutting boxes round by round: all boxes of a part are cut, tested and divided together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes, Partition
from shoal.algorithms.cuts import Places, Trees
from shoal.algorithms.testing import Tester
from shoal.kernels.mondrian import CHILD, CUT, DEAL, propose, refine
from shoal.kernels.sides import deal_places, divide, take_sides
from shoal.kernels.widest import propose_widest

__all__ = ["Rules", "partition"]

FEW_CUTS = 3
"""Cuts of each column that are tested however many records there are."""

TESTED_RECORDS = 5_000_000
"""Records that all tests of a level may read, beyond :data:`FEW_CUTS`."""

MOST_CUTS = 4_000_000
"""Cuts that are held in memory at once; levels that have more are done in parts."""

PART = 1 << 17
"""Records that are cut together; a multiple of what a processor's cache holds only costs time."""

DENSE = 1 << 16
"""Width up to which the codes of a column are counted in an array."""

SMALL_BOX = 256
"""Records of the largest box whose cuts are followed to the end."""


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
    lookahead : int
        How many cuts of a small box are followed to the end before one is chosen; below 2, none.
    fails : Tester or None
        The models; None where *least* says it all.
    deadline : float
        When to stop cutting, by :func:`time.monotonic`.
    progress : callable
        Called with (share of rows done, text) after each level.
    places : Places or None
        Where the leaves lie, if the widest column is cut first; else the cut that narrows most is the first.
        Nothing is lent or dealt with them.
    in_turn : bool
        Whether boxes are tested one part after the other, since the test depends on those before.
    """

    trees: Trees
    scale: NDArray[np.float64]
    least: int
    lend: bool
    deal: bool
    per_column: int
    lookahead: int
    fails: Tester | None
    deadline: float
    progress: Callable[[float | None, str], None]
    places: Places | None = None
    in_turn: bool = False


def partition(boxes: Boxes, rules: Rules) -> Partition:
    """Cut *boxes* until no cut is left whose parts all pass.

    Boxes do not depend on each other, so large tables are cut in parts that fit a processor's cache, several at a
    time. Parts follow from the records alone: the number of threads changes nothing.
    """
    done = Partition()
    if len(boxes.record) <= PART or rules.in_turn:
        done = _to_the_end(boxes, rules) if len(boxes) else done
        rules.progress(1.0, "cutting")
        return done
    n_rows, finished, rounds = max(1, int(boxes.rows.sum())), 0, 0
    waiting = boxes.in_parts(PART)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        while waiting:
            results = pool.map(lambda part: _onwards(part, rules), waiting)
            waiting = []
            for part, rest in results:
                part.n_rounds += rounds
                finished += sum(int(rows.sum()) for rows in part.rows)
                rules.progress(finished / n_rows, "cutting")
                done.extend(part)
                waiting += rest
            rounds += 1
    return done


def _onwards(boxes: Boxes, rules: Rules) -> tuple[Partition, list[Boxes]]:
    """Cut a small part to the end and a large one once."""
    if len(boxes.record) <= PART:
        return _to_the_end(boxes, rules), []
    done = Partition(n_rounds=1)
    rest = _round(boxes, rules, done)
    return done, [] if rest is None else rest.in_parts(PART)


def _to_the_end(boxes: Boxes, rules: Rules) -> Partition:
    done = Partition()
    waiting: list[tuple[Boxes, int]] = [(boxes, 0)]
    while waiting:
        boxes, depth = waiting.pop()
        room = _cuts_per_column(boxes, rules) * boxes.codes.shape[1]
        if len(boxes) > 1 and len(boxes) * room > MOST_CUTS:
            half = len(boxes) // 2
            waiting += [(boxes.between(half, len(boxes)), depth), (boxes.between(0, half), depth)]
            continue
        rest = _round(boxes, rules, done)
        done.n_rounds = max(done.n_rounds, depth + 1)
        if rest is not None:
            waiting.append((rest, depth + 1))
    return done


def _round(boxes: Boxes, rules: Rules, done: Partition) -> Boxes | None:
    """Cut each box once; return the parts, and add to *done* the boxes that stay whole."""
    if time.monotonic() >= rules.deadline:
        done.out_of_time = True
        done.add(boxes)
        return None
    low, high = np.empty_like(boxes.lo), np.empty_like(boxes.lo)
    _refine(boxes, rules, low, high)
    cuts, n_cuts = _propose(boxes, rules, low, high)
    if rules.lookahead > 1:
        _look_ahead(boxes, rules, cuts, n_cuts)
    boxes, chosen, side = _choose(boxes, rules, cuts, n_cuts, done)
    whole = chosen[:, 0] < 0
    done.add(boxes.only(np.flatnonzero(whole)))
    return None if whole.all() else _divide(boxes, rules, np.flatnonzero(~whole), chosen, side)


def _cuts_per_column(boxes: Boxes, rules: Rules) -> int:
    """Return how many cuts of each column are kept, so that tests on a large table stay quick."""
    return min(rules.per_column, max(FEW_CUTS, TESTED_RECORDS // boxes.codes.size))


def _refine(boxes: Boxes, rules: Rules, low: NDArray[np.int32], high: NDArray[np.int32]) -> None:
    trees = rules.trees
    refine(
        boxes.codes, boxes.starts, boxes.lo, boxes.hi, boxes.node, low, high,
        trees.lo, trees.hi, trees.offsets, trees.kids, trees.fit,
    )  # fmt: skip


def _propose(
    boxes: Boxes, rules: Rules, low: NDArray[np.int32], high: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ranked cuts of each box, int64 [n_boxes, room, 4], and how many there are."""
    trees = rules.trees
    per_column = _cuts_per_column(boxes, rules)
    room = per_column * boxes.codes.shape[1]
    scores = np.empty((len(boxes), room), np.float64)
    cuts = np.empty((len(boxes), room, 4), np.int64)
    n_cuts = np.empty(len(boxes), np.int64)
    if rules.places is not None:
        propose_widest(
            boxes.codes, boxes.rows, boxes.starts, boxes.node, low, high,
            trees.lo, trees.hi, trees.offsets, trees.kids, rules.places.of_leaf, rules.places.first,
            rules.least, per_column, np.empty(DENSE, np.int64), cuts, n_cuts,
        )  # fmt: skip
        return cuts, n_cuts
    propose(
        boxes.codes, boxes.rows, boxes.starts, boxes.lo, boxes.hi, boxes.node, low, high,
        trees.lo, trees.hi, trees.offsets, trees.kids, rules.scale, trees.fit,
        rules.least, rules.lend, rules.deal, per_column, np.empty(DENSE, np.int64), scores, cuts, n_cuts,
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
            good = ~rules.fails(boxes, open_, side).any(axis=1)
            open_, mine = open_[good], mine[good]
        chosen[open_] = mine
    return boxes, chosen, side


def _look_ahead(boxes: Boxes, rules: Rules, cuts: NDArray[np.int64], n_cuts: NDArray[np.int64]) -> None:
    """Bring the cut to the front that ends in the least loss if all further cuts are the first that pass."""
    probe = replace(boxes, record=np.arange(len(boxes.record)))
    owner, fails = boxes.owner, rules.fails
    greedy = replace(rules, lookahead=0, progress=lambda _share, _text: None)
    if fails is not None:
        greedy = replace(
            greedy,
            fails=lambda tried, *cut: fails(replace(tried, record=boxes.record[tried.record]), *cut),
        )
    small = (np.diff(boxes.starts) <= SMALL_BOX) & (n_cuts > 1)
    least = np.full(len(boxes), np.inf)
    best = np.zeros(len(boxes), np.int64)
    for rank in range(min(rules.lookahead, cuts.shape[1])):
        one = np.ascontiguousarray(cuts[:, rank : rank + 1])
        tried, chosen, side = _choose(probe, greedy, one, (small & (n_cuts > rank)).astype(np.int64), Partition())
        cut = np.flatnonzero(chosen[:, 0] >= 0)
        if not cut.size:
            continue
        found = partition(_divide(tried, rules, cut, chosen, side), greedy)
        narrow = np.concatenate(found.hi) - np.concatenate(found.lo)
        cost = (narrow * rules.scale).sum(axis=1)[np.concatenate(found.box)] * np.concatenate(found.rows)
        loss = np.bincount(owner[np.concatenate(found.record)], cost, len(boxes))
        # Sums of the same cells in another order differ in the last digits; they tie.
        better = cut[loss[cut] < least[cut] * (1 - 1e-9)]
        least[better], best[better] = loss[better], rank
    moved = np.flatnonzero(best > 0)
    first = cuts[moved, 0].copy()
    cuts[moved, 0] = cuts[moved, best[moved]]
    cuts[moved, best[moved]] = first


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
    codes = np.empty((n, boxes.codes.shape[1]), boxes.codes.dtype)
    rows, record = np.empty(n, boxes.rows.dtype), np.empty(n, boxes.record.dtype)
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
