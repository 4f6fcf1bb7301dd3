"""Buckets: records are published together, with their columns shuffled apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.core.buckets import Buckets
from shoal.core.protocols import CellLoss, LossMetric, ReleaseLoss
from shoal.core.recoding import Recoding
from shoal.core.schema import Role
from shoal.errors import SpecError
from shoal.loss.measure import measure
from shoal.report.words import percent
from shoal.workflow.beside import BUCKET
from shoal.workflow.check import Proof
from shoal.workflow.columns import describe_columns
from shoal.workflow.forms.bucket_proof import BucketProof, check_decision, prove_buckets
from shoal.workflow.forms.bucket_rows import number_of_bucket, publish_buckets
from shoal.workflow.forms.form import Form
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import Prepared
from shoal.workflow.publish import Published

__all__ = ["Bucketed"]


class Bucketed(Form):
    """Records in buckets.

    Parameters
    ----------
    prepared : Prepared
    plan : Plan
    buckets : Buckets
    """

    kind: ClassVar[str] = "buckets"

    def __init__(self, prepared: Prepared, plan: Plan, buckets: Buckets) -> None:
        # Rows that are not published lie in no bucket, so there is no other form for them.
        super().__init__(prepared, replace(plan, suppressed="drop"))
        self.buckets = buckets
        self.cells = buckets.regions
        self.suppressed = self.cells.suppressed_rows
        self.rows = int(buckets.bucket_rows.sum()) + len(buckets.fakes)
        self._seed = 0

    def publish(self, *, seed: int, keep_order: bool, key: bytes | None) -> Published:
        """Make the rows, sorted by bucket; their order cannot be kept and there are no pseudonyms."""
        self._seed = seed
        check_decision(self.prepared, self.buckets, self.plan)
        return publish_buckets(self.prepared, self.buckets, self.plan, seed=seed)

    def prove(self, output: pl.LazyFrame, published: Published) -> BucketProof:
        """Count the cells and values of each bucket and test every model without the fakes."""
        number = number_of_bucket(self.buckets, self._seed)
        return prove_buckets(output, published, self.prepared, self.buckets, self.plan, number=number)

    def measure(self, loss: LossMetric | ReleaseLoss, weights: Mapping[str, float] | None = None) -> float:
        """Measure a loss of cells on the published cells, one of classes on the buckets."""
        if isinstance(loss, CellLoss):
            return self.measure_cells(loss, weights)
        if isinstance(loss, ReleaseLoss):
            raise SpecError(
                f"{loss.name!r} takes each published row for one record, which rows of buckets are not",
                fix="compare the published frame with the input, as shoal.utility does",
            )
        return measure(loss, self.table, self.buckets.as_classes)

    def risk(self, proof: Proof) -> None:
        """Return nothing: whoever knows the quasi-identifiers finds their cells, which says little of a record."""
        return

    def columns(self, recoding: Recoding) -> tuple[dict[str, Any], ...]:
        """Describe what became of each column, with the group of columns that it lies in, counted from 1."""
        of = {name: g for g, group in enumerate(self.buckets.groups, 1) for name in group}
        described = describe_columns(self.prepared, self.table, recoding, self.buckets.regions, self.ncp_by_column)
        for column in described:
            if column["name"] in of:
                column["group"] = of[column["name"]]
            elif column["role"] in (Role.INSENSITIVE, Role.WEIGHT):
                column["action"] = "permuted"
        return described

    def facts(self, proof: Proof) -> Mapping[str, Any]:
        """Tell which columns stay together, and how many rows are invented."""
        per_bucket = np.bincount(self.buckets.fakes.bucket, minlength=self.buckets.n_buckets)
        same = bool(per_bucket.size) and bool((per_bucket == per_bucket[0]).all())
        return {
            "buckets": {
                "column": BUCKET,
                "groups": [list(group) for group in self.buckets.groups],
                "fakes_per_bucket": int(per_bucket[0]) if same else None,
                "fakes": len(self.buckets.fakes),
                "n_buckets": self.buckets.n_buckets,
                "linked_values": self.buckets.linked,
            }
        }

    def link(self, proof: Proof) -> Mapping[str, Any]:
        """Tell how surely a record is linked with a sensitive value."""
        assert isinstance(proof, BucketProof)  # noqa: S101 (made above)
        return {
            "sensitive": self.buckets.sensitive,
            "highest": proof.surest,
            "average": proof.average,
            "highest_in_bucket": proof.links.largest,
            "fewest_values": proof.links.fewest,
        }

    def promises(self, proof: Proof) -> tuple[str, ...]:
        """Say what is protected and what is not."""
        sensitive, fakes, linked = self.buckets.sensitive, len(self.buckets.fakes), self.buckets.linked
        groups = "; ".join(", ".join(group) for group in self.buckets.groups)
        wide = (self.buckets.lo < self.buckets.hi).any(axis=1) & (self.buckets.bucket >= 0)
        changed = int(self.buckets.rows[wide].sum())
        exactly = "exactly"
        if changed:
            exactly += f" but for cells of {percent(changed / self.table.n_rows)} of the records"
        told = [
            f"Quasi-identifiers are published {exactly}: who is in the table and where in it is not protected.",
            (
                f"What is protected is the link to {sensitive}: in a bucket, cells of one group of columns cannot "
                f"be told to belong to cells of another. The groups: {groups}."
            ),
        ]
        if linked > 1:
            told.append(f"In their bucket, everybody is linked with at least {linked} values of {sensitive}.")
        if self.buckets.surest < 1:
            told.append(
                f"By their quasi-identifiers, nobody is linked with a value of {sensitive} with a probability "
                f"above {percent(round(self.buckets.surest, 6))}."
            )
        if fakes:
            told.append(
                f"{fakes:,} of {self.rows:,} rows are invented and cannot be told from the others: read figures "
                "as shares of all rows."
            )
        return tuple(told)
