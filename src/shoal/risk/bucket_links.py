"""How surely a bucket release links a record with a sensitive value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.buckets import Buckets
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import rank_columns, sum_by_group
from shoal.kernels.hulls import hulls
from shoal.kernels.matches import largest_links

__all__ = ["bucket_links", "links_above"]


def bucket_links(table: FrequencyTable, buckets: Buckets) -> NDArray[np.float64]:
    """Return the largest probability with which each point is linked with a sensitive value.

    A record t lies in bucket B with a probability in proportion to the product, over the groups of columns, of
    the share of B's entries whose cells cover t's values; of the group with the sensitive column the
    quasi-identifiers are compared. Within B it has each sensitive value with its share among the entries of that
    group that cover t. A release is an l-diverse slicing if no sum over the buckets exceeds 1/l. Invented records
    are not counted, nor are suppressed ones; a missing sensitive value is a value like any other.

    Parameters
    ----------
    table : FrequencyTable
    buckets : Buckets
        Of the records of *table*.

    Returns
    -------
    float64 [n_points]
        In (0, 1]; 0 for a point that no bucket covers.

    References
    ----------
    .. [1] Li, T., Li, N., Zhang, J., Molloy, I. (2012), Slicing: a new approach for privacy preserving data
       publishing, TKDE 24(3). doi:10.1109/TKDE.2010.236
    """
    return links_above(table, buckets, np.inf)[0]


def links_above(
    table: FrequencyTable, buckets: Buckets, limit: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the same, and the buckets to blame for links above a limit.

    Parameters
    ----------
    table : FrequencyTable
    buckets : Buckets
    limit : float

    Returns
    -------
    largest : float64 [n_points]
    blamed : bool [n_buckets]
        Buckets that alone would link a point more surely than *limit*, if it is linked more surely in all. A
        point cannot be without such a bucket.
    """
    seen = _Shares.of(table, buckets)
    groups = [_columns(table, buckets, group) for group in buckets.groups]
    group = np.empty(table.n_qi, np.int64)
    for g, columns in enumerate(groups):
        group[columns] = g
    exact = np.array([bool((seen.lo[:, columns] == seen.hi[:, columns]).all()) for columns in groups], np.bool_)
    shown = _Shown.of(table, seen, groups, exact)
    cells = _Cells.of(table, seen, groups, exact)
    hull_lo, hull_hi = hulls(seen.lo, seen.hi, group=seen.bucket, n_groups=seen.n_buckets)
    largest, blamed = np.empty(table.n_points, np.float64), np.zeros(seen.n_buckets, np.bool_)
    largest_links(
        np.ascontiguousarray(table.codes), group, shown.part, exact, shown.offsets, shown.bucket, shown.share,
        shown.value_offsets, shown.value, shown.value_share, cells.offsets, cells.lo, cells.hi, cells.rows,
        cells.value, hull_lo, hull_hi, seen.bucket_rows, seen.n_values, limit, largest, blamed,
    )  # fmt: skip
    return largest, blamed


def _columns(table: FrequencyTable, buckets: Buckets, group: tuple[str, ...]) -> list[int]:
    return [table.names.index(name) for name in group if name != buckets.sensitive]


@dataclass(frozen=True, eq=False)
class _Shares:
    """The published shares, and the sensitive value of each."""

    bucket: NDArray[np.int32]
    rows: NDArray[np.int64]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    value: NDArray[np.int32]
    n_buckets: int
    n_values: int
    bucket_rows: NDArray[np.int64]

    @classmethod
    def of(cls, table: FrequencyTable, buckets: Buckets) -> _Shares:
        kept = np.flatnonzero(buckets.bucket >= 0)
        own = table.sensitive_names.index(buckets.sensitive)
        return cls(
            buckets.bucket[kept],
            buckets.rows[kept],
            buckets.lo[kept],
            buckets.hi[kept],
            table.sensitive[buckets.item_of_share[kept], own],
            buckets.n_buckets,
            table.sensitive_hierarchies[own].n_values,
            buckets.bucket_rows,
        )


