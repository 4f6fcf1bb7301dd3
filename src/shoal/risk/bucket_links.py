"""How surely a bucket release links a record with a sensitive value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.buckets import Buckets
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import rank_columns, sum_by_group
from shoal.kernels.matches import cover_pairs, largest_links

__all__ = ["bucket_links"]


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
    kept = np.flatnonzero(buckets.bucket >= 0)
    item, bucket = buckets.item_of_share[kept], buckets.bucket[kept]
    own = table.sensitive_names.index(buckets.sensitive)
    value, n_values = table.sensitive[item, own], table.sensitive_hierarchies[own].n_values
    parts = []
    for group in buckets.groups:
        columns = [table.names.index(name) for name in group if name != buckets.sensitive]
        sides = buckets.lo[kept][:, columns], buckets.hi[kept][:, columns]
        parts.append(_Part.of(table, columns, sides, bucket, buckets))
    ends = np.cumsum([0, *(len(part.bucket) for part in parts)])
    places = np.cumsum([0, *(len(part.offsets) - 1 for part in parts)])
    offsets = np.concatenate([part.offsets[:-1] + end for part, end in zip(parts, ends[:-1], strict=True)])
    last = parts[-1]
    entries, values, shares = last.values(bucket, value, buckets.rows[kept], n_values)
    n_before = int(ends[-2])
    largest = np.empty(table.n_points, np.float64)
    largest_links(
        np.stack([part.of_point + place for part, place in zip(parts, places[:-1], strict=True)], axis=1),
        np.append(offsets, ends[-1]),
        np.concatenate([part.bucket for part in parts]),
        np.concatenate([part.share for part in parts]),
        np.concatenate([np.zeros(n_before, np.int64), entries]),
        values,
        shares,
        n_values,
        largest,
    )
    return largest


@dataclass(frozen=True, eq=False)
class _Part:
    """One group of columns: what points show in it, and which buckets have entries that cover that.

    ``of_point [n_points]`` numbers the different leaf vectors; the entries ``offsets[u]:offsets[u + 1]`` of vector
    *u* are ``bucket`` and ``share``. ``cell [n_shares]`` numbers the different cells, and each ``pair`` is of a
    vector and a cell that covers it.
    """

    of_point: NDArray[np.int64]
    offsets: NDArray[np.int64]
    bucket: NDArray[np.int32]
    share: NDArray[np.float64]
    cell: NDArray[np.int32]
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(
        cls,
        table: FrequencyTable,
        columns: list[int],
        sides: tuple[NDArray[np.int32], NDArray[np.int32]],
        bucket: NDArray[np.int32],
        buckets: Buckets,
    ) -> _Part:
        sizes = [table.hierarchies[j].n_values for j in columns]
        nothing = np.zeros((table.n_points, 1), np.int32)
        vector, first = rank_columns([*nothing.T, *table.codes[:, columns].T], [1, *sizes])
        nothing = np.zeros((len(bucket), 1), np.int32)
        cell, at = rank_columns([*nothing.T, *sides[0].T, *sides[1].T], [1, *sizes, *sizes])
        pairs = _covering(table.codes[first][:, columns], sides[0][at], sides[1][at], sizes)
        kept = np.flatnonzero(buckets.bucket >= 0)
        held, where = rank_columns([cell, bucket], [len(at), buckets.n_buckets])
        rows = sum_by_group(held, buckets.rows[kept], len(where))
        u, entry = _expanded(pairs, cell[where], len(at))
        bucket_of, rows = bucket[where][entry], rows[entry]
        seen, where = rank_columns([u, bucket_of], [len(first), buckets.n_buckets])
        share = sum_by_group(seen, rows, len(where)) / buckets.bucket_rows[bucket_of[where]]
        offsets = np.searchsorted(u[where], np.arange(len(first) + 1))
        return cls(vector.astype(np.int64), offsets, bucket_of[where], share, cell, pairs)

    def values(
        self, bucket: NDArray[np.int32], value: NDArray[np.int32], rows: NDArray[np.int64], n_values: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Return the sensitive values of each entry: where they begin, their codes and shares."""
        n_buckets, n_vectors = int(bucket.max()) + 1, len(self.offsets) - 1
        n_cells = int(self.cell.max()) + 1
        held, where = rank_columns([self.cell, bucket, value], [n_cells, n_buckets, n_values])
        rows = sum_by_group(held, rows, len(where))
        u, entry = _expanded(self.pairs, self.cell[where], n_cells)
        bucket, value, rows = bucket[where][entry], value[where][entry], rows[entry]
        seen, where = rank_columns([u, bucket, value], [n_vectors, n_buckets, n_values])
        rows = sum_by_group(seen, rows, len(where))
        new = np.ones(len(where), bool)
        new[1:] = (u[where][1:] != u[where][:-1]) | (bucket[where][1:] != bucket[where][:-1])
        starts = np.append(np.flatnonzero(new), len(where))
        totals = np.add.reduceat(rows, starts[:-1])
        return starts, value[where], rows / np.repeat(totals, np.diff(starts))


def _covering(
    leaf: NDArray[np.int32], lo: NDArray[np.int32], hi: NDArray[np.int32], sizes: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of a leaf vector and a cell that covers it, sorted by cell."""
    exact = (lo == hi).all(axis=1)
    at = np.flatnonzero(exact)
    stacked = np.concatenate([leaf, lo[at]])
    same, first = rank_columns([np.zeros(len(stacked), np.int32), *stacked.T], [1, *sizes])
    vector_of = np.full(len(first), -1, np.int64)
    vector_of[same[: len(leaf)]] = np.arange(len(leaf))
    which, cell = vector_of[same[len(leaf) :]], at
    wide = np.flatnonzero(~exact)
    if wide.size:
        empty: NDArray[Any] = np.empty(0, np.int64)
        n = cover_pairs(leaf, lo[wide], hi[wide], empty, empty)
        more, of = np.empty(n, np.int64), np.empty(n, np.int64)
        cover_pairs(leaf, lo[wide], hi[wide], more, of)
        which, cell = np.concatenate([which, more]), np.concatenate([cell, wide[of]])
    order = np.argsort(cell, kind="stable")
    return which[order], cell[order]


def _expanded(
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]], cell: NDArray[np.int32], n_cells: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every vector that each entry's cell covers, and the entry: entries times vectors of their cells."""
    which, of_cell = pairs
    starts = np.searchsorted(of_cell, np.arange(n_cells + 1))
    n = np.diff(starts)[cell]
    entry = np.repeat(np.arange(len(cell)), n)
    place = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
    return which[starts[cell][entry] + place], entry
