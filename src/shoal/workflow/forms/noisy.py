"""Noise: rows made from numbers that are not the true ones, with no record behind any of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.perturbation import Perturbation
from shoal.core.protocols import LossMetric, ReleaseLoss
from shoal.core.recoding import Recoding
from shoal.core.regions import Regions, publishable
from shoal.core.schema import Role
from shoal.engines.apply import label_columns, label_table
from shoal.engines.recount import fingerprints
from shoal.errors import ShoalWarning, SpecError, VerificationError
from shoal.io.texts import cells_of
from shoal.workflow.check import Proof, Residue
from shoal.workflow.forms.form import Form
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import Prepared, text_expressions
from shoal.workflow.publish import Published

__all__ = ["Noisy"]

MOST_TIMES = 2
"""Rows per record from which on most rows are noise."""


class Noisy(Form):
    """Noisy counts of boxes and sensitive values.

    Parameters
    ----------
    prepared : Prepared
    plan : Plan
    perturbation : Perturbation
    """

    kind: ClassVar[str] = "noise"

    def __init__(self, prepared: Prepared, plan: Plan, perturbation: Perturbation) -> None:
        super().__init__(prepared, plan)
        self.perturbation = perturbation
        self.cells = None
        self.suppressed = 0
        self.rows = int(perturbation.counts.sum())

    def publish(self, *, seed: int, keep_order: bool, key: bytes | None) -> Published:
        """Make one row per count, in an order that is drawn."""
        noisy, schema = self.perturbation, self.prepared.schema
        if self.rows > MOST_TIMES * self.prepared.n_rows * noisy.sampling_rate:
            warnings.warn(
                f"{self.rows:,} rows stand for {self.prepared.n_rows:,} records, so most of them are noise: take "
                "a larger epsilon, fewer or coarser columns, or fewer divisions",
                ShoalWarning,
                stacklevel=3,
            )
        entry = np.repeat(np.arange(len(noisy.counts)), noisy.counts)
        entry = entry[np.random.default_rng([seed, 2]).permutation(len(entry))]
        labels = label_columns(self.table, self._boxes, noisy.region[entry].astype(np.int32), self.table.names)
        values = self._values()[noisy.values[entry]].alias(noisy.sensitive)
        columns = [name for name in self.prepared.source.columns if name in set(schema.published)]
        frame = labels.collect().with_columns(values).select(columns)
        return Published(frame.lazy(), tuple(columns), None)

    @property
    def _boxes(self) -> Regions:
        """The boxes as their labels can say them, with no record in them."""
        noisy = self.perturbation
        sides = [
            publishable(hierarchy, noisy.lo[:, j], noisy.hi[:, j], noisy.labels)
            for j, hierarchy in enumerate(self.table.hierarchies)
        ]
        lo, hi = (np.stack([side[end] for side in sides], axis=1).astype(np.int32) for end in (0, 1))
        return Regions(lo, hi, np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64), noisy.labels)

    def _values(self) -> pl.Series:
        """Return the sensitive values, in the type of the input's column where all of them are of it."""
        place = self.table.sensitive_names.index(self.perturbation.sensitive)
        texts = pl.Series(self.table.sensitive_hierarchies[place].leaves, dtype=pl.String)
        dtype = self.prepared.source.schema()[self.perturbation.sensitive]
        typed = cells_of(texts, dtype)
        return texts if typed is None else typed

    def prove(self, output: pl.LazyFrame, published: Published) -> Proof:
        """Count the labels and values of the output and hold them against the numbers that were drawn."""
        noisy, table = self.perturbation, self.table
        columns = [*table.names, noisy.sensitive]
        found = output.select(text_expressions(output, columns).values()).collect(engine="streaming")
        place = table.sensitive_names.index(noisy.sensitive)
        leaves = pl.Series(table.sensitive_hierarchies[place].leaves, dtype=pl.String)
        meant = label_table(table, self._boxes)[noisy.region].with_columns(leaves.gather(noisy.values).alias("s"))
        expected = _counted(meant.get_columns(), noisy.counts)
        if not expected.equals(_counted(found.get_columns(), np.ones(found.height, np.int64))):
            raise VerificationError(
                "the recount of the output differs from the numbers that were drawn; nothing was written",
                where=f"{found.height} rows counted, {self.rows} expected",
                fix="this is a fault of shoal: please report it with the private manifest's settings",
            )
        rows = noisy.region_rows
        return Proof((), Residue(0, as_class=True, as_suppressed=True), Classes(rows, rows).only(rows > 0))

    def measure(self, loss: LossMetric | ReleaseLoss, weights: Mapping[str, float] | None = None) -> float:
        """Refuse: no published row stands for a record."""
        raise SpecError(
            f"{loss.name!r} is measured record by record, and no published row stands for a record",
            fix="compare the published frame with the input, as shoal.utility does",
        )

    def losses(self) -> dict[str, float]:
        """Return none."""
        return {}

    def risk(self, proof: Proof) -> None:
        """Return nothing: nobody is behind a row."""
        return

    def columns(self, recoding: Recoding) -> tuple[dict[str, Any], ...]:
        """Describe what became of each column."""
        roles = {column.name: column for column in self.prepared.schema.columns}
        result = []
        for name in self.prepared.source.columns:
            column = roles.get(name)
            entry: dict[str, Any] = {
                "name": name,
                "role": None if column is None else str(column.role),
                "type": None if column is None else column.type,
                "action": "drawn" if name in self.prepared.schema.published else "dropped",
            }
            if column is not None and column.role is Role.QUASI_IDENTIFIER:
                entry["type"] = self.table.hierarchies[self.table.names.index(name)].type
                entry["labels"] = self.perturbation.labels
            result.append(entry)
        return tuple(result)

    def facts(self, proof: Proof) -> Mapping[str, Any]:
        """Tell the guarantee, its limits and where the budget went."""
        guarantee = self.perturbation.guarantee
        return {
            "perturbation": {
                "epsilon": guarantee.epsilon,
                "holds": guarantee.holds,
                "limits": list(guarantee.limits),
                "ledger": [asdict(spent) for spent in guarantee.ledger],
                "sampling_rate": self.perturbation.sampling_rate,
            }
        }

    def promises(self, proof: Proof) -> tuple[str, ...]:
        """Say what the noise promises and what it does not."""
        guarantee, rate = self.perturbation.guarantee, self.perturbation.sampling_rate
        promise = (
            f"The release is {guarantee.epsilon:g}-differentially private, under adding or removing one record."
            if guarantee.holds
            else f"The release is NOT differentially private: epsilon {guarantee.epsilon:g} is a label."
        )
        models = ", ".join(model.name for model in self.plan.models)
        told = [promise, *guarantee.limits]
        if models:
            told.append(f"Not promised of the published rows, whose numbers are not the true ones: {models}.")
        told.append("No row of the input is behind a published one.")
        if rate != 1:
            told.append(
                f"Each record was taken with probability {rate:g}: to estimate the whole, divide by {rate:g}."
            )
        return tuple(told)


def _counted(columns: list[pl.Series], rows: NDArray[np.int64]) -> pl.DataFrame:
    """Count rows by labels and value, known by their hash: sorted, so that equal countings are equal frames."""
    cells = pl.DataFrame([column.alias(f"q{j}") for j, column in enumerate(columns)])
    frame = pl.DataFrame({"print": fingerprints(cells), "rows": rows})
    return frame.group_by("print").agg(pl.col("rows").sum()).sort("print")
