"""The main job: search, recode, recount, publish."""

from __future__ import annotations

import hashlib
import json
import secrets
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms.feasibility import check_feasible
from shoal.core.population import needed_population
from shoal.core.protocols import Algorithm, LossMetric, PrivacyModel, Problem, Solution, check_support
from shoal.core.rational import Exact
from shoal.core.recoding import Regions, regions_of
from shoal.core.schema import Schema
from shoal.engines.recount import recount
from shoal.errors import InfeasibleError, ShoalWarning
from shoal.io.frames import from_frame, restore
from shoal.io.opening import open_source
from shoal.io.sink import output_kind, read_back, write
from shoal.io.source import Source, reading
from shoal.io.staged import Staged
from shoal.loss import LOSSES
from shoal.loss.measure import measure
from shoal.risk.reidentification import risk_of
from shoal.workflow.account.files import check_report_path, mapping_text, report_text
from shoal.workflow.check import Proof, check
from shoal.workflow.columns import describe_columns
from shoal.workflow.manifest import private_manifest, public_manifest
from shoal.workflow.next_wave import next_wave
from shoal.workflow.plan import Plan
from shoal.workflow.policy import Policy
from shoal.workflow.population import in_population, population_file, population_frame
from shoal.workflow.prepare import Prepared, numbers, prepare, text_expressions
from shoal.workflow.pseudonyms import check_key
from shoal.workflow.publish import Published, publish
from shoal.workflow.release import Release
from shoal.workflow.rules import Rules
from shoal.workflow.spec import Spec

__all__ = ["anonymize", "anonymize_file"]

Progress = Callable[[float | None, str], None]

USUAL_LOSSES = ("ncp", "average-class-size", "discernibility")


