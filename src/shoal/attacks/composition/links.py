"""What releases tell of each person: the sensitive values that are left, and in how many ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Links", "ValueSets", "common_values"]


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


def common_values(alone: Sequence[ValueSets]) -> ValueSets:
    """Intersect the values of each person over the releases; their ways multiply.

    Parameters
    ----------
    alone : sequence of ValueSets
        By each release alone.
    """
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
