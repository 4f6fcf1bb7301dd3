"""Extended Incognito: the best full-domain generalization, and all valid ones, by subsets of the columns."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import combinations, product
from math import inf, prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.infeasible import no_node_is_feasible
from shoal.algorithms.lattice import Lattice, allowed_levels
from shoal.algorithms.node_counts import NodeCounter
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.protocols import Closure
from shoal.core.recoding import Generalization
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError

__all__ = ["Incognito"]

TIE = 1e-12
"""Losses that differ by less than this share are ties, as in ``exhaustive``."""

Node = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Incognito:
    """Least loss among all level vectors, and all valid ones on request; equal to ``exhaustive``.

    Subsets of the quasi-identifiers are searched by size. A vector of levels of a subset is a candidate if all
    vectors with one column less survived; candidates are tested by height, and what lies above a survivor
    survives without a test (generalization pruning). Testing a subset means counting the node with all other
    columns at their highest allowed level, from the classes of a finer node where one is remembered.

    What a survivor is depends on what generalizing keeps. Where it keeps every model (closure SUPERSET, or UNION
    and nothing may be suppressed), survivors are the valid nodes. Elsewhere a test only asks for what is
    necessary, the rows that every refinement must suppress, and the survivors of all columns together are tested
    exactly, each by itself: in the ceiling form of (α, k)-anonymity a valid node may lie below an invalid one,
    so that a search by the paper's lemmas loses it.

    Parameters
    ----------
    all_valid : bool, default False
        Whether ``Solution.statistics["valid_nodes"]`` lists all valid level vectors, which takes a test of every
        survivor where models are not kept.
    max_nodes : int, default 10000000
        Largest number of nodes of all subsets together that is accepted.
    reuse : bool, default True
        Whether a node is counted once for all subsets in which it is a candidate, from the classes of a finer node
        where one is remembered. Where not, every candidate of every subset is counted from the records of the
        table, with no pruning but the paper's two: the search as published, to compare with.

    Raises
    ------
    SpecError
        If *max_nodes* is not at least 1.

    Notes
    -----
    Optimality: optimal among full-domain generalizations unless ``budget_s`` ended the search.
    Deterministic: yes, no randomness; only ``budget_s`` depends on the clock.
    Cost: O(points) per counted node at most; memory O(nodes of all subsets).
    Models: any. Ties go to the lexicographically smallest level vector.

    References
    ----------
    .. [1] LeFevre, K. et al. (2005), Incognito. doi:10.1145/1066157.1066164
    .. [2] Wong, R., Li, J., Fu, A., Wang, K. (2006), (α, k)-anonymity. doi:10.1145/1150402.1150499
    """

    name: ClassVar[str] = "incognito"
    all_valid: bool = False
    max_nodes: int = 10_000_000
    reuse: bool = True

    def __post_init__(self) -> None:
        if self.max_nodes < 1:
            raise SpecError("max_nodes must be at least 1", fix="leave it out")

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return the best node.

        Raises
        ------
        SpecError
            If the subsets have more than ``max_nodes`` nodes.
        InfeasibleError
            If no node is feasible, or none was found before the budget ended.
        """
        start = time.perf_counter()
        search = self._run(table, problem, all_valid=self.all_valid)
        best = search.best_node()
        statistics: dict[str, Any] = {
            "nodes": prod(len(levels) for levels in allowed_levels(table, problem)),
            "tested": search.tested,
            "counted": search.counter.counted,
            "valid": None if search.valid is None else search.n_valid,
        }
        if self.all_valid:
            statistics["valid_nodes"] = [list(levels) for levels in search.valid_levels()]
        statistics["seconds"] = time.perf_counter() - start
        return Solution(
            recoding=Generalization(search.lattice.levels_of(best), search.counter.suppressed_points(best)),
            optimal=not search.spent,
            statistics=statistics,
        )

    def valid_nodes(self, table: FrequencyTable, problem: Problem) -> list[tuple[int, ...]]:
        """Return every level vector that meets the models within the suppression limit, in ascending order.

        Raises
        ------
        SpecError
            If the subsets have more than ``max_nodes`` nodes.
        InfeasibleError
            If ``budget_s`` ended the search before all are known.
        """
        search = self._run(table, problem, all_valid=True)
        if search.valid is None:
            raise InfeasibleError("the budget ended before all nodes were known", choices=["raise the budget"])
        return search.valid_levels()

    def _run(self, table: FrequencyTable, problem: Problem, *, all_valid: bool) -> _Search:
        lattice = Lattice.of(table, problem)
        size = prod(length + 1 for length in lattice.shape)
        if size > self.max_nodes:
            raise SpecError(
                f"the subsets of the quasi-identifiers have {size} nodes and 'incognito' accepts {self.max_nodes}",
                fix="use algorithm 'optimal', which gives the same answer",
            )
        search = _Search(table, problem, lattice, self.reuse)
        search.run(all_valid=all_valid)
        return search


