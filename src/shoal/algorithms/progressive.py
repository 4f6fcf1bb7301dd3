"""Progressive local recoding: everybody begins at the leaves, and who is not safe there climbs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.algorithms.boxes import Boxes, Partition, first_boxes
from shoal.algorithms.climbing import Climb, climb
from shoal.algorithms.cuts import Trees, start_boxes
from shoal.algorithms.from_root import least_rows, passing_boxes, published_regions, scale_of
from shoal.algorithms.infeasible import no_box_is_feasible
from shoal.algorithms.joining import Joining, join_nearest
from shoal.algorithms.needs import needs_of
from shoal.algorithms.partition import Rules, partition
from shoal.algorithms.prices import node_prices
from shoal.algorithms.testing import class_tester, count, tester_of
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.protocols import Closure
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, check_choice

__all__ = ["Progressive"]

VARIANTS = ("nearest-join", "level-wise")

PREFERENCES = ("shares", "valid")

TREES = ("nodes", "stars")

CLASSES_PER_BLOCK = 16

PER_COLUMN = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressive:
    """Local recoding from the bottom: classes that fail climb, or join others, until all pass.

    ``"level-wise"``: in each round one column climbs by one node in all records of failing classes: the one
    that leaves the fewest such records, then the one that adds the least loss. Where all of them are at the top,
    the passing class that loses least by it joins them.

    ``"nearest-join"``: the smallest failing class joins another, or takes the fewest rows that it needs off a
    passing one, preferably so that the outcome has no value too often, and then so that least loss is added.

    Parameters
    ----------
    variant : {"nearest-join", "level-wise"}, default "nearest-join"
    labels : {"nodes", "stars"}, default "nodes"
        What a cell may be published as.
    prefer : {"shares", "valid"}, default "shares"
        For ``"nearest-join"``: whether joins come first whose outcome has no value too often, or only those whose
        outcome passes altogether. The second joins far more than it has to where classes are small.
    block : int, default 512
        For ``"nearest-join"``: rows of the smallest box within which classes join, or 16 times the smallest class
        if that is more. Tables with at most twice as many points are one block.

    Raises
    ------
    SpecError
        If a setting is unknown or not positive.

    Notes
    -----
    Optimality: heuristic; no bound.
    Deterministic: yes, whatever the order of rows; it draws nothing at random.
    Cost: ``"level-wise"`` O(levels * n_qi * n_points), the levels being those of all columns together;
    ``"nearest-join"`` O(n_points * block * n_qi).
    Models: any. Parts of classes are taken for k-anonymity, ratio α and frequency l on rows. Where a model has
    closure NONE the table is one block, and what cannot be joined is refused.
    Suppression: only records that violate a model at their column's highest allowed level.

    References
    ----------
    .. [1] Wong, R., Li, J., Fu, A., Wang, K. (2009), (α, k)-anonymous data publishing. The text of its progressive
       algorithm was not at hand; these are two readings of the idea. doi:10.1007/s10844-008-0075-2

    Examples
    --------
    >>> Progressive().variant
    'nearest-join'
    """

    name: ClassVar[str] = "progressive"
    variant: str = "nearest-join"
    labels: str = "nodes"
    prefer: str = "shares"
    block: int = 512

    def __post_init__(self) -> None:
        check_choice("variant", self.variant, VARIANTS)
        if self.labels not in TREES:
            raise SpecError(
                f"progressive recoding publishes {' or '.join(TREES)}, not {self.labels!r}",
                fix='use labels = "nodes", or algorithm "top-down" for ranges and sets',
            )
        check_choice("preference", self.prefer, PREFERENCES)
        if self.block < 1:
            raise SpecError("block must be at least 1", fix="512 is the default")

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes whose classes meet every model of *problem*.

        Raises
        ------
        InfeasibleError
            If the table violates a model even where every column is as general as allowed, and more rows than
            may be suppressed are in the way; for models of closure NONE, if no classes were found that pass.
        """
        trees = Trees.of(table.hierarchies, self.labels, "cut")
        if not table.n_points:
            return Solution(recoding=published_regions(table, Partition(), self.labels, strict=True))
        start = start_boxes(table, trees, self.labels, problem.max_levels)
        points = first_boxes(table, start, by_item=False).wide()
        if problem.closed_under(Closure.UNION):
            tester = tester_of(table, problem, by_item=False)
            points = passing_boxes(points, table, problem, tester, by_item=False)
        prices = node_prices(table, problem, trees)
        if self.variant == "level-wise":
            rules = Climb(trees, prices, class_tester(table, problem, by_item=False), problem.progress)
            found = climb(points, rules)
        else:
            fails = class_tester(table, problem, by_item=True)
            joining = Joining(trees, prices, needs_of(table, problem), self.prefer, fails, problem.progress)
            found = join_nearest(table, self._blocks(table, problem, trees, points), joining)
        if found is None:
            owner = points.owner
            classes = count(
                table, problem.columns, points.record, points.rows, owner, n_classes=len(points), by_item=False
            )
            raise no_box_is_feasible(problem, classes, int(points.rows.sum()))
        return Solution(
            recoding=published_regions(table, found, self.labels, strict=self.variant == "level-wise"),
            statistics={"boxes": found.n_boxes, "rounds": found.n_rounds},
        )

    def _blocks(self, table: FrequencyTable, problem: Problem, trees: Trees, points: Boxes) -> Boxes:
        """Return the boxes within which classes join: each passes as a whole, so that the joining ends."""
        most = max(self.block, CLASSES_PER_BLOCK * least_rows(problem))
        if len(points.record) <= 2 * most or not problem.closed_under(Closure.UNION):
            return points
        rules = Rules(
            trees=trees,
            scale=scale_of(table, problem),
            least=most,
            lend=False,
            deal=False,
            per_column=PER_COLUMN,
            lookahead=0,
            fails=tester_of(table, problem, by_item=False),
            deadline=math.inf,
            progress=lambda _share, _text: None,
        )
        found = partition(points, rules)
        box = np.concatenate(found.box)
        order = np.argsort(box, kind="stable")
        record = np.concatenate(found.record).astype(np.int64)[order]
        starts = np.concatenate([[0], np.cumsum(np.bincount(box))])
        rows = np.concatenate(found.rows).astype(np.int64)[order]
        lo, hi, node = (np.concatenate(of) for of in (found.lo, found.hi, found.node))
        return Boxes(lo, hi, node, starts, np.ascontiguousarray(table.codes[record]), rows, record)
