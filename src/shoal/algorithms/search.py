"""The search behind ``optimal``: which node to count next, and when none can win any more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import inf
from typing import NamedTuple

from shoal.algorithms.bounds import Bounds, LazyBounds
from shoal.algorithms.infeasible import no_node_is_feasible
from shoal.algorithms.lattice import Lattice
from shoal.algorithms.node_counts import NodeCounter
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable

__all__ = ["Search"]

TIE = 1e-12
"""Losses that differ by less than this share are ties, as in ``exhaustive``."""

IN_MEMORY = 1 << 21
"""Largest lattice whose bounds are kept node by node."""

NEAREST = 300
"""Nodes that may be counted to find out how far an infeasible problem is from a feasible one."""

Node = tuple[int, ...]


@dataclass(slots=True)
class Best:
    """The best feasible node so far."""

    node: Node | None = None
    loss: float = inf

    @property
    def tolerance(self) -> float:
        return TIE * max(1.0, abs(self.loss)) if self.loss < inf else 0.0

    def offer(self, node: Node, loss: float) -> bool:
        """Take a node that is better, or as good and lexicographically smaller."""
        wins = self.node is None or loss < self.loss - self.tolerance
        wins = wins or (self.node is not None and loss <= self.loss + self.tolerance and node < self.node)
        if wins:
            self.node, self.loss = node, min(loss, self.loss)
        return wins


class Seen(NamedTuple):
    """What a counted node says: the rows it suppresses, what refinements must, and its loss if feasible."""

    suppressed: int
    must: int
    floor: float
    loss: float


@dataclass(slots=True)
class Search:
    """One run: the table, what is known of the lattice, and the best so far."""

    table: FrequencyTable
    problem: Problem
    max_nodes: int | None
    start: float
    lattice: Lattice = field(init=False)
    counter: NodeCounter = field(init=False)
    bounds: Bounds | LazyBounds = field(init=False)
    best: Best = field(init=False)
    visited: dict[Node, Seen] = field(init=False)
    fewest: tuple[int, Node] = field(init=False)
    allowed: int = field(init=False)
    proven: bool = field(init=False)

    def __post_init__(self) -> None:
        self.lattice = Lattice.of(self.table, self.problem)
        self.counter = NodeCounter(self.table, self.problem, self.lattice)
        small = self.lattice.n_nodes <= IN_MEMORY
        self.allowed = self.problem.allowed
        self.bounds = (Bounds if small else LazyBounds)(self.lattice, self.allowed)
        if self.max_nodes is None and not small:
            self.max_nodes = 200 + 1800 * 10_000 // max(10_000, self.table.n_points)
        self.best = Best()
        self.visited = {}
        self.fewest = (self.table.n_rows + 1, self.lattice.top)
        self.proven = False

    def run(self) -> None:
        """Search until the best is proven or the budget is spent."""
        self.visit(self.lattice.top)
        if isinstance(self.bounds, LazyBounds):
            self.descend()
        elif not self.counter.sharp:
            # Many nodes will be counted; those with one column at its top are small sources for most of them.
            for j, top in enumerate(self.lattice.top):
                if not self.spent():
                    self.visit(_with((0,) * self.table.n_qi, {j: top}))
            self.fall(self.lattice.top)
        self.proven = self.prove()

    def best_node(self) -> Node:
        """Return the best node, or raise the error that says why there is none."""
        if self.best.node is not None:
            return self.best.node
        rows, node = self.nearest()
        raise no_node_is_feasible(
            self.problem,
            fewest=rows,
            levels=self.lattice.levels_of(node),
            names=self.table.names,
            top=self.counter.full_classes(self.lattice.top),
            proven=self.proven,
        )

    def nearest(self) -> tuple[int, Node]:
        """Return a node that suppresses few rows, from the best of those seen by single steps, and how many."""
        rows, node = self.fewest
        end = self.counter.counted + NEAREST
        while self.counter.counted < end:
            steps = [_with(node, {j: node[j] + step}) for j in range(len(node)) for step in (-1, 1)]
            inside = [
                at for at in steps if all(0 <= i <= top for i, top in zip(at, self.lattice.top, strict=True))
            ]
            best = min(((self.visit(at).suppressed, at) for at in inside), default=(rows, node))
            if best[0] >= rows:
                break
            rows, node = best
        return rows, node

    def spent(self) -> bool:
        """Whether the budget is used up."""
        if self.max_nodes is not None and self.counter.counted >= self.max_nodes:
            return True
        budget = self.problem.budget_s
        return budget is not None and time.perf_counter() - self.start > budget

    def visit(self, node: Node) -> Seen:
        """Count a node once and learn from it."""
        if node in self.visited:
            return self.visited[node]
        counted = self.counter.count(node)
        classes = counted.classes
        violating, rows = self.counter.judge(counted)
        suppressed, must = int(classes.rows[violating].sum()), int(rows.sum())
        self.fewest = min(self.fewest, (suppressed, node))
        floor = self.counter.floor(must)
        self.bounds.learn_must(node, must, floor)
        of_sizes = self.counter.loss_of_sizes
        if of_sizes is not None:
            self.bounds.learn_base(node, of_sizes.of_sizes(classes.rows, 0))
        self.bounds.close(node)
        n, loss = self.table.n_rows, inf
        if suppressed <= self.allowed and (suppressed < n or n == 0):
            loss = self.counter.loss(node, counted, violating)
            self.best.offer(node, loss)
        self.visited[node] = Seen(suppressed, must, floor, loss)
        if len(self.visited) % 64 == 0:
            self.problem.progress(None, f"{len(self.visited)} of {self.lattice.n_nodes} nodes counted")
        return self.visited[node]

    def room(self, node: Node) -> float:
        """Return how many rows a node may suppress before it is no better than the best so far."""
        base, least = self.bounds.parts(node)
        left = self.best.loss + self.best.tolerance - base
        return min(self.allowed, left / least if least > 0 else inf)

    def prove(self) -> bool:
        """Take open nodes by their bounds until none can win; return whether that was reached."""
        while not self.spent():
            found = self.bounds.next(self.best.node, self.best.loss, self.best.tolerance)
            if found is None:
                return not self.bounds.gave_up
            self.probe(found)
        return False

    def probe(self, node: Node) -> None:
        """Rule out a node by a more general one, the most general on one path; else count the node itself.

        Where bounds are sharp bisection finds the last node of the path that rules out. Where they are not, many
        nodes rule out nothing and have to be counted anyway, if they would win without suppression: these are
        counted first, downwards, and bisection goes on above them.
        """
        counted, path = self.counter.counted, self.path(node)
        ruled_out, bisect = -1, True
        if not self.counter.sharp and self.best.node is not None:
            goal = self.best.loss + self.best.tolerance
            last = next((i for i, above in enumerate(path) if self.bounds.parts(above)[0] > goal), len(path)) - 1
            ruled_out = last
            while ruled_out >= 0 and not self.rules_out(path[ruled_out], node):
                ruled_out -= 1
            bisect = ruled_out == last
        open_ = len(path)
        while bisect and open_ - ruled_out > 1:
            middle = (ruled_out + open_) // 2
            if self.rules_out(path[middle], node):
                ruled_out = middle
            else:
                open_ = middle
        if self.counter.counted == counted:
            # Rounding can rule a node out here and not in its bound.
            self.visit(node)

    def rules_out(self, above: Node, node: Node) -> bool:
        """Count a node above *node* and return whether *node* is thereby infeasible or no better than the best."""
        seen = self.visit(above)
        return seen.floor > self.best.loss + self.best.tolerance or seen.must > self.room(node)

    def path(self, node: Node) -> list[Node]:
        """Return the nodes from *node* to the top that raise the column that has climbed the smallest part."""
        top = self.lattice.top
        steps = sorted(((level + 1) / top[j], j) for j in range(len(node)) for level in range(node[j], top[j]))
        at = list(node)
        path = [node]
        for _, j in steps:
            at[j] += 1
            path.append(tuple(at))
        return path

    def descend(self) -> None:
        """Go down from the top, and again from nodes a little above the best, until that finds nothing better."""
        self.fall(self.lattice.top)
        tried: set[Node] = set()
        while self.best.node is not None and self.best.node not in tried and not self.spent():
            here = self.best.node
            tried.add(here)
            for higher, raised in self.kicks(here):
                self.fall(higher, keep=raised)
                if self.best.node != here or self.spent():
                    break

    def kicks(self, node: Node) -> Iterator[tuple[Node, tuple[int, ...]]]:
        """Yield nodes above *node*: one column a level up, one at its top, two a level up; and which ones."""
        top = self.lattice.top
        columns = [j for j in range(len(node)) if node[j] < top[j]]
        for j in columns:
            yield _with(node, {j: node[j] + 1}), (j,)
        for j in columns:
            if node[j] + 1 < top[j]:
                yield _with(node, {j: top[j]}), (j,)
        for i, j in combinations(columns, 2):
            yield _with(node, {i: node[i] + 1, j: node[j] + 1}), (i, j)

    def fall(self, node: Node, *, keep: tuple[int, ...] = ()) -> None:
        """Lower one column at a time, the one that leaves the least loss, while the loss falls."""
        while not self.spent():
            below = [_with(node, {j: node[j] - 1}) for j in range(len(node)) if node[j] and j not in keep]
            losses = [(self.visit(finer).loss, finer) for finer in below if not self.spent()]
            if not losses or min(losses)[0] >= self.visit(node).loss:
                return
            node = min(losses)[1]


def _with(node: Node, levels: dict[int, int]) -> Node:
    return tuple(levels.get(j, i) for j, i in enumerate(node))
