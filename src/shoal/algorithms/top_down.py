"""Top-down local recoding: everybody begins at the roots and goes down as far as the models allow."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes, Partition, first_boxes
from shoal.algorithms.cuts import FITS, LABELS, Trees, start_boxes
from shoal.algorithms.from_root import least_rows, passing_boxes, published_regions, scale_of
from shoal.algorithms.needs import Needs, needs_of
from shoal.algorithms.partition import Rules, partition
from shoal.algorithms.prices import node_prices
from shoal.algorithms.settling import Settling, settle
from shoal.algorithms.specializing import Descent, heights_of, specialize
from shoal.algorithms.testing import asks_size_alone, class_tester, tester_of
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.protocols import Closure
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError, check_choice

__all__ = ["TopDown"]

REMAINDERS = ("specialize", "publish")

NEIGHBOURHOOD = 60
"""Rows of the smallest neighbourhood within which records change their class, in classes of the least size."""

PER_COLUMN = 64

TREE_LABELS = ("nodes", "stars")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopDown:
    """Local recoding from the top: records go down the trees, and those that cannot stay behind.

    With ``remainder="publish"`` a box goes down one column at a time, all of its children at once. Children
    that fail return and form the remainder, joined by tuples of the other children if it fails itself, and the
    remainder is published as it is. The column is the one by which most tuples go down, then the one with the
    fewest branches, the highest one, the first one.

    With ``remainder="specialize"`` what is left of a box goes on along the other columns. A node sheds one
    child at a time, as in :class:`Mondrian`, and in the end records leave classes for neighbours in which they
    cost less. Where shares of sensitive values are bounded it is also tried to let all children go down at
    once, along the column that saves most times the share of tuples that go; the better of the two is returned.

    Parameters
    ----------
    labels : {"nodes", "ranges", "sets", "stars"}, default "nodes"
        What a cell may be published as. Ranges and sets are cut between any two codes, at the median when
        remainders are published.
    remainder : {"specialize", "publish"}, default "specialize"
        What becomes of tuples that cannot follow the others.
    lookahead : int, default 3
        For ``"specialize"``: how many cuts of a small box are followed to the end before one is chosen; 0 takes a
        third of the time. Not used where shares of sensitive values are bounded.
    boxes : {"fit", "cut", "tight"}, default "fit"
        How far ranges and sets shrink to their records, as in :class:`Mondrian`.

    Raises
    ------
    SpecError
        If a setting is unknown or negative.

    Notes
    -----
    Optimality: heuristic; no bound. Single children are ranked by leaves (loss ``ncp``), whatever the objective;
    all children at once by the objective, where it is a loss over cells and sides are nodes.
    Deterministic: yes, whatever the order of rows; it draws nothing at random.
    Cost: O(levels * n_items * n_qi), and a test of the models on all boxes of a level at once.
    Models: any. Single tuples return to a remainder for k-anonymity, ratio α and frequency l on rows, in closed
    form on counts; for other models whole children do. Where a model has closure NONE no records are lent or
    moved, and a table that fails as a whole is still tried, with remainders published.
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
        check_choice("labels", self.labels, LABELS)
        check_choice("remainder", self.remainder, REMAINDERS)
        check_choice("boxes", self.boxes, FITS)
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
        trees = Trees.of(table.hierarchies, self.labels, self.boxes)
        if not table.n_points:
            return Solution(recoding=published_regions(table, Partition(), self.labels, strict=True))
        needs = needs_of(table, problem)
        bounded = needs is not None and needs.column >= 0
        # Where shares are bounded the other way is mostly the better one, so this one need not go far.
        rules = replace(self._shedding(table, problem, trees), lookahead=0 if bounded else self.lookahead)
        start = start_boxes(table, trees, self.labels, problem.max_levels)
        tried: list[tuple[Partition, bool]] = []
        if self.remainder == "specialize":
            with suppress(*(() if rules.lend else (InfeasibleError,))):
                points = first_boxes(table, start, by_item=False)
                found = _shed(table, problem, points, rules)
                if rules.lend and not bounded:
                    found = _settled(found, table, problem, points, rules)
                tried.append((found, False))
        if not tried or bounded:
            items = first_boxes(table, start, by_item=True).wide()
            tried.append((self._all_children(table, problem, items, needs, rules), True))
        found, by_item = tried[0]
        if len(tried) > 1:
            prices = _prices(table, problem, trees, self.labels)
            found, by_item = min(tried, key=lambda each: _lost(each[0], rules, prices))
        return Solution(
            recoding=published_regions(table, found, self.labels, strict=not by_item),
            statistics={
                "boxes": found.n_boxes,
                "rounds": found.n_rounds,
                "cuts tested": found.n_tested,
                "records moved": found.n_moved,
                "out of time": found.out_of_time,
            },
        )

    def _shedding(self, table: FrequencyTable, problem: Problem, trees: Trees) -> Rules:
        """Return how nodes shed one child at a time, also for the neighbourhoods of the settling."""
        return Rules(
            trees=trees,
            scale=scale_of(table, problem),
            least=least_rows(problem),
            lend=problem.closed_under(Closure.UNION),
            deal=False,
            per_column=PER_COLUMN,
            lookahead=0,
            fails=None if asks_size_alone(table, problem) else tester_of(table, problem, by_item=False),
            deadline=math.inf if problem.budget_s is None else time.monotonic() + problem.budget_s,
            progress=problem.progress,
        )

    def _all_children(
        self,
        table: FrequencyTable,
        problem: Problem,
        boxes: Boxes,
        needs: Needs | None,
        rules: Rules,
    ) -> Partition:
        """Return the boxes that are left when all children of a node go down at once."""
        items = np.arange(table.n_items)
        descent = Descent(
            trees=rules.trees,
            heights=heights_of(table.hierarchies, rules.trees, self.labels),
            needs=needs,
            fails=class_tester(table, problem, by_item=True),
            group=items if needs is None else needs.groups(table, items),
            # Remainders that go on may come to equal another box, which has to pass together with them.
            scale=rules.scale if self.remainder == "specialize" and rules.lend else None,
            prices=_prices(table, problem, rules.trees, self.labels),
            deadline=rules.deadline,
            progress=problem.progress,
        )
        if not problem.closed_under(Closure.UNION):
            # Finer classes may pass where the whole fails.
            failing = descent.fails(boxes.record, boxes.owner, boxes.rows, len(boxes))
            found = specialize(boxes, descent, failing=failing)
            if found is not None:
                return found
        boxes = passing_boxes(boxes, table, problem, tester_of(table, problem, by_item=True), by_item=True)
        found = specialize(boxes, descent, failing=np.zeros(len(boxes), bool))
        return Partition() if found is None else found


