"""Which classes or buckets of a release fit which points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.core.bucket_entries import GroupEntries
from shoal.core.published import LeafSets, PublishedBuckets, PublishedClasses
from shoal.kernels.bitsets import bits_of_leaves, set_bits, spread
from shoal.kernels.grouping import rank_columns

__all__ = ["Pairs", "Release", "candidates", "entries_of_points"]

BLOCK = 1024
"""Points that are matched at once."""

CACHED = 1 << 26
"""Bytes of bits that are kept for all blocks; more are made for each block."""

MOST_PAIRS = 1 << 22
"""Pairs of a point and a class that are laid out at once."""

Release = PublishedClasses | PublishedBuckets

Points = NDArray[np.int64]
Pairs = tuple[int, int, Points, NDArray[np.int64]]
"""First point and the one behind the last; point (from 0 at the first) and class of each pair."""


def candidates(release: Release, codes: NDArray[np.int32]) -> Iterator[Pairs]:
    """Yield which classes fit each point, some points at a time.

    Parameters
    ----------
    release : PublishedClasses or PublishedBuckets
    codes : int32 [n_points, n_columns]
        Leaf codes; may repeat, though each distinct point costs once only if it is there once.

    Yields
    ------
    first, behind : int
        Points that are told of.
    point, class_ : int64 [n_pairs]
    """
    tests: list[_Test]
    if isinstance(release, PublishedBuckets):
        tests = [_Group(group, release.sides, codes, len(release)) for group in release.groups]
    else:
        tests = [_Column(side, release.cells[:, j], codes[:, j]) for j, side in enumerate(release.sides)]
    yield from _passing(tests, len(codes), len(release))


class _Test(Protocol):
    """A condition on a part of a point: which classes pass."""

    @property
    def key(self) -> NDArray[np.int32]:
        """Number of the part that each point has, int32 [n_points]."""
        ...

    @property
    def n_keys(self) -> int:
        """Number of distinct parts."""
        ...

    def bits(self, keys: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Return which classes pass for some parts, rising, uint64 [n, n_words]."""
        ...


def _passing(tests: list[_Test], n_points: int, n_classes: int) -> Iterator[Pairs]:
    n_words = -(-n_classes // 64)
    kept = [
        test.bits(np.arange(test.n_keys, dtype=np.int32)) if test.n_keys * n_words * 8 <= CACHED else None
        for test in tests
    ]
    for start in range(0, n_points, BLOCK):
        size = min(BLOCK, n_points - start)
        words = np.full((size, n_words), ~np.uint64(0))
        if n_classes % 64:
            words[:, -1] = (np.uint64(1) << np.uint64(n_classes % 64)) - np.uint64(1)
        for test, bits in zip(tests, kept, strict=True):
            key = test.key[start : start + size]
            if bits is not None:
                words &= bits[key]
            else:
                here, place = np.unique(key, return_inverse=True)
                words &= test.bits(here)[place]
        pairs = np.cumsum(np.bitwise_count(words).sum(axis=1, dtype=np.int64))
        at = 0
        while at < size:
            limit = (int(pairs[at - 1]) if at else 0) + MOST_PAIRS
            stop = min(size, max(at + 1, int(np.searchsorted(pairs, limit, side="right"))))
            yield (start + at, start + stop, *set_bits(words[at:stop]))
            at = stop


@dataclass(eq=False)
class _Column:
    """A class passes if its label covers the leaf of a column."""

    side: LeafSets
    cells: NDArray[np.int32]
    codes: NDArray[np.int32]

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        leaves, key = np.unique(self.codes, return_inverse=True)
        return leaves, key.astype(np.int32)

    @property
    def key(self) -> NDArray[np.int32]:
        return self._distinct[1]

    @property
    def n_keys(self) -> int:
        return len(self._distinct[0])

    def bits(self, keys: NDArray[np.int32]) -> NDArray[np.uint64]:
        return bits_of_leaves(self._distinct[0][keys], self.cells, self.side.offsets, self.side.lo, self.side.hi)


@dataclass(eq=False)
class _Group:
    """A bucket passes if one of its entries covers what a point has in a group of columns."""

    group: GroupEntries
    sides: tuple[LeafSets, ...]
    codes: NDArray[np.int32]
    n_buckets: int

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        columns = [self.codes[:, j] for j in self.group.columns]
        key, first = rank_columns(columns, [int(column.max(initial=0)) + 1 for column in columns])
        return self.codes[first][:, list(self.group.columns)], key

    @cached_property
    def _covering(self) -> _Covering:
        return _Covering(self.group, tuple(self.sides[j] for j in self.group.columns), self._distinct[0])

    @property
    def key(self) -> NDArray[np.int32]:
        return self._distinct[1]

    @property
    def n_keys(self) -> int:
        return len(self._distinct[0])

    def bits(self, keys: NDArray[np.int32]) -> NDArray[np.uint64]:
        n_words = -(-self.n_buckets // 64)
        words = np.zeros((len(keys), n_words), np.uint64)
        for point, entry in self._covering.pairs(keys):
            sizes = np.diff(self.group.offsets)[entry]
            bucket = self.group.buckets[spread(self.group.offsets[entry], sizes)].astype(np.int64)
            bit = np.uint64(1) << (bucket & 63).astype(np.uint64)
            np.bitwise_or.at(words.reshape(-1), np.repeat(point, sizes) * n_words + (bucket >> 6), bit)
        return words


@dataclass(eq=False)
class _Covering:
    """Looks up which entries of a group cover a point: those of single leaves by a search, others by bits."""

    group: GroupEntries
    sides: tuple[LeafSets, ...]
    points: NDArray[np.int32]

    @cached_property
    def _single(self) -> NDArray[np.bool_]:
        of_column = [side.sizes[self.group.cells[:, j]] == 1 for j, side in enumerate(self.sides)]
        return np.logical_and.reduce(of_column) if of_column else np.zeros(len(self.group), np.bool_)

    @cached_property
    def _found(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Entries of single leaves, sorted; the first one of each point, and the one behind its last."""
        at = np.flatnonzero(self._single)
        codes = [side.lo[side.offsets[self.group.cells[at, j]]] for j, side in enumerate(self.sides)]
        both = np.concatenate([self.points, np.stack(codes, axis=1)])
        ranks, _ = rank_columns(list(both.T), [int(column.max(initial=0)) + 1 for column in both.T])
        mine, theirs = ranks[: len(self.points)], ranks[len(self.points) :]
        order = np.argsort(theirs, kind="stable")
        first, last = (np.searchsorted(theirs[order], mine, side=side) for side in ("left", "right"))
        return at[order], first.astype(np.int64), last.astype(np.int64)

    def pairs(self, keys: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield, for some of the points, place in *keys* and entry of those that fit."""
        if self._single.any():
            entries, first, last = self._found
            sizes = (last - first)[keys]
            yield np.repeat(np.arange(len(keys)), sizes), entries[spread(first[keys], sizes)]
        wide = np.flatnonzero(~self._single)
        if len(wide):
            cells, points = self.group.cells[wide], self.points[keys]
            tests: list[_Test] = [_Column(side, cells[:, j], points[:, j]) for j, side in enumerate(self.sides)]
            for start, _, point, entry in _passing(tests, len(points), len(wide)):
                yield point + start, wide[entry]


def entries_of_points(
    group: GroupEntries, sides: tuple[LeafSets, ...], points: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield which entries of a group cover which of its *points*, int32 [n_points, n_columns], all different."""
    covering = _Covering(group, tuple(sides[j] for j in group.columns), points)
    yield from covering.pairs(np.arange(len(points), dtype=np.int32))
