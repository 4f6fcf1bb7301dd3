"""Classes that are contiguous in an order of records: neighbours joined, then the cheapest division."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.line import Line
from shoal.core.problem import Problem
from shoal.core.protocols import Closure
from shoal.core.regions import publishable
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import rank_columns
from shoal.kernels.segments import (
    NODES,
    STARS,
    WIDTHS,
    box_costs,
    cheapest_division,
    join_neighbours,
    window_costs,
)

__all__ = ["Segments", "Widths"]

FORMS = {"nodes": NODES, "stars": STARS, "ranges": WIDTHS, "sets": WIDTHS}

WINDOW = 24
"""Records of the longest class that the cheapest division tries by itself."""


@dataclass(frozen=True, eq=False)
class Widths:
    """How wide the sides of a box get when they are published, in proportion to their domains.

    Parameters
    ----------
    form : int
        How sides are widened.
    last : int64 [n_qi]
        Last code of each column.
    null : bool [n_qi]
        Whether that is the missing value.
    scale : float64 [n_qi]
        Cost of one code of width.
    tree : tuple of int64 arrays
        Parent, last code and first code of the nodes of all columns, and where each column's begin.
    """

    form: int
    last: NDArray[np.int64]
    null: NDArray[np.bool_]
    scale: NDArray[np.float64]
    tree: tuple[NDArray[np.int64], ...]

    @classmethod
    def of(cls, table: FrequencyTable, problem: Problem, labels: str) -> Widths:
        """Return the widths for a label form; columns weigh what the objective gives them."""
        hierarchies = table.hierarchies
        last = np.array([h.n_values - 1 for h in hierarchies], np.int64)
        weights = np.array([problem.weights.get(name, 1.0) for name in table.names])
        first = np.concatenate([[0], np.cumsum([len(h.lo) for h in hierarchies])])[:-1].astype(np.int64)
        tree = (
            np.concatenate([h.parents + at for h, at in zip(hierarchies, first, strict=True)]).astype(np.int64),
            np.concatenate([h.hi for h in hierarchies]).astype(np.int64),
            np.concatenate([h.lo for h in hierarchies]).astype(np.int64),
            first,
        )
        null = np.array([h.has_null for h in hierarchies])
        return cls(FORMS[labels], last, null, weights / np.maximum(1, last), tree)

    def costs(self, lo: NDArray[np.int32], hi: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the cost of one row in each box, float64 [n]."""
        found = np.empty(len(lo))
        box_costs(lo, hi, self.form, self.last, self.null, self.scale, self.tree, found)
        return found


