"""Counting lattice nodes: from the nearest finer node that is still remembered, or from the points."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.lattice import Lattice
from shoal.core.classes import Classes, Histogram
from shoal.core.population import classes_at
from shoal.core.protocols import ClassLoss, Closure, Problem
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import KEY_LIMIT
from shoal.kernels.lattice import Scratch, dense_to_sparse, finest_source, gain_of, merge_classes

__all__ = ["Counted", "NodeCounter"]

REMEMBERED = 512
"""Largest number of nodes whose classes are kept as sources for coarser ones."""

MEMORY = 1 << 25
"""Largest number of entries (classes times one plus values) that these nodes hold together."""


ONES = 1 << 20
"""Largest table for which a loss of sizes is bounded by classes of one row each."""


@dataclass(frozen=True, eq=False)
class Counted:
    """The classes of one node.

    Parameters
    ----------
    classes : Classes
        Without histograms where *histogram* has them.
    representative : int32 [n_classes]
        One point of each class.
    histogram : int32 [n_classes, n_values] or None
        Counts of the sensitive columns side by side, where the node was merged from a finer one.
    class_of_point : int32 [n_points] or None
        Where the node was counted from the items.
    """

    classes: Classes
    representative: NDArray[np.int32]
    histogram: NDArray[np.int32] | None
    class_of_point: NDArray[np.int32] | None = None


class NodeCounter:
    """Counts nodes of a lattice and prices suppression at them.

    Rows add up over points, so classes of a finer node can be merged; people do not, and histograms of very
    long domains are too wide to keep, so these are counted from the items each time.
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
        keys_fit = prod(column.n_groups[0] for column in lattice.columns) <= KEY_LIMIT
        narrow = table.n_points * sum(widths) <= MEMORY and table.n_rows < np.iinfo(np.int32).max
        self.loss_of_sizes = problem.loss if isinstance(problem.loss, ClassLoss) else None
        self.by_class = self.loss_of_sizes is not None or lattice.prices_by_class
        self.merges = table.unit is None and keys_fit and narrow and self.by_class and not self.whole
        self._prepare_gains()
        if self.merges:
            self._prepare_keys()
            self._prepare_sources(sum(widths))

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

    def _prepare_sources(self, width: int) -> None:
        table = self.table
        histogram = np.zeros((table.n_points, width), np.int32)
        point = table.point_of_item
        for (_, j), (start, _stop) in zip(self.columns, self.bounds, strict=True):
            np.add.at(histogram, (point, start + table.sensitive[:, j]), table.counts.astype(np.int32))
        self.scratch = Scratch(table.n_points, width)
        self.capacity = REMEMBERED
        self.levels = np.zeros((self.capacity, table.n_qi), np.int32)
        self.sizes = np.zeros(self.capacity, np.int64)
        self.sizes[0] = table.n_points
        self.sources = [(np.arange(table.n_points, dtype=np.int32), self.point_rows, histogram)]
        self.entries = 0
        self.oldest = 1

    def count(self, node: tuple[int, ...]) -> Counted:
        """Count the classes of a node."""
        self.counted += 1
        return self._merged(node) if self.merges else self._from_items(node)

    def _merged(self, node: tuple[int, ...]) -> Counted:
        at = np.array(node, np.int32)
        source, rows, histogram = self.sources[
            finest_source(self.levels, sizes=self.sizes, n=len(self.sources), node=at)
        ]
        starts = np.array([starts[i] for starts, i in zip(self.key_starts, node, strict=True)], np.int64)
        found = merge_classes(
            self.codes,
            source=source,
            rows=rows,
            histogram=histogram,
            contributions=self.contributions,
            starts=starts,
            scratch=self.scratch,
        )
        self._remember(at, found)
        representative, rows, histogram = found
        return Counted(Classes(rows, rows), representative, histogram)

    def _remember(
        self, node: NDArray[np.int32], found: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]
    ) -> None:
        size = found[0].shape[0] * (1 + found[2].shape[1])
        if self.entries + size > MEMORY:
            return
        if len(self.sources) < self.capacity:
            slot = len(self.sources)
            self.sources.append(found)
        else:
            slot = self.oldest
            self.oldest = self.oldest % (self.capacity - 1) + 1
            old = self.sources[slot]
            self.entries -= old[0].shape[0] * (1 + old[2].shape[1])
            self.sources[slot] = found
        self.levels[slot] = node
        self.sizes[slot] = found[0].shape[0]
        self.entries += size

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
        if counted.histogram is None:
            left, part = np.arange(len(classes)), classes
        else:
            part = self._part(classes, counted.histogram, left)
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

    def _part(self, classes: Classes, histogram: NDArray[np.int32], chosen: NDArray[np.int64]) -> Classes:
        histograms = {}
        for (name, j), (start, stop) in zip(self.columns, self.bounds, strict=True):
            hierarchy = self.table.sensitive_hierarchies[j]
            null = hierarchy.n_values - 1 if hierarchy.has_null else None
            entries = dense_to_sparse(histogram, chosen, start=start, stop=stop, scratch=self.scratch)
            histograms[name] = Histogram(*entries, null)
        rows = classes.rows[chosen]
        return Classes(rows, rows, histograms)

    def loss(self, node: tuple[int, ...], counted: Counted, suppressed: NDArray[np.bool_]) -> float:
        """Return the loss of a node whose *suppressed* classes are suppressed."""
        rows = counted.classes.rows
        if self.loss_of_sizes is not None:
            return self.loss_of_sizes.of_sizes(rows[~suppressed], int(rows[suppressed].sum()))
        source, chosen = counted.representative, suppressed
        if not self.by_class and counted.class_of_point is not None:
            source, rows = np.arange(self.table.n_points, dtype=np.int32), self.point_rows
            chosen = suppressed[counted.class_of_point]
        starts = np.array([starts[i] for starts, i in zip(self.gain_starts, node, strict=True)], np.int64)
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
        """Return the points that a node suppresses, counted afresh from the items."""
        counted = self._from_items(node)
        mask: NDArray[np.bool_] = self.problem.violating(counted.classes)[counted.class_of_point]
        return mask


def _block_starts(shapes: list[tuple[int, ...]]) -> list[NDArray[np.int64]]:
    """Return where each row of each matrix begins when all are laid end to end."""
    starts, begin = [], 0
    for rows, width in shapes:
        starts.append(begin + width * np.arange(rows))
        begin += rows * width
    return starts
