"""Boxes: every record is published by itself, under coarser labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import polars as pl

from shoal.core.population import needed_population
from shoal.core.protocols import CellLoss, LossMetric, ReleaseLoss
from shoal.core.recoding import Recoding
from shoal.core.regions import Regions
from shoal.engines.recount import recount
from shoal.errors import ShoalWarning
from shoal.loss.measure import measure
from shoal.risk.reidentification import Risk, risk_of
from shoal.workflow.check import Proof, check
from shoal.workflow.columns import describe_columns
from shoal.workflow.forms.form import Form
from shoal.workflow.plan import Plan
from shoal.workflow.population import in_population
from shoal.workflow.prepare import Prepared, text_expressions
from shoal.workflow.publish import Published, publish
from shoal.workflow.survey import Survey

__all__ = ["Boxes"]


class Boxes(Form):
    """Records under generalized labels, and those that a sample left out.

    Parameters
    ----------
    prepared : Prepared
    plan : Plan
    regions : Regions
        Normalized boxes.
    """

    kind: ClassVar[str] = "boxes"

    def __init__(self, prepared: Prepared, plan: Plan, regions: Regions) -> None:
        super().__init__(prepared, plan)
        self._all = regions
        self.table, self.cells = regions.published_part(prepared.table)
        self.suppressed = self.cells.suppressed_rows
        self.withheld = prepared.n_rows - self.table.n_rows
        self.rows = self.table.n_rows - (self.suppressed if plan.suppressed == "drop" else 0)

    @property
    def regions(self) -> Regions:
        """The boxes of what was published."""
        assert self.cells is not None  # noqa: S101 (boxes have cells)
        return self.cells

    def publish(self, *, seed: int, keep_order: bool, key: bytes | None) -> Published:
        """Rewrite every row."""
        return publish(self.prepared, self._all, self.plan, seed=seed, keep_order=keep_order, key=key)

    def prove(self, output: pl.LazyFrame, published: Published) -> Proof:
        """Count the classes of the output and test every model on them."""
        table, context = self.table, self.prepared.context
        columns = [*table.names, *table.sensitive_names]
        texts = output.select(text_expressions(output, columns).values())
        found = recount(
            texts,
            table.names,
            {
                name: hierarchy.codes
                for name, hierarchy in zip(table.sensitive_names, table.sensitive_hierarchies, strict=True)
            },
            unit=published.unit,
            reads=self.plan.reads,
        )
        if "population" in self.plan.reads:
            found = found.in_population(needed_population(context.population), in_population)
        proof = check(found, self.regions, table, self.plan, context)
        failed = ", ".join(v.model for v in proof.residue.verdicts if v.columns and not v.satisfied)
        if failed and self.plan.suppressed == "star":
            warnings.warn(
                f"the suppressed records, taken as one class, do not meet {failed}: their sensitive cells still "
                'speak; suppressed = "drop" or "blank-sensitive" removes that',
                ShoalWarning,
                stacklevel=3,
            )
        return proof

    def measure(self, loss: LossMetric | ReleaseLoss, weights: Mapping[str, float] | None = None) -> float:
        """Measure a loss on the boxes."""
        if isinstance(loss, CellLoss):
            return self.measure_cells(loss, weights)
        return measure(loss, self.table, self.regions)

    def risk(self, proof: Proof) -> Risk:
        """Measure the risk over the classes that the recount found."""
        by_people = self.prepared.context.by_people
        return risk_of(proof.classes, suppressed_rows=self.suppressed, by_people=by_people)

    def population(self, published: Published) -> dict[str, Any]:
        """Measure the risk that survey weights and households tell, where there are such columns."""
        if published.region_of_row is None:
            return {}
        return Survey.of(self.prepared).before_and_after(published.region_of_row, self.regions.n_regions)

    def columns(self, recoding: Recoding) -> tuple[dict[str, Any], ...]:
        """Describe what became of each column."""
        return describe_columns(self.prepared, self.table, recoding, self.regions, self.ncp_by_column)

    def facts(self, proof: Proof) -> Mapping[str, Any]:
        """Tell the rate of a sample."""
        rate = self.regions.sampling_rate
        return {} if rate == 1 else {"sampling_rate": rate}

    def promises(self, proof: Proof) -> tuple[str, ...]:
        """Say what a sample means for figures."""
        rate = self.regions.sampling_rate
        if rate == 1:
            return ()
        return (f"Each record was taken with probability {rate:g}: to estimate the whole, divide by {rate:g}.",)
