"""What can be asked of a published table, and how it is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SpecError, nearest_name
from shoal.io.source import Source
from shoal.utility.classification import Accuracy, Tree, cross_validated, held_out
from shoal.utility.count_queries import ESTIMATORS, Query, QueryError, answers, query_error, random_queries
from shoal.utility.distances import column_distances, pair_distances
from shoal.utility.distortion_ratio import DISTORTION_READINGS, distortion_ratio
from shoal.utility.propensity import propensity
from shoal.utility.released import ReleasedRows
from shoal.workflow.utility_result import Utility
from shoal.workflow.utility_tables import Compared, values_of
from shoal.workflow.workload import parse_queries

__all__ = ["Asked", "utility_of"]

MOST_DIMENSIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is measured beside distortion and distances.

    Parameters
    ----------
    queries : int, default 1000
        Random queries of each dimension.
    dimensions : sequence of int, optional
        Quasi-identifiers in a query; 1 to 5 where left out, or as many as there are.
    selectivity : float, default 0.05
        Share of the records that a query would meet in a uniform table, in (0, 1].
    workload : sequence of mapping, optional
        Queries of the user, instead of random ones.
    targets : sequence of str
        Columns that trees predict from the others.
    tree : Tree
    propensity : {"logistic", "tree"} or None, default "logistic"
    seed : int, default 0
        Of queries, drawn values and folds.
    """

    queries: int = 1000
    dimensions: Sequence[int] | None = None
    selectivity: float = 0.05
    workload: Sequence[Mapping[str, Any]] | None = None
    targets: Sequence[str] = ()
    tree: Tree = field(default_factory=Tree)
    propensity: str | None = "logistic"
    seed: int = 0


def utility_of(
    found: Compared,
    asked: Asked,
    *,
    holdout: Source | None = None,
    fake: NDArray[np.bool_] | None = None,
    include_fakes: bool = False,
) -> Utility:
    """Measure tables that are read already; arguments as in :func:`~shoal.workflow.utility.measure_utility`."""
    original, published, n_quasi = found.original, found.published, found.n_quasi
    if not 0 < published.sampling_rate <= 1:
        raise SpecError("the sampling rate is a share above 0 and at most 1", fix="use 1 for a table of everybody")
    if fake is not None and len(fake) != len(published):
        raise SpecError(f"fake tells of {len(fake)} rows, and {len(published)} were published")
    notes = list(found.notes)
    distortion = {
        kind: distortion_ratio(
            published.hierarchies[:n_quasi],
            published.sides[:n_quasi],
            published.cells[:, :n_quasi],
            reading=kind,
            fake=fake,
            include_fakes=include_fakes,
        )
        for kind in DISTORTION_READINGS
    }
    rng = np.random.default_rng(asked.seed)
    drawn = published.drawn(rng)
    whole = (drawn >= 0).all(axis=1)
    if not whole.all():
        notes.append(
            f"{int((~whole).sum())} published row(s) have a label that covers no value; they count in nothing"
        )
    told = None
    if asked.propensity is not None:
        told = propensity(
            original.hierarchies, original.cells, drawn[whole], method=asked.propensity, seed=asked.seed
        )
    return Utility(
        rows_original=len(original),
        rows_published=len(published),
        columns=original.names,
        distortion=distortion,
        queries=_queries(original, published, n_quasi, asked, rng),
        accuracies=_accuracies(original, drawn[whole], asked, holdout, notes),
        propensity=told,
        distances=(*column_distances(original, published), *pair_distances(original, published)),
        notes=tuple(notes),
    )


def _queries(
    original: ReleasedRows, published: ReleasedRows, n_quasi: int, asked: Asked, rng: np.random.Generator
) -> tuple[QueryError, ...]:
    loads: list[tuple[int | None, list[Query]]] = []
    if asked.workload is not None:
        loads.append((None, parse_queries(asked.workload, original.names, original.hierarchies)))
    elif asked.queries:
        for dimension in asked.dimensions or range(1, min(MOST_DIMENSIONS, n_quasi) + 1):
            drawn = random_queries(
                [h.n_values for h in original.hierarchies],
                range(n_quasi),
                range(n_quasi, len(original.names)),
                dimension=dimension,
                selectivity=asked.selectivity,
                queries=asked.queries,
                rng=rng,
            )
            loads.append((dimension, drawn))
    errors = []
    for size, load in loads:
        actual = answers(original, load)
        errors += [
            query_error(actual, answers(published, load, estimator=estimator), dimension=size, estimator=estimator)
            for estimator in ESTIMATORS
        ]
    return tuple(errors)


def _accuracies(
    original: ReleasedRows, drawn: NDArray[np.int32], asked: Asked, holdout: Source | None, notes: list[str]
) -> tuple[Accuracy, ...]:
    """Let trees predict each target, by both protocols where rows were held out."""
    if not asked.targets:
        return ()
    tested = None
    if holdout is None:
        notes.append("trees were not tested on original rows, since none that were not released were given")
    else:
        tested, left_out = values_of(holdout, original)
        if left_out:
            notes.append(f"{left_out} row(s) held out have a value that the original has not, and were not tested")
    found = []
    options: dict[str, Any] = {"tree": asked.tree, "seed": asked.seed}
    for name in asked.targets:
        if name not in original.names:
            raise SpecError(f"no column {name!r} is measured", fix=nearest_name(name, original.names))
        target = original.names.index(name)
        tables = (original.cells, drawn)
        scores = [cross_validated(original.hierarchies, table, target, **options) for table in tables]
        found.append(_accuracy(name, "drawn", scores, original.cells[:, target]))
        if tested is not None:
            scores = [held_out(original.hierarchies, table, tested, target, **options) for table in tables]
            found.append(_accuracy(name, "held out", scores, tested[:, target]))
    return tuple(found)


def _accuracy(target: str, protocol: str, scores: Sequence[float], truth: NDArray[np.int32]) -> Accuracy:
    majority = float(np.bincount(truth).max() / len(truth)) if len(truth) else float("nan")
    return Accuracy(target=target, protocol=protocol, original=scores[0], published=scores[1], majority=majority)
