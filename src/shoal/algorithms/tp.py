"""TP: suppression of cells with a proven bound on how much more is lost than must be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.algorithms.eligibility import refuse_infeasible
from shoal.algorithms.grouping import Grouping
from shoal.algorithms.suppression import Settings, Task, check_settings, suppress
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable

__all__ = ["TP"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TP:
    """Suppression with a proven bound: few records leave their look-alikes for one group whose cells are starred.

    Phase one removes what every l-diverse release must take out of each group of look-alikes. If the removed
    records are l-eligible, that is optimal. Phase two adds records with rare sensitive values while the most
    frequent value of the removed ones stays as frequent as it is; phase three goes on in rounds. The removed
    records become one class, in which the columns that differ are starred.

    Parameters
    ----------
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
    Optimality: with OPT the fewest records that any l-diverse release by suppression must star, and d columns,
    TP stars OPT records where it ends in phase one, at most OPT + l - 1 in phase two, fewer than l * OPT in
    phase three, and at most d times as many cells as records; ``Solution.certificate`` says what is proven for
    the run. With coarsened columns OPT is that of the table at these levels.
    Deterministic: yes, whatever the order of rows; ties go to the lowest value code and the first point.
    Cost: O(n_items log n_rows) for phase one, O(n_items + r log n_items) for the r rows that phase two takes,
    O(rounds * n_points * l) for phase three; one such run per level vector that ``"auto"`` tries.
    Models: l-diversity of kind frequency with a whole l on one sensitive column, and what follows from it:
    k-anonymity and distinct l-diversity up to the same l. Records are counted, not people.
    Suppression: no record is suppressed as a whole, so the suppression limit is not used.

    References
    ----------
    .. [1] Xiao, X., Yi, K., Tao, Y. (2010), The hardness and approximation algorithms for l-diversity.
       doi:10.1145/1739041.1739060

    Examples
    --------
    >>> TP(labels="ranges").coarsen is None
    True
    """

    name: ClassVar[str] = "tp"
    labels: str = "stars"
    coarsen: str | Mapping[str, int] | None = None
    max_nodes: int | None = None

    def __post_init__(self) -> None:
        check_settings(self.labels, self.coarsen, self.max_nodes)

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
        """
        settings = Settings(self.name, self.labels, self.coarsen, self.max_nodes, _as_taken)
        return suppress(table, problem, rng, settings)


def _as_taken(task: Task) -> Iterable[tuple[str, Grouping]]:
    yield "", task.taken