def _prices(table: FrequencyTable, problem: Problem, trees: Trees, labels: str) -> NDArray[np.float64] | None:
    """Return what a row costs at each node, or None where sides are intervals within nodes."""
    return node_prices(table, problem, trees) if labels in TREE_LABELS else None


def _lost(found: Partition, rules: Rules, prices: NDArray[np.float64] | None) -> float:
    """Return what all cells cost: their widths, or the prices of their nodes."""
    if not found.n_boxes:
        return 0.0
    if prices is None:
        cost = (np.concatenate(found.hi) - np.concatenate(found.lo)) @ rules.scale
    else:
        cost = prices[np.concatenate(found.node)].sum(axis=1)
    return float(cost[np.concatenate(found.box)] @ np.concatenate(found.rows))


def _shed(table: FrequencyTable, problem: Problem, points: Boxes, rules: Rules) -> Partition:
    """Shed one child at a time."""
    fails = tester_of(table, problem, by_item=False)
    return partition(passing_boxes(points, table, problem, fails, by_item=False), rules)


def _settled(found: Partition, table: FrequencyTable, problem: Problem, points: Boxes, rules: Rules) -> Partition:
    """Let records move between neighbours.

    These are the records of a coarse box, so that the time grows with the records alone.
    """
    coarse = replace(
        rules, least=NEIGHBOURHOOD * rules.least, fails=None, lookahead=0, progress=lambda _share, _text: None
    )
    near = partition(points, coarse)
    hood = np.empty(table.n_points, np.int64)
    hood[np.concatenate(near.record)] = np.concatenate(near.box)
    settling = Settling(
        trees=rules.trees,
        leaf=rules.trees.leaves(table.codes),
        scale=rules.scale,
        least=rules.least,
        hood=hood,
        fails=None if rules.fails is None else class_tester(table, problem, by_item=False),
        deadline=rules.deadline,
    )
    return settle(found, table.codes, settling)
