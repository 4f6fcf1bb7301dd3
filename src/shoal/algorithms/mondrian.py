"""Mondrian: cut boxes of records as long as all parts pass."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.algorithms.boxes import Partition, first_boxes
from shoal.algorithms.cuts import FITS, LABELS, Places, Trees, check_cuts, start_boxes
from shoal.algorithms.from_root import least_rows, passing_boxes, published_regions, scale_of
from shoal.algorithms.partition import Rules, partition
from shoal.algorithms.testing import asks_size_alone, tester_of
from shoal.core.algorithm import Solution, check_support
from shoal.core.problem import Problem
from shoal.core.protocols import Closure
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, check_choice

__all__ = ["Mondrian"]


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
    cuts : {"gain", "widest"}, default "gain"
        Which cut is tried first. ``"gain"``: as above. ``"widest"``: as Mondrian was published, the column whose
        records span most of it, beside its median or into the children of its node; nothing is lent or dealt.
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
    Models: any of scope class that counts no population. Where a model has closure NONE no rows are lent or
    dealt, so that no two boxes become one class.
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
    cuts: str = "gain"
    cuts_per_column: int = 64
    lookahead: int = 0

    def __post_init__(self) -> None:
        check_choice("labels", self.labels, LABELS)
        check_choice("boxes", self.boxes, FITS)
        check_cuts(self.cuts, self.cuts_per_column)
        if self.lookahead < 0:
            raise SpecError("lookahead must not be negative", fix="0 looks at one cut at a time")

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes whose classes meet every model of *problem*.

        Raises
        ------
        InfeasibleError
            If the table violates a model even where every column is as general as allowed, and more rows than
            may be suppressed are in the way.
        SpecError
            If a model is about the whole table or a population.
        """
        check_support(self, problem.models)
        started = time.monotonic()
        trees = Trees.of(table.hierarchies, self.labels, self.boxes)
        if not table.n_points:
            return Solution(recoding=published_regions(table, Partition(), self.labels, strict=True))
        by_item = not self.strict
        fails = tester_of(table, problem, by_item=by_item)
        start = start_boxes(table, trees, self.labels, problem.max_levels)
        boxes = passing_boxes(first_boxes(table, start, by_item=by_item), table, problem, fails, by_item=by_item)
        widest = self.cuts == "widest"
        joins = problem.closed_under(Closure.UNION) and not widest
        rules = Rules(
            trees=trees,
            scale=scale_of(table, problem),
            least=least_rows(problem),
            lend=joins,
            deal=joins and not self.strict,
            per_column=self.cuts_per_column,
            lookahead=self.lookahead,
            fails=None if asks_size_alone(table, problem) else fails,
            deadline=math.inf if problem.budget_s is None else started + problem.budget_s,
            progress=problem.progress,
            places=Places.of(table) if widest else None,
        )
        found = partition(boxes, rules)
        return Solution(
            recoding=published_regions(table, found, self.labels, strict=self.strict),
            statistics={
                "boxes": found.n_boxes,
                "rounds": found.n_rounds,
                "cuts tested": found.n_tested,
                "out of time": found.out_of_time,
            },
        )
