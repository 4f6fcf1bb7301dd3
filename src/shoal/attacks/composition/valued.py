"""The sensitive values of the classes that fit a point, and in how many of them each stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.composition.candidates import Pairs, Release, entries_of_points
from shoal.core.published import PublishedBuckets
from shoal.kernels.bitsets import bits_of_members, spread
from shoal.kernels.grouping import rank_columns

__all__ = ["Valued", "valued"]

MOST_COUNTERS = 1 << 23
"""Pairs of a point and a value that are counted in a table; sorted where there are more."""


@dataclass(frozen=True, eq=False)
class Valued:
    """What some points can have.

    Parameters
    ----------
    sizes : int64 [n_points]
        Number of values.
    values : int32 [n_entries]
        Rising within a point.
    ways : int64 [n_entries]
        Candidate classes in which the value stands.
    classes : int32 [n_entries]
        One of them.
    n_classes : int64 [n_points]
        Candidate classes.
    """

    sizes: NDArray[np.int64]
    values: NDArray[np.int32]
    ways: NDArray[np.int64]
    classes: NDArray[np.int32]
    n_classes: NDArray[np.int64]


def valued(
    release: Release, codes: NDArray[np.int32], found: Iterator[Pairs], *, paired: bool
) -> Iterator[Valued]:
    """Look up the values of candidate classes.

    Parameters
    ----------
    release : PublishedClasses or PublishedBuckets
    codes : int32 [n_points, n_columns]
    found : iterator of Pairs
        The candidates of these points.
    paired : bool
        Of a bucket, only the values that stand beside an entry that covers the point.
    """
    beside = None
    if paired and isinstance(release, PublishedBuckets) and release.pairs is not None:
        beside = _Beside(release, codes)
    width = int(release.values.max(initial=0)) + 1
    for start, stop, point, class_ in found:
        n_points = stop - start
        if beside is None:
            sizes = np.diff(release.offsets)[class_]
            value = release.values[spread(release.offsets[class_], sizes)].astype(np.int64)
            owner, where = np.repeat(point, sizes), np.repeat(class_, sizes)
        else:
            owner, where, value = beside.values(start, point, class_)
        keys = owner * width + value
        if n_points * width <= max(MOST_COUNTERS, len(keys)):
            counters = np.bincount(keys, minlength=n_points * width)
            distinct = np.flatnonzero(counters)
            ways = counters[distinct]
            some = np.zeros(n_points * width, np.int32)
            some[keys] = where
            classes = some[distinct]
        else:
            distinct, first, ways = np.unique(keys, return_index=True, return_counts=True)
            classes = where[first].astype(np.int32)
        yield Valued(
            np.bincount(distinct // width, minlength=n_points),
            (distinct % width).astype(np.int32),
            ways,
            classes,
            np.bincount(point, minlength=n_points),
        )


class _Beside:
    """The values that stand, in a bucket, beside an entry that covers a point."""

    def __init__(self, release: PublishedBuckets, codes: NDArray[np.int32]) -> None:
        assert release.pairs is not None  # noqa: S101 (the caller asked)
        self.pairs = release.pairs
        group = release.groups[self.pairs.group]
        columns = [codes[:, j] for j in group.columns]
        self.key, first = rank_columns(columns, [int(column.max(initial=0)) + 1 for column in columns])
        points = codes[first][:, list(group.columns)]
        found = list(entries_of_points(group, release.sides, points))
        keys, entries = (np.concatenate([some[i] for some in found] or [np.empty(0, np.int64)]) for i in (0, 1))
        self.covers = bits_of_members(keys, entries, len(points), len(group))

    def values(
        self, start: int, point: NDArray[np.int64], class_: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return point, class and value, each combination once."""
        sizes = np.diff(self.pairs.offsets)[class_]
        at = spread(self.pairs.offsets[class_], sizes)
        pair = np.repeat(np.arange(len(point)), sizes)
        entry = self.pairs.entries[at].astype(np.int64)
        word = self.covers[self.key[start + point[pair]], entry >> 6]
        fits = (word >> (entry & 63).astype(np.uint64)) & np.uint64(1) == 1
        width = int(self.pairs.values.max(initial=0)) + 1
        distinct = np.unique(pair[fits] * width + self.pairs.values[at[fits]])
        pair = distinct // width
        return point[pair], class_[pair], distinct % width
