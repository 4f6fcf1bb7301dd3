"""The best full-domain generalization, proven, with few nodes counted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import inf, prod
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.algorithms.bounds import Bounds, LazyBounds
from shoal.algorithms.infeasible import no_node_is_feasible
from shoal.algorithms.lattice import Lattice, allowed_levels
from shoal.algorithms.node_counts import NodeCounter
from shoal.core.protocols import Problem, Solution
from shoal.core.recoding import Generalization
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError

__all__ = ["Optimal"]

TIE = 1e-12
"""Losses that differ by less than this share are ties, as in ``exhaustive``."""

IN_MEMORY = 1 << 21
"""Largest lattice whose bounds are kept node by node."""

Node = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimal:
    """Least loss among all level vectors under any models and a suppression limit; equal to ``exhaustive``.

    The open node with the least lower bound is taken. On a path from it to the top, bisection looks for the most
    general node that rules it out: by suppressing more rows in every refinement than are allowed, or than the
    best node so far leaves room for. That node rules out everything below it as well. The search ends when no
    bound is below the best loss. Ties go to the lexicographically smallest level vector.

    Lattices that are too large to keep in memory are searched downwards from the top first, and then from the
    least bound; ``Solution.optimal`` says whether the result is proven.

    Parameters
    ----------
    max_nodes : int, optional
        Nodes that may be counted before the best so far is returned. Where left out, there is no end for
        lattices that fit into memory and about 2000 nodes, fewer for large tables, for all others.

    Raises
    ------
    SpecError
        If *max_nodes* is not at least 1.

    Notes
    -----
    Optimality: optimal among full-domain generalizations unless a budget ended the search.
    Deterministic: yes, no randomness; only ``budget_s`` depends on the clock.
    Cost: O(points) per counted node at most, less where a finer node is remembered; memory O(nodes of the
    lattice) up to two million of them.
    Models: any. Predictive tagging is not used, so models that suppression makes non-monotone are exact too:
    what prunes is ``must_suppress``, which every model proves for refinements of its classes.

    References
    ----------
    .. [1] LeFevre, K. et al. (2005), Incognito. doi:10.1145/1066157.1066164
    .. [2] Kohlmayer, F. et al. (2012), Flash. doi:10.1109/SocialCom-PASSAT.2012.52
    """

    name: ClassVar[str] = "optimal"
    supports: ClassVar[frozenset[str]] = frozenset({"table", "population"})
    max_nodes: int | None = None

    def __post_init__(self) -> None:
        if self.max_nodes is not None and self.max_nodes < 1:
            raise SpecError("max_nodes must be at least 1", fix="leave it out for a proven optimum")

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return the best node.

        Raises
        ------
        InfeasibleError
            If no node is feasible, or none was found before the budget ended.
        """
        start = time.perf_counter()
        search = _Search(table, problem, self.max_nodes, start)
        search.run()
        levels = search.lattice.levels_of(search.best_node())
        n_nodes = prod(len(levels) for levels in allowed_levels(table, problem))
        return Solution(
            recoding=Generalization(levels, search.counter.suppressed_points(search.best_node())),
            optimal=search.proven,
            statistics={
                "nodes": n_nodes,
                "counted": search.counter.counted,
                "pruned": n_nodes - search.counter.counted if search.proven else None,
                "seconds": time.perf_counter() - start,
            },
        )


@dataclass(slots=True)
class _Best:
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


class _Seen(NamedTuple):
    """What a counted node says: what its refinements must suppress and lose, and its own loss if feasible."""

    must: int
    floor: float
    loss: float


@dataclass(slots=True)
class _Search:
    """One run: the table, what is known of the lattice, and the best so far."""

    table: FrequencyTable
    problem: Problem
    max_nodes: int | None
    start: float
    lattice: Lattice = field(init=False)
    counter: NodeCounter = field(init=False)
    bounds: Bounds | LazyBounds = field(init=False)
    best: _Best = field(init=False)
    visited: dict[Node, _Seen] = field(init=False)
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
        self.best = _Best()
        self.visited = {}
        self.fewest = (self.table.n_rows + 1, self.lattice.top)
        self.proven = False

    def run(self) -> None:
        """Search until the best is proven or the budget is spent."""
        self.visit(self.lattice.top)
        if isinstance(self.bounds, LazyBounds):
            self.descend()
        elif not self.counter.sharp:
            self.fall(self.lattice.top)
        self.proven = self.prove()

    def best_node(self) -> Node:
        """Return the best node, or raise the error that says why there is none."""
        if self.best.node is not None:
            return self.best.node
        rows, node = self.fewest
        error = no_node_is_feasible(
            self.problem,
            fewest=rows,
            levels=self.lattice.levels_of(node),
            names=self.table.names,
            top=self.counter.full_classes(self.lattice.top),
            proven=self.proven,
        )
        raise error

    def spent(self) -> bool:
        """Whether the budget is used up."""
        if self.max_nodes is not None and self.counter.counted >= self.max_nodes:
            return True
        budget = self.problem.budget_s
        return budget is not None and time.perf_counter() - self.start > budget

    def visit(self, node: Node) -> _Seen:
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
        self.visited[node] = _Seen(must, floor, loss)
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
