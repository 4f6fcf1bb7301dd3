"""What local recodings that begin at the root share: the boxes they start from, and the regions they publish."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes, Partition
from shoal.algorithms.infeasible import no_box_is_feasible
from shoal.algorithms.testing import Tester, count
from shoal.core.problem import Problem
from shoal.core.regions import SUPPRESSED, Regions
from shoal.core.table import FrequencyTable

__all__ = ["least_rows", "passing_boxes", "published_regions", "scale_of"]

TOLERANCE = 1e-9


def scale_of(table: FrequencyTable, problem: Problem) -> NDArray[np.float64]:
    """Return the loss of one code of width per row of each column, float64 [n_qi]."""
    return np.array(
        [
            problem.weights.get(name, 1.0) / max(1, hierarchy.n_values - 1)
            for name, hierarchy in zip(table.names, table.hierarchies, strict=True)
        ]
    )


def least_rows(problem: Problem) -> int:
    """Return how many rows every class needs at the very least: k of them for k people, l for l values."""
    least = 1
    for model in problem.models:
        if model.name in {"k-anonymity", "alpha-k-anonymity"}:
            least = max(least, int(getattr(model, "k", None) or 1))
        elif model.name == "l-diversity":
            least = max(least, math.ceil(model.required - TOLERANCE))
    return least


def passing_boxes(boxes: Boxes, table: FrequencyTable, problem: Problem, fails: Tester, *, by_item: bool) -> Boxes:
    """Return the boxes that pass, if the others may be suppressed."""
    nowhere = np.zeros(len(boxes.record), np.uint8)
    failing = fails(boxes, np.arange(len(boxes)), nowhere)[:, 0]
    lost = int(boxes.rows[failing[boxes.owner]].sum())
    if failing.all() or lost > problem.allowed:
        classes = count(
            table, problem.columns, boxes.record, boxes.rows, boxes.owner, n_classes=len(boxes), by_item=by_item
        )
        raise no_box_is_feasible(problem, classes, lost)
    return boxes.only(np.flatnonzero(~failing))


def published_regions(table: FrequencyTable, found: Partition, labels: str, *, strict: bool) -> Regions:
    """Return the boxes and shares of a partition, normalized."""
    n_qi = table.n_qi
    lo = np.concatenate([*found.lo, np.empty((0, n_qi), np.int32)])
    hi = np.concatenate([*found.hi, np.empty((0, n_qi), np.int32)])
    record = np.concatenate([*found.record, np.empty(0, np.int64)])
    box = np.concatenate([*found.box, np.empty(0, np.int64)]).astype(np.int32)
    if strict:
        of_point = np.full(table.n_points, SUPPRESSED, np.int32)
        of_point[record] = box
        region, rows = of_point[table.point_of_item], table.counts
        offsets = np.arange(table.n_items + 1)
    else:
        lost = np.setdiff1d(np.arange(table.n_items), record)
        record = np.concatenate([record, lost])
        box = np.concatenate([box, np.full(len(lost), SUPPRESSED, np.int32)])
        rows = np.concatenate([*found.rows, table.counts[lost]])
        order = np.lexsort((box, record))
        region, rows = box[order], rows[order]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(record, minlength=table.n_items))]).astype(np.int64)
    return Regions(lo, hi, offsets, region, rows, labels).normalized(table.hierarchies)
