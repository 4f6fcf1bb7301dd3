"""Best: the best of several searches, improved as long as it pays."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from shoal.algorithms.anytime import Trace, rounds_for
from shoal.algorithms.capping import capped, check_most, say_larger
from shoal.algorithms.floor import floor_of
from shoal.algorithms.improving import Effort, Improver
from shoal.algorithms.quotas import deal_by_quotas
from shoal.algorithms.side_prices import side_prices
from shoal.algorithms.starts import LOOKAHEAD, start_named, started, starts_for
from shoal.algorithms.trimming import with_one_residue
from shoal.core.algorithm import Solution, check_support
from shoal.core.problem import Problem
from shoal.core.protocols import CellLoss, Closure
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, ShoalError, SpecError, check_choice
from shoal.loss.measure import measure

__all__ = ["Best"]

LABELS = ("nodes", "ranges", "sets", "stars")

FITS = ("fit", "tight")

BOUNDS = ("none", "sample", "all")

ROUNDS_AT_MOST = "rounds at most"

SAMPLE = 300
"""Records that an estimate of the least possible loss looks at."""

START_SHARE = 0.4
"""Share of the seconds that all starts together may take."""

MIX_SHARE = 0.7
"""Share of the seconds after which sensitive values should be mixed."""

FIRST_SHARE = 0.8
"""Share of the seconds that the first start may take, as a start that was cut short loses much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The best start of several, whose classes then exchange records as long as that saves loss.

    A record leaves its class for one in which it costs less, in exchange for another record where its class would
    fail without it; classes are cut in two, classes dissolve into their neighbours, two neighbours are divided
    anew as well as can be, and many classes exchange records at once. Neighbours are found anew in each round.
    Whatever it returns passes, and loses no more than the best start.

    Parameters
    ----------
    labels : {"nodes", "ranges", "sets", "stars"}, default "nodes"
        What a cell may be published as.
    boxes : {"fit", "tight"}, default "fit"
        Whether ranges and sets of columns with an order keep the ends at which they were cut, or shrink to the
        smallest and the greatest value of their records, which publishes extremes.
    starts : tuple of str, default ()
        Algorithms to start from, by name. Where none is named: top-down and Mondrian with lookahead; on tables of
        at most 2000 distinct records also the full-domain optimum, Hilbert, progressive recoding and TP+; the
        last three on up to 50,000, and Hilbert on any, where a model asks for more than rows and different
        values; for models that compare classes with the table classes to which all sensitive values are dealt or
        mixed.
        Mondrian without lookahead comes before them where ``budget_s`` is given, and stands alone on more than
        2 million distinct records without such a budget.
    moves : int, default 1000000
        Changes at most. A run that this ends can be repeated exactly; one that ``budget_s`` ends cannot.
    rounds : int, optional
        Rounds at most. Where left out: 20 on tables of up to some 100,000 distinct records, fewer on larger ones
        and perhaps none, as their size and that of the classes say; with ``budget_s`` as many as it allows.
    max_class_size : int, optional
        Rows of a class at most, or people where these are counted: whatever is larger is cut further where all
        parts pass, whether or not that saves loss. Records that are published alike form one class, however many
        they are; a note says how many classes are larger.
    bound : {"none", "sample", "all"}, default "none"
        Whether the least loss that is possible is worked out too, from a sample of records (an estimate, with its
        error) or from all of them (a proof, at a cost that grows with their square).

    Raises
    ------
    SpecError
        If a setting is unknown or out of range.

    Notes
    -----
    Optimality: heuristic; *bound* says how far from the optimum it can be at most.
    Deterministic: given the seed, whatever the order of rows and the number of threads, unless seconds end it.
    Cost: that of the starts, and O(n_items * n_qi) times the classes of a neighbourhood for each round.
    Models: any of scope class that counts no population. Where a model has closure NONE the best start is returned
    as it is.
    Suppression: what the best start suppresses.

    References
    ----------
    .. [1] LeFevre, K., DeWitt, D., Ramakrishnan, R. (2006), Mondrian multidimensional k-anonymity.
       doi:10.1109/ICDE.2006.101

    Examples
    --------
    >>> Best(labels="sets", moves=100).boxes
    'fit'
    """

    name: ClassVar[str] = "best"
    labels: str = "nodes"
    boxes: str = "fit"
    starts: tuple[str, ...] = ()
    moves: int = 1_000_000
    rounds: int | None = None
    max_class_size: int | None = None
    bound: str = "none"

    def __post_init__(self) -> None:
        for setting, known in (("labels", LABELS), ("boxes", FITS), ("bound", BOUNDS)):
            check_choice(setting, getattr(self, setting), known)
        if self.moves < 0 or (self.rounds is not None and self.rounds < 0):
            raise SpecError("moves and rounds must not be negative", fix="0 returns the best start as it is")
        if self.max_class_size is not None and self.max_class_size < 1:
            raise SpecError("max_class_size must be at least 1", fix="leave it out for classes of any size")
        starts = (self.starts,) if isinstance(self.starts, str) else tuple(self.starts)
        object.__setattr__(self, "starts", starts)
        if self.name in starts:
            raise SpecError("best cannot start from itself", fix='name others, such as "top-down"')
        for start in starts:
            start_named(start, labels=self.labels, boxes=self.boxes, lookahead=LOOKAHEAD)

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes whose classes meet every model of *problem*.

        Raises
        ------
        InfeasibleError
            If no start finds any.
        SpecError
            If a model is about the whole table or a population, or needs larger classes than are allowed.
        """
        check_support(self, problem.models)
        if self.max_class_size is not None:
            check_most(self.max_class_size, problem)
        started, trace = time.monotonic(), Trace()
        budget = math.inf if problem.budget_s is None else problem.budget_s
        loss, name, best, losses = self._start(table, problem, started, budget, trace)
        statistics: dict[str, Any] = {"start": name, "moves": 0, "rounds": 0, ROUNDS_AT_MOST: 0}
        statistics |= {f"loss of {start}": reached for start, reached in losses.items()}
        size = table.n_rows / max(1, best.n_regions)
        most = rounds_for(table.n_points, size, problem.budget_s) if self.rounds is None else self.rounds
        if table.n_points and most and problem.closed_under(Closure.UNION):
            statistics[ROUNDS_AT_MOST] = most
            effort = Effort(self.moves, started + budget, most)
            found, moves, rounds, late = self._improved(table, problem, best, effort, rng, trace=trace)
            statistics |= {"moves": moves, "rounds": rounds, "out of time": late}
            if found is not None:
                reached = measure(problem.loss, table, found, problem.weights)
                if reached < loss:
                    loss, best = reached, found
        trace.end(loss)
        statistics["trace"] = trace.steps
        larger = say_larger(self.max_class_size, best, table)
        notes = larger + self._bounded(table, problem, loss, statistics)
        return Solution(recoding=best, statistics=statistics, notes=notes)

    def again(self, solution: Solution) -> Best:
        """Return the search that takes as many rounds as the one that found *solution* might have taken.

        Then one that a budget in seconds may end compares with one that had none.
        """
        return replace(self, rounds=solution.statistics[ROUNDS_AT_MOST])

    def _start(
        self, table: FrequencyTable, problem: Problem, begun: float, seconds: float, trace: Trace
    ) -> tuple[float, str, Regions, dict[str, float]]:
        """Return the start with the least loss, and the losses of all."""
        deadline = begun + seconds * START_SHARE
        best: tuple[float, str, Regions] | None = None
        losses: dict[str, float] = {}
        refused: InfeasibleError | None = None
        for name, lookahead in starts_for(table, problem, self.starts, self.rounds):
            left = (begun + seconds * FIRST_SHARE if best is None else deadline) - time.monotonic()
            if best is not None and left <= 0:
                break
            algorithm = start_named(name, labels=self.labels, boxes=self.boxes, lookahead=lookahead)
            budget = None if math.isinf(left) else max(left, 0.01)
            try:
                # Starts draw from a source of their own, so that one more start changes nothing else.
                found = started(algorithm, table, replace(problem, budget_s=budget))
                regions = self._said(found, table, problem)
            except InfeasibleError as error:
                refused = refused or error
                continue
            except ShoalError:
                if self.starts:
                    raise
                continue
            if regions is None:
                continue
            said = name if lookahead else f"{name} without lookahead"
            losses[said] = measure(problem.loss, table, regions, problem.weights)
            if best is None or losses[said] < best[0]:
                best = losses[said], said, regions
            trace.note(best[0])
            problem.progress(None, f"loss {best[0]:.4f} from {best[1]}")
        if not self.starts and best is not None:
            mixed = begun + seconds * MIX_SHARE
            dealt = deal_by_quotas(table, problem, self.labels, best[2], boxes=self.boxes, deadline=mixed)
            if dealt is not None:
                losses["quotas"] = measure(problem.loss, table, dealt, problem.weights)
                if losses["quotas"] < best[0]:
                    best = losses["quotas"], "quotas", dealt
        if best is None:
            raise refused or InfeasibleError("no start finds classes that pass", choices=["ask for less"])
        if self.max_class_size is not None:
            regions = self._capped(best[2], table, problem)
            best = measure(problem.loss, table, regions, problem.weights), best[1], regions
        return (*best, losses)

    def _said(self, regions: Regions, table: FrequencyTable, problem: Problem) -> Regions | None:
        """Return boxes as these labels say them, or None where they do not pass or say more than allowed."""
        if regions.labels != self.labels:
            if self.labels == "stars" and problem.max_levels:
                return None
            regions = replace(regions, labels=self.labels, is_normalized=False).normalized(table.hierarchies)
            if regions.suppressed_rows:
                checked = with_one_residue(regions, table, problem)
                if checked is None:
                    return None
                regions = checked
        return None if problem.violating(regions.classes(table, problem.columns)).any() else regions

    def _improved(
        self,
        table: FrequencyTable,
        problem: Problem,
        start: Regions,
        effort: Effort,
        rng: np.random.Generator,
        *,
        trace: Trace,
    ) -> tuple[Regions | None, int, int, bool]:
        """Return the start after its classes exchanged records, or None where that does not pass."""
        prices = side_prices(table, problem, self.labels, fit=self.boxes == "fit")
        constant = float(prices.constant @ table.point_rows) if isinstance(problem.loss, CellLoss) else 0.0
        improver = Improver(table, problem, start, prices, most=self.max_class_size)
        clock = time.monotonic()

        def progress(cost: float, moves: int) -> None:
            spent = time.monotonic() - clock
            share = min(1.0, spent / (effort.deadline - clock)) if math.isfinite(effort.deadline) else None
            reached = (cost + constant) / prices.full
            if prices.exact:
                trace.note(reached)
            problem.progress(share, f"loss {reached:.4f} after {moves} changes")

        moves, rounds, late = improver.improve(effort, rng, progress)
        regions = improver.regions(self.labels)
        checked: Regions | None = regions
        if regions.suppressed_rows:
            checked = with_one_residue(regions, table, problem)
        if checked is None or problem.violating(checked.classes(table, problem.columns)).any():
            return None, moves, rounds, late
        return self._capped(checked, table, problem), moves, rounds, late

    def _capped(self, regions: Regions, table: FrequencyTable, problem: Problem) -> Regions:
        if self.max_class_size is None:
            return regions
        return capped(regions, table, problem, self.max_class_size, boxes=self.boxes)

    def _bounded(
        self, table: FrequencyTable, problem: Problem, loss: float, statistics: dict[str, Any]
    ) -> tuple[str, ...]:
        """Add the least loss that is possible to the statistics, and say it in words."""
        if self.bound == "none":
            return ()
        sample = SAMPLE if self.bound == "sample" else None
        floor = floor_of(table, problem, self.labels, sample=sample, rng=np.random.default_rng(0))
        if floor is None:
            return ("No bound on the least possible loss is known for this objective.",)
        statistics |= floor.as_statistics()
        if floor.proven:
            return (f"No recoding with these labels loses less than {floor.loss:.4f}; this one loses {loss:.4f}.",)
        said = (
            f"A bound on the least possible loss, estimated from {floor.records} records, is {floor.loss:.4f} "
            f"with a standard error of {floor.error:.4f}; this recoding loses {loss:.4f}."
        )
        return (said,)
