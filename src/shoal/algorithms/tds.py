"""TDS: one cut through each column's tree, specialized from the top as long as all classes pass."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.column_tree import ColumnTree
from shoal.algorithms.infeasible import no_box_is_feasible
from shoal.core.algorithm import Solution
from shoal.core.classes import Classes
from shoal.core.problem import Problem
from shoal.core.regions import SUPPRESSED, Regions
from shoal.core.table import FrequencyTable
from shoal.errors import check_choice
from shoal.kernels.grouping import group_columns, rank_columns, sum_by_group

__all__ = ["TDS"]

DIGITS = 9
"""Digits to which scores are compared."""

LABELS = ("nodes", "ranges", "sets", "stars")


@dataclass(frozen=True, slots=True, kw_only=True)
class TDS:
    """Top-down specialization: every column follows one cut through its tree, for all records alike.

    All columns start at their roots. The node whose specialization scores best, of those after which every class
    still passes, is replaced by its children; until none is left. The score is information gain per anonymity
    lost, ``gain / (loss + 1)``: *gain* is the drop of the entropy of the sensitive values under the node when its
    records are told apart by child, *loss* is how much of what the models ask for the table gives up, such as
    the largest l that every class meets. Where no model reads a sensitive column, *gain* is the drop of ncp.

    Parameters
    ----------
    labels : {"nodes", "ranges", "sets", "stars"}, default "nodes"
        What a cell may be published as. Ranges and sets of an ordered column are halves of halves of its domain;
        columns without an order follow their hierarchy.

    Raises
    ------
    SpecError
        If the labels are unknown.

    Notes
    -----
    Optimality: heuristic; no bound.
    Deterministic: yes, whatever the order of rows; ties go to the first column and its first node.
    Cost: a recount of the records under each node that may score best, per specialization.
    Models: any. A node whose children fail once is not tried again, which loses nothing where passing classes
    have passing unions.
    Suppression: only records that violate a model at their column's highest allowed level.

    References
    ----------
    .. [1] Fung, B., Wang, K., Yu, P. (2005), Top-down specialization for information and privacy preservation.
       doi:10.1109/ICDE.2005.143
    .. [2] Xiao, X., Yi, K., Tao, Y. (2010), The hardness and approximation algorithms for l-diversity.
       doi:10.1145/1739041.1739060

    Examples
    --------
    >>> TDS().labels
    'nodes'
    """

    name: ClassVar[str] = "tds"
    labels: str = "nodes"

    def __post_init__(self) -> None:
        check_choice("labels", self.labels, LABELS)

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return a cut per column whose classes meet every model of *problem*.

        Raises
        ------
        InfeasibleError
            If the table violates a model even where every column is as general as allowed, and more rows than
            may be suppressed are in the way.
        """
        started = time.monotonic()
        deadline = math.inf if problem.budget_s is None else started + problem.budget_s
        search = _Specialization(table, problem, self.labels)
        done, out_of_time = 0, False
        while (step := search.best()) is not None:
            search.specialize(*step)
            done += 1
            problem.progress(None, f"{done} nodes specialized")
            if time.monotonic() > deadline:
                out_of_time = True
                break
        regions = search.regions()
        return Solution(
            recoding=regions,
            statistics={
                "specializations": done,
                "classes": regions.n_regions,
                "out of time": out_of_time,
                **{f"nodes of {name}": n for name, n in zip(table.names, search.cut_sizes, strict=True)},
            },
        )


