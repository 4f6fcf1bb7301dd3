"""Holding the recount against the search: nothing unsafe leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.recoding import Regions
from shoal.core.table import FrequencyTable
from shoal.core.verdict import Verdict, judge
from shoal.engines.recount import Recount
from shoal.errors import VerificationError
from shoal.workflow.plan import Plan

__all__ = ["Residue", "check", "read_residue"]


@dataclass(frozen=True, slots=True)
class Residue:
    """The rows with ``*`` in every quasi-identifier, in both readings.

    Parameters
    ----------
    rows : int
    as_class : bool
        Whether they meet every model as a class of their own.
    as_suppressed : bool
        Whether they are at most as many as may be suppressed.
    verdicts : tuple of Verdict
        What each model says of them as a class; empty where there are none.
    """

    rows: int
    as_class: bool
    as_suppressed: bool
    verdicts: tuple[Verdict, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether one of the readings holds."""
        return self.as_class or self.as_suppressed


def read_residue(found: Recount, plan: Plan, context: Context) -> Residue:
    """Read the residue of a recount both as a class and as suppressed rows."""
    rows = found.residue_rows
    if not rows:
        return Residue(0, as_class=True, as_suppressed=True)
    verdicts = judge(plan.models, found.residue, context)
    return Residue(
        rows,
        as_class=all(verdict.satisfied for verdict in verdicts),
        as_suppressed=rows <= int(plan.suppression_limit * context.n_rows),
        verdicts=verdicts,
    )


def check(
    found: Recount, regions: Regions, table: FrequencyTable, plan: Plan, context: Context
) -> tuple[tuple[Verdict, ...], Residue]:
    """Compare what was published with what was meant, and test every model on it.

    Raises
    ------
    VerificationError
        If the recount differs from the search or a model is not met.
    """
    meant = regions.classes(table)
    everywhere = _covers_everything(regions, table)
    residue_rows = int(meant.rows[everywhere].sum())
    if plan.suppressed != "drop":
        residue_rows += regions.suppressed_rows
    if not _same_sizes(found.classes, meant, ~everywhere) or found.residue_rows != residue_rows:
        raise VerificationError(
            "the recount of the output differs from what the search decided; nothing was written",
            where=f"{len(found.classes)} classes counted, {int((~everywhere).sum())} expected; "
            f"{found.residue_rows} fully generalized rows counted, {residue_rows} expected",
            fix="this is a fault of shoal: please report it with the private manifest's settings",
        )
    verdicts = judge(plan.models, found.classes, context)
    residue = read_residue(found, plan, context)
    failed = [verdict.model for verdict in verdicts if not verdict.satisfied]
    if failed or not residue.accepted:
        raise VerificationError(
            "the output does not meet " + ", ".join(failed or ["the suppression limit"]) + "; nothing was written",
            where=f"{sum(v.violating_classes for v in verdicts)} classes violate a model",
            fix="this is a fault of shoal: please report it with the private manifest's settings",
        )
    return verdicts, residue


def _covers_everything(regions: Regions, table: FrequencyTable) -> NDArray[np.bool_]:
    last = np.array([h.n_values - 1 for h in table.hierarchies])
    everything: NDArray[np.bool_] = ((regions.lo == 0) & (regions.hi == last) & (last > 0)).all(axis=1)
    return everything


def _same_sizes(found: Classes, meant: Classes, kept: NDArray[np.bool_]) -> bool:
    """Whether two countings have the same classes, as multisets of (people, rows)."""

    def pairs(size: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.stack([size, rows], axis=1)[np.lexsort((rows, size))]

    return np.array_equal(pairs(found.size, found.rows), pairs(meant.size[kept], meant.rows[kept]))
