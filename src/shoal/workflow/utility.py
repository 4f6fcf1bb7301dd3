"""Utility of published tables, as frames and as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.core.schema import Schema
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import Source, reading
from shoal.utility.classification import Tree
from shoal.workflow.beside import ReleaseFacts
from shoal.workflow.prepare import numbers
from shoal.workflow.released_frame import frame_of
from shoal.workflow.spec import Spec
from shoal.workflow.utility_measures import Asked, utility_of
from shoal.workflow.utility_result import Utility
from shoal.workflow.utility_tables import compare
from shoal.workflow.workload import read_workload

__all__ = ["measure_utility", "measure_utility_files"]


def measure_utility(
    original: Any,
    published: Any,
    schema: Schema,
    *,
    groups: Sequence[Sequence[str]] | None = None,
    bucket: str = "bucket",
    sampling_rate: float | None = None,
    fake: Any = None,
    include_fakes: bool = False,
    queries: int = 1000,
    dimensions: Sequence[int] | None = None,
    selectivity: float = 0.05,
    workload: Sequence[Mapping[str, Any]] | None = None,
    targets: Sequence[str] = (),
    holdout: Any = None,
    tree: Tree | None = None,
    propensity: str | None = "logistic",
    seed: int = 0,
) -> Utility:
    """Measure what a published table still tells, beside its original.

    Parameters
    ----------
    original : DataFrame
        The private table, in any frame that narwhals knows.
    published : Release or DataFrame
        What was made of it, by this or by another tool: generalized, suppressed, in buckets, noisy or sampled. A
        ``Release`` brings its groups and its sampling rate with it.
    schema : Schema
        Quasi-identifiers and sensitive columns; the hierarchies say what labels cover.
    groups : sequence of sequence of str, optional
        Columns that were shuffled together within buckets, as in ``manifest["buckets"]["groups"]``.
    bucket : str, default "bucket"
        The column that numbers the buckets.
    sampling_rate : float, optional
        Share of the records that were published at all, in (0, 1]; counts are divided by it. 1 where left out.
    fake : sequence of bool, optional
        Which published rows were invented, where that is known; they are left out of the distortion.
    include_fakes : bool, default False
        Count them in the distortion all the same.
    queries : int, default 1000
        Random COUNT queries of each dimension; 0 for none.
    dimensions : sequence of int, optional
        Quasi-identifiers in a query; 1 to 5 where left out, or as many as there are.
    selectivity : float, default 0.05
        Share of the records that a query would meet in a uniform table, in (0, 1].
    workload : sequence of mapping, optional
        Queries of your own instead: columns, each with a value or a list of them. Groups and ranges are values
        too.
    targets : sequence of str
        Columns that decision trees predict from the others; needs scikit-learn.
    holdout : DataFrame, optional
        Original rows that were not released: trees that learn from the release are tested on them.
    tree : Tree, optional
        How trees are grown.
    propensity : {"logistic", "tree"} or None, default "logistic"
        What tries to tell published rows from original ones; ``tree`` needs scikit-learn.
    seed : int, default 0
        Of queries, of values drawn from cells and of folds.

    Returns
    -------
    Utility

    Raises
    ------
    SchemaError
        If columns are missing, or a column is in no group.
    HierarchyError
        If labels cannot be read.
    SpecError
        If an option is out of range, or a query names what is not there.
    EngineError
        If scikit-learn is needed and missing.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [21, 23, 41, 44], "disease": ["flu", "cold", "flu", "flu"]})
    >>> coarse = people.with_columns(age=pl.Series(["[21, 23]", "[21, 23]", "[41, 44]", "[41, 44]"]))
    >>> schema = Schema(quasi_identifiers=["age"], sensitive=["disease"])
    >>> found = measure_utility(people, coarse, schema, workload=[{"age": 21, "disease": "flu"}])
    >>> found.queries[0].mean, found.distance("age"), found.distance("age", "disease")
    (0.5, 0.0, 0.25)
    """
    asked = Asked(
        queries=queries,
        dimensions=dimensions,
        selectivity=selectivity,
        workload=workload,
        targets=targets,
        tree=tree or Tree(),
        propensity=propensity,
        seed=seed,
    )
    rows, facts = frame_of(published)
    facts = facts.with_groups(groups, bucket)
    if sampling_rate is not None:
        facts = replace(facts, sampling_rate=sampling_rate)
    with ExitStack() as opened:
        sources = [opened.enter_context(from_frame(frame)) for frame in (original, rows)]
        held = None if holdout is None else opened.enter_context(from_frame(holdout))
        found = compare(sources[0], sources[1], schema, facts)
        invented = None if fake is None else np.asarray(fake, np.bool_)
        return utility_of(found, asked, holdout=held, fake=invented, include_fakes=include_fakes)


def measure_utility_files(
    original: str | Path,
    published: str | Path,
    spec: Spec,
    *,
    groups: Sequence[Sequence[str]] | None = None,
    holdout: str | Path | None = None,
    workload: str | Path | None = None,
    asked: Asked | None = None,
) -> Utility:
    """Measure a published file, as :func:`measure_utility`, with the roles of a spec.

    Groups of buckets and the sampling rate are read from the manifest beside it, where there is one.
    """
    schema = spec.schema()
    asked = asked or Asked()
    if workload is not None:
        asked = replace(asked, workload=read_workload(workload))
    with ExitStack() as opened:

        def of(path: str | Path) -> Source:
            source = opened.enter_context(open_source(path, **spec.input, decimal_columns=numbers(schema)))
            opened.enter_context(reading(source))
            return source

        facts = ReleaseFacts.beside(published).with_groups(groups)
        found = compare(of(original), of(published), schema, facts)
        return utility_of(found, asked, holdout=None if holdout is None else of(holdout))
