"""Buckets: records published together, with the values of each group of columns in an order of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.core.regions import Regions
from shoal.kernels.grouping import sum_by_group

__all__ = ["Buckets", "Fakes"]


@dataclass(frozen=True, eq=False)
class Fakes:
    """Invented records that are published among the genuine ones of a bucket.

    Parameters
    ----------
    bucket : int32 [n_fakes]
        Where each is published.
    source : int64 [n_fakes, n_groups]
        Share of the same bucket whose cells each copies, group by group of columns. Of the group with the
        sensitive column the quasi-identifiers are copied, not the sensitive value.
    sensitive : int32 [n_fakes]
        Code of the sensitive value of each.
    """

    bucket: NDArray[np.int32]
    source: NDArray[np.int64]
    sensitive: NDArray[np.int32]

    @classmethod
    def none(cls, n_groups: int) -> Fakes:
        """Return no record at all."""
        return cls(np.empty(0, np.int32), np.empty((0, n_groups), np.int64), np.empty(0, np.int32))

    def __len__(self) -> int:
        return len(self.bucket)


@dataclass(frozen=True, eq=False)
class Buckets:
    """Records in buckets, whose columns fall into groups that are shuffled apart from each other.

    Within a bucket nobody can tell which cells of one group belong to which cells of another. The
    quasi-identifiers of a share are published as they are, except where its cells were widened.

    Parameters
    ----------
    groups : tuple of tuple of str
        Every quasi-identifier and the sensitive column, each in one group. The last group holds the sensitive
        column, as its last name.
    offsets : int64 [n_items + 1]
        Shares ``offsets[i]:offsets[i + 1]`` belong to item *i*; several may go to one bucket with other cells.
    bucket : int32 [n_shares]
        Bucket of each share, 0 to ``n_buckets - 1``, or :data:`~shoal.core.recoding.SUPPRESSED`: not published.
    rows : int64 [n_shares]
        Rows of each share, positive; the shares of an item add up to its count.
    lo, hi : int32 [n_shares, n_qi]
        First and last leaf code of each published cell, both included: sides that a node of the hierarchy has.
    n_buckets : int
    fakes : Fakes
    linked : int, default 0
        Promised: whatever quasi-identifiers beside the sensitive column a record of a bucket has, genuine rows of
        the bucket whose cells cover them have at least so many sensitive values.
    surest : float, default 1
        Promised: the largest probability of :func:`shoal.risk.bucket_links.bucket_links`, in (0, 1].
    """

    groups: tuple[tuple[str, ...], ...]
    offsets: NDArray[np.int64]
    bucket: NDArray[np.int32]
    rows: NDArray[np.int64]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    n_buckets: int
    fakes: Fakes
    linked: int = 0
    surest: float = 1.0

    @property
    def sensitive(self) -> str:
        """The sensitive column."""
        return self.groups[-1][-1]

    @cached_property
    def item_of_share(self) -> NDArray[np.int64]:
        """Item of each share, int64 [n_shares]."""
        return np.repeat(np.arange(self.offsets.shape[0] - 1), np.diff(self.offsets))

    @cached_property
    def bucket_rows(self) -> NDArray[np.int64]:
        """Genuine rows of each bucket, int64 [n_buckets]."""
        return sum_by_group(self.bucket, self.rows, self.n_buckets)

    @cached_property
    def regions(self) -> Regions:
        """The cells as boxes, one box a share: what losses of cells measure. Not a table of classes."""
        shares = np.where(self.bucket >= 0, np.arange(len(self.bucket)), self.bucket).astype(np.int32)
        return Regions(self.lo, self.hi, self.offsets, shares, self.rows)

    @cached_property
    def as_classes(self) -> Regions:
        """The buckets as if they were boxes of no width: what models count. Not to be published."""
        sides = np.zeros((self.n_buckets, self.lo.shape[1]), np.int32)
        return Regions(sides, sides, self.offsets, self.bucket, self.rows, is_normalized=True)
