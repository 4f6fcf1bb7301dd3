"""One run: what anonymizing a frame and a file have in common."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms.feasibility import check_feasible
from shoal.core.population import needed_population
from shoal.core.protocols import Problem, Solution, check_support
from shoal.core.recoding import regions_of
from shoal.core.regions import Regions
from shoal.core.schema import Schema
from shoal.engines.recount import recount
from shoal.errors import InfeasibleError, ShoalWarning, SpecError, nearest_name
from shoal.io.source import Source
from shoal.loss import LOSSES, NCP
from shoal.loss.measure import measure, measure_columns, total_of
from shoal.risk.reidentification import risk_of
from shoal.workflow.check import Proof, check
from shoal.workflow.columns import describe_columns
from shoal.workflow.manifest import private_manifest, public_manifest
from shoal.workflow.plan import Plan
from shoal.workflow.population import in_population
from shoal.workflow.prepare import Prepared, prepare, text_expressions
from shoal.workflow.pseudonyms import check_key
from shoal.workflow.publish import Published, publish
from shoal.workflow.release import Release
from shoal.workflow.rules import Rules
from shoal.workflow.survey import Survey

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
    asked : Rules
        What a policy asks.
    seed : int or None
        Fresh entropy where None.
    keep_order : bool
    key : bytes or None
        Secret of the pseudonyms.
    progress : callable or None
    """

    def __init__(
        self,
        plan: Plan,
        asked: Rules,
        *,
        seed: int | None,
        keep_order: bool,
        key: bytes | None,
        progress: Progress | None,
    ) -> None:
        self.plan = plan
        self.asked = asked
        self.key = key
        self.scan: Callable[[Path], pl.LazyFrame]
        self.seed = secrets.randbits(63) if seed is None else seed
        self.keep_order = keep_order
        self.problem: Problem
        self.population: dict[str, Any] = {}
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

    def decide(
        self, source: Source, schema: Schema, population: Source | None
    ) -> tuple[Prepared, Solution, Regions, Published]:
        """Count the rows, search a recoding and rewrite the rows."""
        plan = self.plan
        check_support(plan.algorithm, plan.models)
        check_key(schema, self.key)
        for name in (*plan.weights, *plan.max_levels):
            if name not in schema.quasi_identifiers:
                raise SpecError(
                    f"a weight or a highest level is given for {name!r}, which is no quasi-identifier",
                    fix=nearest_name(name, schema.quasi_identifiers),
                )
        self.progress(None, "reading and counting")
        prepared = prepare(source, schema, sensitive=plan.columns, population=population)
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
        self.problem = problem
        check_feasible(problem)
        self.progress(0.0, "searching")
        solution = plan.algorithm.search(prepared.table, problem, np.random.default_rng([self.seed, 1]))
        regions = regions_of(solution.recoding, prepared.table)
        if regions.suppressed_rows == prepared.n_rows:
            raise InfeasibleError(
                "every record would be suppressed", choices=["lower k or drop a quasi-identifier"]
            )
        published = publish(prepared, regions, plan, seed=self.seed, keep_order=self.keep_order, key=self.key)
        if published.region_of_row is not None:
            survey = Survey.of(prepared)
            self.population = survey.before_and_after(published.region_of_row, regions.lo.shape[0])
        return prepared, solution, regions, published

    def prove(self, output: pl.LazyFrame, prepared: Prepared, regions: Regions, published: Published) -> Proof:
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
            reads=self.plan.reads,
        )
        if "population" in self.plan.reads:
            found = found.in_population(needed_population(prepared.context.population), in_population)
        proof = check(found, regions, table, self.plan, prepared.context)
        failed = ", ".join(v.model for v in proof.residue.verdicts if v.columns and not v.satisfied)
        if failed and self.plan.suppressed == "star":
            warnings.warn(
                f"the suppressed records, taken as one class, do not meet {failed}: their sensitive cells still "
                'speak; suppressed = "drop" or "blank-sensitive" removes that',
                ShoalWarning,
                stacklevel=2,
            )
        return proof

    def release(
        self,
        prepared: Prepared,
        solution: Solution,
        regions: Regions,
        proof: Proof,
        published: Callable[[], pl.LazyFrame],
    ) -> Release:
        """Put everything together that the recount has proven, if it meets the policy."""
        plan, table = self.plan, prepared.table
        # Every release tells ncp, of the table and of each column; on large tables once is enough.
        ncp = NCP()
        by_column = measure_columns(ncp, table, regions)
        if plan.loss == ncp:
            objective = total_of(ncp, by_column, plan.weights)
        else:
            objective = measure(plan.loss, table, regions, plan.weights)
        losses = {plan.loss.name: objective}
        losses.setdefault(ncp.name, total_of(ncp, by_column))
        for name in USUAL_LOSSES:
            if name not in losses:
                losses[name] = measure(LOSSES.make(name), table, regions)
        columns = describe_columns(prepared, solution, regions, by_column)
        by_people = prepared.context.by_people
        before = risk_of(table.point_classes, by_people=by_people)
        after = risk_of(proof.classes, suppressed_rows=regions.suppressed_rows, by_people=by_people)
        held = self.asked.held(published(), prepared, regions, after)
        if prepared.schema.pseudonyms:
            warnings.warn(
                f"{', '.join(prepared.schema.pseudonyms)}: pseudonyms are published, so the table is not "
                "anonymous and the rows of one person can be joined",
                ShoalWarning,
                stacklevel=2,
            )
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
            verdicts=proof.verdicts,
            losses=losses,
            columns=columns,
            # With the rows of the input, whoever counts the published ones would know how few were left out.
            rows=prepared.n_rows - (regions.suppressed_rows if plan.suppressed == "drop" else 0),
            classes=len(proof.classes),
            suppressed=regions.suppressed_rows,
        )
        private = private_manifest(
            public,
            seed=self.seed,
            keep_order=self.keep_order,
            statistics=solution.statistics,
            notes=solution.notes,
            risks={"before": before.as_dict(), "after": after.as_dict(), "population": self.population},
            warnings=self.warnings,
            policy=held,
        )
        return Release(
            data=None,
            out=None,
            verdicts=proof.verdicts,
            loss=objective,
            losses=losses,
            risk_before=before,
            risk_after=after,
            residue=proof.residue,
            suppressed=regions.suppressed_rows,
            columns=columns,
            optimal=solution.optimal,
            algorithm=plan.algorithm.name,
            warnings=self.warnings,
            manifest=public,
            private=private,
            published=published,
            policy=held,
            population=self.population,
            _solution=solution,
            _regions=regions,
            _table=table,
            _problem=self.problem,
            _algorithm=plan.algorithm,
        )