class _Specialization:
    """The cuts so far, the classes that they make, and the nodes that may be specialized."""

    def __init__(self, table: FrequencyTable, problem: Problem, labels: str) -> None:
        self.table, self.problem, self.labels = table, problem, labels
        self.trees = [ColumnTree.of(h, labels) for h in table.hierarchies]
        self.codes = table.codes[table.point_of_item]
        self.node = np.empty((table.n_items, table.n_qi), np.int32)
        for j, name in enumerate(table.names):
            self.node[:, j] = self._first_nodes(j, name)[self.codes[:, j]]
        self.class_of, first = self._classes()
        counted = table.classes(self.class_of, len(first), problem.columns)
        failing = problem.violating(counted)
        self.kept = ~failing[self.class_of] if len(first) else np.ones(0, np.bool_)
        lost = int(counted.rows[failing].sum())
        if failing.any() and (failing.all() or lost > problem.allowed):
            raise no_box_is_feasible(problem, counted, lost)
        self.reached = self._reached(counted)
        self.gains: dict[tuple[int, int], float] = {}
        for j in range(table.n_qi):
            for node in np.unique(self.node[self.kept, j]).tolist():
                self._open(j, node)

    @property
    def cut_sizes(self) -> list[int]:
        """Nodes of each column that occur."""
        return [len(np.unique(self.node[self.kept, j])) for j in range(self.table.n_qi)]

    def best(self) -> tuple[int, int] | None:
        """Return the column and the node to specialize, or None where none passes."""
        best: tuple[float, tuple[int, int]] | None = None
        # Anonymity is never gained, so a score is at most the gain: the search ends where that is too small.
        for step, gain in sorted(self.gains.items(), key=lambda entry: (-entry[1], entry[0])):
            if best is not None and round(gain, DIGITS) < best[0]:
                break
            reached = self._after(*step)
            if reached is None:
                del self.gains[step]
                continue
            given_up = [abs(a - b) for a, b in zip(self.reached, reached, strict=True)]
            # Rounded, so that a tie is one, however the sums came about.
            score = round(gain / (1 + sum(given_up) / len(given_up)), DIGITS)
            if best is None or (-score, step) < (-best[0], best[1]):
                best = score, step
        return None if best is None else best[1]

    def specialize(self, j: int, node: int) -> None:
        """Replace a node of the cut by its children."""
        reached = self._after(j, node)
        assert reached is not None  # noqa: S101 (the step was chosen because it passes)
        tree = self.trees[j]
        under = np.flatnonzero(self.node[:, j] == node)
        self.node[under, j] = tree.children[node][tree.branch(node, self.codes[under, j])]
        del self.gains[j, node]
        self.reached = reached
        # Only the classes under the node come apart.
        parts, _ = group_columns(
            [self.class_of[under], self.node[under, j]], [int(self.class_of.max()) + 1, len(tree.lo)]
        )
        self.class_of[under] = int(self.class_of.max()) + 1 + parts
        self.class_of = np.unique(self.class_of, return_inverse=True)[1].astype(np.int32)
        for child in np.unique(self.node[under[self.kept[under]], j]).tolist():
            self._open(j, child)

    def regions(self) -> Regions:
        """Return the classes as boxes, normalized."""
        table = self.table
        class_of, first = self._classes()
        lo = np.empty((len(first), table.n_qi), np.int32)
        hi = np.empty_like(lo)
        for j, tree in enumerate(self.trees):
            lo[:, j], hi[:, j] = tree.lo[self.node[first, j]], tree.hi[self.node[first, j]]
        region = np.where(self.kept, class_of, np.int32(SUPPRESSED))
        found = Regions(lo, hi, np.arange(table.n_items + 1), region, table.counts, self.labels)
        return found.normalized(table.hierarchies)

    def _first_nodes(self, j: int, name: str) -> NDArray[np.int32]:
        """Return the node in which each leaf starts: as high as the column may climb."""
        hierarchy, tree = self.table.hierarchies[j], self.trees[j]
        level = min(self.problem.max_levels.get(name, hierarchy.height), hierarchy.height)
        tops = hierarchy.levels[level]
        top_lo, top_hi = hierarchy.lo[tops], hierarchy.hi[tops]
        first = np.full(hierarchy.n_values, -1, np.int32)
        # Nodes from the widest to the narrowest: the first that the allowed node holds is the highest one.
        for node in np.argsort(tree.lo - tree.hi, kind="stable").tolist():
            leaves = np.arange(tree.lo[node], tree.hi[node] + 1)
            fits = (top_lo[leaves] <= tree.lo[node]) & (tree.hi[node] <= top_hi[leaves]) & (first[leaves] < 0)
            first[leaves[fits]] = node
        return first

    def _classes(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        return rank_columns(list(self.node.T), [len(tree.lo) for tree in self.trees])

    def _reached(self, classes: Classes) -> list[float]:
        context = self.problem.context
        return [float(model.achieved(classes, context) or 0) for model in self.problem.models]

    def _after(self, j: int, node: int) -> list[float] | None:
        """Return what every model reaches once the node is specialized; None where a class fails."""
        under = np.flatnonzero((self.node[:, j] == node) & self.kept)
        tree = self.trees[j]
        child, n_children = tree.branch(node, self.codes[under, j]), len(tree.children[node])
        parts, first = group_columns([self.class_of[under], child], [int(self.class_of.max()) + 1, n_children])
        counts = self.table.counts[under]
        classes = self.table.classes(parts, len(first), self.problem.columns, items=under, counts=counts)
        if self.problem.violating(classes).any():
            return None
        # Whether a larger or a smaller figure is the weaker one, the parts of a class are never stricter than it.
        return [
            min(old, new) if old >= model.required else max(old, new)
            for model, old, new in zip(self.problem.models, self.reached, self._reached(classes), strict=True)
        ]

    def _open(self, j: int, node: int) -> None:
        """Take a node up among those that may be specialized."""
        tree = self.trees[j]
        if len(tree.children[node]):
            under = np.flatnonzero((self.node[:, j] == node) & self.kept)
            self.gains[j, node] = self._gain(j, node, under)

    def _gain(self, j: int, node: int, under: NDArray[np.int64]) -> float:
        """Return the drop of entropy, or of ncp, when the records under a node are told apart by child."""
        tree, counts = self.trees[j], self.table.counts[under]
        child = tree.branch(node, self.codes[under, j])
        if not self.problem.columns:
            weight = self.problem.weights.get(self.table.names[j], 1.0)
            width = (tree.hi - tree.lo) / max(1, int(tree.hi.max()))
            per_row = width[node] - width[tree.children[node]][child]
            return float(weight * (per_row * counts).sum())
        gain = 0.0
        for name in self.problem.columns:
            s = self.table.sensitive_names.index(name)
            value, size = self.table.sensitive[under, s], self.table.sensitive_hierarchies[s].n_values
            whole = np.zeros(len(under), np.int64)
            gain += _entropy(whole, value, counts, size) - _entropy(child, value, counts, size)
        return gain


def _entropy(part: NDArray[np.int64], value: NDArray[np.int32], counts: NDArray[np.int64], size: int) -> float:
    """Return the entropy of values within parts in nats, the mean over all rows."""
    n_parts = int(part.max()) + 1
    cell, first = group_columns([part, value], [n_parts, size])
    cells = sum_by_group(cell, counts, len(first)).astype(np.float64)
    totals = sum_by_group(part, counts, n_parts).astype(np.float64)[part[first]]
    return float((cells * np.log(totals / cells)).sum() / counts.sum())
