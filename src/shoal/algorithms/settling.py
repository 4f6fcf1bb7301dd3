"""Settling: records leave classes in which they cost much for neighbours in which they cost less."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes, Partition
from shoal.algorithms.cuts import Trees
from shoal.algorithms.testing import ClassTester
from shoal.kernels.settle import fit_sides, propose_moves

__all__ = ["Settling", "settle"]

MOST_ROUNDS = 60

MOST_TRIES = 2
"""How often a record is moved to a class that then fails, before it stays where it is."""


@dataclass(frozen=True, eq=False)
class Settling:
    """How records move.

    Parameters
    ----------
    trees : Trees
    leaf : int32 [n_points, n_qi]
        Lowest node of its column's tree around each code.
    scale : float64 [n_qi]
        Loss of one code of width in each column.
    least : int
        Rows that every class needs at the very least.
    hood : int64 [n_points]
        Neighbourhood of each point, numbered from 0.
    fails : ClassTester or None
        The models; None where *least* says it all.
    deadline : float
        When to stop, by :func:`time.monotonic`.
    """

    trees: Trees
    leaf: NDArray[np.int32]
    scale: NDArray[np.float64]
    least: int
    hood: NDArray[np.int64]
    fails: ClassTester | None
    deadline: float


def settle(found: Partition, codes: NDArray[np.int32], rules: Settling) -> Partition:
    """Move records between the classes of a partition as long as that saves loss and all classes pass.

    Parameters
    ----------
    found : Partition
        Its records are points, each in one class.
    codes : int32 [n_points, n_qi]
    rules : Settling

    Returns
    -------
    Partition
    """
    state = _State.of(found, codes, rules)
    trees = rules.trees
    tries = np.full(len(state.record), MOST_TRIES, np.int64)
    hoods, classes, hood_of = _neighbourhoods(state, rules)
    open_ = np.ones(len(hoods) - 1, bool)
    moved, target = np.empty(len(state.size), np.int64), np.empty(len(state.size), np.int64)
    moves = 0
    for _ in range(MOST_ROUNDS):
        if not open_.any() or time.monotonic() >= rules.deadline:
            break
        busy = np.zeros(len(state.size), bool)
        n = propose_moves(
            state.codes, state.rows, state.leaf, state.order, state.starts,
            state.lo, state.hi, state.node, state.width, state.size, hoods, classes, open_,
            trees.parents, trees.lo, trees.hi, trees.offsets, trees.fit, rules.scale,
            rules.least, tries, busy, moved, target,
        )  # fmt: skip
        if not n:
            break
        record, to = moved[:n].copy(), target[:n].copy()
        source = state.owner[record]
        open_[hood_of[to]] = True
        state.owner[record] = to
        good = _passing(state, rules, source, to)
        state.owner[record[~good]] = source[~good]
        tries[record[~good]] -= 1
        state.sort()
        state.fit(rules, np.concatenate([source[good], to[good]]))
        moves += int(good.sum())
    return state.partition(found, moves)


@dataclass(eq=False)
class _State:
    """The classes as they are now; ``record`` holds the point of each record, ``owner`` its class."""

    codes: NDArray[np.int32]
    leaf: NDArray[np.int32]
    rows: NDArray[np.int64]
    record: NDArray[np.int64]
    owner: NDArray[np.int64]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    node: NDArray[np.int32]
    width: NDArray[np.float64]
    size: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, found: Partition, codes: NDArray[np.int32], rules: Settling) -> _State:
        # Records are numbered by point, so that ties do not depend on how the classes were found.
        record = np.concatenate(found.record).astype(np.int64)
        order = np.argsort(record)
        record, n = record[order], found.n_boxes
        empty = np.empty(0, np.int64)
        state = cls(
            np.ascontiguousarray(codes[record]), rules.leaf[record],
            np.concatenate(found.rows).astype(np.int64)[order], record,
            np.concatenate(found.box).astype(np.int64)[order], np.concatenate(found.lo), np.concatenate(found.hi),
            np.concatenate(found.node), np.zeros(n), np.zeros(n, np.int64), empty, empty,
        )  # fmt: skip
        state.sort()
        state.fit(rules, np.arange(n))
        return state

    def sort(self) -> None:
        """Bring the records of each class together."""
        self.order = np.argsort(self.owner, kind="stable")
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(self.owner, minlength=len(self.size)))])

    def fit(self, rules: Settling, classes: NDArray[np.int64]) -> None:
        trees = rules.trees
        fit_sides(
            self.codes, self.rows, self.leaf, self.order, self.starts, classes,
            self.lo, self.hi, self.node, self.width, self.size,
            trees.parents, trees.lo, trees.hi, trees.offsets, trees.fit, rules.scale,
        )  # fmt: skip

    def partition(self, found: Partition, moves: int) -> Partition:
        """Return the classes as one partition."""
        done = Partition(
            n_rounds=found.n_rounds, n_tested=found.n_tested, out_of_time=found.out_of_time, n_moved=moves
        )
        codes, rows, record = self.codes[self.order], self.rows[self.order], self.record[self.order]
        done.add(Boxes(self.lo, self.hi, self.node, self.starts, codes, rows, record))
        return done


def _neighbourhoods(
    state: _State, rules: Settling
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes sorted by neighbourhood, where each begins, and the neighbourhood of each class."""
    hood_of = rules.hood[state.record[state.order[state.starts[:-1]]]]
    classes = np.argsort(hood_of, kind="stable")
    hoods = np.concatenate([[0], np.cumsum(np.bincount(hood_of))])
    return hoods, classes, hood_of


def _passing(
    state: _State, rules: Settling, source: NDArray[np.int64], target: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which moves leave both of their classes passing."""
    if rules.fails is None:
        return np.ones(len(source), bool)
    place = np.full(len(state.size), -1, np.int64)
    place[source] = np.arange(len(source))
    place[target] = np.arange(len(source)) + len(source)
    failing = rules.fails(state.record, place[state.owner], state.rows, 2 * len(source))
    passing: NDArray[np.bool_] = ~(failing[: len(source)] | failing[len(source) :])
    return passing
