"""What a run has decided and proven, before anybody tells it to people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from shoal.core.protocols import LossMetric, Solution
from shoal.core.recoding import Recoding, Regions
from shoal.core.table import FrequencyTable
from shoal.core.verdict import Verdict
from shoal.loss import LOSSES
from shoal.loss.measure import measure
from shoal.risk.reidentification import Risk
from shoal.workflow.check import Residue
from shoal.workflow.policy import PolicyVerdict

__all__ = ["Outcome"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """The published table, the decision behind it and the proof that belongs to it.

    Parameters
    ----------
    data : object or None
        The published frame, of the kind that came in; None where the table went to a file.
    out : Path or None
        The published file.
    verdicts : tuple of Verdict
        One per model, from the recount of the output.
    loss : float
        Value of the objective, 0 where nothing is lost.
    losses : mapping of str to float
        The objective and the usual measures by name; any other through :meth:`measure`.
    risk_before, risk_after : Risk
        Re-identification risk of the input and of the output.
    residue : Residue
        The rows with ``*`` in every quasi-identifier, in both readings.
    suppressed : int
        Suppressed rows.
    columns : tuple of dict
        What happened to each column of the input.
    optimal : bool
        Whether the loss is proven least among what the algorithm ranges over.
    algorithm : str
    warnings : tuple of str
    manifest : mapping
        Safe to publish beside the table.
    private : mapping
        Not safe to publish: seed, exact risks, settings.
    published : callable or None
        Scans the published rows; None where they went to standard output.
    sha256 : str or None
        Of the published file, where a report was written with it.
    policy : PolicyVerdict or None
        What the policy says that the release was held against.
    """

    data: Any
    out: Path | None
    verdicts: tuple[Verdict, ...]
    loss: float
    losses: Mapping[str, float]
    risk_before: Risk
    risk_after: Risk
    residue: Residue
    suppressed: int
    columns: tuple[dict[str, Any], ...]
    optimal: bool
    algorithm: str
    warnings: tuple[str, ...]
    manifest: Mapping[str, Any]
    private: Mapping[str, Any]
    published: Callable[[], pl.LazyFrame] | None = field(default=None, repr=False)
    sha256: str | None = None
    policy: PolicyVerdict | None = None
    _solution: Solution = field(repr=False)
    _regions: Regions = field(repr=False)
    _table: FrequencyTable = field(repr=False)

    @property
    def table(self) -> FrequencyTable:
        """The counted input; not safe to publish."""
        return self._table

    @property
    def regions(self) -> Regions:
        """The decision as boxes over the input; not safe to publish."""
        return self._regions

    @property
    def risk(self) -> Risk:
        """Re-identification risk of the published table."""
        return self.risk_after

    @property
    def recoding(self) -> Recoding:
        """The decision of the algorithm."""
        return self._solution.recoding

    def measure(self, loss: str | LossMetric) -> float:
        """Return another loss of this release.

        Parameters
        ----------
        loss : str or LossMetric
            A name from ``shoal list losses``, or a loss.
        """
        metric = LOSSES.make(loss) if isinstance(loss, str) else loss
        return measure(metric, self._table, self._regions)

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the data as plain values."""
        return {
            "out": None if self.out is None else str(self.out),
            "rows": self._table.n_rows,
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "loss": self.loss,
            "losses": dict(self.losses),
            "risk_before": self.risk_before.as_dict(),
            "risk_after": self.risk_after.as_dict(),
            "residue": {
                "rows": self.residue.rows,
                "as_class": self.residue.as_class,
                "as_suppressed": self.residue.as_suppressed,
            },
            "suppressed": self.suppressed,
            "columns": [dict(column) for column in self.columns],
            "algorithm": self.algorithm,
            "optimal": self.optimal,
            "statistics": dict(self._solution.statistics),
            "warnings": list(self.warnings),
            "policy": None if self.policy is None else self.policy.as_dict(),
        }
