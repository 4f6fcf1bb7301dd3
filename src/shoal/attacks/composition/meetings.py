"""How the classes of two releases meet, whoever is in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.core.bucket_entries import GroupEntries
from shoal.core.published import LeafSets, PublishedBuckets, PublishedClasses
from shoal.kernels.bitsets import bits_of_members, pack, set_bits, spread
from shoal.kernels.grouping import rank_columns
from shoal.kernels.meeting import meet_entries

__all__ = ["Meetings", "meet_buckets", "meet_classes"]

BLOCK = 512
"""Classes of the first release that are laid out at once."""

MOST_ENTRIES = 1 << 23
"""Combinations of entries that are written out where two releases are grouped differently."""


@dataclass(frozen=True, eq=False)
class Meetings:
    """How the classes of two releases meet, whoever is in them.

    Parameters
    ----------
    meeting : int
        Pairs of classes that some quasi-identifiers fit both.
    matching : int
        Those that share a sensitive value.
    disclosing : int
        Those that share exactly one: who is in both, has it.
    triples : int
        Pairs with a shared value, each value counted.
    """

    meeting: int
    matching: int
    disclosing: int
    triples: int


def meet_classes(first: PublishedClasses, second: PublishedClasses) -> Meetings:
    """Count how the classes of two releases of boxes meet."""
    if not len(first) or not len(second):
        return Meetings(0, 0, 0, 0)
    holders = _holders(first, second)
    totals = np.zeros(4, np.int64)
    for start in range(0, len(first), BLOCK):
        cells = first.cells[start : start + BLOCK]
        words = pack(np.ones((len(cells), len(second)), np.bool_))
        for j, (mine, theirs) in enumerate(zip(first.sides, second.sides, strict=True)):
            labels, at = np.unique(cells[:, j], return_inverse=True)
            words &= pack(_overlap(mine, labels, theirs)[:, second.cells[:, j]])[at]
        once, more, triples = np.zeros_like(words), np.zeros_like(words), 0
        offsets = first.offsets[start : start + len(cells) + 1]
        sizes = np.diff(offsets)
        for rank in range(int(sizes.max(initial=0))):
            having = np.flatnonzero(sizes > rank)
            shared = words[having] & holders[first.values[offsets[having] + rank]]
            more[having] |= once[having] & shared
            once[having] |= shared
            triples += int(np.bitwise_count(shared).sum(dtype=np.int64))
        found = (words, once, once & ~more)
        totals += [*(int(np.bitwise_count(some).sum(dtype=np.int64)) for some in found), triples]
    return Meetings(*totals.tolist())


def meet_buckets(
    first: PublishedClasses | PublishedBuckets, second: PublishedClasses | PublishedBuckets
) -> Meetings | None:
    """Count how the classes of two releases meet, one of them at least of buckets.

    Two buckets meet if somebody fits both. Where the releases are grouped alike, that is so if each group has two
    entries that meet. A class of a box is grouped as one likes; buckets that are grouped differently are written
    out over the groups that both can be cut into.

    Returns
    -------
    Meetings or None
        None where writing them out would take too long.
    """
    if not len(first) or not len(second):
        return Meetings(0, 0, 0, 0)
    n_columns = len(first.sides)
    parts = _joined(n_columns, _partition(first), _partition(second))
    cut = [[_entries(release, part) for part in parts] for release in (first, second)]
    mine, theirs = ([entries for entries in found if entries is not None] for found in cut)
    if len(mine) < len(parts) or len(theirs) < len(parts):
        return None
    places = [entries.by_bucket(len(second)) for entries in theirs]
    behind = np.concatenate([[0], np.cumsum([len(entries) for _, entries in places])])
    sizes = np.array([len(entries) for entries in theirs])
    holder_starts = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(e.offsets) for e in theirs]))])
    shared = (
        holder_starts.astype(np.int64),
        np.concatenate([entries.buckets for entries in theirs]),
        np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64),
        np.stack([starts + base for (starts, _), base in zip(places, behind[:-1], strict=True)]),
        np.concatenate([entries for _, entries in places]),
    )
    own = [entries.by_bucket(len(first)) for entries in mine]
    looked_up = [
        _Meeting((first.sides, second.sides), entries, others)
        for entries, others in zip(mine, theirs, strict=True)
    ]
    n_words = -(-sizes // 64)
    totals, seen, stamp = np.zeros(4, np.int64), np.full(len(second), -1, np.int64), 0
    for start in range(0, len(first), BLOCK):
        stop = min(start + BLOCK, len(first))
        words = [
            _of_buckets(found, starts[start : stop + 1], at)
            for found, (starts, at) in zip(looked_up, own, strict=True)
        ]
        word_base = np.concatenate([[0], np.cumsum([found.size for found in words])])[:-1].astype(np.int64)
        offsets = first.offsets[start : stop + 1]
        stamp = meet_entries(
            np.concatenate([found.reshape(-1) for found in words]),
            word_base,
            n_words,
            *shared,
            offsets,
            first.values,
            second.offsets,
            second.values,
            seen,
            stamp,
            totals,
        )
    return Meetings(*totals.tolist())


def _partition(release: PublishedClasses | PublishedBuckets) -> list[tuple[int, ...]]:
    """Return which columns a release holds together; a box can be cut into single columns."""
    if isinstance(release, PublishedBuckets):
        return [group.columns for group in release.groups]
    return [(j,) for j in range(len(release.sides))]


def _joined(n_columns: int, *partitions: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the finest partition that each of *partitions* is finer than."""
    part = list(range(n_columns))
    for groups in partitions:
        for group in groups:
            least = {part[j] for j in group}
            part = [min(least) if number in least else number for number in part]
    return [tuple(j for j in range(n_columns) if part[j] == number) for number in sorted(set(part))]


