"""Buckets whose cells are widened, and which are joined, until nobody is linked with a value too surely."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.bucket_partition import buckets_of_points
from shoal.algorithms.bucket_rules import Asked
from shoal.algorithms.cell_linking import linked, widened_wholly
from shoal.algorithms.facts import Facts
from shoal.algorithms.from_root import scale_of
from shoal.core.buckets import Buckets
from shoal.core.protocols import Problem
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError
from shoal.kernels.grouping import group_columns
from shoal.risk.bucket_links import bucket_links

__all__ = ["TOLERANCE", "check_counts_records", "joined_until_weak", "strictly_linked"]

TOLERANCE = 1e-9
"""Probabilities that exceed 1/l by less are equal to it."""


def strictly_linked(
    bucket: NDArray[np.int32],
    table: FrequencyTable,
    problem: Problem,
    asked: Asked,
    *,
    groups: tuple[tuple[str, ...], ...],
    facts: Facts,
) -> Buckets:
    """Return buckets in which no record is linked with a value with a probability above 1/l.

    A bucket with records that are linked too surely first has all its cells beside the sensitive column widened;
    if that is not enough, it joins the bucket with which it needs the narrowest box.

    Parameters
    ----------
    bucket : int32 [n_points]
        Buckets to begin with.
    table : FrequencyTable
    problem : Problem
    asked : Asked
    groups : tuple of tuple of str
    facts : Facts

    Raises
    ------
    InfeasibleError
        If a single bucket of all records is not enough.
    SpecError
        If people are counted.
    """
    check_counts_records(table, "strict = true")
    build = partial(_built, groups=groups, table=table, asked=asked, facts=facts)
    wide = np.zeros(int(bucket.max()) + 1, np.bool_)
    while True:
        problem.progress(None, "widening cells and joining buckets")
        found = build(bucket, wide)
        failing = _failing(found, bucket, table, asked)
        if not failing.any():
            return found
        if len(wide) == 1 and wide[0]:
            raise _too_frequent(table, asked)
        stuck = failing & wide
        wide |= failing
        if stuck.any() and len(wide) > 1:
            bucket, wide = _joined(bucket, wide, stuck, table, problem)


def _built(
    bucket: NDArray[np.int32],
    wide: NDArray[np.bool_],
    *,
    groups: tuple[tuple[str, ...], ...],
    table: FrequencyTable,
    asked: Asked,
    facts: Facts,
) -> Buckets:
    narrow = linked(buckets_of_points(table, bucket, groups), table, asked)
    return facts.hidden(widened_wholly(narrow, table, wide), table)


def joined_until_weak(
    bucket: NDArray[np.int32],
    table: FrequencyTable,
    problem: Problem,
    asked: Asked,
    *,
    groups: tuple[tuple[str, ...], ...],
) -> tuple[Buckets, int]:
    """Join buckets of records that are linked too surely with others, until there are none.

    Parameters
    ----------
    bucket : int32 [n_points]
        Buckets to begin with.
    table : FrequencyTable
    problem : Problem
    asked : Asked
    groups : tuple of tuple of str

    Returns
    -------
    buckets : Buckets
    n_joined : int
        How many buckets there are fewer. A single bucket is returned as it is.
    """
    n_before = int(bucket.max()) + 1
    while True:
        found = buckets_of_points(table, bucket, groups)
        failing = _failing(found, bucket, table, asked)
        if not failing.any() or found.n_buckets == 1:
            return found, n_before - found.n_buckets
        bucket, _ = _joined(bucket, failing, failing, table, problem)


def _failing(
    buckets: Buckets, bucket: NDArray[np.int32], table: FrequencyTable, asked: Asked
) -> NDArray[np.bool_]:
    """Return the buckets with records that are linked with a value more surely than 1/l, bool [n_buckets]."""
    failing = np.zeros(buckets.n_buckets, np.bool_)
    failing[bucket[bucket_links(table, buckets) > 1 / float(asked.model.threshold) + TOLERANCE]] = True
    return failing


def check_counts_records(table: FrequencyTable, what: str) -> None:
    """Refuse a table that counts people.

    Raises
    ------
    SpecError
        If it has a unit column.
    """
    if table.unit is not None:
        raise SpecError(
            f"{what} counts records, and a unit column asks for people",
            where="[method]",
            fix='use algorithm "merging" without strict, or drop the role unit',
        )


def _joined(
    bucket: NDArray[np.int32],
    wide: NDArray[np.bool_],
    stuck: NDArray[np.bool_],
    table: FrequencyTable,
    problem: Problem,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Join each stuck bucket with the bucket that widens it least; each takes part once."""
    n = len(wide)
    low = np.full((n, table.n_qi), np.iinfo(np.int32).max, np.int32)
    high = np.full((n, table.n_qi), -1, np.int32)
    for j in range(table.n_qi):
        np.minimum.at(low[:, j], bucket, table.codes[:, j])
        np.maximum.at(high[:, j], bucket, table.codes[:, j])
    scale, free, into = scale_of(table, problem), np.ones(n, np.bool_), np.arange(n)
    joined = np.zeros(n, np.bool_)
    for number in np.flatnonzero(stuck).tolist():
        if not free[number]:
            continue
        width = (np.maximum(high, high[number]) - np.minimum(low, low[number])) @ scale
        width[~free] = np.inf
        width[number] = np.inf
        other = int(np.argmin(width.round(12)))
        if not np.isfinite(width[other]):
            continue
        free[[number, other]] = False
        into[max(number, other)] = min(number, other)
        joined[min(number, other)] = True
    moved = into[bucket]
    again, first = group_columns([moved], [n])
    # A joined bucket begins anew, with as few widened cells as it needs.
    return again, (wide & ~joined)[moved[first]]


def _too_frequent(table: FrequencyTable, asked: Asked) -> InfeasibleError:
    hierarchy = table.sensitive_hierarchies[asked.column]
    totals = np.bincount(table.sensitive[:, asked.column], table.counts, hierarchy.n_values)
    most, n_rows = int(totals.max()), table.n_rows
    choices = [f"lower l to {n_rows // most}"] if n_rows // most > 1 else []
    return InfeasibleError(
        f"no buckets keep every link at or below 1/{asked.l}: a value of {asked.sensitive} is too frequent",
        where=f"the most frequent value has {most} of {n_rows} records",
        choices=[*choices, "set strict = false: each person keeps l values, not equally likely ones"],
    )
