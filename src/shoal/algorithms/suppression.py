"""What TP and TP+ share: a release at given levels, with its certificate, and the choice among several."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.algorithms.coarsened import Coarsened
from shoal.algorithms.coarsening import Coarsening, best_levels
from shoal.algorithms.eligibility import Eligibility, eligibility_of
from shoal.algorithms.grouping import Grouping, take_residue
from shoal.core.algorithm import Solution
from shoal.core.certificate import Certificate
from shoal.core.labels import LABEL_FORMS
from shoal.core.problem import Problem
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, check_choice, nearest_name
from shoal.kernels.tp.removal import Removal
from shoal.loss.measure import measure

__all__ = ["AUTO", "Candidates", "Settings", "Task", "check_settings", "suppress"]

AUTO = "auto"

MUCH = 0.5
"""Share of starred records from which on coarsening is recommended."""


@dataclass(frozen=True, eq=False)
class Task:
    """One table at one level vector, for the methods that divide the residue.

    Parameters
    ----------
    table : FrequencyTable
        The table at these levels, with one sensitive column.
    asked : Eligibility
    taken : Grouping
        The groups of TP; the residue is the last one.
    removal : Removal
    problem : Problem
        What was asked for.
    deadline : float
        When the budget is spent, by :func:`time.monotonic`.
    rng : numpy Generator
    """

    table: FrequencyTable
    asked: Eligibility
    taken: Grouping
    removal: Removal
    problem: Problem
    deadline: float
    rng: np.random.Generator

    @property
    def budget_s(self) -> float | None:
        """Seconds that are left; None where there is no budget."""
        return None if self.deadline == math.inf else max(0.0, self.deadline - time.monotonic())


Candidates = Callable[[Task], Iterable[tuple[str, Grouping]]]
"""Gives the groupings to choose from, by the name of the method."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a search by suppression runs.

    Parameters
    ----------
    name : str
        The algorithm, for errors.
    labels : {"stars", "nodes", "ranges", "sets"}
    coarsen : None, "auto", or mapping of str to int
    max_nodes : int or None
        Level vectors that may be tried; None: as many as are quick.
    candidates : Candidates
    """

    name: str
    labels: str
    coarsen: str | Mapping[str, int] | None
    max_nodes: int | None
    candidates: Candidates


@dataclass(frozen=True, eq=False)
class _Found:
    """A release at one level vector."""

    regions: Regions
    certificate: Certificate
    method: str
    removal: Removal


def check_settings(labels: str, coarsen: Any, max_nodes: int | None) -> None:
    """Refuse settings out of range.

    Raises
    ------
    SpecError
        If the labels are unknown, *coarsen* is neither None, ``"auto"`` nor levels by column, or *max_nodes* is
        not positive.
    """
    check_choice("labels", labels, LABEL_FORMS)
    by_column = isinstance(coarsen, Mapping) and all(
        isinstance(level, int) and not isinstance(level, bool) and level >= 0 for level in coarsen.values()
    )
    if coarsen is not None and coarsen != AUTO and not by_column:
        raise SpecError(
            "coarsen is neither a search nor levels by column",
            fix='write coarsen = "auto", or levels from 0 on such as coarsen = { age = 1 }',
        )
    if max_nodes is not None and max_nodes < 1:
        raise SpecError("max_nodes must be at least 1", fix="leave it out for what is quick")


def suppress(
    table: FrequencyTable,
    problem: Problem,
    rng: np.random.Generator,
    settings: Settings,
    asked: Eligibility | None = None,
) -> Solution:
    """Search a release by suppression.

    *asked* stands for the models where it is given; the certificate then says nothing of them.

    Raises
    ------
    InfeasibleError
        If the whole table is not l-eligible; it names the largest l.
    SpecError
        If a model does not follow from frequency l-diversity, or *coarsen* names no column or level.
    """
    started = time.monotonic()
    asked = asked or eligibility_of(table, problem, name=settings.name)
    deadline = math.inf if problem.budget_s is None else started + problem.budget_s
    releases = _Releases(table, problem, rng, settings, asked, deadline)
    report: Coarsening | None = None
    if settings.coarsen == AUTO:
        report = best_levels(
            table, problem, releases.try_at, dense=settings.labels != "stars",
            max_nodes=settings.max_nodes, deadline=deadline,
        )  # fmt: skip
        levels = report.levels
    else:
        levels = _fixed_levels(table, settings.coarsen)
    found = releases.at(levels)
    certificate = found.certificate
    return Solution(
        recoding=found.regions,
        certificate=certificate,
        notes=tuple(_notes(table, problem, certificate, report)),
        statistics={
            "phase": certificate.phase,
            "rounds of phase three": found.removal.rounds,
            "records starred": certificate.records,
            "stars": certificate.stars,
            "lower bound": certificate.lower_bound,
            **({"residue method": found.method} if found.method else {}),
            **({} if report is None else report.as_dict()),
            "seconds": time.monotonic() - started,
        },
    )


@dataclass(eq=False)
class _Releases:
    """Releases of one table at any level vector; of those that are tried the best is kept."""

    table: FrequencyTable
    problem: Problem
    rng: np.random.Generator
    settings: Settings
    asked: Eligibility
    deadline: float
    best: tuple[float, tuple[int, ...], _Found] | None = None

    def at(self, levels: tuple[int, ...]) -> _Found:
        """Return the release at a level vector: made again, the best one could come out worse when time is up."""
        if self.best is not None and self.best[1] == levels:
            return self.best[2]
        coarse = Coarsened.of(self.table, levels, sensitive=self.asked.sensitive)
        return self._choose(coarse, *take_residue(coarse.table, l=self.asked.l, k=self.asked.k))

    def try_at(self, levels: tuple[int, ...], is_open: Callable[[int], bool]) -> float:
        """Return the loss at a level vector; infinite where *is_open* says no to its lower bound on records."""
        coarse = Coarsened.of(self.table, levels, sensitive=self.asked.sensitive)
        taken, removal = take_residue(coarse.table, l=self.asked.l, k=self.asked.k)
        if not is_open(_lower_bound(removal, self.asked.l)):
            return math.inf
        found = self._choose(coarse, taken, removal)
        loss = self._loss(found.regions)
        if self.best is None or (loss, levels) < self.best[:2]:
            self.best = loss, levels, found
        return loss

    def _candidates(self, task: Task) -> Iterator[tuple[str, Grouping]]:
        """Yield groupings to choose from as long as there is time, one at least."""
        for candidate in self.settings.candidates(task):
            yield candidate
            if time.monotonic() >= self.deadline:
                return

    def _loss(self, regions: Regions) -> float:
        return measure(self.problem.loss, self.table, regions, self.problem.weights)

    def _choose(self, coarse: Coarsened, taken: Grouping, removal: Removal) -> _Found:
        """Return the candidate with the fewest stars, or with the least loss where no stars are published."""
        task = Task(coarse.table, self.asked, taken, removal, self.problem, self.deadline, self.rng)
        candidates = list(self._candidates(task))
        labels = self.settings.labels
        method, grouping = candidates[0]
        if len(candidates) > 1:
            by_stars = labels == "stars"
            method, grouping = min(
                candidates,
                key=lambda pair: pair[1].starred[1] if by_stars else self._loss(coarse.regions(pair[1], labels)),
            )
        records, stars = grouping.starred
        certificate = Certificate(
            sensitive=self.asked.sensitive,
            l=self.asked.l,
            phase=removal.phase,
            n_columns=self.table.n_qi,
            lower_bound=_lower_bound(removal, self.asked.l),
            records=records,
            stars=stars,
            labels=labels,
            coarsened={name: level for name, level in zip(self.table.names, coarse.levels, strict=True) if level},
        )
        return _Found(coarse.regions(grouping, labels), certificate, method, removal)


def _lower_bound(removal: Removal, l: int) -> int:
    return max(removal.first_rows, l * removal.first_height)


def _fixed_levels(table: FrequencyTable, coarsen: Any) -> tuple[int, ...]:
    levels = dict.fromkeys(table.names, 0)
    for name, level in (coarsen or {}).items():
        if name not in levels:
            raise SpecError(
                f"coarsen names column {name!r}, which is no quasi-identifier", fix=nearest_name(name, levels)
            )
        height = table.hierarchies[table.names.index(name)].height
        if level > height:
            raise SpecError(
                f"coarsen asks for level {level} of column {name!r}", fix=f"its highest level is {height}"
            )
        levels[name] = level
    return tuple(levels.values())


def _notes(
    table: FrequencyTable, problem: Problem, certificate: Certificate, report: Coarsening | None
) -> Iterable[str]:
    if report is not None:
        yield report.sentence(table.names, [h.height for h in table.hierarchies], problem.loss.name)
    elif certificate.coarsened:
        heights = dict(zip(table.names, (h.height for h in table.hierarchies), strict=True))
        columns = (f"{name} to level {level} of {heights[name]}" for name, level in certificate.coarsened.items())
        yield f"Before any cell was suppressed, columns were generalized as asked: {', '.join(columns)}."
    if report is None and certificate.records > MUCH * table.n_rows:
        yield (
            f"{certificate.records} of {table.n_rows} records lost a cell, since few share their "
            'quasi-identifiers; coarsen = "auto" generalizes columns first where that loses less.'
        )
