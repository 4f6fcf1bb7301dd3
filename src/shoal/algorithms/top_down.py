"""Top-down local recoding: everybody begins at the roots and goes down as far as the models allow."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.algorithms.boxes import Boxes, Partition, first_boxes
from shoal.algorithms.cuts import FITS, LABELS, Trees, start_boxes
from shoal.algorithms.from_root import least_rows, passing_boxes, published_regions, scale_of
from shoal.algorithms.infeasible import no_box_is_feasible
from shoal.algorithms.needs import needs_of
from shoal.algorithms.partition import Rules, partition
from shoal.algorithms.settling import Settling, settle
from shoal.algorithms.specializing import Descent, heights_of, specialize
from shoal.algorithms.testing import class_tester, count, tester_of
from shoal.core.protocols import Closure, Problem, Solution
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, nearest_name
from shoal.models import KAnonymity

__all__ = ["TopDown"]

REMAINDERS = ("specialize", "publish")

NEIGHBOURHOOD = 60
"""Rows of the smallest neighbourhood within which records change their class, in classes of the least size."""

PER_COLUMN = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class TopDown:
    """Local recoding from the top: records go down the trees, and those that cannot stay behind.

    With ``remainder="publish"`` a box goes down one column at a time, all of its children at once. Children that
    fail return and form the remainder, joined by tuples of the other children if it fails itself, and the remainder
    is published as it is. The column is the one by which most tuples go down, then the one with the fewest
    branches, the highest one, the first one.

    With ``remainder="specialize"`` what is left of a box goes on along the other columns: a node sheds one child at
    a time, the one that saves most. In the end records leave classes for neighbours in which they cost less.

    Parameters
    ----------
    labels : {"nodes", "ranges", "sets", "stars"}, default "nodes"
        What a cell may be published as. Ranges and sets are cut between any two codes, at the median when
        remainders are published.
    remainder : {"specialize", "publish"}, default "specialize"
        What becomes of tuples that cannot follow the others.
    lookahead : int, default 3
        For ``"specialize"``: how many cuts of a small box are followed to the end before one is chosen; 0 takes a
        fifth of the time.
    boxes : {"fit", "cut", "tight"}, default "fit"
        How far ranges and sets shrink to their records, as in :class:`Mondrian`.

    Raises
    ------
    SpecError
        If a setting is unknown or negative.

    Notes
    -----
    Optimality: heuristic; no bound.
    Deterministic: yes, whatever the order of rows; it draws nothing at random.
    Cost: O(levels * n_items * n_qi), and a test of the models on all boxes of a level at once.
    Models: any. Single tuples return to a remainder for k-anonymity, ratio α and frequency l on rows, in closed form
    on counts; for other models whole children do. Where a model has closure NONE no records are lent or moved, and a
    table that fails as a whole is still tried once with remainders published.
    Suppression: only records that violate a model at their column's highest allowed level.

    References
    ----------
    .. [1] Wong, R., Li, J., Fu, A., Wang, K. (2006), (α, k)-anonymity: an enhanced k-anonymity model for
       privacy preserving data publishing. doi:10.1145/1150402.1150499

    Examples
    --------
    >>> TopDown(remainder="publish").labels
    'nodes'
    """

    name: ClassVar[str] = "top-down"
    labels: str = "nodes"
    remainder: str = "specialize"
    lookahead: int = 3
    boxes: str = "fit"

    def __post_init__(self) -> None:
        if self.labels not in LABELS:
            raise SpecError(f"unknown labels {self.labels!r}", fix=nearest_name(self.labels, LABELS))
        if self.remainder not in REMAINDERS:
            raise SpecError(f"unknown remainder {self.remainder!r}", fix=nearest_name(self.remainder, REMAINDERS))
        if self.boxes not in FITS:
            raise SpecError(f"unknown boxes {self.boxes!r}", fix=nearest_name(self.boxes, FITS))
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
        deadline = math.inf if problem.budget_s is None else time.monotonic() + problem.budget_s
        trees = Trees.of(table.hierarchies, self.labels, self.boxes)
        publish = self.remainder == "publish"
        found = Partition()
        if table.n_points:
            sides = start_boxes(table, trees, self.labels, problem.max_levels)
            first = first_boxes(table, sides, by_item=publish)
            descend = self._published if publish else self._specialized
            found = descend(table, problem, trees, first, deadline)
        return Solution(
            recoding=published_regions(table, found, self.labels, strict=not publish),
            statistics={
                "boxes": found.n_boxes,
                "rounds": found.n_rounds,
                "cuts tested": found.n_tested,
                "records moved": found.n_moved,
                "out of time": found.out_of_time,
            },
        )

    def _published(
        self, table: FrequencyTable, problem: Problem, trees: Trees, boxes: Boxes, deadline: float
    ) -> Partition:
        needs = needs_of(table, problem)
        items = np.arange(table.n_items)
        rules = Descent(
            trees=trees,
            heights=heights_of(table.hierarchies, trees, self.labels),
            needs=needs,
            fails=class_tester(table, problem, by_item=True),
            group=items if needs is None else needs.groups(table, items),
            deadline=deadline,
            progress=problem.progress,
        )
        failing = rules.fails(boxes.record, boxes.owner, boxes.rows, len(boxes))
        if failing.any() and not problem.closed_under(Closure.UNION):
            # Finer classes may pass where the whole fails.
            found = specialize(boxes, rules, failing=failing)
            if found is not None:
                return found
        if failing.any():
            lost = int(boxes.rows[failing[boxes.owner]].sum())
            if failing.all() or lost > problem.allowed:
                classes = count(
                    table, problem.columns, boxes.record, boxes.rows, boxes.owner, n_classes=len(boxes), by_item=True
                )
                raise no_box_is_feasible(problem, classes, lost)
            boxes = boxes.only(np.flatnonzero(~failing))
        found = specialize(boxes, rules, failing=np.zeros(len(boxes), bool))
        return Partition() if found is None else found

    def _specialized(
        self, table: FrequencyTable, problem: Problem, trees: Trees, boxes: Boxes, deadline: float
    ) -> Partition:
        fails = tester_of(table, problem, by_item=False)
        boxes = passing_boxes(boxes, table, problem, fails, by_item=False)
        size_is_all = table.unit is None and all(isinstance(model, KAnonymity) for model in problem.models)
        joins = problem.closed_under(Closure.UNION)
        least = least_rows(problem)
        rules = Rules(
            trees=trees,
            scale=scale_of(table, problem),
            least=least,
            lend=joins,
            deal=False,
            per_column=PER_COLUMN,
            lookahead=self.lookahead,
            fails=None if size_is_all else fails,
            deadline=deadline,
            progress=problem.progress,
        )
        found = partition(boxes, rules)
        if not joins:
            return found
        # Neighbours are the records of a coarse box, so that the time grows with the records alone.
        coarse = replace(rules, least=NEIGHBOURHOOD * least, fails=None, lookahead=0, progress=lambda *_: None)
        near = partition(boxes, coarse)
        hood = np.zeros(table.n_points, np.int64)
        hood[np.concatenate(near.record)] = np.concatenate(near.box)
        return settle(
            found,
            table.codes,
            Settling(
                trees=trees,
                leaf=trees.leaves(table.codes),
                scale=rules.scale,
                least=least,
                hood=hood,
                fails=None if size_is_all else class_tester(table, problem, by_item=False),
                deadline=deadline,
            ),
        )