class _Seen(NamedTuple):
    """What counting a node says: whether it survives for what is finer, and its loss, infinite if infeasible."""

    survives: bool
    loss: float


class _SpentError(Exception):
    """The budget is used up."""


@dataclass(slots=True)
class _Search:
    """One run: the survivors of each subset, and what is known of the nodes that were counted."""

    table: FrequencyTable
    problem: Problem
    lattice: Lattice
    reuse: bool
    counter: NodeCounter = field(init=False)
    kept: bool = field(init=False)
    seen: dict[Node, _Seen] = field(init=False)
    fewest: tuple[int, Node] = field(init=False)
    valid: NDArray[np.bool_] | None = field(init=False)
    tested: int = 0
    spent: bool = False
    deadline: float = inf

    def __post_init__(self) -> None:
        problem = self.problem
        self.counter = NodeCounter(self.table, problem, self.lattice)
        self.kept = problem.closed_under(Closure.SUPERSET if problem.allowed else Closure.UNION)
        self.seen = {}
        self.fewest = (self.table.n_rows + 1, self.lattice.top)
        self.valid = None
        if problem.budget_s is not None:
            self.deadline = time.perf_counter() + problem.budget_s

    def run(self, *, all_valid: bool) -> None:
        """Find the survivors, and test those exactly that may win, or all of them."""
        self.look(self.lattice.top)
        try:
            survivors = self.survivors()
            if self.kept:
                self.valid = survivors
            if not self.kept or self.problem.allowed:
                # Elsewhere no node above a valid one loses less, so the tested ones are enough.
                self.test(survivors, every=all_valid and not self.kept)
            if all_valid and not self.kept:
                self.valid = self.feasible(survivors)
        except _SpentError:
            self.spent = True

    def survivors(self) -> NDArray[np.bool_]:
        """Return which nodes of the lattice survive, bool [shape]."""
        columns = range(len(self.lattice.shape))
        smaller: dict[Node, NDArray[np.bool_]] = {(): np.ones((), bool)}
        for size in range(1, len(columns) + 1):
            smaller = {subset: self.subset(subset, smaller) for subset in combinations(columns, size)}
        (survivors,) = smaller.values()
        return survivors

    def subset(self, columns: Node, smaller: dict[Node, NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Return which level vectors of some columns survive, bool [levels of each]."""
        shape = tuple(self.lattice.shape[j] for j in columns)
        candidates = np.ones(shape, bool)
        for at in range(len(columns)):
            candidates &= np.expand_dims(smaller[columns[:at] + columns[at + 1 :]], at)
        nodes = np.argwhere(candidates)
        heights = nodes.sum(axis=1)
        survives = np.zeros(shape, bool)
        for height in np.unique(heights):
            level = nodes[heights == height]
            for node in level[~survives[tuple(level.T)]].tolist():
                self.tested += 1
                if self.look(self.among_all(columns, node), again=not self.reuse).survives:
                    survives[tuple(slice(i, None) for i in node)] = True
        return survives

    def among_all(self, columns: Node, node: list[int]) -> Node:
        """Return the node of the whole lattice that tests a vector of some columns."""
        whole = list(self.lattice.top)
        for j, i in zip(columns, node, strict=True):
            whole[j] = i
        return tuple(whole)

    def test(self, survivors: NDArray[np.bool_], *, every: bool) -> None:
        """Count survivors in the order of their loss without suppression, until none can win."""
        base = self.lattice.spread([column.base for column in self.lattice.columns])
        nodes = np.argwhere(survivors)
        best = min((seen.loss for seen in self.seen.values()), default=inf)
        for at in np.argsort(base[survivors], kind="stable"):
            node = tuple(nodes[at].tolist())
            if base[node] > best + _tolerance(best) and not every:
                return
            best = min(best, self.look(node).loss)

    def feasible(self, survivors: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which nodes are feasible, all survivors having been counted."""
        valid = np.zeros_like(survivors)
        for node in np.argwhere(survivors).tolist():
            valid[tuple(node)] = self.seen[tuple(node)].loss < inf
        return valid

    def look(self, node: Node, *, again: bool = False) -> _Seen:
        """Count a node once, or *again*."""
        if node in self.seen and not again:
            return self.seen[node]
        if time.perf_counter() > self.deadline and self.seen:
            raise _SpentError
        counted = self.counter.count(node, afresh=not self.reuse)
        violating, rows = self.counter.judge(counted)
        suppressed, n = int(counted.classes.rows[violating].sum()), self.table.n_rows
        self.fewest = min(self.fewest, (suppressed, node))
        feasible = suppressed <= self.problem.allowed and (suppressed < n or n == 0)
        loss = self.counter.loss(node, counted, violating) if feasible else inf
        survives = feasible if self.kept else int(rows.sum()) <= self.problem.allowed
        self.seen[node] = _Seen(survives, loss)
        if len(self.seen) % 64 == 0:
            self.problem.progress(None, f"{len(self.seen)} nodes counted")
        return self.seen[node]

    def best_node(self) -> Node:
        """Return the first node of least loss, or raise the error that says why there is none."""
        least = min(seen.loss for seen in self.seen.values())
        if least < inf:
            return min(node for node, seen in self.seen.items() if seen.loss <= least + _tolerance(least))
        rows, node = self.fewest
        error = no_node_is_feasible(
            self.problem,
            fewest=rows,
            levels=self.lattice.levels_of(node),
            names=self.table.names,
            top=self.counter.full_classes(self.lattice.top),
            proven=not self.spent,
        )
        raise error

    def stretches(self) -> list[list[range]]:
        """Return per column and index the levels that group the values alike, for which the index stands."""
        found = []
        for column, allowed in zip(self.lattice.columns, allowed_levels(self.table, self.problem), strict=True):
            ends = [*column.levels[1:], len(allowed)]
            found.append([range(low, end) for low, end in zip(column.levels, ends, strict=True)])
        return found

    @property
    def n_valid(self) -> int:
        """Number of valid level vectors."""
        total = np.zeros((), np.int64) if self.valid is None else self.valid.astype(np.int64)
        for column in reversed(self.stretches()):
            total = total @ np.array([len(levels) for levels in column])
        return int(total)

    def valid_levels(self) -> list[tuple[int, ...]]:
        """Return all valid level vectors, in ascending order; none where they are not known."""
        if self.valid is None:
            return []
        stretches = self.stretches()
        nodes = np.argwhere(self.valid).tolist()
        return sorted(
            levels
            for node in nodes
            for levels in product(*(column[i] for column, i in zip(stretches, node, strict=True)))
        )


def _tolerance(loss: float) -> float:
    return TIE * max(1.0, abs(loss)) if loss < inf else 0.0
