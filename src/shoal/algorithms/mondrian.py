"""Mondrian: cut boxes of records as long as all parts pass."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes, Partition, first_boxes
from shoal.algorithms.cuts import FITS, Trees, start_boxes
from shoal.algorithms.infeasible import no_box_is_feasible
from shoal.algorithms.partition import Rules, partition
from shoal.algorithms.testing import Tester, count, tester_of
from shoal.core.protocols import Closure, Problem, Solution
from shoal.core.recoding import SUPPRESSED, Regions
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, nearest_name
from shoal.models import KAnonymity

__all__ = ["Mondrian"]

LABELS = ("nodes", "ranges", "sets", "stars")

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Mondrian:
    """Multidimensional recoding: boxes of records are cut, level by level, as long as both parts pass.

    Every cut is the one that narrows the cells most among those whose parts pass all models: in proportion to the
    width of the column, with a bonus for uneven parts and a malus for rows that no class needs. With ``labels``
    ``"ranges"`` and ``"sets"`` a side is cut between any two codes. With ``"nodes"`` a node sheds one child; the
    other records keep its label, and if they are too few, some records of the child stay with them. ``"stars"``
    does the same in a tree of leaves below ``*``. Missing and present values part in the same way.

    Parameters
    ----------
    labels : {"nodes", "ranges", "sets", "stars"}, default "nodes"
        What a cell may be published as.
    strict : bool, default True
        Whether records with equal quasi-identifiers are always published alike. Where not, rows of one value at
        the median may go to either side, so that skewed columns are cut too.
    boxes : {"fit", "cut", "tight"}, default "fit"
        For ranges and sets. ``"cut"``: boxes tile the domain, however few values occur in each. ``"fit"``: sides
        of nominal columns end at values that occur, as do sides whose records agree in one value; sides of
        ordered columns tell no minimum or maximum otherwise. ``"tight"``: each side ends at values that occur.
    cuts_per_column : int, default 64
        How many cuts of each column are tested on the models, best first, before a box is left whole; fewer, but
        at least three, where the table is large.
    lookahead : int, default 0
        How many cuts of a small box are followed to the end before one is chosen. 6 lowers the loss by about a
        tenth and takes ten to twenty times as long.

    Raises
    ------
    SpecError
        If a setting is unknown or not positive.

    Notes
    -----
    Optimality: heuristic; no bound. Cuts are ranked by leaves (loss ``ncp``), whatever the objective.
    Deterministic: yes, whatever the order of rows; it draws nothing at random.
    Cost: O(levels * n_points * n_qi); models other than k-anonymity and distinct l add counts of all items.
    Models: any. Where a model has closure NONE no rows are lent or dealt, so that no two boxes become one class.
    Suppression: only records that violate a model at their column's highest allowed level.

    References
    ----------
    .. [1] LeFevre, K., DeWitt, D., Ramakrishnan, R. (2006), Mondrian multidimensional k-anonymity.
       doi:10.1109/ICDE.2006.101

    Examples
    --------
    >>> Mondrian(labels="ranges").strict
    True
    """

    name: ClassVar[str] = "mondrian"
    labels: str = "nodes"
    strict: bool = True
    boxes: str = "fit"
    cuts_per_column: int = 64
    lookahead: int = 0

    def __post_init__(self) -> None:
        if self.labels not in LABELS:
            raise SpecError(f"unknown labels {self.labels!r}", fix=nearest_name(self.labels, LABELS))
        if self.boxes not in FITS:
            raise SpecError(f"unknown boxes {self.boxes!r}", fix=nearest_name(self.boxes, FITS))
        if self.cuts_per_column < 1:
            raise SpecError("cuts_per_column must be at least 1", fix="64 is the default")
        if self.lookahead < 0:
            raise SpecError("lookahead must not be negative", fix="0 looks at one cut at a time")

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes whose classes meet every model of *problem*.

        Raises
        ------
        InfeasibleError
            If the table violates a model even where every column is as general as allowed, and more rows than
            may be suppressed are in the way.
        """
        started = time.monotonic()
        trees = Trees.of(table.hierarchies, self.labels, self.boxes)
        if not table.n_points:
            return Solution(recoding=_regions(table, Partition(), self.labels, strict=True))
        by_item = not self.strict
        fails = tester_of(table, problem, by_item=by_item)
        start = start_boxes(table, trees, self.labels, problem.max_levels)
        boxes = _start(first_boxes(table, start, by_item=by_item), table, problem, fails, by_item=by_item)
        joins = problem.closed_under(Closure.UNION)
        size_is_all = table.unit is None and all(isinstance(model, KAnonymity) for model in problem.models)
        rules = Rules(
            trees=trees,
            scale=_scale(table, problem),
            least=_least(problem),
            lend=joins,
            deal=joins and not self.strict,
            per_column=self.cuts_per_column,
            lookahead=self.lookahead,
            fails=None if size_is_all else fails,
            deadline=math.inf if problem.budget_s is None else started + problem.budget_s,
            progress=problem.progress,
        )
        found = partition(boxes, rules)
        return Solution(
            recoding=_regions(table, found, self.labels, strict=self.strict),
            statistics={
                "boxes": found.n_boxes,
                "rounds": found.n_rounds,
                "cuts tested": found.n_tested,
                "out of time": found.out_of_time,
            },
        )


def _scale(table: FrequencyTable, problem: Problem) -> NDArray[np.float64]:
    """Return the loss of one code of width per row of each column, float64 [n_qi]."""
    return np.array(
        [
            problem.weights.get(name, 1.0) / max(1, hierarchy.n_values - 1)
            for name, hierarchy in zip(table.names, table.hierarchies, strict=True)
        ]
    )


def _least(problem: Problem) -> int:
    """Return how many rows every class needs at the very least: k of them for k people, l for l values."""
    least = 1
    for model in problem.models:
        if model.name in {"k-anonymity", "alpha-k-anonymity"}:
            least = max(least, int(getattr(model, "k", None) or 1))
        elif model.name == "l-diversity":
            least = max(least, math.ceil(model.required - TOLERANCE))
    return least


def _start(boxes: Boxes, table: FrequencyTable, problem: Problem, fails: Tester, *, by_item: bool) -> Boxes:
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


def _regions(table: FrequencyTable, found: Partition, labels: str, *, strict: bool) -> Regions:
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
