"""One run: a projection of a table, a method and l; what it costs and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from generate import Column

from shoal.algorithms import TDS, TP, Hilbert, Mondrian, TPPlus
from shoal.core.algorithm import Algorithm
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError
from shoal.loss import NCP, KLDivergence, Stars
from shoal.loss.measure import measure
from shoal.models import LDiversity

STARS: dict[str, Algorithm] = {
    "TP": TP(),
    "TP+": TPPlus(residue="hilbert"),
    "TP+ best": TPPlus(residue="best"),
    "Hilbert, plain": Hilbert(labels="stars", method="frontier", cube="codes"),
    "Hilbert": Hilbert(labels="stars"),
    "Mondrian": Mondrian(labels="stars"),
    "TDS": TDS(labels="stars"),
}
"""Methods that are compared by stars. The plain Hilbert is the paper's: the frontier on codes as they are."""

OF_THE_PAPER = ("TP", "TP+", "Hilbert, plain")
"""The methods that are quick enough for all projections and ten million rows."""

GENERAL: dict[str, Algorithm] = {
    "TP+": TPPlus(residue="hilbert", labels="ranges"),
    "TDS, nodes": TDS(labels="nodes"),
    "TDS, ranges": TDS(labels="ranges"),
    "Hilbert": Hilbert(labels="ranges"),
    "Mondrian": Mondrian(labels="ranges"),
}
"""Methods that are compared by KL divergence."""


@dataclass(frozen=True)
class Run:
    """What one run gave.

    ``seconds`` is processor time of the search, with the table counted already; ``figures`` holds stars, ncp, KL.
    """

    table: str
    method: str
    d: int
    l: int
    rows: int
    columns: tuple[str, ...]
    seconds: float
    figures: dict[str, float] = field(default_factory=dict)
    phase: int | None = None


class Projections:
    """The projections of one table, made from its counted records."""

    def __init__(self, name: str, columns: dict[str, Column], sensitive: str) -> None:
        self.name, self.sensitive = name, sensitive
        self.quasi = tuple(column for column in columns if column != sensitive)
        self._columns = {key: columns[key] for key in (*self.quasi, sensitive)}
        self._whole = self._count(self._columns, None)
        self._last: tuple[tuple[str, ...], FrequencyTable] | None = None

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self._whole.n_rows

    @property
    def largest_l(self) -> int:
        """The largest l for which the table can be made l-diverse."""
        totals = np.bincount(self._whole.sensitive[:, 0], self._whole.counts)
        return int(self.rows // totals.max())

    def on(self, quasi: Sequence[str]) -> FrequencyTable:
        """Return the table with some of its quasi-identifiers; the last one is kept."""
        if self._last is None or self._last[0] != tuple(quasi):
            self._last = tuple(quasi), self._projected(quasi)
        return self._last[1]

    def _projected(self, quasi: Sequence[str]) -> FrequencyTable:
        whole, codes = self._whole, self._whole.codes[self._whole.point_of_item]
        columns = {name: codes[:, whole.names.index(name)] for name in quasi}
        columns[self.sensitive] = whole.sensitive[:, 0]
        made = {name: replace(self._columns[name], codes=code) for name, code in columns.items()}
        return self._count(made, whole.counts)

    def _count(self, columns, counts):
        made = {name: (column.hierarchy, column.codes) for name, column in columns.items()}
        sensitive = {self.sensitive: made.pop(self.sensitive)}
        return FrequencyTable.from_columns(made, sensitive, counts=counts)[0]

    def run(self, method: str, quasi: Sequence[str], l: int, *, kl: bool = False) -> Run | None:
        """Run a method, with ranges and KL divergence or with stars; None where it finds nothing."""
        algorithm = (GENERAL if kl else STARS)[method]
        table = self.on(quasi)
        problem = Problem(
            models=(LDiversity(sensitive=self.sensitive, l=l, kind="frequency"),),
            loss=NCP() if kl else Stars(),
            context=table.context(),
        )
        started = time.process_time()
        try:
            solution = algorithm.search(table, problem, np.random.default_rng(0))
        except InfeasibleError:
            return None
        seconds = time.process_time() - started
        regions = regions_of(solution.recoding, table)
        if problem.violating(regions.classes(table, problem.columns)).any():
            raise AssertionError(f"{method} published a class that is not {l}-diverse")
        figures = {"stars": measure(Stars(), table, regions), "ncp": measure(NCP(), table, regions)}
        if kl:
            figures["kl"] = measure(KLDivergence(), table, regions)
        return Run(
            self.name, method, len(quasi), l, table.n_rows, tuple(quasi), seconds, figures,
            solution.statistics.get("phase"),
        )  # fmt: skip
