"""Hilbert: classes of records that are near each other on a space-filling curve."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.cube import CUBES
from shoal.algorithms.infeasible import no_box_is_feasible
from shoal.algorithms.line import Line, line_along_curve, regions_of_shares
from shoal.algorithms.segments import Segments
from shoal.algorithms.trimming import Different, different_values, shares_are_small, trimmed, with_one_residue
from shoal.core.algorithm import Solution
from shoal.core.classes import Classes
from shoal.core.problem import Problem
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError, check_choice
from shoal.kernels.frontier import frontier_groups, joined_runs
from shoal.loss.measure import measure

__all__ = ["Hilbert"]

LABELS = ("nodes", "ranges", "sets", "stars")

METHODS = ("best", "frontier", "segments")

JOINED_RECORDS = 150_000
"""Records up to which ``"best"`` joins neighbours where the frontier has an answer already."""

DIVIDED_RECORDS = 40_000
"""Records up to which the cheapest division is sought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hilbert:
    """Records along a Hilbert curve form classes with their neighbours.

    The curve visits every vector of leaf codes once, in unit steps. Two ways of forming classes along it:

    * ``frontier``, for l-diversity, alone or with k-anonymity: each class takes the first remaining row of each
      value that otherwise would get too frequent, and then of those whose first row comes first, until it has l
      different values. Classes have l to 2l - 1 rows, and rows of one record may go to different ones. Where
      k > l, classes have k different values if no value has more than the share 1/k, else neighbours are joined.
    * ``segments``, for any model: each class that fails is joined with the neighbour that costs least, until all
      pass. On tables that are not too large, the cheapest division into these and all short segments that pass
      is found.

    Parameters
    ----------
    labels : {"nodes", "ranges", "sets", "stars"}, default "nodes"
        What a cell may be published as.
    method : {"best", "frontier", "segments"}, default "best"
        ``"best"`` takes whichever has the lower objective; on large tables only the frontier is tried, where the
        models allow it.
    cube : {"tree", "domain", "codes"}, default "tree"
        What the curve runs through. ``"tree"``: a cube in which every node of a hierarchy is a dyadic interval, so
        that the curve finishes one node before it enters the next; ``"domain"``: each column stretched to the
        side of the cube; ``"codes"``: plain codes, as published, where columns with few values fill a corner.

    Raises
    ------
    SpecError
        If a setting is unknown.

    Notes
    -----
    Optimality: heuristic; no bound.
    Deterministic: yes, whatever the order of rows; it draws nothing at random.
    Cost: O(n log n) for n records on the curve and for the frontier; O(n log n) model tests for segments.
    Models: any for ``segments``. The frontier serves l-diversity of any kind, (α, k)-anonymity and k-anonymity
    beside them, on one sensitive column and on counts of rows, where the table has no value above the share 1/l.
    Suppression: the fewest rows that leave such a table, the last ones on the curve; for other models, whatever
    violates them at the columns' highest allowed levels.

    References
    ----------
    .. [1] Ghinita, G. et al. (2007), Fast data anonymization with low information loss. VLDB, 758-769.
    .. [2] Xiao, X., Yi, K., Tao, Y. (2010), The hardness and approximation algorithms for l-diversity.
       doi:10.1145/1739041.1739060

    Examples
    --------
    >>> Hilbert(labels="ranges").method
    'best'
    """

    name: ClassVar[str] = "hilbert"
    labels: str = "nodes"
    method: str = "best"
    cube: str = "tree"

    def __post_init__(self) -> None:
        check_choice("labels", self.labels, LABELS)
        check_choice("method", self.method, METHODS)
        check_choice("cube", self.cube, CUBES)

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes whose classes meet every model of *problem*.

        Raises
        ------
        InfeasibleError
            If the table violates a model even where every column is as general as allowed, and more rows than
            may be suppressed are in the way.
        SpecError
            If the frontier is asked for and cannot meet the models.
        """
        started = time.monotonic()
        asked = different_values(problem)
        if asked is None and self.method == "frontier":
            raise SpecError(
                "the frontier forms classes of l different values of one sensitive column, which is not what the "
                "models ask for",
                fix='method = "segments" serves any model',
            )
        line = line_along_curve(table, problem, cube=self.cube, stars=self.labels == "stars")
        if not len(line):
            return Solution(recoding=_of_segments(line, line.item, self.labels))
        line, whole = trimmed(line, table, problem, asked)
        deadline = math.inf if problem.budget_s is None else started + problem.budget_s
        found = [
            (method, with_one_residue(regions, table, problem))
            for method, regions in self._found(line, table, problem, asked, deadline)
        ]
        passing = [(method, regions) for method, regions in found if regions is not None]
        if not passing:
            raise self._nothing_found(problem, whole, alike=bool(found))
        method, regions = passing[0]
        if len(passing) > 1:
            method, regions = min(passing, key=lambda one: measure(problem.loss, table, one[1], problem.weights))
        return Solution(
            recoding=regions,
            statistics={"method": method, "records": len(line), "classes": regions.n_regions},
        )

    def _nothing_found(self, problem: Problem, whole: Classes, *, alike: bool) -> InfeasibleError:
        if alike:
            return InfeasibleError(
                "a class would be * in every column beside suppressed records, and with them it violates a model",
                choices=["raise the suppression limit", "ask for less", 'try other labels, such as "ranges"'],
            )
        if self.method == "frontier":
            return InfeasibleError(
                "the frontier finds no groups in which every model holds",
                choices=['method = "segments" or "best": other classes may pass'],
            )
        return no_box_is_feasible(problem, whole, int(whole.rows[problem.violating(whole)].sum()))

    def _found(
        self, line: Line, table: FrequencyTable, problem: Problem, asked: Different | None, deadline: float
    ) -> Iterator[tuple[str, Regions]]:
        """Yield the recodings that pass, each with how it was found."""
        tried = False
        l = None if asked is None or self.method == "segments" else _values_of_a_group(line, table, asked)
        if asked is not None and l is not None:
            problem.progress(None, "forming groups of different values")
            regions = _frontier(line, asked._replace(l=l), self.labels)
            tried = not problem.violating(regions.classes(table, problem.columns)).any()
            if tried:
                yield "frontier", regions
        late = time.monotonic() > deadline
        if self.method == "frontier" or (tried and (late or len(line) > JOINED_RECORDS)):
            return
        problem.progress(None, "joining neighbours")
        segments = Segments(table, problem, line, labels=self.labels, deadline=deadline)
        starts = segments.joined(np.arange(len(line)))
        if starts is None:
            return
        yield "segments", _of_segments(line, starts, self.labels)
        if len(line) <= DIVIDED_RECORDS and time.monotonic() < deadline:
            problem.progress(None, "dividing the curve")
            # A known segment may pass only because its box is another's, which the division took apart.
            starts = segments.joined(segments.cheapest(starts))
            if starts is not None:
                yield "cheapest segments", _of_segments(line, starts, self.labels)


def _values_of_a_group(line: Line, table: FrequencyTable, asked: Different) -> int | None:
    """Return how many different values the groups get: as many as they need rows, where there are so many."""
    for l in (max(asked.l, asked.k), asked.l):
        if shares_are_small(line, table, asked.name, l):
            return l
    return None


def _frontier(line: Line, asked: Different, labels: str) -> Regions:
    """Form groups of different values in each part, and join neighbours until they have k rows."""
    (name, l, k), table = asked, line.table
    value = table.sensitive[line.item, table.sensitive_names.index(name)]
    bounds = np.searchsorted(line.part, np.arange(line.n_parts + 1))
    found, n_groups = [np.empty((0, 3), np.int64)], 0
    for start, stop in pairwise(bounds):
        shares, times = frontier_groups(value[start:stop], line.rows[start:stop], l=l)
        if k > l:
            rows = np.bincount(shares[:, 1], shares[:, 2], len(times)).astype(np.int64)
            shares[:, 1] = joined_runs(rows, k)[shares[:, 1]]
        found.append(shares + np.array([start, n_groups, 0]))
        n_groups += int(shares[-1, 1]) + 1
    record, group, rows = np.ascontiguousarray(np.concatenate(found).T)
    return regions_of_shares(line, (record, group, rows), labels)


def _of_segments(line: Line, starts: NDArray[np.int64], labels: str) -> Regions:
    record = np.arange(len(line))
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(line))))
    return regions_of_shares(line, (record, group, line.rows), labels)
