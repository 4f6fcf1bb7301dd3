"""Counting lattice nodes: from the nearest finer node that is still remembered, or from the points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.lattice import Lattice
from shoal.algorithms.sources import MEMORY, Merged, Sources
from shoal.core.classes import Classes, Histogram
from shoal.core.population import classes_at
from shoal.core.problem import Problem
from shoal.core.protocols import ClassLoss, Closure, PrivacyModel
from shoal.core.table import FrequencyTable
from shoal.kernels.counted import dense_to_sparse, gain_of
from shoal.kernels.grouping import KEY_LIMIT
from shoal.kernels.lattice import Scratch, first_people, merge_classes
from shoal.models.k_anonymity import KAnonymity
from shoal.models.l_diversity import LDiversity

__all__ = ["Counted", "NodeCounter"]

ONES = 1 << 20
"""Largest table for which a loss of sizes is bounded by classes of one row each."""


@dataclass(frozen=True, eq=False)
class Counted:
    """The classes of one node.

    Parameters
    ----------
    classes : Classes
        Without histograms where *extra* has them; sizes that count people may then stop at what models ask for.
    representative : int32 [n_classes]
        One point of each class.
    extra : int32 [n_classes, n_values + n_people] or None
        As in :class:`Merged`, where the node was merged from a finer one.
    class_of_point : int32 [n_points] or None
        Where the node was counted from the items.
    """

    classes: Classes
    representative: NDArray[np.int32]
    extra: NDArray[np.int32] | None
    class_of_point: NDArray[np.int32] | None = None


class NodeCounter:
    """Counts nodes of a lattice and prices suppression at them.

    Rows add up over points, so classes of a finer node can be merged. People do not; where k of them decide, the
    first k of each class are carried along. Where other models count people, or histograms of very long domains
    are too wide to keep, nodes are counted from the items each time.
    """

    def __init__(self, table: FrequencyTable, problem: Problem, lattice: Lattice) -> None:
        self.table, self.problem, self.lattice = table, problem, lattice
        self.codes = np.ascontiguousarray(table.codes)
        self.counted = 0
        people = problem.context.by_people
        sharp = [model for model in problem.models if model.closure(by_people=people) is Closure.SUPERSET]
        self.whole = bool(problem.reads) or bool(problem.of_tables)
        self.size_models = [model for model in sharp if not model.columns]
        self.other_models = [model for model in problem.models if model not in self.size_models]
        self.sharp = len(sharp) == len(problem.models)
        self.columns = [(name, table.sensitive_names.index(name)) for name in problem.columns]
        widths = [table.sensitive_hierarchies[j].n_values for _, j in self.columns]
        self.bounds = list(pairwise(np.concatenate([[0], np.cumsum(widths)]).astype(int).tolist()))
        self.width = sum(widths)
        self.n_people = 0 if table.unit is None else _people_that_matter(problem.models)
        keys_fit = prod(column.n_groups[0] for column in lattice.columns) <= KEY_LIMIT
        narrow = table.n_points * (self.width + self.n_people) <= MEMORY
        narrow = narrow and max(table.n_rows, table.n_units) < np.iinfo(np.int32).max
        self.loss_of_sizes = problem.loss if isinstance(problem.loss, ClassLoss) else None
        self.by_class = self.loss_of_sizes is not None or lattice.prices_by_class
        self.merges = (table.unit is None or self.n_people > 0) and keys_fit and narrow and self.by_class
        self.merges = self.merges and not self.whole
        self._prepare_gains()
        if self.merges:
            self._prepare_keys()
            self.scratch = Scratch(table.n_points, self.width, self.n_people)
            self.sources = Sources(self._points(), table.n_qi)

    def _prepare_gains(self) -> None:
        self.point_rows = self.table.point_rows
        self.gains = np.concatenate([column.gains.ravel() for column in self.lattice.columns])
        self.gain_starts = _block_starts([column.gains.shape for column in self.lattice.columns])
        self.least_gain = [column.least_gain for column in self.lattice.columns]

    def _prepare_keys(self) -> None:
        blocks, stride = [], 1
        for column in self.lattice.columns:
            blocks.append((column.groups.astype(np.uint64) * np.uint64(stride)).ravel())
            stride *= column.n_groups[0]
        self.contributions = np.concatenate(blocks)
        self.key_starts = [
            np.where(np.array(column.n_groups) > 1, starts, -1)
            for column, starts in zip(self.lattice.columns, self.gain_starts, strict=True)
        ]

    def _points(self) -> Merged:
        """Return the points as classes of their own."""
        table, width = self.table, self.width
        extra = np.zeros((table.n_points, width + self.n_people), np.int32)
        extra[:, width:] = -1
        point = table.point_of_item
        for (_, j), (start, _stop) in zip(self.columns, self.bounds, strict=True):
            np.add.at(extra, (point, start + table.sensitive[:, j]), table.counts.astype(np.int32))
        if table.unit is not None:
            first_people(table.offsets, unit=table.unit, people=extra, start=width)
        return Merged(np.arange(table.n_points, dtype=np.int32), self.point_rows, extra)

    def count(self, node: tuple[int, ...], *, afresh: bool = False) -> Counted:
        """Count the classes of a node; *afresh* from the items, whatever is remembered."""
        self.counted += 1
        return self._merged(node) if self.merges and not afresh else self._from_items(node)

    def _merged(self, node: tuple[int, ...]) -> Counted:
        at = np.array(node, np.int32)
        source = self.sources.finest(at)
        merged = Merged(
            *merge_classes(
                self.codes,
                source=source.representative,
                rows=source.rows,
                extra=source.extra,
                n_values=self.width,
                contributions=self.contributions,
                starts=_at(self.key_starts, node),
                scratch=self.scratch,
            )
        )
        self.sources.remember(at, merged)
        size = merged.rows
        if self.table.unit is not None:
            size = np.count_nonzero(merged.extra[:, self.width :] >= 0, axis=1)
        return Counted(Classes(size, merged.rows), merged.representative, merged.extra)

    def _from_items(self, node: tuple[int, ...]) -> Counted:
        problem = self.problem
        class_of_point, first, classes = classes_at(
            self.table,
            self.lattice.levels_of(node),
            problem.columns,
            reads=problem.reads,
            population=problem.context.population,
        )
        return Counted(classes, first.astype(np.int32), None, class_of_point)

    def judge(self, counted: Counted) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return which classes violate a model, and how many rows of each violate in any refinement.

        Models that look at histograms are asked about the classes that the others leave. Where a model looks at
        the whole table, only the sum of the second is a bound.
        """
        classes, context = counted.classes, self.problem.context
        if self.whole:
            violating = self.problem.violating(classes)
            sharp = np.where(violating, classes.rows, 0)
            return violating, sharp if self.sharp else self.problem.must_suppress(classes)
        violating = np.zeros(len(classes), bool)
        for model in self.size_models:
            violating |= model.violating(classes, context)
        must = np.where(violating, classes.rows, 0)
        left = np.flatnonzero(~violating)
        if not left.shape[0] or not self.other_models:
            return violating, must
        if counted.extra is None:
            left, part = np.arange(len(classes)), classes
        else:
            part = self._part(classes, counted.extra, left)
        fails, most = violating[left], must[left]
        for model in self.other_models:
            fails |= model.violating(part, context)
        if self.sharp:
            most = np.where(fails, part.rows, 0)
        else:
            for model in self.other_models:
                np.maximum(most, model.must_suppress(part, context), out=most)
        violating[left], must[left] = fails, most
        return violating, must

    def _part(self, classes: Classes, extra: NDArray[np.int32], chosen: NDArray[np.int64]) -> Classes:
        histograms = {}
        for (name, j), (start, stop) in zip(self.columns, self.bounds, strict=True):
            hierarchy = self.table.sensitive_hierarchies[j]
            null = hierarchy.n_values - 1 if hierarchy.has_null else None
            entries = dense_to_sparse(extra, chosen, start=start, stop=stop, scratch=self.scratch)
            histograms[name] = Histogram(*entries, null)
        return Classes(classes.size[chosen], classes.rows[chosen], histograms)

    def loss(self, node: tuple[int, ...], counted: Counted, suppressed: NDArray[np.bool_]) -> float:
        """Return the loss of a node whose *suppressed* classes are suppressed."""
        rows = counted.classes.rows
        if self.loss_of_sizes is not None:
            return self.loss_of_sizes.of_sizes(rows[~suppressed], int(rows[suppressed].sum()))
        source, chosen = counted.representative, suppressed
        if not self.by_class and counted.class_of_point is not None:
            source, rows = np.arange(self.table.n_points, dtype=np.int32), self.point_rows
            chosen = suppressed[counted.class_of_point]
        starts = _at(self.gain_starts, node)
        return self.lattice.base_of(node) + gain_of(
            self.codes, source=source, rows=rows, chosen=chosen, gains=self.gains, starts=starts
        )

    def floor(self, must: int) -> float:
        """Return what any release loses that suppresses *must* rows; 0 for losses over cells.

        A loss of sizes is never less for coarser classes, so one row per class is the least of the others.
        """
        n = self.table.n_rows
        if self.loss_of_sizes is None or not must or n > ONES:
            return 0.0
        return self.loss_of_sizes.of_sizes(np.ones(n - must, np.int64), must)

    def full_classes(self, node: tuple[int, ...]) -> Classes:
        """Return the classes of a node with all histograms, counted afresh from the items."""
        return self._from_items(node).classes

    def suppressed_points(self, node: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return the points that a node suppresses."""
        counted = self._merged(node) if self.merges else self._from_items(node)
        # Both ways number classes by their first points.
        class_of_point, _ = self.table.coarsen(self.lattice.levels_of(node))
        mask: NDArray[np.bool_] = self.judge(counted)[0][class_of_point]
        return mask


def _people_that_matter(models: Sequence[PrivacyModel]) -> int:
    """Return how many people of a class decide about every model; 0 where that is not known.

    k-anonymity asks for k of them, and whether l distinct values occur does not depend on who bears them.
    """
    enough = 1
    for model in models:
        if isinstance(model, KAnonymity):
            enough = max(enough, model.k)
        elif not (isinstance(model, LDiversity) and model.kind == "distinct"):
            return 0
    return enough


def _at(starts: list[NDArray[np.int64]], node: tuple[int, ...]) -> NDArray[np.int64]:
    return np.array([column[i] for column, i in zip(starts, node, strict=True)], np.int64)


def _block_starts(shapes: list[tuple[int, ...]]) -> list[NDArray[np.int64]]:
    """Return where each row of each matrix begins when all are laid end to end."""
    starts, begin = [], 0
    for rows, width in shapes:
        starts.append(begin + width * np.arange(rows))
        begin += rows * width
    return starts
