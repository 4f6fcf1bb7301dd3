"""One run: what anonymizing a frame and a file have in common."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import polars as pl

from shoal.core.protocols import Problem, Solution
from shoal.core.recoding import Regions, regions_of
from shoal.core.schema import Schema
from shoal.core.verdict import Verdict
from shoal.engines.recount import Recount, recount
from shoal.errors import InfeasibleError, ShoalWarning
from shoal.io.source import Source
from shoal.loss import LOSSES
from shoal.loss.measure import measure
from shoal.risk.reidentification import risk_of
from shoal.workflow.check import Residue, check
from shoal.workflow.columns import describe_columns
from shoal.workflow.manifest import private_manifest, public_manifest
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import Prepared, prepare, text_expressions
from shoal.workflow.publish import Published, publish
from shoal.workflow.release import Release

__all__ = ["Progress", "Run"]

Progress = Callable[[float | None, str], None]
"""Called with (share done in [0, 1] or None, what is being done)."""

USUAL_LOSSES = ("ncp", "average-class-size", "discernibility")
"""Losses that every release states, beside its objective."""


class Run:
    """One run: its seed, its progress and the warnings that it heard.

    Parameters
    ----------
    plan : Plan
    seed : int or None
        Fresh entropy where None.
    keep_order : bool
    progress : callable or None
    """

    def __init__(self, plan: Plan, *, seed: int | None, keep_order: bool, progress: Progress | None) -> None:
        self.plan = plan
        self.seed = secrets.randbits(63) if seed is None else seed
        self.keep_order = keep_order
        self.recounted: Recount
        self.progress: Progress = progress or (lambda _share, _text: None)
        self._heard: list[warnings.WarningMessage] = []

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Keep the warnings of this run for its release, and pass them on at the end."""
        with warnings.catch_warnings(record=True) as self._heard:
            warnings.simplefilter("always", ShoalWarning)
            yield
        for heard in self._heard:
            warnings.warn_explicit(heard.message, heard.category, heard.filename, heard.lineno)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What shoal warned of in this run."""
        return tuple(str(heard.message) for heard in self._heard if issubclass(heard.category, ShoalWarning))

    def decide(self, source: Source, schema: Schema) -> tuple[Prepared, Solution, Regions, Published]:
        """Count the rows, search a recoding and rewrite the rows."""
        plan = self.plan
        self.progress(None, "reading and counting")
        prepared = prepare(source, schema, sensitive=plan.columns)
        if not prepared.n_rows:
            raise InfeasibleError("the table has no records", choices=["check the input: it holds only a header"])
        problem = Problem(
            models=plan.models,
            loss=plan.loss,
            context=prepared.context,
            suppression_limit=plan.suppression_limit,
            weights=plan.weights,
            max_levels=plan.max_levels,
            budget_s=plan.budget_s,
            progress=self.progress,
        )
        self.progress(0.0, "searching")
        solution = plan.algorithm.search(prepared.table, problem, np.random.default_rng([self.seed, 1]))
        regions = regions_of(solution.recoding, prepared.table)
        if regions.suppressed_rows == prepared.n_rows:
            raise InfeasibleError(
                "every record would be suppressed", choices=["lower k or drop a quasi-identifier"]
            )
        published = publish(prepared, regions, plan, seed=self.seed, keep_order=self.keep_order)
        return prepared, solution, regions, published

    def prove(
        self, output: pl.LazyFrame, prepared: Prepared, regions: Regions, published: Published
    ) -> tuple[tuple[Verdict, ...], Residue]:
        """Count the output by the second path and hold it against the search."""
        table = prepared.table
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
        )
        self.recounted = found
        verdicts, residue = check(found, regions, table, self.plan, prepared.context)
        failed = ", ".join(v.model for v in residue.verdicts if v.columns and not v.satisfied)
        if failed and self.plan.suppressed == "star":
            warnings.warn(
                f"the suppressed records, taken as one class, do not meet {failed}: their sensitive cells still "
                'speak; suppressed = "drop" or "blank-sensitive" removes that',
                ShoalWarning,
                stacklevel=2,
            )
        return verdicts, residue

    def release(
        self,
        prepared: Prepared,
        solution: Solution,
        regions: Regions,
        verdicts: tuple[Verdict, ...],
        residue: Residue,
    ) -> Release:
        """Put everything together that the recount has proven."""
        plan, table = self.plan, prepared.table
        objective = measure(plan.loss, table, regions, plan.weights)
        losses = {plan.loss.name: objective}
        for name in USUAL_LOSSES:
            losses.setdefault(name, measure(LOSSES.make(name), table, regions))
        columns = describe_columns(prepared, solution, regions)
        by_people = prepared.context.by_people
        before = risk_of(table.classes(table.point_of_item, table.n_points), by_people=by_people)
        after = risk_of(self.recounted.classes, suppressed_rows=regions.suppressed_rows, by_people=by_people)
        undeclared = [column["name"] for column in columns if column["role"] is None]
        if undeclared:
            warnings.warn(
                f"{len(undeclared)} column(s) have no role and are not published: " + ", ".join(undeclared),
                ShoalWarning,
                stacklevel=2,
            )
        public = public_manifest(
            schema=prepared.schema,
            plan=plan,
            solution=solution,
            verdicts=verdicts,
            losses=losses,
            columns=columns,
            rows=prepared.n_rows,
            classes=len(self.recounted.classes),
            suppressed=regions.suppressed_rows,
        )
        private = private_manifest(
            public,
            seed=self.seed,
            keep_order=self.keep_order,
            statistics=solution.statistics,
            risks={"before": before.as_dict(), "after": after.as_dict()},
            warnings=self.warnings,
        )
        return Release(
            data=None,
            out=None,
            verdicts=verdicts,
            loss=objective,
            losses=losses,
            risk_before=before,
            risk_after=after,
            residue=residue,
            suppressed=regions.suppressed_rows,
            columns=columns,
            optimal=solution.optimal,
            algorithm=plan.algorithm.name,
            warnings=self.warnings,
            manifest=public,
            private=private,
            _solution=solution,
            _regions=regions,
            _table=table,
        )
