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
    leaf : int32 [n_records, n_qi]
        Lowest node of its column's tree around each code of each record.
    scale : float64 [n_qi]
        Loss of one code of width in each column.
    least : int
        Rows that every class needs at the very least.
    hood : int64 [n_records]
        Neighbourhood of each record, numbered from 0.
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
        Every record stands in one class.
    codes : int32 [n_records, n_qi]
    rules : Settling

    Returns
    -------
    Partition
    """
    state = _State.of(found, codes, rules)
    most = np.zeros(len(codes), np.int64)
    most[state.record] = MOST_TRIES
    hoods, classes, hood_of = _neighbourhoods(state, rules)
    open_ = np.ones(len(hoods) - 1, bool)
    moved, target = np.empty(len(state.size), np.int64), np.empty(len(state.size), np.int64)
    moves = 0
    for _ in range(MOST_ROUNDS):
        if not open_.any() or time.monotonic() >= rules.deadline:
            break
        busy = np.zeros(len(state.size), bool)
        n = state.propose(rules, hoods, classes, open_, most, busy, moved, target)
        if not n:
            break
        record, to = moved[:n].copy(), target[:n].copy()
        source = state.owner[record]
        open_[hood_of[to]] = True
        state.owner[record] = to
        good = _passing(state, rules, source, to)
        state.owner[record[~good]] = source[~good]
        most[record[~good]] -= 1
        state.sort()
        state.fit(rules, np.concatenate([source[good], to[good]]))
        moves += int(good.sum())
    return state.partition(found, moves)


@dataclass(eq=False)
class _State:
    """The classes as they are now; records are points, ``owner`` is -1 for those of no class."""

    codes: NDArray[np.int32]
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
        record = np.concatenate(found.record)
        owner = np.full(len(codes), -1, np.int64)
        owner[record] = np.concatenate(found.box)
        rows = np.zeros(len(codes), np.int64)
        rows[record] = np.concatenate(found.rows)
        node = np.concatenate(found.node)
        n = found.n_boxes
        empty = np.empty(0, np.int64)
        state = cls(
            np.ascontiguousarray(codes), rows, np.sort(record), owner,
            np.concatenate(found.lo), np.concatenate(found.hi), node,
            np.zeros(n), np.zeros(n, np.int64), empty, empty,
        )  # fmt: skip
        state.sort()
        state.fit(rules, np.arange(n))
        return state

    def sort(self) -> None:
        """Bring the records of each class together."""
        mine = self.owner[self.record]
        self.order = self.record[np.argsort(mine, kind="stable")]
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(mine, minlength=len(self.size)))])

    def fit(self, rules: Settling, classes: NDArray[np.int64]) -> None:
        trees = rules.trees
        fit_sides(
            self.codes, self.rows, rules.leaf, self.order, self.starts, classes,
            self.lo, self.hi, self.node, self.width, self.size,
            trees.parents, trees.lo, trees.hi, trees.offsets, trees.fit, rules.scale,
        )  # fmt: skip

    def propose(
        self,
        rules: Settling,
        hoods: NDArray[np.int64],
        classes: NDArray[np.int64],
        open_: NDArray[np.bool_],
        tries: NDArray[np.int64],
        busy: NDArray[np.bool_],
        moved: NDArray[np.int64],
        target: NDArray[np.int64],
    ) -> int:
        trees = rules.trees
        return propose_moves(
            self.codes, self.rows, rules.leaf, self.owner, self.order, self.starts,
            self.lo, self.hi, self.node, self.width, self.size, hoods, classes, open_,
            trees.parents, trees.lo, trees.hi, trees.offsets, trees.fit, rules.scale,
            rules.least, tries, busy, moved, target,
        )  # fmt: skip

    def partition(self, found: Partition, moves: int) -> Partition:
        """Return the classes as one partition."""
        done = Partition(
            n_rounds=found.n_rounds, n_tested=found.n_tested, out_of_time=found.out_of_time, n_moved=moves
        )
        done.add(
            Boxes(
                self.lo, self.hi, self.node, self.starts,
                self.codes[self.order], self.rows[self.order], self.order,
            )  # fmt: skip
        )
        return done


def _neighbourhoods(
    state: _State, rules: Settling
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes sorted by neighbourhood, where each begins, and the neighbourhood of each class."""
    hood_of = rules.hood[state.order[state.starts[:-1]]]
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
    class_of = place[state.owner[state.record]]
    failing = rules.fails(state.record, class_of, state.rows[state.record], 2 * len(source))
    return ~failing.reshape(2, -1).any(axis=0)
