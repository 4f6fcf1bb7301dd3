"""Two or more releases laid over each other: what they tell together of a person who is in all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.published import LeafSets, PublishedClasses
from shoal.kernels.bitsets import bits_of_leaves, bits_of_members, pack, set_bits, spread
from shoal.kernels.grouping import rank_columns

__all__ = ["Composition", "Links", "Meetings", "ValueSets"]

BLOCK = 1024
"""Points that are matched at once."""

CACHED = 1 << 26
"""Bytes of a column's bits that are kept for all blocks; more are made for each block."""

MOST_PAIRS = 1 << 22
"""Pairs of a point and a class that are laid out at once."""


@dataclass(frozen=True, eq=False)
class ValueSets:
    """Sensitive values of each person, with the number of ways in which each fits.

    Parameters
    ----------
    offsets : int64 [n_people + 1]
        Entries ``offsets[u]:offsets[u + 1]`` belong to person *u*.
    values : int32 [n_entries]
        Rising within a person.
    ways : int64 [n_entries]
        In how many candidate classes (of all releases together: combinations of them) the value stands.
    classes : int32 [n_entries]
        One of these classes; the only one where there is one way. -1 for several releases together.
    """

    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    ways: NDArray[np.int64]
    classes: NDArray[np.int32]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of values of each person, int64 [n_people]."""
        return np.diff(self.offsets)

    @property
    def person(self) -> NDArray[np.int64]:
        """Person of each entry, int64 [n_entries]."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def of(self, person: int) -> list[int]:
        """Return the values of one person."""
        found: list[int] = self.values[self.offsets[person] : self.offsets[person + 1]].tolist()
        return found

    def at(self, values: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the entry of a given value of each person, int64 [n_people]; -1 where it is none of his."""
        width = max(int(self.values.max(initial=0)), int(values.max(initial=0))) + 1
        keys = self.person * width + self.values
        wanted = np.arange(len(values)) * width + values
        place = np.searchsorted(keys, wanted)
        there = place < len(keys)
        there[there] = keys[place[there]] == wanted[there]
        return np.where(there & (values >= 0), place, -1)


@dataclass(frozen=True, eq=False)
class Links:
    """What the releases tell of each person.

    Parameters
    ----------
    alone : tuple of ValueSets
        The candidate values by each release alone.
    classes : int64 [n_people, n_releases]
        Number of candidate classes in each release.
    together : ValueSets
        The candidate values by all of them: their ways are the matches.
    """

    alone: tuple[ValueSets, ...]
    classes: NDArray[np.int64]
    together: ValueSets

    @property
    def matches(self) -> NDArray[np.int64]:
        """Matches (E1, E2, ..., s) of each person, int64 [n_people]."""
        return np.bincount(self.together.person, self.together.ways, minlength=len(self.classes)).astype(np.int64)

    @property
    def disclosed(self) -> NDArray[np.bool_]:
        """People of whom one value is left, bool [n_people]."""
        return np.asarray(self.together.sizes == 1, np.bool_)

    @property
    def disclosed_alone(self) -> NDArray[np.bool_]:
        """People of whom one release by itself leaves one value, bool [n_people]."""
        return np.asarray(np.stack([sets.sizes == 1 for sets in self.alone]).any(axis=0), np.bool_)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """What releases tell together of people who are in all of them.

    A class of a release is a candidate for a person if its labels cover what is known of him. His candidate values
    by one release are those of its candidate classes, and by several those that every one of them leaves.

    Notes
    -----
    Attacker: knows the quasi-identifiers of a person, and that he is in every release.
    Baseline: the same candidates by each release alone.
    Control: people who are in one release only; matches of theirs are false, and lower the privacy risk.
    Cost: people times classes, sixty-four classes at a step.

    References
    ----------
    .. [1] Ganta, Kasiviswanathan, Smith (2008), Composition attacks and auxiliary information in data
       privacy, KDD.
    .. [2] Hasan, Jiang, Chen, Wang (2018), An effective approach to publishing data with composition attacks,
       Applied Sciences 8(5), 783.

    Examples
    --------
    Ages 0 to 9; one release has two classes, the other one. Somebody of age 2 who is in both has value 1:

    >>> halves = LeafSets.from_runs([[(0, 4)], [(5, 9)]])
    >>> first = PublishedClasses(
    ...     np.array([[0], [1]], np.int32), (halves,), np.array([0, 2, 4]), np.array([0, 1, 0, 2], np.int32)
    ... )
    >>> whole = LeafSets.everything(10)
    >>> second = PublishedClasses(
    ...     np.array([[0]], np.int32), (whole,), np.array([0, 2]), np.array([1, 2], np.int32)
    ... )
    >>> known = np.array([[2]], np.int32)
    >>> Composition().link([first, second], [known, known]).together.of(0)
    [1]
    """

    name: ClassVar[str] = "composition"

    def link(self, releases: Sequence[PublishedClasses], known: Sequence[NDArray[np.int32]]) -> Links:
        """Find the candidate classes and values of each person.

        Parameters
        ----------
        releases : sequence of PublishedClasses
            One or more, with the same columns.
        known : sequence of int32 [n_people, n_qi]
            For each release, the leaf codes that each person has in it.
        """
        linked = [_linked(release, codes) for release, codes in zip(releases, known, strict=True)]
        alone = tuple(sets for sets, _ in linked)
        return Links(alone, np.stack([classes for _, classes in linked], axis=1), _common(alone))

    def true_matches(
        self,
        releases: Sequence[PublishedClasses],
        links: Links,
        truth: NDArray[np.int32],
        own: NDArray[np.int32] | None = None,
    ) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Tell who has a true match, and in which class each person was published.

        Parameters
        ----------
        releases : sequence of PublishedClasses
        links : Links
            Of these releases.
        truth : int32 [n_people, n_releases]
            Sensitive value that each person has in each private table; -1 where he is not in it.
        own : int32 [n_people, n_releases], optional
            Class in which he was published, -1 where he was not. Without it, it is the candidate class that holds
            his value, where there is only one.

        Returns
        -------
        true : bool [n_people]
            He was published in every release with one and the same value, and that value is left.
        own : int32 [n_people, n_releases]
            -1: not published; -2: several candidate classes hold his value.
        """
        found = np.empty(truth.shape, np.int32)
        for i, (release, sets) in enumerate(zip(releases, links.alone, strict=True)):
            entry = sets.at(truth[:, i])
            if own is None:
                there = entry >= 0
                found[:, i] = -1
                found[there, i] = np.where(sets.ways[entry[there]] == 1, sets.classes[entry[there]], -2)
            else:
                found[:, i] = np.where(_hold(release, own[:, i], truth[:, i]), own[:, i], -1)
        same = (truth == truth[:, :1]).all(axis=1)
        return same & (found != -1).all(axis=1), found

    def meet(self, first: PublishedClasses, second: PublishedClasses) -> Meetings:
        """Count how the classes of two releases meet."""
        return _meet(first, second)


def _linked(release: PublishedClasses, known: NDArray[np.int32]) -> tuple[ValueSets, NDArray[np.int64]]:
    """Match each distinct point once, and tell it of everybody who lies there."""
    if not len(known) or not len(release):
        nothing = ValueSets(
            np.zeros(len(known) + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int32)
        )
        return nothing, np.zeros(len(known), np.int64)
    columns = [known[:, j] for j in range(known.shape[1])]
    point, first = rank_columns(columns, [int(column.max()) + 1 for column in columns])
    codes = known[first]
    parts = [_valued(release, pairs) for pairs in _candidates(release, codes)]
    sizes = np.concatenate([part[0] for part in parts])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    entry = spread(starts[point], sizes[point])
    offsets = np.concatenate([[0], np.cumsum(sizes[point])]).astype(np.int64)
    values, ways, classes = (np.concatenate([part[i] for part in parts])[entry] for i in (1, 2, 3))
    n_classes = np.concatenate([part[4] for part in parts])
    return ValueSets(offsets, values, ways, classes), n_classes[point]


def _hold(release: PublishedClasses, own: NDArray[np.int32], values: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return whether each class holds the value beside it; class and value -1 do not."""
    width = max(int(release.values.max(initial=0)), int(values.max(initial=0))) + 1
    keys = np.repeat(np.arange(len(release)), np.diff(release.offsets)) * width + release.values
    found: NDArray[np.bool_] = np.isin(own.astype(np.int64) * width + values, keys) & (own >= 0) & (values >= 0)
    return found


Pairs = tuple[int, NDArray[np.int64], NDArray[np.int64]]
"""Number of points, and point (from 0) and class of each pair."""


def _candidates(release: PublishedClasses, codes: NDArray[np.int32]) -> Iterator[Pairs]:
    """Yield which classes cover each point, a block of points at a time."""
    n_words = -(-len(release) // 64)
    leaves = [np.unique(codes[:, j]) for j in range(codes.shape[1])]
    kept = [
        _bits(release, j, found) if found.size * n_words * 8 <= CACHED else None for j, found in enumerate(leaves)
    ]
    for start in range(0, len(codes), BLOCK):
        block = codes[start : start + BLOCK]
        words = np.full((len(block), n_words), ~np.uint64(0))
        if len(release) % 64:
            words[:, -1] = (np.uint64(1) << np.uint64(len(release) % 64)) - np.uint64(1)
        for j, bits in enumerate(kept):
            here = leaves[j] if bits is not None else np.unique(block[:, j])
            found = bits if bits is not None else _bits(release, j, here)
            words &= found[np.searchsorted(here, block[:, j])]
        pairs = np.cumsum(np.bitwise_count(words).sum(axis=1, dtype=np.int64))
        at = 0
        while at < len(block):
            limit = (pairs[at - 1] if at else 0) + MOST_PAIRS
            stop = max(at + 1, int(np.searchsorted(pairs, limit, side="right")))
            yield (min(stop, len(block)) - at, *set_bits(words[at:stop]))
            at = stop


def _bits(release: PublishedClasses, column: int, leaves: NDArray[np.int32]) -> NDArray[np.uint64]:
    side = release.sides[column]
    return bits_of_leaves(leaves, release.cells[:, column], side.offsets, side.lo, side.hi)


Valued = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


def _valued(release: PublishedClasses, pairs: Pairs) -> Valued:
    """Return per point its number of values; value, ways and a class of each; and its candidate classes."""
    n_points, point, class_ = pairs
    sizes = np.diff(release.offsets)[class_]
    entry = spread(release.offsets[class_], sizes)
    width = int(release.values.max(initial=0)) + 1
    keys = np.repeat(point, sizes) * width + release.values[entry]
    distinct, first, ways = np.unique(keys, return_index=True, return_counts=True)
    return (
        np.bincount(distinct // width, minlength=n_points),
        (distinct % width).astype(np.int32),
        ways,
        np.repeat(class_, sizes)[first].astype(np.int32),
        np.bincount(point, minlength=n_points),
    )


def _common(alone: Sequence[ValueSets]) -> ValueSets:
    """Intersect the values of each person over the releases; their ways multiply."""
    n_people = len(alone[0].sizes)
    width = max(int(sets.values.max(initial=0)) for sets in alone) + 1
    keys = alone[0].person * width + alone[0].values
    ways = alone[0].ways
    for sets in alone[1:]:
        others = sets.person * width + sets.values
        keys, mine, theirs = np.intersect1d(keys, others, assume_unique=True, return_indices=True)
        ways = ways[mine] * sets.ways[theirs]
    sizes = np.bincount(keys // width, minlength=n_people)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    classes = alone[0].classes if len(alone) == 1 else np.full(len(keys), -1, np.int32)
    return ValueSets(offsets, (keys % width).astype(np.int32), ways, classes)


def _meet(first: PublishedClasses, second: PublishedClasses) -> Meetings:
    if not len(first) or not len(second):
        return Meetings(0, 0, 0, 0)
    holders = _holders(first, second)
    totals = np.zeros(4, np.int64)
    for start in range(0, len(first), BLOCK // 2):
        cells = first.cells[start : start + BLOCK // 2]
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
