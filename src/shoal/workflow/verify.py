"""A finished table, counted by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.core.context import Context, SensitiveColumn
from shoal.core.population import needed_population
from shoal.core.protocols import PrivacyModel
from shoal.core.rational import Exact
from shoal.core.schema import Schema
from shoal.core.verdict import Verdict, judge
from shoal.engines.recount import recount
from shoal.errors import SpecError
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import Source, reading
from shoal.risk.reidentification import Risk, risk_of
from shoal.workflow.beside import BUCKET, ReleaseFacts
from shoal.workflow.check import Residue, read_residue
from shoal.workflow.forms.asked import form_named_by
from shoal.workflow.plan import Plan
from shoal.workflow.population import in_population, population_by_itself, population_file, population_frame
from shoal.workflow.prepare import check_schema, hierarchy_of, numbers, text_expressions
from shoal.workflow.spec import Spec

__all__ = ["Verification", "verify", "verify_file"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Verification:
    """What a finished table says of itself.

    Parameters
    ----------
    verdicts : tuple of Verdict
        One per model, over the classes without the residue.
    residue : Residue
        The rows with ``*`` in every quasi-identifier, read as a class and as suppressed rows; one must hold.
    risk : Risk or None
        Re-identification risk without the residue; None where classes are no look-alikes.
    rows, classes : int
        Rows of the table, classes without the residue.
    notes : tuple of str
        What a published table cannot tell.
    """

    verdicts: tuple[Verdict, ...]
    residue: Residue
    risk: Risk | None
    rows: int
    classes: int
    notes: tuple[str, ...] = ()

    @property
    def satisfied(self) -> bool:
        """Whether every model is met and the residue is accepted."""
        return all(verdict.satisfied for verdict in self.verdicts) and self.residue.accepted

    def as_dict(self) -> dict[str, Any]:
        """Return the verification as plain values."""
        return {
            "satisfied": self.satisfied,
            "rows": self.rows,
            "classes": self.classes,
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "residue": {
                "rows": self.residue.rows,
                "as_class": self.residue.as_class,
                "as_suppressed": self.residue.as_suppressed,
                "verdicts": [verdict.as_dict() for verdict in self.residue.verdicts],
            },
            "risk": None if self.risk is None else self.risk.as_dict(),
            "notes": list(self.notes),
        }


def verify(
    published: Any,
    schema: Schema,
    *,
    models: Iterable[PrivacyModel] | PrivacyModel,
    suppression_limit: Exact = 0,
    population: Any = None,
    bucket: str | None = None,
) -> Verification:
    """Test a published frame against the models, by itself.

    Parameters
    ----------
    published : DataFrame
        Any frame that narwhals knows.
    schema : Schema
        Roles of its columns. Columns that were never published (identifiers, unit) need not be there.
    models : iterable of PrivacyModel
    suppression_limit : number or text, default 0
        Largest share of rows that may have ``*`` in every quasi-identifier without being a class, in [0, 1].
    population : DataFrame, optional
        The people that the table is a sample of, for models that count them.
    bucket : str, optional
        Column that says in which bucket a row of a bucket release lies: the models are tested on its buckets then,
        not on rows with equal quasi-identifiers.

    Returns
    -------
    Verification
        ``satisfied`` is the answer; a violated model is not an exception here.
    """
    plan = Plan.resolve(models=models, suppression_limit=suppression_limit)
    with from_frame(published) as source, population_frame(population) as people:
        return _verify(source, schema, plan, people, _Reading(bucket))


def verify_file(published: str | Path, spec: Spec) -> Verification:
    """Test a published file against the models of a spec, by itself.

    A bucket release is known by the manifest beside it, or by the algorithm of the spec.
    """
    schema = spec.schema()
    how = _Reading.of_file(published, spec)
    with open_source(published, **spec.input, decimal_columns=numbers(schema)) as source, reading(source):
        return _with_file(source, spec, schema, how)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the classes of a published table are: rows with equal labels, or those of a bucket.

    Parameters
    ----------
    bucket : str or None
        Column that says in which bucket a row lies.
    fakes : int or None
        Invented rows of each bucket, where that is known.
    is_noise : bool
    """

    bucket: str | None = None
    fakes: int | None = None
    is_noise: bool = False

    @classmethod
    def of_file(cls, published: str | Path, spec: Spec) -> _Reading:
        """Read a file as its manifest says, or else as the algorithm of the spec publishes."""
        facts = ReleaseFacts.beside(published)
        if facts.known:
            return cls(facts.bucket if facts.groups else None, facts.fakes_per_bucket, facts.is_noise)
        kind = form_named_by(spec.algorithm())
        return cls(BUCKET if kind == "buckets" else None, is_noise=kind == "noise")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the table by itself cannot tell."""
        if self.is_noise:
            return ("rows were made from noisy counts: what a model says of them says nothing of the people",)
        if self.bucket is None:
            return ()
        told = "the models were tested on buckets; quasi-identifiers are published as they are"
        if self.fakes is None:
            return told, "fake rows, if there are any, were counted like the others: nobody can tell them apart"
        if not self.fakes:
            return (told,)
        return told, (
            f"{self.fakes} row(s) of each bucket are fake and were counted like the others: of the values of a "
            "bucket as many may be nobody's"
        )


def _with_file(source: Source, spec: Spec, schema: Schema, how: _Reading) -> Verification:
    with population_file(spec, numbers(schema)) as people:
        return _verify(source, schema, spec.plan(), people, how)


def _verify(source: Source, schema: Schema, plan: Plan, population: Source | None, how: _Reading) -> Verification:
    needed = Schema(columns=[c for c in schema.columns if c.name in source.columns or c.name in schema.published])
    check_schema(needed, source.columns, sensitive=plan.columns)
    frame = source.scan()
    quasi = [name for name in source.columns if name in set(needed.quasi_identifiers)]
    if how.bucket is not None:
        if how.bucket not in source.columns:
            raise SpecError(
                f"the table has no column {how.bucket!r}, which says in which bucket a row lies",
                where=source.name,
                fix="name another algorithm in the spec if it is no bucket release",
            )
        quasi = [how.bucket]
    texts = frame.select(text_expressions(frame, [*quasi, *plan.columns]).values())
    columns = {name: _sensitive(texts, frame, name, needed) for name in plan.columns}
    codes = {name: column.hierarchy.codes for name, column in columns.items()}
    found = recount(texts, quasi, codes, reads=plan.reads)
    if "population" in plan.reads:
        counted = None if population is None else population_by_itself(population, needed, quasi)
        found = found.in_population(needed_population(counted), in_population)
    rows = int(found.classes.rows.sum()) + found.residue_rows
    context = Context(columns, rows)
    notes = []
    if schema.unit:
        notes.append(
            "rows were counted: a published table does not say which rows are of one person, so people cannot be "
            "checked from it"
        )
    if any(model.name == "t-closeness" for model in plan.models):
        notes.append("the distribution of the whole table is that of the published rows")
    notes += how.notes
    return Verification(
        verdicts=judge(plan.models, found.classes, context),
        residue=read_residue(found, plan, context),
        risk=risk_of(found.classes) if how.bucket is None and not how.is_noise else None,
        rows=rows,
        classes=len(found.classes),
        notes=tuple(notes),
    )


def _sensitive(texts: pl.LazyFrame, frame: pl.LazyFrame, name: str, schema: Schema) -> SensitiveColumn:
    counted = texts.group_by(name).len().sort(name, nulls_last=True).collect(engine="streaming")
    values = counted[name].to_list()
    hierarchy = hierarchy_of(schema[name], values, frame.collect_schema()[name])
    totals = np.zeros(hierarchy.n_values, np.int64)
    totals[[hierarchy.codes[value] for value in values]] = counted["len"].to_numpy()
    return SensitiveColumn(hierarchy, totals)
