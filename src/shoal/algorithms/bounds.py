"""Lower bounds on the loss of lattice nodes, learned from the nodes that were counted."""

from __future__ import annotations

import heapq
from math import inf

import numpy as np

from shoal.algorithms.lattice import Lattice

__all__ = ["Bounds", "LazyBounds"]

Node = tuple[int, ...]


class Bounds:
    """What is known of every node of a lattice that fits into memory.

    * ``base``: the loss without suppression, separable over columns for losses over cells; for losses of sizes
      the greatest that a finer counted node has, since coarser classes never cost less.
    * ``must``: rows that have to be suppressed at least; what a coarser counted node must suppress in any
      refinement holds for all nodes below it.
    * each of these rows costs ``least`` more at least.

    Parameters
    ----------
    lattice : Lattice
    allowed : int
        Rows that may be suppressed.
    """

    gave_up = False
    """Whether :meth:`next` ends before all nodes are ruled out; never here."""

    def __init__(self, lattice: Lattice, allowed: int) -> None:
        self.allowed = allowed
        self.base = lattice.spread([column.base for column in lattice.columns])
        self.least = lattice.spread([column.least_gain for column in lattice.columns])
        self.must = np.zeros(lattice.shape, np.int64)
        self.lower = self.base.copy()

    def parts(self, node: Node) -> tuple[float, float]:
        """Return the loss without suppression, or a lower bound on it, and the least price of a row."""
        return float(self.base[node]), float(self.least[node])

    def learn_must(self, node: Node, rows: int, floor: float = 0.0) -> None:
        """Note that every node at or below this one suppresses at least *rows* rows and loses *floor* or more."""
        if rows <= self.must[node]:
            return
        below = tuple(slice(None, i + 1) for i in node)
        must, lower = self.must[below], self.lower[below]
        np.maximum(must, rows, out=must)
        if rows > self.allowed:
            lower[...] = inf
        else:
            np.maximum(lower, np.maximum(self.base[below] + must * self.least[below], floor), out=lower)

    def learn_base(self, node: Node, loss: float) -> None:
        """Note that every node at or above this one loses at least *loss*."""
        if loss <= self.base[node]:
            return
        above = tuple(slice(i, None) for i in node)
        base, lower = self.base[above], self.lower[above]
        np.maximum(base, loss, out=base)
        np.maximum(lower, base, out=lower)

    def close(self, node: Node) -> None:
        """Take a counted node out."""
        self.lower[node] = inf

    def next(self, best: Node | None, loss: float, tolerance: float) -> Node | None:
        """Return the open node with the least bound that may still win, or None.

        Parameters
        ----------
        best : tuple of int or None
            The best node so far; it loses a tie against lexicographically smaller ones only.
        loss, tolerance : float
            Its loss, and how much more or less is a tie.
        """
        at = int(self.lower.argmin())
        low = self.lower.flat[at]
        if best is not None and loss - tolerance <= low <= loss + tolerance:
            after = self.lower.reshape(-1)[int(np.ravel_multi_index(best, self.lower.shape)) :]
            after[after >= loss - tolerance] = inf
            at = int(self.lower.argmin())
            low = self.lower.flat[at]
        if low == inf or low > loss + tolerance:
            return None
        return tuple(int(i) for i in np.unravel_index(at, self.lower.shape))


class LazyBounds:
    """The same for lattices that are too large: nodes come into being when the nodes below them are ruled out.

    Each node but the bottom has one parent, the node with its last raised column lowered by one, so a heap that
    starts with the bottom meets every node once and in the order of its loss without suppression.
    """

    LONGEST = 10_000
    """Nodes that are looked at before the search for the next one gives up."""

    def __init__(self, lattice: Lattice, allowed: int) -> None:
        self.lattice = lattice
        self.allowed = allowed
        self.gave_up = False
        self.looked_at = 0
        self.least_gains = [column.least_gain for column in lattice.columns]
        bottom = (0,) * len(lattice.shape)
        self.heap: list[tuple[float, Node]] = [(lattice.base_of(bottom), bottom)]
        self.closed: set[Node] = set()
        self.coarse: list[Node] = []
        self.musts: list[tuple[int, float]] = []
        self.fine: list[Node] = []
        self.floors: list[float] = []

    def parts(self, node: Node) -> tuple[float, float]:
        """Return the loss without suppression, or a lower bound on it, and the least price of a row."""
        base = self.lattice.base_of(node)
        if self.fine:
            finer = (np.array(self.fine) <= np.array(node)).all(axis=1)
            base = max(base, float(np.array(self.floors)[finer].max(initial=0.0)))
        return base, sum(float(least[i]) for least, i in zip(self.least_gains, node, strict=True))

    def learn_must(self, node: Node, rows: int, floor: float = 0.0) -> None:
        """Note that every node at or below this one suppresses at least *rows* rows and loses *floor* or more."""
        if rows > 0:
            self.coarse.append(node)
            self.musts.append((rows, floor))

    def learn_base(self, node: Node, loss: float) -> None:
        """Note that every node at or above this one loses at least *loss*."""
        self.fine.append(node)
        self.floors.append(loss)

    def close(self, node: Node) -> None:
        """Take a counted node out."""
        self.closed.add(node)

    def next(self, best: Node | None, loss: float, tolerance: float) -> Node | None:
        """Return an open node that may still win, in the order of loss without suppression, or None."""
        coarse, musts = np.array(self.coarse, np.int64), np.array(self.musts, np.float64)
        while self.heap:
            if self.looked_at >= self.LONGEST:
                self.gave_up = True
                return None
            self.looked_at += 1
            start, node = heapq.heappop(self.heap)
            if start > loss + tolerance:
                return None
            self._push_above(node)
            if node in self.closed:
                continue
            above = (coarse >= np.array(node)).all(axis=1) if musts.size else np.empty(0, bool)
            must, floor = musts[above].max(axis=0, initial=0.0) if above.any() else (0.0, 0.0)
            base, least = self.parts(node)
            low = max(base + must * least, floor)
            ties = best is not None and low >= loss - tolerance and node > best
            if must <= self.allowed and low <= loss + tolerance and not ties:
                return node
        return None

    def _push_above(self, node: Node) -> None:
        last = max((j for j, i in enumerate(node) if i), default=0)
        for j in range(last, len(node)):
            if node[j] < self.lattice.top[j]:
                above = (*node[:j], node[j] + 1, *node[j + 1 :])
                heapq.heappush(self.heap, (self.lattice.base_of(above), above))