@dataclass(frozen=True, eq=False)
class _Shown:
    """Exact groups: what points show in them, and which buckets show it too, as the kernel wants them."""

    part: NDArray[np.int64]
    offsets: NDArray[np.int64]
    bucket: NDArray[np.int32]
    share: NDArray[np.float64]
    value_offsets: NDArray[np.int64]
    value: NDArray[np.int32]
    value_share: NDArray[np.float64]

    @classmethod
    def of(
        cls, table: FrequencyTable, shares: _Shares, groups: list[list[int]], exact: NDArray[np.bool_]
    ) -> _Shown:
        part = np.zeros((table.n_points, len(groups)), np.int64)
        offsets, bucket, share = [np.zeros(1, np.int64)], [np.empty(0, np.int32)], [np.empty(0, np.float64)]
        spread = np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float64)
        n_features = n_entries = 0
        for g, columns in enumerate(groups):
            if not exact[g]:
                continue
            feature, of_share, n = _features(table, shares, columns)
            entry, at = rank_columns([of_share, shares.bucket], [n, shares.n_buckets])
            rows = sum_by_group(entry, shares.rows, len(at))
            part[:, g] = feature + n_features
            offsets.append(np.searchsorted(of_share[at], np.arange(1, n + 1)) + n_entries)
            bucket.append(shares.bucket[at])
            share.append(rows / shares.bucket_rows[shares.bucket[at]])
            if g == len(groups) - 1:
                spread = _spread(entry, shares, rows, n_entries)
            n_features, n_entries = n_features + n, n_entries + len(at)
        return cls(part, np.concatenate(offsets), np.concatenate(bucket), np.concatenate(share), *spread)


def _features(
    table: FrequencyTable, shares: _Shares, columns: list[int]
) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Number the values of some columns alike in points and in shares."""
    both = np.concatenate([table.codes[:, columns], shares.lo[:, columns]])
    sizes = [table.hierarchies[j].n_values for j in columns]
    feature, at = rank_columns([np.zeros(len(both), np.int32), *both.T], [1, *sizes])
    return feature[: table.n_points], feature[table.n_points :], len(at)


def _spread(
    entry: NDArray[np.int32], shares: _Shares, rows: NDArray[np.int64], n_before: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return the values of the entries of the last group; the *n_before* entries of other groups have none."""
    pair, at = rank_columns([entry, shares.value], [len(rows), shares.n_values])
    share = sum_by_group(pair, shares.rows, len(at)) / rows[entry[at]]
    ends = np.searchsorted(entry[at], np.arange(len(rows) + 1))
    return np.concatenate([np.zeros(n_before, np.int64), ends]), shares.value[at], share


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of each bucket in groups that are not exact, as the kernel wants them."""

    offsets: NDArray[np.int64]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    rows: NDArray[np.int64]
    value: NDArray[np.int32]

    @classmethod
    def of(
        cls, table: FrequencyTable, shares: _Shares, groups: list[list[int]], exact: NDArray[np.bool_]
    ) -> _Cells:
        offsets = np.zeros((len(groups), shares.n_buckets + 1), np.int64)
        first: list[NDArray[Any]] = [np.empty(0, np.int64)]
        rows: list[NDArray[Any]] = [np.empty(0, np.int64)]
        n = 0
        for g, columns in enumerate(groups):
            if exact[g]:
                continue
            sizes = [table.hierarchies[j].n_values for j in columns]
            value = shares.value if g == len(groups) - 1 else np.zeros_like(shares.value)
            cell, at = rank_columns(
                [shares.bucket, value, *shares.lo[:, columns].T, *shares.hi[:, columns].T],
                [shares.n_buckets, shares.n_values, *sizes, *sizes],
            )
            first.append(at)
            rows.append(sum_by_group(cell, shares.rows, len(at)))
            offsets[g] = np.searchsorted(shares.bucket[at], np.arange(shares.n_buckets + 1)) + n
            n += len(at)
        held = np.concatenate(first)
        return cls(offsets, shares.lo[held], shares.hi[held], np.concatenate(rows), shares.value[held])
