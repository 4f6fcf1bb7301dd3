"""The main job: search, recode, recount, publish."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.core.protocols import Algorithm, LossMetric, PrivacyModel
from shoal.core.rational import Exact
from shoal.core.schema import Schema
from shoal.io.frames import from_frame, restore
from shoal.io.opening import open_source
from shoal.io.sink import output_kind, read_back, write
from shoal.io.source import Source, reading
from shoal.io.staged import Staged
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import numbers
from shoal.workflow.release import Release
from shoal.workflow.run import Progress, Run
from shoal.workflow.spec import Spec

__all__ = ["anonymize", "anonymize_file"]


def anonymize(
    data: Any,
    schema: Schema,
    *,
    models: Iterable[PrivacyModel] | PrivacyModel,
    algorithm: str | Algorithm = "mondrian",
    loss: str | LossMetric = "ncp",
    suppression_limit: Exact = 0,
    suppressed: str = "star",
    seed: int | None = None,
    keep_order: bool = False,
    weights: Mapping[str, float] | None = None,
    max_levels: Mapping[str, int] | None = None,
    budget_s: float | None = None,
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
        What the release must meet.
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
    VerificationError
        If the recount of the output disagrees with the search. Nothing is returned then.
    """
    plan = Plan.resolve(
        models=models,
        algorithm=algorithm,
        loss=loss,
        suppression_limit=suppression_limit,
        suppressed=suppressed,
        weights=weights,
        max_levels=max_levels,
        budget_s=budget_s,
    )
    run = Run(plan, seed=seed, keep_order=keep_order, progress=progress)
    with from_frame(data) as source, run.listening():
        prepared, solution, regions, published = run.decide(source, schema)
        frame = published.frame.collect(engine="streaming")
        verdicts, residue = run.prove(frame.lazy(), prepared, regions, published)
        release = run.release(prepared, solution, regions, verdicts, residue)
        return replace(release, data=restore(data, frame))


def anonymize_file(
    source: str | Path,
    spec: Spec,
    out: str | Path,
    *,
    seed: int | None = None,
    keep_order: bool = False,
    force: bool = False,
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
    run = Run(spec.plan(), seed=seed, keep_order=keep_order, progress=progress)
    schema, kind, to_stdout = spec.schema(), output_kind(out), str(out) == "-"
    with Staged(force=force) as files:
        table = files.add(out)
        manifest = None if to_stdout else files.add(f"{out}.manifest.json")
        private = None if to_stdout else files.add(f"{out}.private.json", private=True)
        with (
            open_source(source, **spec.input, decimal_columns=numbers(schema)) as opened,
            reading(opened),
            run.listening(),
        ):
            release = _write(run, opened, schema, table, kind)
        if manifest and private:
            manifest.write_text(_json(release.manifest), encoding="utf-8")
            private.write_text(_json(release.private), encoding="utf-8")
        # Last, so that whatever goes wrong before leaves nothing behind.
        files.commit()
        return replace(release, out=None if to_stdout else Path(out))


def _write(run: Run, opened: Source, schema: Schema, table: Path, kind: str) -> Release:
    prepared, solution, regions, published = run.decide(opened, schema)
    run.progress(None, "writing")
    write(published.frame, table, kind=kind, dialect=opened.dialect)
    run.progress(None, "counting the output again")
    written = read_back(
        table,
        kind=kind,
        columns=published.columns,
        dialect=opened.dialect,
        decimal_columns=opened.decimal_columns,
    )
    verdicts, residue = run.prove(written, prepared, regions, published)
    return run.release(prepared, solution, regions, verdicts, residue)


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
