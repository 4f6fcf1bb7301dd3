"""What a run has decided and proven, before anybody tells it to people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from shoal.core.algorithm import Algorithm, Solution
from shoal.core.certificate import Certificate
from shoal.core.problem import Problem
from shoal.core.protocols import LossMetric, ReleaseLoss
from shoal.core.recoding import Generalization, Recoding
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.core.verdict import Verdict
from shoal.errors import SpecError
from shoal.loss import LOSSES, MEASURES
from shoal.risk.reidentification import Risk
from shoal.workflow.check import Residue
from shoal.workflow.explain import Explanation, explain
from shoal.workflow.forms import Form
from shoal.workflow.forms.asked import not_explained
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
    loss : float or None
        Value of the objective, 0 where nothing is lost; None where no published row stands for a record.
    losses : mapping of str to float
        The objective and the usual measures by name; any other through :meth:`measure`.
    risk_before : Risk
        Re-identification risk of the input.
    risk_after : Risk or None
        The same of the output; None where look-alikes do not say it, see *promises*.
    residue : Residue
        The rows with ``*`` in every quasi-identifier, in both readings.
    suppressed : int
        Suppressed rows.
    columns : tuple of dict
        What happened to each column of the input.
    optimal : bool or None
        Whether the loss is proven least among what the algorithm ranges over; False where a budget ended the
        proof, None where the algorithm does not seek one.
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
    population : mapping
        Risk by survey weights and of households, ``before`` and ``after``; empty without such columns.
    explanation : Explanation or None
        Why the table looks as it does, where the run was asked for it; else :meth:`explain` works it out.
    promises : tuple of str
        What protects whom and what does not, in sentences, where classes of look-alikes do not say it.
    link : mapping or None
        How surely a record of a bucket release is linked with a sensitive value: ``sensitive``, the column;
        ``highest`` and ``average`` probability for somebody who knows the quasi-identifiers; ``highest_in_bucket``
        and ``fewest_values`` for somebody who knows the bucket too. Fake rows are not counted.
    facts : mapping
        What the manifest says of this kind of release beside that: ``"buckets"``, ``"perturbation"``,
        ``"sampling_rate"``.
    """

    data: Any = field(repr=False)
    out: Path | None
    verdicts: tuple[Verdict, ...]
    loss: float | None
    losses: Mapping[str, float]
    risk_before: Risk
    risk_after: Risk | None
    residue: Residue
    suppressed: int
    columns: tuple[dict[str, Any], ...]
    optimal: bool | None
    algorithm: str
    warnings: tuple[str, ...]
    manifest: Mapping[str, Any]
    private: Mapping[str, Any] = field(repr=False)
    published: Callable[[], pl.LazyFrame] | None = field(default=None, repr=False)
    sha256: str | None = None
    policy: PolicyVerdict | None = None
    explanation: Explanation | None = None
    population: Mapping[str, Any] = field(default_factory=dict)
    promises: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    link: Mapping[str, Any] | None = None
    _solution: Solution = field(repr=False)
    _form: Form = field(repr=False)
    _problem: Problem = field(repr=False)
    _algorithm: Algorithm = field(repr=False)

    @property
    def kind(self) -> str:
        """What kind of release it is: ``"boxes"``, ``"buckets"`` or ``"noise"``."""
        return self._form.kind

    @property
    def table(self) -> FrequencyTable:
        """The counted input, of which a sampled release has the part that was taken; not safe to publish."""
        return self._form.table

    @property
    def regions(self) -> Regions:
        """The published cells of each record as a box over the input; not safe to publish.

        Raises
        ------
        SpecError
            If no published row stands for a record.
        """
        if self._form.cells is None:
            raise SpecError(
                "the rows were made from noisy counts: none of them stands for a record",
                fix="compare the published frame with the input, as shoal.utility does",
            )
        return self._form.cells

    @property
    def rows(self) -> int:
        """Published rows."""
        return self._form.rows

    @property
    def by_people(self) -> bool:
        """Whether people were counted."""
        return self._form.prepared.context.by_people

    @property
    def risk(self) -> Risk | None:
        """Re-identification risk of the published table."""
        return self.risk_after

    @property
    def recoding(self) -> Recoding:
        """The decision of the algorithm."""
        return self._solution.recoding

    @property
    def certificate(self) -> Certificate | None:
        """A proven bound on how far the release is from the unknown optimum, where the algorithm gives one."""
        return self._solution.certificate

    @property
    def notes(self) -> tuple[str, ...]:
        """What the algorithm decided by itself, and why."""
        return self._solution.notes

    def measure(self, loss: str | LossMetric | ReleaseLoss) -> float:
        """Return another loss of this release.

        Parameters
        ----------
        loss : str or LossMetric or ReleaseLoss
            A name from ``shoal list losses``, ``"kl-divergence"``, or a loss.

        Raises
        ------
        SpecError
            If it says nothing of this kind of release.
        """
        return self._form.measure(_by_name(loss) if isinstance(loss, str) else loss)

    def explain(self, *, budget_s: float = 10.0) -> Explanation:
        """Return which columns lost what and where, what forced it, and what one more or one fewer k would cost.

        Parameters
        ----------
        budget_s : float, default 10
            Seconds for the searches with another k; 0 leaves them out. The rest takes about as long as counting
            the table once per quasi-identifier.

        Raises
        ------
        SpecError
            If the release is none of generalized cells.
        """
        if self.loss is None or self.kind != "boxes":
            raise not_explained()
        # With another budget an algorithm may try harder, and another k is to be compared with this one.
        again = getattr(self._algorithm, "again", lambda _solution: self._algorithm)
        return explain(
            self.table,
            self.regions,
            self._problem,
            again(self._solution) if self._problem.budget_s is None else self._algorithm,
            loss=self.loss,
            full_domain=isinstance(self.recoding, Generalization),
            seed=self.private["seed"],
            # A search on the part that a sample took would take a sample of it.
            budget_s=0 if self._form.withheld else budget_s,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the data as plain values; the explanation too where the run was asked for it."""
        explained = {} if self.explanation is None else {"explanation": self.explanation.as_dict()}
        return {
            "out": None if self.out is None else str(self.out),
            "kind": self.kind,
            "rows": self.table.n_rows,
            "published": self.rows,
            "withheld": self._form.withheld,
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "loss": self.loss,
            "losses": dict(self.losses),
            "risk_before": self.risk_before.as_dict(),
            "risk_after": None if self.risk_after is None else self.risk_after.as_dict(),
            "population": dict(self.population),
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
            "certificate": None if self.certificate is None else self.certificate.as_dict(),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
            "promises": list(self.promises),
            "link": None if self.link is None else dict(self.link),
            **self.facts,
            **explained,
            "policy": None if self.policy is None else self.policy.as_dict(),
        }


def _by_name(name: str) -> LossMetric | ReleaseLoss:
    metric: LossMetric | ReleaseLoss = (MEASURES if name in MEASURES else LOSSES).make(name)
    return metric