class Segments:
    """The search for a division of a line into contiguous classes.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
    line : Line
        Each part of it passes as a whole.
    labels : {"nodes", "ranges", "sets", "stars"}
    deadline : float
        When to go without the cheapest division, by :func:`time.monotonic`.
    """

    def __init__(
        self, table: FrequencyTable, problem: Problem, line: Line, *, labels: str, deadline: float
    ) -> None:
        self.table, self.problem, self.line = table, problem, line
        self.labels, self.deadline = labels, deadline
        self.widths = Widths.of(table, problem, labels)

    def joined(self, starts: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Join each class that fails with the neighbour that costs least, until all pass.

        Parameters
        ----------
        starts : int64 [n_segments]
            Where each segment starts at first.

        Returns
        -------
        int64 [n_segments] or None
            Where each segment starts; None where a part fails as a whole.
        """
        line = self.line
        lo, hi = _hulls(line, starts)
        rows = np.add.reduceat(line.rows, starts)
        while True:
            failing = self._failing(starts, lo, hi)
            if not failing.any():
                return starts
            part = line.part[starts]
            open_ = (failing[:-1] | failing[1:]) & (part[:-1] == part[1:])
            if not open_.any():
                return None
            own = rows * self.widths.costs(lo, hi)
            wide_lo, wide_hi = np.minimum(lo[:-1], lo[1:]), np.maximum(hi[:-1], hi[1:])
            wider = (rows[:-1] + rows[1:]) * self.widths.costs(wide_lo, wide_hi) - own[:-1] - own[1:]
            edges = np.flatnonzero(open_)
            picked = np.zeros(len(open_), np.bool_)
            join_neighbours(edges[np.argsort(wider[edges], kind="stable")], open_, picked)
            kept = np.flatnonzero(~np.concatenate([[False], picked]))
            starts = starts[kept]
            lo, hi = np.minimum.reduceat(lo, kept, axis=0), np.maximum.reduceat(hi, kept, axis=0)
            rows = np.add.reduceat(rows, kept)

    def cheapest(self, known: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cheapest division into passing windows and the *known* segments, where each starts."""
        line, n = self.line, len(self.line)
        passes = self._passing_windows()
        costs = np.empty(passes.shape)
        widths = self.widths
        window_costs(
            line.codes, line.rows, widths.form, widths.last, widths.null, widths.scale, widths.tree, costs
        )
        ends = np.append(known[1:], n)
        known_stop, known_costs = np.full(n, -1, np.int64), np.zeros(n)
        known_stop[known] = ends
        lo, hi = _hulls(line, known)
        known_costs[known] = np.add.reduceat(line.rows, known) * widths.costs(lo, hi)
        stop = np.empty(n, np.int64)
        cheapest_division(costs, passes, known_stop, known_costs, stop)
        starts, at = [], 0
        while at < n:
            starts.append(at)
            at = int(stop[at])
        return np.array(starts, np.int64)

    def _failing(
        self, starts: NDArray[np.int64], lo: NDArray[np.int32], hi: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Return which segments are published in a class that fails; equal boxes are one class."""
        sides: list[NDArray[np.int32]] = []
        for j, hierarchy in enumerate(self.table.hierarchies):
            sides += publishable(hierarchy, lo[:, j], hi[:, j], self.labels)
        class_of, first = rank_columns(sides, [h.n_values for h in self.table.hierarchies for _ in range(2)])
        owner = np.repeat(class_of, np.diff(np.append(starts, len(self.line))))
        classes = self.table.classes(
            owner, len(first), self.problem.columns, items=self.line.item, counts=self.line.rows
        )
        failing: NDArray[np.bool_] = self.problem.violating(classes)[class_of]
        return failing

    def _passing_windows(self) -> NDArray[np.bool_]:
        """Return which windows of 1, 2, ... records from each on pass, bool [n, WINDOW].

        One that is made of two that pass costs no less than they do and passes too, if models are closed under
        union, so it is left out.
        """
        line, n = self.line, len(self.line)
        passes = np.zeros((n, min(WINDOW, n)), np.bool_)
        divisible = np.zeros_like(passes)
        prune = self.problem.closed_under(Closure.UNION)
        for w in range(passes.shape[1]):
            if time.monotonic() > self.deadline:
                break
            start = np.flatnonzero(line.part[: n - w] == line.part[w:])
            if prune:
                whole = np.zeros(len(start), np.bool_)
                good = passes | divisible
                for cut in range(w):
                    whole |= good[start, cut] & good[start + cut + 1, w - cut - 1]
                divisible[start[whole], w] = True
                start = start[~whole]
            if start.size:
                passes[start, w] = ~self._violating_windows(start, w + 1)
        return passes

    def _violating_windows(self, start: NDArray[np.int64], length: int) -> NDArray[np.bool_]:
        record = (start[:, None] + np.arange(length)).ravel()
        owner = np.repeat(np.arange(len(start), dtype=np.int32), length)
        items, counts = self.line.item[record], self.line.rows[record]
        return self.problem.violating(
            self.table.classes(owner, len(start), self.problem.columns, items=items, counts=counts)
        )


def _hulls(line: Line, starts: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the smallest box around each segment."""
    lo: NDArray[np.int32] = np.minimum.reduceat(line.codes, starts, axis=0)
    hi: NDArray[np.int32] = np.maximum.reduceat(line.codes, starts, axis=0)
    return lo, hi
