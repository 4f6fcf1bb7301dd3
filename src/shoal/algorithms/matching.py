"""Matching: the optimum for two sensitive values, as pairs of least cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.line import Line, regions_of_shares
from shoal.algorithms.trimming import with_one_residue
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.protocols import CellLoss, LossMetric
from shoal.core.regions import Regions, publishable
from shoal.core.table import FrequencyTable
from shoal.errors import EngineError, InfeasibleError, SpecError, check_choice
from shoal.models import KAnonymity, LDiversity

__all__ = ["Matching"]

LABELS = ("nodes", "ranges", "sets", "stars")

MOST_PAIRS = 25_000_000
"""Pairs of rows whose costs are held in memory at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """The least loss for 2-diversity on two sensitive values: each row is paired with one of the other value.

    Both values must be equally frequent in every class, so a class falls into pairs of one row of each, whose
    boxes are no wider than its own. The optimum is then a matching of least cost, found in polynomial time; with
    three values or more the problem is NP-hard.

    Parameters
    ----------
    labels : {"stars", "nodes", "ranges", "sets"}, default "stars"
        What a cell may be published as.

    Raises
    ------
    SpecError
        If the labels are unknown.

    Notes
    -----
    Optimality: optimal among all recodings with these labels, for any loss over cells.
    Deterministic: yes, whatever the order of rows.
    Cost: O(n^3) for n rows, and memory for n^2 / 4 costs. Rows that differ in their value alone are paired
    beforehand, where costs obey the triangle inequality.
    Models: frequency or entropy l-diversity with l = 2 on a column with two values, beside it k-anonymity with
    k at most 2; on counts of rows.
    Suppression: as many rows as one value has more than the other, those that are dearest to pair.
    Extra: SciPy, ``pip install "shoal[learn]"``.

    References
    ----------
    .. [1] Xiao, X., Yi, K., Tao, Y. (2010), The hardness and approximation algorithms for l-diversity.
       doi:10.1145/1739041.1739060

    Examples
    --------
    >>> Matching(labels="ranges").labels
    'ranges'
    """

    name: ClassVar[str] = "matching"
    labels: str = "stars"

    def __post_init__(self) -> None:
        check_choice("labels", self.labels, LABELS)

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return the pairs of least loss.

        Raises
        ------
        InfeasibleError
            If one value is more frequent and more rows than may be suppressed are too many.
        SpecError
            If the models or the objective are others.
        EngineError
            If SciPy is missing or the table is too large.
        """
        column = _column(problem)
        value = table.sensitive[:, table.sensitive_names.index(column)]
        found = np.unique(value)
        if len(found) != 2:
            raise SpecError(
                f"column {column!r} has {len(found)} value(s) here; pairs are optimal for two",
                fix='algorithm "hilbert" serves any number of values',
            )
        second = value == found[1]
        n_second = int(table.counts[second].sum())
        excess = table.n_rows - 2 * n_second
        if abs(excess) > problem.allowed:
            raise InfeasibleError(
                "the two values are not equally frequent, so they cannot be paired",
                where=f"{abs(excess)} of {problem.context.n_rows} rows are too many, {problem.allowed} may be "
                "suppressed",
                choices=[f"raise the suppression limit to {abs(excess)}/{problem.context.n_rows}"],
            )
        at_home = np.zeros(table.n_items, np.int64)
        if _obeys_the_triangle(problem.loss, self.labels):
            at_home = _with_equals(table, second)
        left = table.counts - at_home
        # The more frequent value lines the longer side.
        longer, shorter = (second, ~second) if excess < 0 else (~second, second)
        first_side = np.repeat(np.flatnonzero(longer), left[longer])
        second_side = np.repeat(np.flatnonzero(shorter), left[shorter])
        costs, lost_costs = _costs(table, problem, self.labels, first_side, second_side)
        rows, columns = _pairs(costs - lost_costs[:, None])
        alone = np.ones(len(first_side), np.bool_)
        alone[rows] = False
        removed = np.bincount(first_side[alone], minlength=table.n_items)
        pairs = np.stack([first_side[rows], second_side[columns]], axis=1)
        regions = with_one_residue(_regions(table, at_home, pairs, removed, self.labels), table, problem)
        if regions is None:
            raise InfeasibleError(
                "a pair would be * in every column beside suppressed records, and with them it violates a model",
                choices=["raise the suppression limit", 'try other labels, such as "ranges"'],
            )
        return Solution(
            recoding=regions,
            optimal=True,
            statistics={
                "rows paired with their equals": int(at_home.sum()),
                "rows paired with others": 2 * len(rows),
                "rows left over": int(removed.sum()),
            },
        )


def _column(problem: Problem) -> str:
    """Return the column of two values, if the models ask for pairs."""
    asking = [model for model in problem.models if isinstance(model, LDiversity) and _asks_for_pairs(model)]
    columns = {model.sensitive for model in asking}
    others = [model for model in problem.models if model not in asking]
    passed = all(isinstance(model, KAnonymity) and model.k <= 2 for model in others)
    if len(columns) != 1 or not passed or problem.context.by_people:
        raise SpecError(
            "pairs are the optimum for l-diversity of kind frequency or entropy with l = 2, on counts of rows",
            fix='algorithm "hilbert" or "mondrian" serves other models',
        )
    if not isinstance(problem.loss, CellLoss):
        raise SpecError(f"loss {problem.loss.name!r} is not a sum over cells", fix='loss = "stars" or "ncp"')
    return columns.pop()


def _asks_for_pairs(model: LDiversity) -> bool:
    return model.kind in ("frequency", "entropy") and model.threshold == 2


def _obeys_the_triangle(loss: LossMetric, labels: str) -> bool:
    """Whether going from x to y never costs more than going over any p, column by column.

    Widths of intervals and of nodes do. The number of stars does where every interval is a node or a star; not
    with ranges, where only the widest is a star.
    """
    return loss.name in ("ncp", "ncp-value") or (loss.name == "stars" and labels in ("nodes", "stars"))


def _with_equals(table: FrequencyTable, second: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many rows of each item are paired within their point, int64 [n_items].

    Rows at p paired with others at x and y can be paired with each other instead, and x with y.
    """
    point = table.point_of_item
    rows = np.stack([np.where(second, 0, table.counts), np.where(second, table.counts, 0)])
    both = np.minimum(*(np.bincount(point, side, table.n_points).astype(np.int64) for side in rows))
    paired = np.zeros(table.n_items, np.int64)
    for side in rows:
        ahead = np.cumsum(side) - side
        ahead -= ahead[table.offsets[:-1]][point]
        paired += np.clip(both[point] - ahead, 0, side)
    return paired


