"""COUNT queries: how far off are the counts that an analyst estimates from a release."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SpecError, check_choice
from shoal.kernels.estimates import estimate_counts
from shoal.utility.released import ReleasedRows

__all__ = ["ESTIMATORS", "Query", "QueryError", "answers", "query_error", "random_queries"]

ESTIMATORS = ("expected", "literal")
"""How a cell that covers several values is counted: by its share, or not at all."""

BLOCK = 64
"""Queries that are laid out at once."""

Query = Mapping[int, NDArray[np.int32]]
"""Columns by their place, each with the codes of the values that a record may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryError:
    """Relative error of the counts of a workload.

    Parameters
    ----------
    dimension : int or None
        Quasi-identifiers in a query; None for queries that a user gave.
    estimator : {"expected", "literal"}
    queries : int
        Queries that some record of the original meets.
    empty : int
        Queries that none meets; they have no relative error.
    mean, median : float or None
        Of ``|estimate - count| / count``; None where every query is empty.
    """

    dimension: int | None
    estimator: str
    queries: int
    empty: int
    mean: float | None
    median: float | None

    def as_dict(self) -> dict[str, float | int | str | None]:
        """Return it as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


def random_queries(
    n_values: Sequence[int],
    quasi: Sequence[int],
    sensitive: Sequence[int],
    *,
    dimension: int,
    selectivity: float,
    queries: int,
    rng: np.random.Generator,
) -> list[Query]:
    """Draw queries: some quasi-identifiers and a sensitive column, each with a random set of its values.

    Parameters
    ----------
    n_values : sequence of int
        Values of each column.
    quasi, sensitive : sequence of int
        Places of the columns. Every query has *dimension* of the first, and one of the second where there is one.
    dimension : int
    selectivity : float
        Share of the records that a query would meet if columns were independent and values alike frequent, in
        (0, 1]: each column gets ``ceil(n_values * selectivity ** (1 / columns))`` values.
    queries : int
    rng : Generator

    Raises
    ------
    SpecError
        If there are fewer quasi-identifiers, or the selectivity is out of range.

    References
    ----------
    .. [1] Zhang, Koudas, Srivastava, Yu (2007), Aggregate query answering on anonymized tables, ICDE.
    """
    if not 1 <= dimension <= len(quasi):
        raise SpecError(
            f"queries over {dimension} quasi-identifiers of {len(quasi)}",
            fix=f"use a dimension from 1 to {len(quasi)}",
        )
    if not 0 < selectivity <= 1:
        raise SpecError("the selectivity of queries is a share above 0 and at most 1", fix="use 0.05")
    drawn: list[Query] = []
    for _ in range(queries):
        columns = sorted(rng.choice(quasi, dimension, replace=False).tolist())
        columns += [int(rng.choice(sensitive))] if sensitive else []
        share = selectivity ** (1 / len(columns))
        # A tiny step down: a power that should be whole must not be rounded up to the next number.
        sizes = [max(1, math.ceil(n_values[j] * share - 1e-9)) for j in columns]
        drawn.append(
            {
                j: np.sort(rng.choice(n_values[j], size, replace=False)).astype(np.int32)
                for j, size in zip(columns, sizes, strict=True)
            }
        )
    return drawn


def answers(rows: ReleasedRows, queries: Sequence[Query], *, estimator: str = "expected") -> NDArray[np.float64]:
    """Estimate the count of each query from a release, float64 [n_queries].

    Parameters
    ----------
    rows : ReleasedRows
        On the original, the estimate is the count.
    queries : sequence of Query
    estimator : {"expected", "literal"}, default "expected"
        ``expected``: a cell meets a condition with the share of its values that do, columns of a row apart from
        each other; in a bucket, groups of columns go together at random. ``literal``: only cells of a single
        value are counted.

    Raises
    ------
    SpecError
        If the estimator is unknown.

    Notes
    -----
    Estimates are divided by the sampling rate. Cost: queries times distinct rows (or rows in buckets).
    """
    check_choice("estimator", estimator, ESTIMATORS)
    entries = rows.entries
    estimates = np.zeros(len(queries))
    for start in range(0, len(queries), BLOCK):
        block = queries[start : start + BLOCK]
        query_starts, column, group, at, shares = _conditions(rows, block, literal=estimator == "literal")
        estimate_counts(
            entries.cells,
            entries.starts,
            entries.weight,
            query_starts,
            column,
            group,
            at,
            shares,
            estimates[start : start + len(block)],
        )
    return estimates / rows.sampling_rate


def _conditions(
    rows: ReleasedRows, queries: Sequence[Query], *, literal: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Lay out the conditions of queries, with the probability that each label meets each."""
    columns = [sorted(query, key=lambda j: (rows.group_of[j], j)) for query in queries]
    flat = [(query, j) for query, found in enumerate(columns) for j in found]
    shares: dict[int, NDArray[np.float64]] = {}
    for j, of_column in groupby(sorted(range(len(flat)), key=lambda c: flat[c][1]), key=lambda c: flat[c][1]):
        found = list(of_column)
        met = np.zeros((rows.hierarchies[j].n_values, len(found)))
        for place, condition in enumerate(found):
            met[queries[flat[condition][0]][j], place] = 1.0
        side = rows.sides[j]
        table = side.sums(met) / np.maximum(side.sizes, 1)[:, None]
        if literal:
            table[side.sizes != 1] = 0.0
        shares.update(zip(found, table.T, strict=True))
    sizes = [len(shares[c]) for c in range(len(flat))]
    column = np.array([j for _, j in flat], np.int64)
    return (
        np.concatenate([[0], np.cumsum([len(found) for found in columns])]).astype(np.int64),
        column,
        rows.group_of[column],
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)[: len(flat)],
        np.concatenate([shares[c] for c in range(len(flat))]) if flat else np.empty(0),
    )


def query_error(
    actual: NDArray[np.float64], estimated: NDArray[np.float64], *, dimension: int | None, estimator: str
) -> QueryError:
    """Compare counts with their estimates; queries whose count is 0 are left out.

    Examples
    --------
    >>> query_error(np.array([2.0, 0, 4]), np.array([1.0, 1, 4]), dimension=1, estimator="expected").mean
    0.25
    """
    some = actual > 0
    errors = np.abs(estimated[some] - actual[some]) / actual[some]
    return QueryError(
        dimension=dimension,
        estimator=estimator,
        queries=int(some.sum()),
        empty=int((~some).sum()),
        mean=float(errors.mean()) if errors.size else None,
        median=float(np.median(errors)) if errors.size else None,
    )
