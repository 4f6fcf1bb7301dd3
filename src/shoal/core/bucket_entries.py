"""What a release of buckets publishes of each group of columns: cells, and the buckets in which they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GroupEntries", "PairedValues"]


@dataclass(frozen=True, eq=False)
class GroupEntries:
    """The distinct cells of one group of columns, and the buckets that hold them.

    Parameters
    ----------
    columns : tuple of int
        Places of the columns.
    cells : int32 [n_entries, n_columns]
        Labels of each entry, in the order of *columns*.
    offsets : int64 [n_entries + 1]
        Buckets ``offsets[e]:offsets[e + 1]`` hold entry *e*.
    buckets : int32 [n_places]
        Rising within an entry.
    """

    columns: tuple[int, ...]
    cells: NDArray[np.int32]
    offsets: NDArray[np.int64]
    buckets: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.cells)

    def by_bucket(self, n_buckets: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the entries of each bucket: offsets, int64 [n_buckets + 1], and entries."""
        entry = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        order = np.argsort(self.buckets, kind="stable")
        sizes = np.bincount(self.buckets, minlength=n_buckets)
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), entry[order]


@dataclass(frozen=True, eq=False)
class PairedValues:
    """Which sensitive values stand beside which cells of their own group, bucket by bucket.

    Parameters
    ----------
    group : int
        Place of the group, which has quasi-identifiers too.
    offsets : int64 [n_buckets + 1]
        Pairs ``offsets[b]:offsets[b + 1]`` belong to bucket *b*; each is there once.
    entries : int32 [n_pairs]
        Entry of the group.
    values : int32 [n_pairs]
        Code of the sensitive value.
    """

    group: int
    offsets: NDArray[np.int64]
    entries: NDArray[np.int32]
    values: NDArray[np.int32]
