"""A published table as somebody outside sees it: labels, classes, and the sensitive values of each class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.core.bucket_entries import GroupEntries, PairedValues

__all__ = ["LeafSets", "PublishedBuckets", "PublishedClasses", "PublishedTable", "PublishedValues", "Side"]


@dataclass(frozen=True)
class Side:
    """What the cells of one label say.

    Parameters
    ----------
    label : str or None
        The text that was published; None is the missing value.
    values : tuple of str or None
        The leaves that it covered in its own table, where that is known and the column has no order.
    ends : tuple of str or None
        The first and the last of them, where it has one.
    """

    label: str | None
    values: tuple[str | None, ...] | None = None
    ends: tuple[str, str] | None = None


@dataclass(frozen=True, eq=False)
class PublishedValues:
    """The distinct values of one sensitive column in each class.

    Parameters
    ----------
    texts : tuple of str or None
    offsets : int64 [n_classes + 1]
        Entries ``offsets[c]:offsets[c + 1]`` belong to class *c*.
    codes : int32 [n_entries]
        Index into *texts*, rising within a class.
    """

    texts: tuple[str | None, ...]
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """The classes of a published table by their labels, before anybody says what the labels mean.

    Parameters
    ----------
    name : str
        What it is called in words to the user.
    sides : mapping of str to tuple of Side
        Quasi-identifiers, each with its distinct labels.
    cells : int32 [n_classes, n_columns]
        Label of each class in each of these columns; without columns where the classes are buckets.
    sensitive : mapping of str to PublishedValues
    groups : tuple of GroupEntries
        Where the classes are buckets, what they hold of each group of these columns.
    pairs : mapping of str to PairedValues
        For sensitive columns that are grouped with some of these columns.
    bucket_labels : tuple of str or None
        What each bucket is called.
    """

    name: str
    sides: Mapping[str, tuple[Side, ...]]
    cells: NDArray[np.int32]
    sensitive: Mapping[str, PublishedValues]
    groups: tuple[GroupEntries, ...] = ()
    pairs: Mapping[str, PairedValues] = field(default_factory=dict)
    bucket_labels: tuple[str | None, ...] = ()


@dataclass(frozen=True, eq=False)
class LeafSets:
    """Sets of leaves of one column, each as runs of leaf codes.

    Parameters
    ----------
    offsets : int64 [n_sets + 1]
        Runs ``offsets[v]:offsets[v + 1]`` belong to set *v*.
    lo, hi : int32 [n_runs]
        First and last leaf of each run, both included, rising within a set.
    """

    offsets: NDArray[np.int64]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]

    @classmethod
    def from_runs(cls, runs: Iterable[Sequence[tuple[int, int]]]) -> LeafSets:
        """Put the runs of each set behind each other.

        Examples
        --------
        >>> LeafSets.from_runs([[(0, 3)], [], [(1, 1), (3, 3)]]).offsets.tolist()
        [0, 1, 1, 3]
        """
        found = list(runs)
        ends = np.array([run for some in found for run in some], np.int32).reshape(-1, 2)
        offsets = np.concatenate([[0], np.cumsum([len(some) for some in found])]).astype(np.int64)
        return cls(offsets, ends[:, 0], ends[:, 1])

    @classmethod
    def everything(cls, n_values: int) -> LeafSets:
        """Return the one set of all leaves."""
        return cls.from_runs([[(0, n_values - 1)]])

    @classmethod
    def single(cls, n_values: int) -> LeafSets:
        """Return one set for each leaf."""
        leaves = np.arange(n_values, dtype=np.int32)
        return cls(np.arange(n_values + 1), leaves, leaves)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def _behind(self) -> NDArray[np.int64]:
        """Leaves in all runs before each run, and in all of them, int64 [n_runs + 1]."""
        return np.concatenate([[0], np.cumsum(self.hi.astype(np.int64) - self.lo + 1)])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of leaves of each set, int64 [n_sets]."""
        return np.diff(self._behind[self.offsets])

    def sums(self, of_leaf: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up the numbers of the leaves of each set.

        Parameters
        ----------
        of_leaf : float64 [n_values] or [n_values, n]

        Returns
        -------
        float64 [n_sets] or [n_sets, n]
        """
        below = np.concatenate([np.zeros((1, *of_leaf.shape[1:])), np.cumsum(of_leaf, axis=0)])
        runs: NDArray[np.float64] = below[self.hi + 1] - below[self.lo]
        if (np.diff(self.offsets) == 1).all():
            return runs
        sums = np.zeros((len(self), *of_leaf.shape[1:]))
        np.add.at(sums, np.repeat(np.arange(len(self)), np.diff(self.offsets)), runs)
        return sums

    def drawn(self, sets: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
        """Return a leaf of each of these *sets*, all of them alike likely; -1 of an empty set."""
        sizes = self.sizes[sets]
        at = self._behind[self.offsets[sets]] + rng.integers(0, np.maximum(sizes, 1))
        run = np.minimum(np.searchsorted(self._behind, at, side="right") - 1, len(self.lo) - 1)
        leaves = self.lo[run] + at - self._behind[run] if len(self.lo) else np.full(len(sizes), -1)
        return np.where(sizes > 0, leaves, -1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class PublishedClasses:
    """The classes of a published table in code space. A label's leaves need not be an interval.

    Parameters
    ----------
    cells : int32 [n_classes, n_qi]
        Label of each class in each column.
    sides : tuple of LeafSets
        The leaves of each label, column by column.
    offsets : int64 [n_classes + 1]
        Entries ``offsets[c]:offsets[c + 1]`` belong to class *c*.
    values : int32 [n_entries]
        Distinct sensitive codes of each class, in a numbering that all releases share.
    """

    cells: NDArray[np.int32]
    sides: tuple[LeafSets, ...]
    offsets: NDArray[np.int64]
    values: NDArray[np.int32]

    def __len__(self) -> int:
        return int(self.cells.shape[0])


@dataclass(frozen=True, eq=False)
class PublishedBuckets:
    """The buckets of a published table in code space: classes whose columns were shuffled apart from each other.

    A bucket fits whoever has, in each group of columns, one of its entries.

    Parameters
    ----------
    groups : tuple of GroupEntries
        Every quasi-identifier is in one of them.
    sides : tuple of LeafSets
        The leaves of each label, column by column.
    offsets : int64 [n_buckets + 1]
        Entries ``offsets[b]:offsets[b + 1]`` of *values* belong to bucket *b*.
    values : int32 [n_entries]
        Distinct sensitive codes of each bucket, in a numbering that all releases share.
    pairs : PairedValues or None
        Where the sensitive column is grouped with quasi-identifiers.
    """

    groups: tuple[GroupEntries, ...]
    sides: tuple[LeafSets, ...]
    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    pairs: PairedValues | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1
