"""Buckets that are joined until nobody is linked with a sensitive value more surely than 1/l."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.bucket_partition import buckets_of_points
from shoal.algorithms.from_root import scale_of
from shoal.core.buckets import Buckets
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns
from shoal.kernels.hulls import hulls
from shoal.risk.bucket_links import bucket_links

__all__ = ["joined_until_weak"]


def joined_until_weak(
    bucket: NDArray[np.int32],
    table: FrequencyTable,
    problem: Problem,
    *,
    groups: tuple[tuple[str, ...], ...],
    most: float,
) -> tuple[Buckets, int]:
    """Join buckets of records that are linked too surely with others, until there are none.

    Each joins the bucket with which it needs the narrowest box.

    Parameters
    ----------
    bucket : int32 [n_points]
        Buckets to begin with.
    table : FrequencyTable
    problem : Problem
    groups : tuple of tuple of str
    most : float
        The largest probability that a link may have.

    Returns
    -------
    buckets : Buckets
    n_joined : int
        How many buckets there are fewer. A single bucket is returned as it is.
    """
    n_before = int(bucket.max()) + 1
    while True:
        found = buckets_of_points(table, bucket, groups)
        failing = np.zeros(found.n_buckets, np.bool_)
        failing[bucket[bucket_links(table, found) > most]] = True
        if not failing.any() or found.n_buckets == 1:
            return found, n_before - found.n_buckets
        problem.progress(None, "joining buckets")
        bucket = _joined(bucket, failing, table, problem)


def _joined(
    bucket: NDArray[np.int32], failing: NDArray[np.bool_], table: FrequencyTable, problem: Problem
) -> NDArray[np.int32]:
    """Join each failing bucket with the bucket that widens it least; each takes part once."""
    n = len(failing)
    low, high = hulls(table.codes, table.codes, group=bucket, n_groups=n)
    scale, free, into = scale_of(table, problem), np.ones(n, np.bool_), np.arange(n)
    for number in np.flatnonzero(failing).tolist():
        if not free[number]:
            continue
        width = (np.maximum(high, high[number]) - np.minimum(low, low[number])) @ scale
        width[~free] = np.inf
        width[number] = np.inf
        other = int(np.argmin(width.round(12)))
        if np.isfinite(width[other]):
            free[[number, other]] = False
            into[max(number, other)] = min(number, other)
    return group_columns([into[bucket]], [n])[0]