def _costs(
    table: FrequencyTable, problem: Problem, labels: str, first: NDArray[np.int64], second: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the cost of each pair of rows and of suppressing each row of the first side."""
    if len(first) * len(second) > MOST_PAIRS:
        raise EngineError(
            f"{len(first)} rows of one value and {len(second)} of the other are too many for exact pairs",
            fix='algorithm "hilbert" serves large tables',
        )
    loss = problem.loss
    assert isinstance(loss, CellLoss)  # noqa: S101 (tested with the models)
    costs, lost = np.zeros((len(first), len(second))), np.zeros(len(first))
    point = table.point_of_item
    for j, (hierarchy, marginal) in enumerate(zip(table.hierarchies, table.marginals, strict=True)):
        name, n = table.names[j], hierarchy.n_values
        weight = problem.weights.get(name, 1.0)
        codes = table.codes[point[first], j]
        lost += weight * loss.costs(hierarchy, marginal, codes, np.zeros_like(codes), np.full_like(codes, n - 1))
        (a, at_a), (b, at_b) = (
            np.unique(table.codes[point[side], j], return_inverse=True) for side in (first, second)
        )
        one, other = np.repeat(a, len(b)), np.tile(b, len(a))
        lo, hi = publishable(hierarchy, np.minimum(one, other), np.maximum(one, other), labels)
        cell = loss.costs(hierarchy, marginal, one, lo, hi) + loss.costs(hierarchy, marginal, other, lo, hi)
        level = min(problem.max_levels.get(name, hierarchy.height), hierarchy.height)
        top = hierarchy.levels[0 if labels == "stars" and level < hierarchy.height else level]
        cell = np.where(top[one] == top[other], cell, np.inf)
        costs += (weight * cell).reshape(len(a), len(b))[at_a[:, None], at_b[None, :]]
    return costs, lost


def _pairs(costs: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError as error:
        raise EngineError(
            "SciPy is missing, which finds pairs of least cost", fix='pip install "shoal[learn]"'
        ) from error
    try:
        rows, columns = linear_sum_assignment(costs)
    except ValueError as error:
        raise InfeasibleError(
            "no pairing keeps every column at or below its highest allowed level",
            choices=["allow higher levels (max_levels)"],
        ) from error
    return rows, columns


def _regions(
    table: FrequencyTable,
    at_home: NDArray[np.int64],
    pairs: NDArray[np.int64],
    removed: NDArray[np.int64],
    labels: str,
) -> Regions:
    """Return one box per pair and per point whose rows are paired within it."""
    home, lost = np.flatnonzero(at_home), np.flatnonzero(removed)
    n, point = len(pairs), table.point_of_item
    part = np.zeros(table.n_items, np.int32)
    line = Line(table, np.arange(table.n_items), table.counts, part, lost, removed[lost])
    record = np.concatenate([pairs.ravel(), home])
    group = np.concatenate([np.repeat(np.arange(n), 2), n + point[home]])
    rows = np.concatenate([np.ones(2 * n, np.int64), at_home[home]])
    return regions_of_shares(line, (record, np.unique(group, return_inverse=True)[1], rows), labels)