def anonymize(
    data: Any,
    schema: Schema,
    *,
    models: Iterable[PrivacyModel] | PrivacyModel = (),
    algorithm: str | Algorithm = "mondrian",
    loss: str | LossMetric = "ncp",
    suppression_limit: Exact = 0,
    suppressed: str = "star",
    seed: int | None = None,
    keep_order: bool = False,
    weights: Mapping[str, float] | None = None,
    max_levels: Mapping[str, int] | None = None,
    budget_s: float | None = None,
    population: Any = None,
    policy: str | Policy | None = None,
    because: str | None = None,
    pseudonym_key: bytes | None = None,
    ledger: str | Path | None = None,
    ledger_refuse: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Publish a frame so that every model is met, or refuse.

    Parameters
    ----------
    data : DataFrame
        pandas, Polars, PyArrow or any frame that narwhals knows; it is not changed.
    schema : Schema
        The role of each column; a column without one is dropped and listed.
    models : iterable of PrivacyModel
        What the release must meet; may be left out where a policy says it.
    algorithm : str or Algorithm, default "mondrian"
        How the recoding is searched.
    loss : str or LossMetric, default "ncp"
        What the search keeps small.
    suppression_limit : number or text, default 0
        Largest share of suppressed records, in [0, 1].
    suppressed : {"star", "drop", "blank-sensitive"}
        What becomes of suppressed records.
    seed : int, optional
        Of the shuffle and of random choices; fresh entropy where left out. It stays in ``release.private``.
    keep_order : bool, default False
        Keep the input's order of rows instead of shuffling them.
    weights : mapping of str to float, optional
        Weight of quasi-identifiers in the objective.
    max_levels : mapping of str to int, optional
        Highest allowed level of quasi-identifiers.
    budget_s : float, optional
        Seconds after which the best so far is taken.
    population : DataFrame, optional
        The people that the table is a sample of, with the same quasi-identifiers, one row per person; for models
        that count them.
    policy : str or Policy, optional
        What a law or a practice asks of the output, by its name (``shoal list presets``) or as an object.
    because : str, optional
        Why less than the policy asks is enough; it stands in ``release.private`` and in the private report.
    pseudonym_key : bytes, optional
        Secret of the pseudonyms, needed where the schema asks for some. It is not kept.
    ledger : str or Path, optional
        Private file of the releases before this one: a warning says with which of them the new one is not safe,
        and then the file remembers it too. It is begun where it is not there.
    ledger_refuse : bool, default False
        Refuse instead of warning.
    progress : callable, optional
        Called with (share done or None, what is being done).

    Returns
    -------
    Release
        ``release.data`` is a frame of the kind that came in.

    Raises
    ------
    InfeasibleError
        If no recoding meets the models within the limits; it names the nearest feasible choices.
    SchemaError, SpecError, HierarchyError, InputError
        If the roles, the settings, a hierarchy or the data are wrong.
    PolicyError
        If the output does not meet the policy and no reason is given, or is not safe together with a release of
        the ledger and *ledger_refuse*.
    VerificationError
        If the recount of the output disagrees with the search. Nothing is returned then.
    """
    asked = Rules.of(policy, because)
    plan = Plan.resolve(
        models=asked.models_for(models),
        algorithm=algorithm,
        loss=loss,
        suppression_limit=suppression_limit,
        suppressed=suppressed,
        weights=weights,
        max_levels=max_levels,
        budget_s=budget_s,
    )
    run = _Run(plan, asked, seed=seed, keep_order=keep_order, key=pseudonym_key, progress=progress)
    with from_frame(data) as source, population_frame(population) as people, run.listening():
        prepared, solution, regions, published = run.decide(source, schema, people)
        frame = published.frame.collect(engine="streaming")
        proof = run.prove(frame.lazy(), prepared, regions, published)
        release = run.release(prepared, solution, regions, proof, frame.lazy)
        if ledger is not None:
            release, wave = next_wave(ledger, release, refuse=ledger_refuse)
            wave.write()
        return replace(release, data=restore(data, frame))


def anonymize_file(
    source: str | Path,
    spec: Spec,
    out: str | Path,
    *,
    seed: int | None = None,
    keep_order: bool = False,
    force: bool = False,
    explain: bool = False,
    policy: str | Policy | None = None,
    because: str | None = None,
    pseudonym_key: bytes | None = None,
    report: str | Path | None = None,
    external_report: str | Path | None = None,
    mapping: str | Path | None = None,
    ledger: str | Path | None = None,
    ledger_refuse: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Publish a file so that every model is met, or refuse and write nothing.

    Parameters
    ----------
    source : str or Path
        CSV, TSV or Parquet, ``-`` for CSV on standard input.
    spec : Spec
        How to read it, roles, models and method.
    out : str or Path
        The file to write, beside it ``OUT.manifest.json`` and ``OUT.private.json``; ``-`` for standard output.
    seed, keep_order
        As in :func:`anonymize`.
    force : bool, default False
        Overwrite existing files.
    explain : bool, default False
        Work out why the table looks as it does: ``release.explanation``, and in the private manifest with the
        sensitive values that were in the way.
    policy, because, pseudonym_key
        As in :func:`anonymize`.
    report, external_report : str or Path, optional
        Write the private report, or the one that may be published: ``.html``, or ``.json`` for the same as data.
    mapping : str or Path, optional
        Write what each value was published as, a CSV file that is not to be published.
    ledger, ledger_refuse
        As in :func:`anonymize`.
    progress
        As in :func:`anonymize`.

    Returns
    -------
    Release
        Without data; the table is in *out*.

    Raises
    ------
    InfeasibleError, SchemaError, SpecError, HierarchyError, InputError, VerificationError
        As in :func:`anonymize`; nothing is written then, and no part of a file is left behind.
    """
    asked = Rules.of(policy, because)
    plan = spec.plan(models=asked.models_for(spec.models()))
    run = _Run(plan, asked, seed=seed, keep_order=keep_order, key=pseudonym_key, progress=progress)
    schema, kind, to_stdout = spec.schema(), output_kind(out), str(out) == "-"
    for path in (report, external_report):
        if path is not None:
            check_report_path(path)
    with Staged(force=force) as files:
        table = files.add(out)
        manifest = None if to_stdout else files.add(f"{out}.manifest.json")
        private = None if to_stdout else files.add(f"{out}.private.json", private=True)
        told = None if report is None else files.add(report, private=True)
        told_outside = None if external_report is None else files.add(external_report)
        mapped = None if mapping is None else files.add(mapping, private=True)
        with (
            open_source(source, **spec.input, decimal_columns=numbers(schema)) as opened,
            reading(opened),
            population_file(spec, numbers(schema)) as people,
            run.listening(),
        ):
            release = _write(run, (opened, people), schema, table, kind)
            wave = None
            if ledger is not None:
                run.progress(None, "holding it against the ledger")
                release, wave = next_wave(ledger, release, refuse=ledger_refuse)
            if explain:
                run.progress(None, "explaining")
                release = replace(release, explanation=release.explain())
            if report or external_report:
                release = replace(release, sha256=_digest(table))
            if report and told:
                told.write_text(report_text(release, report, external=False), encoding="utf-8")
            if external_report and told_outside:
                told_outside.write_text(report_text(release, external_report, external=True), encoding="utf-8")
        if mapped:
            mapped.write_text(mapping_text(release), encoding="utf-8")
        if manifest and private:
            manifest.write_text(_json(release.manifest), encoding="utf-8")
            record = dict(release.private)
            if release.explanation is not None:
                record["explanation"] = release.explanation.as_dict(private=True)
            private.write_text(_json(record), encoding="utf-8")
        # Last, so that whatever goes wrong before leaves nothing behind.
        if wave is None:
            files.commit()
        else:
            wave.write(files.commit)
        if to_stdout:
            return replace(release, out=None, published=None)
        return replace(release, out=Path(out), published=lambda: run.scan(Path(out)))


def _write(run: _Run, sources: tuple[Source, Source | None], schema: Schema, table: Path, kind: str) -> Release:
    opened, people = sources
    prepared, solution, regions, published = run.decide(opened, schema, people)
    run.progress(None, "writing")
    write(published.frame, table, kind=kind, dialect=opened.dialect)
    run.progress(None, "counting the output again")
    run.scan = partial(
        read_back,
        kind=kind,
        columns=published.columns,
        dialect=opened.dialect,
        decimal_columns=opened.decimal_columns,
    )
    proof = run.prove(run.scan(table), prepared, regions, published)
    return run.release(prepared, solution, regions, proof, lambda: run.scan(table))


def _digest(path: Path) -> str:
    with path.open("rb") as read:
        return hashlib.file_digest(read, "sha256").hexdigest()


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


class _Run:
    """One run: its seed, its progress and the warnings that it heard."""

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
        objective = measure(plan.loss, table, regions, plan.weights)
        losses = {plan.loss.name: objective}
        for name in USUAL_LOSSES:
            if name not in losses:
                losses[name] = measure(LOSSES.make(name), table, regions)
        columns = describe_columns(prepared, solution, regions)
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
            risks={"before": before.as_dict(), "after": after.as_dict()},
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
            _solution=solution,
            _regions=regions,
            _table=table,
            _problem=self.problem,
            _algorithm=plan.algorithm,
        )
