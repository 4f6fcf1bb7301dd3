"""TP+: TP, and then another algorithm on the records that it took out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from shoal.algorithms.eligibility import Eligibility, refuse_infeasible
from shoal.algorithms.grouping import Grouping, residue_of
from shoal.algorithms.inner import check_generalizes, search_regions
from shoal.algorithms.suppression import Settings, Task, check_settings, suppress
from shoal.core.algorithm import Algorithm, Solution
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import EngineError, SpecError

__all__ = ["TPPlus"]

BEST = "best"

QUICK: Mapping[str, Mapping[str, Any]] = {"hilbert": {"method": "frontier"}}
"""Settings of algorithms that divide the residue by name, where their defaults take much longer than TP."""

SEVERAL: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("hilbert", {"method": "frontier"}),
    ("hilbert", {"method": "segments"}),
    ("mondrian", {}),
    ("mondrian", {"strict": False}),
)
"""What ``residue = "best"`` divides the residue with."""

WHOLE: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("hilbert", {}),
    ("hilbert", {"method": "frontier", "cube": "codes"}),
    ("mondrian", {}),
    ("mondrian", {"labels": "ranges"}),
)
"""What ``residue = "best"`` also tries on the whole table: rivals whose stars it never exceeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TPPlus:
    """TP, whose removed records are then divided by another l-diverse algorithm; never more stars than TP.

    The removed records are l-eligible, so any algorithm for frequency l-diversity can divide them, and a part
    differs in no column in which the whole does not.

    Parameters
    ----------
    residue : str, default "hilbert"
        The algorithm that divides the removed records, by its name; it must generalize every record.
        ``"hilbert"`` does so by its frontier. ``"best"`` takes the best of several, Hilbert and Mondrian on the
        whole table among them: the one with the fewest stars, so never more than either alone with the same
        labels, or with the least loss where labels other than stars are published. Its time is that of all of them
        together, or with a budget that of those that it has time for, one at least.
    labels : {"stars", "nodes", "ranges", "sets"}, default "stars"
        What stands for cells that differ in a class: ``*``, or the node, range or set that covers the values that
        occur there, which is never less precise. Ranges end at values that occur.
    coarsen : None, "auto" or mapping of str to int, default None
        Levels to which columns are generalized before cells are suppressed. ``"auto"`` searches the levels whose
        release has the least loss (the objective of the run); a mapping fixes the levels of the columns that it
        names. Where most records stand alone, suppression without it leaves little.
    max_nodes : int, optional
        Level vectors that ``"auto"`` may try; where left out 400, fewer for large tables and at least 60.

    Raises
    ------
    SpecError
        If a setting is unknown or out of range.

    Notes
    -----
    Optimality: the bounds of TP hold, see there; ``Solution.certificate`` says what is proven for the run.
    Deterministic: as the residue's algorithm.
    Cost: that of TP and of the residue's algorithm on the removed records; one such run per level vector that
    ``"auto"`` tries.
    Models: as TP.
    Suppression: no record is suppressed as a whole, so the suppression limit is not used.

    References
    ----------
    .. [1] Xiao, X., Yi, K., Tao, Y. (2010), The hardness and approximation algorithms for l-diversity.
       doi:10.1145/1739041.1739060

    Examples
    --------
    >>> TPPlus(residue="best", coarsen={"birth": 2}).labels
    'stars'
    """

    name: ClassVar[str] = "tp+"
    residue: str = "hilbert"
    labels: str = "stars"
    coarsen: str | Mapping[str, int] | None = None
    max_nodes: int | None = None

    def __post_init__(self) -> None:
        check_settings(self.labels, self.coarsen, self.max_nodes)
        if self.residue == self.name:
            raise SpecError("tp+ cannot divide its own residue", fix="hilbert is the default")
        if self.residue != BEST:
            divides = _make(self.residue, self.labels, QUICK.get(self.residue, {}))
            check_generalizes(divides, outer=self.name)

    def refuse_infeasible(self, table: FrequencyTable, problem: Problem) -> None:
        """Refuse a table that is not l-eligible, with the largest whole l, as no record may be suppressed.

        Raises
        ------
        InfeasibleError
            If the whole table is not l-eligible.
        """
        refuse_infeasible(table, problem, name=self.name)

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return the release and its certificate.

        Raises
        ------
        InfeasibleError
            If the whole table is not l-eligible; it names the largest l.
        SpecError
            If a model does not follow from frequency l-diversity, or *coarsen* names no column or level.
        EngineError
            If the residue's algorithm leaves records out or classes that are not l-diverse.
        """
        return suppress(table, problem, rng, self._settings)

    def search_implied(
        self, table: FrequencyTable, problem: Problem, rng: np.random.Generator, asked: Eligibility
    ) -> Regions:
        """Return a release for models that *asked* implies and of which TP proves nothing."""
        found = suppress(table, problem, rng, self._settings, asked).recoding
        return regions_of(found, table)

    @property
    def _settings(self) -> Settings:
        return Settings(self.name, self.labels, self.coarsen, self.max_nodes, self._candidates)

    def _methods(self) -> Iterable[tuple[str, Mapping[str, Any]]]:
        return SEVERAL if self.residue == BEST else [(self.residue, QUICK.get(self.residue, {}))]

    def _candidates(self, task: Task) -> Iterable[tuple[str, Grouping]]:
        part, item = residue_of(task.table, task.removal.kept)
        if not part.n_items:
            yield "", task.taken
            return
        for name, settings in self._methods():
            algorithm = _make(name, self.labels, settings)
            regions = _groups(algorithm, part, task)
            divided = Grouping.of_regions(part, regions)
            yield _said(name, settings), task.taken.with_last_divided(divided, item)
        for name, settings in WHOLE if self.residue == BEST else ():
            algorithm = _make(name, self.labels, settings)
            regions = _groups(algorithm, task.table, task)
            yield f"{_said(name, settings)} on the whole table", Grouping.of_regions(task.table, regions)


def _said(name: str, settings: Mapping[str, Any]) -> str:
    return " ".join([name, *(f"{key}={value}" for key, value in settings.items())])


def _make(name: str, labels: str, settings: Mapping[str, Any]) -> Algorithm:
    """Return an algorithm that publishes these labels, where it can and its settings name no others."""
    # The registry lists this file too.
    from shoal.algorithms import ALGORITHMS

    algorithm: Any = ALGORITHMS.make(name, **settings)
    if "labels" not in settings and any(field.name == "labels" and field.init for field in fields(algorithm)):
        algorithm = replace(algorithm, labels=labels)
    found: Algorithm = algorithm
    return found


def _groups(algorithm: Algorithm, table: FrequencyTable, task: Task) -> Regions:
    """Return the boxes into which an algorithm divides an eligible table."""
    problem = Problem(
        models=task.asked.models,
        loss=task.problem.loss,
        context=table.context(),
        weights=task.problem.weights,
        budget_s=task.budget_s,
    )
    _, regions = search_regions(algorithm, table, problem, task.rng)
    if (regions.region < 0).any() or problem.violating(regions.classes(table, problem.columns)).any():
        raise EngineError(
            f"algorithm {algorithm.name!r} did not divide the removed records into l-diverse classes",
            fix='choose another residue, such as "mondrian"',
        )
    return regions
