"""One run: what anonymizing a frame and a file have in common."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms.feasibility import check_feasible
from shoal.core.algorithm import Solution, check_support, refuse_infeasible
from shoal.core.problem import Problem
from shoal.core.schema import Schema
from shoal.errors import InfeasibleError, ShoalWarning, SpecError, nearest_name
from shoal.io.source import Source
from shoal.risk.reidentification import risk_of
from shoal.workflow.check import Proof
from shoal.workflow.forms import Form, form_of
from shoal.workflow.forms.asked import Asked, check_asked, form_named_by
from shoal.workflow.manifest import private_manifest, public_manifest
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import prepare
from shoal.workflow.pseudonyms import check_key
from shoal.workflow.publish import Published
from shoal.workflow.release import Release
from shoal.workflow.rules import Rules
from shoal.workflow.seed import seed_of

__all__ = ["Progress", "Run"]

Progress = Callable[[float | None, str], None]
"""Called with (share done in [0, 1] or None, what is being done)."""


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
    explain, ledger : bool
        Whether an explanation or a ledger is asked for, which not every kind of release has.
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
        explain: bool = False,
        ledger: bool = False,
        progress: Progress | None,
    ) -> None:
        self.plan = plan
        self.asked = asked
        self.key = key
        self.explain = explain
        self.ledger = ledger
        self.scan: Callable[[Path], pl.LazyFrame]
        self.seed = seed_of(seed)
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
    ) -> tuple[Form, Solution, Published]:
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
        self._check_asked(form_named_by(plan.algorithm), schema)
        self.progress(None, "reading and counting")
        # Noise needs the sensitive values even where no model reads them.
        drawn = schema.sensitive if form_named_by(plan.algorithm) == "noise" else ()
        sensitive = dict.fromkeys([*plan.columns, *drawn])
        prepared = prepare(source, schema, sensitive=sensitive, population=population)
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
        refuse_infeasible(plan.algorithm, prepared.table, problem)
        check_feasible(problem)
        self.progress(0.0, "searching")
        solution = plan.algorithm.search(prepared.table, problem, np.random.default_rng([self.seed, 1]))
        form = form_of(solution.recoding, prepared, plan)
        if form.kind != form_named_by(plan.algorithm):
            self._check_asked(form.kind, schema)
        if form.suppressed and form.suppressed == prepared.n_rows - form.withheld:
            raise InfeasibleError(
                "every record would be suppressed", choices=["lower k or drop a quasi-identifier"]
            )
        if not form.rows:
            raise InfeasibleError(
                "no row would be published", choices=["ask for less, or raise the sampling rate"]
            )
        published = form.publish(seed=self.seed, keep_order=self.keep_order, key=self.key)
        self.population = form.population(published)
        return form, solution, published

    def _check_asked(self, kind: str, schema: Schema) -> None:
        asked = Asked(self.plan, schema, self.asked.policy is not None, self.explain, self.ledger, self.keep_order)
        check_asked(kind, asked)

    def release(
        self,
        form: Form,
        solution: Solution,
        proof: Proof,
        published: Callable[[], pl.LazyFrame],
    ) -> Release:
        """Put everything together that the recount has proven, if it meets the policy."""
        plan, prepared = form.plan, form.prepared
        losses = form.losses()
        columns = form.columns(solution.recoding)
        before = risk_of(prepared.table.point_classes, by_people=prepared.context.by_people)
        after = form.risk(proof)
        link = form.link(proof)
        held = self.asked.held(published(), form, after)
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
            rows=form.rows,
            classes=len(proof.classes),
            suppressed=form.suppressed,
            facts=form.facts(proof),
            promises=form.promises(proof),
        )
        private = private_manifest(
            public,
            seed=self.seed,
            keep_order=self.keep_order,
            statistics=solution.statistics,
            notes=solution.notes,
            risks={
                "before": before.as_dict(),
                "after": None if after is None else after.as_dict(),
                "population": self.population,
                **({} if link is None else {"link": dict(link)}),
            },
            withheld=form.withheld,
            warnings=self.warnings,
            policy=held,
        )
        return Release(
            data=None,
            out=None,
            verdicts=proof.verdicts,
            loss=losses.get(plan.loss.name),
            losses=losses,
            risk_before=before,
            risk_after=after,
            residue=proof.residue,
            suppressed=form.suppressed,
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
            promises=form.promises(proof),
            facts=form.facts(proof),
            link=link,
            _form=form,
            _problem=self.problem,
            _algorithm=plan.algorithm,
        )
