"""Holding the recount against the search: nothing unsafe leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.core.verdict import Verdict, judge
from shoal.engines.apply import label_table
from shoal.engines.recount import Recount, fingerprints
from shoal.errors import VerificationError
from shoal.workflow.plan import Plan

__all__ = ["Proof", "Residue", "check", "read_residue"]


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
    # Where the sensitive cells of suppressed rows were emptied, they tell nothing about anybody.
    told = [model for model in plan.models if not (plan.suppressed == "blank-sensitive" and model.columns)]
    verdicts = judge(told, found.residue, context)
    return Residue(
        rows,
        as_class=all(verdict.satisfied for verdict in verdicts),
        as_suppressed=rows <= int(plan.suppression_limit * context.n_rows),
        verdicts=verdicts,
    )


@dataclass(frozen=True, slots=True)
class Proof:
    """What the recount has shown.

    Parameters
    ----------
    verdicts : tuple of Verdict
        One per model; all hold.
    residue : Residue
    classes : Classes
        The classes that were judged: all but suppressed rows.
    """

    verdicts: tuple[Verdict, ...]
    residue: Residue
    classes: Classes


def check(found: Recount, regions: Regions, table: FrequencyTable, plan: Plan, context: Context) -> Proof:
    """Compare what was published with what was meant, and test every model on it.

    Raises
    ------
    VerificationError
        If the recount differs from the search, a record does not lie in its box, or a model is not met.
    """
    if not regions.hold(table):
        raise VerificationError(
            f"algorithm {plan.algorithm.name!r} put records into boxes that do not hold them; nothing was written",
            fix="use another algorithm, and report this one's settings to whoever wrote it",
        )
    meant = regions.classes(table)
    everywhere = _covers_everything(regions, table)
    residue_rows = int(meant.rows[everywhere].sum())
    if plan.suppressed != "drop":
        residue_rows += regions.suppressed_rows
    kept = ~found.is_residue
    same = _same(
        (found.prints[kept], found.everything.size[kept], found.everything.rows[kept]),
        (fingerprints(label_table(table, regions))[~everywhere], meant.size[~everywhere], meant.rows[~everywhere]),
    )
    strange = found.unknown if plan.suppressed != "blank-sensitive" else found.unknown[kept]
    if not same or found.residue_rows != residue_rows or strange.any():
        raise VerificationError(
            "the recount of the output differs from what the search decided; nothing was written",
            where=f"{int(kept.sum())} classes counted, {int((~everywhere).sum())} expected; "
            f"{found.residue_rows} fully generalized rows counted, {residue_rows} expected",
            fix="this is a fault of shoal: please report it with the private manifest's settings",
        )
    # Where nothing was suppressed, rows with * everywhere are a class like any other.
    judged = found.classes if regions.suppressed_rows and plan.suppressed != "drop" else found.everything
    verdicts = judge(plan.models, judged, context)
    residue = read_residue(found, plan, context)
    failed = [verdict.model for verdict in verdicts if not verdict.satisfied]
    if failed or not residue.accepted:
        raise VerificationError(
            "the output does not meet " + ", ".join(failed or ["the suppression limit"]) + "; nothing was written",
            where=f"{sum(v.violating_classes for v in verdicts)} classes violate a model",
            fix="this is a fault of shoal: please report it with the private manifest's settings",
        )
    return Proof(verdicts, residue, judged)


def _covers_everything(regions: Regions, table: FrequencyTable) -> NDArray[np.bool_]:
    last = np.array([h.n_values - 1 for h in table.hierarchies])
    everything: NDArray[np.bool_] = ((regions.lo == 0) & (regions.hi == last) & (last > 0)).all(axis=1)
    return everything


Counted = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]


def _same(found: Counted, meant: Counted) -> bool:
    """Whether two countings have the same classes: labels, people and rows, in whatever order."""

    def ordered(arrays: Counted) -> list[NDArray[np.int64]]:
        order = np.argsort(arrays[0])
        return [array[order].view(np.int64) for array in arrays]

    return all(np.array_equal(*pair) for pair in zip(ordered(found), ordered(meant), strict=True))
