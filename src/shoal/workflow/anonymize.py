"""The main job: search, recode, recount, publish."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from shoal.core.algorithm import Algorithm
from shoal.core.protocols import LossMetric, PrivacyModel
from shoal.core.rational import Exact
from shoal.core.schema import Schema
from shoal.io.dialect import Dialect
from shoal.io.frames import from_frame, restore
from shoal.io.opening import open_source
from shoal.io.sink import output_kind, read_back, write
from shoal.io.source import Source, reading
from shoal.io.staged import Staged
from shoal.workflow.account.files import check_report_path, mapping_text, report_text
from shoal.workflow.plan import Plan
from shoal.workflow.policy import Policy
from shoal.workflow.population import population_file, population_frame
from shoal.workflow.prepare import numbers
from shoal.workflow.release import Release
from shoal.workflow.rules import Rules
from shoal.workflow.run import Progress, Run
from shoal.workflow.spec import Spec

__all__ = ["anonymize", "anonymize_file"]


def anonymize(
    data: Any,
    schema: Schema,
    *,
    models: Iterable[PrivacyModel] | PrivacyModel = (),
    algorithm: str | Algorithm | None = None,
    loss: str | LossMetric = "ncp",
    suppression_limit: Exact = 0,
    suppressed: str = "star",
    insensitive: str = "refuse",
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
    algorithm : str or Algorithm, optional
        How the recoding is searched; where left out, by ``best``, or by ``optimal`` where a model is about the
        whole table or counts a population, which local recoding cannot hold.
    loss : str or LossMetric, default "ncp"
        What the search keeps small.
    suppression_limit : number or text, default 0
        Largest share of suppressed records, in [0, 1].
    suppressed : {"star", "drop", "blank-sensitive"}
        What becomes of suppressed records.
    insensitive : {"refuse", "copy"}
        What becomes of insensitive columns where an algorithm adds fake rows to buckets: such a release is
        refused, or each fake row copies them from one genuine row of its bucket.
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
        insensitive=insensitive,
        weights=weights,
        max_levels=max_levels,
        budget_s=budget_s,
    )
    run = Run(
        plan,
        asked,
        seed=seed,
        keep_order=keep_order,
        key=pseudonym_key,
        ledger=ledger is not None,
        progress=progress,
    )
    with from_frame(data) as source, population_frame(population) as people, run.listening():
        form, solution, published = run.decide(source, schema, people)
        frame = published.frame.collect(engine="streaming")
        # Read as whoever gets it reads it: cells that leave as they came may be texts that mean missing.
        read = from_frame(frame, missing=source.missing).scan
        proof = form.prove(read(), published)
        release = run.release(form, solution, proof, read)
        if ledger is not None:
            release, wave = _beside_earlier(ledger, release, refuse=ledger_refuse)
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
        Overwrite existing files; never one that is read.
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
    run = Run(
        plan,
        asked,
        seed=seed,
        keep_order=keep_order,
        key=pseudonym_key,
        explain=explain,
        ledger=ledger is not None,
        progress=progress,
    )
    schema, kind, to_stdout = spec.schema(), output_kind(out), str(out) == "-"
    for path in (report, external_report):
        if path is not None:
            check_report_path(path)
    inputs = [source, *spec.files(), *(() if ledger is None else (ledger,))]
    with Staged(force=force, inputs=inputs) as files:
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
                release, wave = _beside_earlier(ledger, release, refuse=ledger_refuse)
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


def _beside_earlier(ledger: str | Path, release: Release, *, refuse: bool) -> tuple[Release, Any]:
    # The attack is loaded by those who ask for it: a run without a ledger starts sooner.
    from shoal.workflow.next_wave import next_wave

    return next_wave(ledger, release, refuse=refuse)


def _write(run: Run, sources: tuple[Source, Source | None], schema: Schema, table: Path, kind: str) -> Release:
    opened, people = sources
    form, solution, published = run.decide(opened, schema, people)
    run.progress(None, "writing")
    dialect = opened.dialect or Dialect(missing=opened.missing)
    write(published.frame, table, kind=kind, dialect=dialect)
    run.progress(None, "counting the output again")
    run.scan = partial(
        read_back,
        kind=kind,
        columns=published.columns,
        dialect=dialect,
        decimal_columns=opened.decimal_columns,
    )
    proof = form.prove(run.scan(table), published)
    return run.release(form, solution, proof, lambda: run.scan(table))


def _digest(path: Path) -> str:
    with path.open("rb") as read:
        return hashlib.file_digest(read, "sha256").hexdigest()


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
