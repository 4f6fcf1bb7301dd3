"""Testing the models on the two parts of each cut."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes
from shoal.core.classes import Classes
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.kernels.sides import lacking
from shoal.models import KAnonymity, LDiversity

__all__ = ["ClassTester", "Tester", "asks_size_alone", "class_tester", "count", "tester_of"]

Tester = Callable[[Boxes, NDArray[np.int64], NDArray[np.uint8]], NDArray[np.bool_]]
"""``(boxes, some of them, side of each record) -> which parts of these fail``, bool [n, 2]."""

ClassTester = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int], NDArray[np.bool_]]
"""``(records, class of each or -1, rows of each, number of classes) -> which classes fail``, bool [n_classes]."""


def tester_of(table: FrequencyTable, problem: Problem, *, by_item: bool) -> Tester:
    """Return the test of all models of *problem*; *by_item* says that records are items, else points.

    k-anonymity and distinct l only ask for enough different people and values, so a part has passed as soon as
    these have been seen; other models are handed the counts of all parts at once.
    """
    asked = [_asked(table, model) for model in problem.models]
    if all(need is not None for need in asked):
        return _seen_enough(table, [need for need in asked if need is not None], by_item=by_item)

    def fails(boxes: Boxes, some: NDArray[np.int64], side: NDArray[np.uint8]) -> NDArray[np.bool_]:
        place = np.full(len(boxes), -1, np.int64)
        place[some] = np.arange(len(some))
        of_record = np.repeat(place, np.diff(boxes.starts))
        at = np.flatnonzero(of_record >= 0)
        owner = 2 * of_record[at] + side[at]
        record, rows = boxes.record[at], boxes.rows[at]
        classes = count(table, problem.columns, record, rows, owner, n_classes=2 * len(some), by_item=by_item)
        return problem.violating(classes).reshape(-1, 2)

    return fails


def asks_size_alone(table: FrequencyTable, problem: Problem) -> bool:
    """Return whether enough rows are all that a class needs, so that none has to be tested."""
    return table.unit is None and all(isinstance(model, KAnonymity) for model in problem.models)


def class_tester(table: FrequencyTable, problem: Problem, *, by_item: bool) -> ClassTester:
    """Return the test of all models on classes that are given by their records, points or items."""

    def fails(
        record: NDArray[np.int64], class_of: NDArray[np.int64], rows: NDArray[np.int64], n_classes: int
    ) -> NDArray[np.bool_]:
        kept = np.flatnonzero((class_of >= 0) & (rows > 0))
        classes = count(
            table, problem.columns, record[kept], rows[kept], class_of[kept], n_classes=n_classes, by_item=by_item
        )
        return problem.violating(classes)

    return fails


def count(
    table: FrequencyTable,
    sensitive: Sequence[str],
    record: NDArray[np.int64],
    rows: NDArray[np.int64],
    class_of: NDArray[np.int64],
    *,
    n_classes: int,
    by_item: bool,
) -> Classes:
    """Count classes that are given by their records: points, or items with a number of rows."""
    items, counts, owner = record, rows, class_of
    if not by_item:
        per_point = np.diff(table.offsets)[record]
        ahead = np.cumsum(per_point) - per_point
        items = np.arange(per_point.sum()) + np.repeat(table.offsets[record] - ahead, per_point)
        counts, owner = table.counts[items], np.repeat(class_of, per_point)
    return table.classes(owner.astype(np.int32), n_classes, sensitive, items=items, counts=counts)


def _asked(table: FrequencyTable, model: object) -> tuple[int, int, int] | None:
    """Return (column, how many, value that does not count) if that is all the model asks for.

    Column -1 is the person, -2 the row; value -1 is none.
    """
    if type(model) is KAnonymity:
        return (-2 if table.unit is None else -1), model.k, -1
    if type(model) is LDiversity and model.kind == "distinct" and model.sensitive in table.sensitive_names:
        j = table.sensitive_names.index(model.sensitive)
        hierarchy = table.sensitive_hierarchies[j]
        null = hierarchy.n_values - 1 if hierarchy.has_null and not model.count_nulls else -1
        return j, int(model.threshold), null
    return None


def _seen_enough(table: FrequencyTable, asked: Sequence[tuple[int, int, int]], *, by_item: bool) -> Tester:
    unit = np.empty(0, np.int64) if table.unit is None else table.unit
    column = np.array([need[0] for need in asked], np.int64)
    needed = np.array([need[1] for need in asked], np.int64)
    skipped = np.array([need[2] for need in asked], np.int64)
    offsets = np.arange(table.n_items + 1) if by_item else table.offsets
    largest = max([table.n_units, *(hierarchy.n_values for hierarchy in table.sensitive_hierarchies)])
    memory = threading.local()

    def fails(boxes: Boxes, some: NDArray[np.int64], side: NDArray[np.uint8]) -> NDArray[np.bool_]:
        failing = np.empty((len(some), 2), np.bool_)
        if not hasattr(memory, "mark"):
            # Marks carry the number of the part that saw a value, so they need no clearing between parts.
            memory.mark, memory.stamp = np.zeros(largest, np.int64), np.zeros(1, np.int64)
        lacking(
            boxes.record, boxes.rows, boxes.starts, some, side, offsets, table.sensitive, unit,
            column, needed, skipped, memory.mark, memory.stamp, failing,
        )  # fmt: skip
        return failing

    return fails
