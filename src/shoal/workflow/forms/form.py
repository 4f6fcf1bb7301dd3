"""What every kind of decision goes through on its way to a published table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import polars as pl

from shoal.core.protocols import CellLoss, LossMetric, ReleaseLoss
from shoal.core.recoding import Recoding
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.loss import LOSSES, NCP
from shoal.loss.measure import measure, measure_columns, total_of
from shoal.risk.reidentification import Risk
from shoal.workflow.check import Proof
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import Prepared
from shoal.workflow.publish import Published

__all__ = ["Form"]

USUAL_LOSSES = ("ncp", "average-class-size", "discernibility")
"""Losses that every release states, beside its objective."""


class Form(ABC):
    """One decision as it is published, proven and told. There is one subclass per kind of recoding.

    Parameters
    ----------
    prepared : Prepared
    plan : Plan

    Attributes
    ----------
    kind : str
        ``"boxes"``, ``"buckets"`` or ``"noise"``; what ``publishes`` of an algorithm says.
    table : FrequencyTable
        The records that the release speaks of.
    cells : Regions or None
        What each of them is published as, cell by cell; None where no published row stands for a record.
    rows : int
        Published rows.
    suppressed : int
        Suppressed rows.
    withheld : int
        Rows that a sample left out.
    """

    kind: ClassVar[str]
    cells: Regions | None
    rows: int
    suppressed: int
    withheld: int = 0

    def __init__(self, prepared: Prepared, plan: Plan) -> None:
        self.prepared = prepared
        self.plan = plan
        self.table: FrequencyTable = prepared.table

    @abstractmethod
    def publish(self, *, seed: int, keep_order: bool, key: bytes | None) -> Published:
        """Make the rows."""

    @abstractmethod
    def prove(self, output: pl.LazyFrame, published: Published) -> Proof:
        """Count the output by the second path and hold it against the decision.

        Raises
        ------
        VerificationError
            If it differs, or does not hold what was asked.
        """

    @abstractmethod
    def measure(self, loss: LossMetric | ReleaseLoss, weights: Mapping[str, float] | None = None) -> float:
        """Measure one loss.

        Raises
        ------
        SpecError
            If it says nothing of this kind of release.
        """

    @cached_property
    def ncp_by_column(self) -> dict[str, tuple[float, float]]:
        """The ncp of each column's cells and its denominator: every release tells it, so it is summed once."""
        assert self.cells is not None  # noqa: S101 (asked for cells only)
        return measure_columns(NCP(), self.table, self.cells)

    def measure_cells(self, loss: CellLoss, weights: Mapping[str, float] | None) -> float:
        """Measure a loss of cells."""
        assert self.cells is not None  # noqa: S101
        if loss == NCP():
            return total_of(loss, self.ncp_by_column, weights)
        return measure(loss, self.table, self.cells, weights)

    def losses(self) -> dict[str, float]:
        """Return the objective and the usual losses by name, the objective first; none where none applies."""
        losses = {self.plan.loss.name: self.measure(self.plan.loss, self.plan.weights)}
        for name in USUAL_LOSSES:
            if name not in losses:
                losses[name] = self.measure(LOSSES.make(name))
        return losses

    @abstractmethod
    def risk(self, proof: Proof) -> Risk | None:
        """Return the risk of being found; None where look-alikes do not say it."""

    def population(self, published: Published) -> dict[str, Any]:
        """Return what survey weights and households say of the risk, before and after; nothing without classes."""
        return {}

    @abstractmethod
    def columns(self, recoding: Recoding) -> tuple[dict[str, Any], ...]:
        """Return what happened to each column of the input, as :func:`describe_columns` does."""

    def facts(self, proof: Proof) -> Mapping[str, Any]:
        """Return what the public manifest says more."""
        return {}

    def link(self, proof: Proof) -> Mapping[str, Any] | None:
        """Return how surely a record is linked with a sensitive value, where that is known; not for the public."""
        return None

    def promises(self, proof: Proof) -> tuple[str, ...]:
        """Return what protects whom and what does not, in sentences, where classes of look-alikes do not."""
        return ()