def _entries(release: PublishedClasses | PublishedBuckets, part: tuple[int, ...]) -> GroupEntries | None:
    """Return what each class holds of some columns together; None where it is too much."""
    if isinstance(release, PublishedClasses):
        cells, bucket = release.cells[:, list(part)], np.arange(len(release))
    else:
        columns: tuple[int, ...] = ()
        cells, bucket = np.empty((len(release), 0), np.int32), np.arange(len(release))
        for group in release.groups:
            if not group.columns or group.columns[0] not in part:
                continue
            starts, entries = group.by_bucket(len(release))
            sizes = np.diff(starts)[bucket]
            if sizes.sum() > MOST_ENTRIES:
                return None
            at = entries[spread(starts[bucket], sizes)]
            cells = np.concatenate([np.repeat(cells, sizes, axis=0), group.cells[at]], axis=1)
            bucket, columns = np.repeat(bucket, sizes), (*columns, *group.columns)
        cells = cells[:, [columns.index(j) for j in part]]
    entry, first = rank_columns(list(cells.T), [len(release.sides[j]) for j in part])
    order = np.lexsort((bucket, entry))
    held = np.unique(entry[order].astype(np.int64) * len(release) + bucket[order])
    offsets = np.searchsorted(held // len(release), np.arange(len(first) + 1)).astype(np.int64)
    return GroupEntries(part, cells[first], offsets, (held % len(release)).astype(np.int32))


def _of_buckets(found: _Meeting, starts: NDArray[np.int64], at: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return which entries of another release meet one of each bucket, uint64 [n_buckets, n_words]."""
    here, place = np.unique(at[starts[0] : starts[-1]], return_inverse=True)
    words: NDArray[np.uint64] = np.bitwise_or.reduceat(found.words(here)[place], starts[:-1] - starts[0], axis=0)
    return words


@dataclass(eq=False)
class _Meeting:
    """Looks up which entries of two releases meet: single leaves by a search, others label by label."""

    sides: tuple[tuple[LeafSets, ...], tuple[LeafSets, ...]]
    mine: GroupEntries
    theirs: GroupEntries

    @cached_property
    def _single(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which entries of each release are single leaves."""
        return _singles(self.mine, self.sides[0]), _singles(self.theirs, self.sides[1])

    @cached_property
    def _equal(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return single entries of theirs, sorted; and the first and the one behind the last for each of mine."""
        single = self._single[1]
        at = np.flatnonzero(single)
        both = np.concatenate([_leaves(self.mine, self.sides[0]), _leaves(self.theirs, self.sides[1])[at]])
        ranks, _ = rank_columns(list(both.T), [int(column.max(initial=0)) + 1 for column in both.T])
        mine, theirs = ranks[: len(self.mine)], ranks[len(self.mine) :]
        order = np.argsort(theirs, kind="stable")
        first, last = (
            np.searchsorted(theirs[order], mine, side=side).astype(np.int64) for side in ("left", "right")
        )
        return at[order], first, np.where(self._single[0], last, first)

    def words(self, here: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return which entries of theirs meet each of these, uint64 [n, n_words]."""
        words = np.zeros((len(here), -(-len(self.theirs) // 64)), np.uint64)
        entries, first, last = self._equal
        sizes = (last - first)[here]
        _set(words, np.repeat(np.arange(len(here)), sizes), entries[spread(first[here], sizes)])
        single = self._single[0][here]
        wide = np.flatnonzero(~self._single[1])
        for rows, columns in (
            (np.flatnonzero(single), wide),
            (np.flatnonzero(~single), np.arange(len(self.theirs))),
        ):
            if len(rows) and len(columns):
                point, entry = set_bits(self._crossed(here[rows], columns))
                _set(words, rows[point], columns[entry])
        return words

    def _crossed(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.uint64]:
        words = pack(np.ones((len(rows), len(columns)), np.bool_))
        for c, j in enumerate(self.mine.columns):
            labels, row = np.unique(self.mine.cells[rows, c], return_inverse=True)
            words &= pack(_overlap(self.sides[0][j], labels, self.sides[1][j])[:, self.theirs.cells[columns, c]])[
                row
            ]
        return words


def _singles(entries: GroupEntries, sides: tuple[LeafSets, ...]) -> NDArray[np.bool_]:
    single = [sides[j].sizes[entries.cells[:, c]] == 1 for c, j in enumerate(entries.columns)]
    found: NDArray[np.bool_] = np.logical_and.reduce(single)
    return found


def _leaves(entries: GroupEntries, sides: tuple[LeafSets, ...]) -> NDArray[np.int32]:
    """Return the first leaf of each cell, int32 [n_entries, n_columns]; 0 for a label that covers none."""
    columns = []
    for c, j in enumerate(entries.columns):
        side, label = sides[j], entries.cells[:, c]
        first = np.append(side.lo, 0)[np.minimum(side.offsets[label], len(side.lo))]
        columns.append(np.where(side.sizes[label] > 0, first, 0))
    return np.stack(columns, axis=1).astype(np.int32)


def _set(words: NDArray[np.uint64], row: NDArray[np.int64], bit: NDArray[np.int64]) -> None:
    value = np.uint64(1) << (bit & 63).astype(np.uint64)
    np.bitwise_or.at(words.reshape(-1), row * words.shape[1] + (bit >> 6), value)


def _holders(first: PublishedClasses, second: PublishedClasses) -> NDArray[np.uint64]:
    """Return which classes of *second* hold each value of either, as bits."""
    n_values = int(max(first.values.max(initial=-1), second.values.max(initial=-1))) + 1
    class_ = np.repeat(np.arange(len(second)), np.diff(second.offsets))
    return bits_of_members(second.values, class_, n_values, len(second))


def _overlap(mine: LeafSets, labels: NDArray[np.int32], theirs: LeafSets) -> NDArray[np.bool_]:
    """Return which labels of another table share a leaf with each of *labels*, bool [n_labels, n_theirs]."""
    meet = np.zeros((len(labels), len(theirs.offsets) - 1), np.bool_)
    full = np.flatnonzero(np.diff(theirs.offsets))
    if not full.size:
        return meet
    for row, label in enumerate(labels.tolist()):
        for run in range(mine.offsets[label], mine.offsets[label + 1]):
            touch = (theirs.lo <= mine.hi[run]) & (mine.lo[run] <= theirs.hi)
            meet[row, full] |= np.logical_or.reduceat(touch, theirs.offsets[full])
    return meet
