"""The composition attack on classes and buckets in code space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.composition.candidates import Release, candidates
from shoal.attacks.composition.links import Links, ValueSets, common_values
from shoal.attacks.composition.meetings import Meetings, meet_buckets, meet_classes
from shoal.attacks.composition.valued import valued
from shoal.core.published import PublishedClasses
from shoal.kernels.bitsets import spread
from shoal.kernels.grouping import rank_columns

__all__ = ["Composition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """What releases tell together of people who are in all of them.

    A class of a release is a candidate for a person if its labels cover what is known of him; a bucket, if one of
    its entries does in every group of columns. His candidate values by one release are those of its candidate
    classes, and by several those that every one of them leaves.

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

    >>> from shoal.core.published import LeafSets
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

    def link(
        self, releases: Sequence[Release], known: Sequence[NDArray[np.int32]], *, paired: bool = False
    ) -> Links:
        """Find the candidate classes and values of each person.

        Parameters
        ----------
        releases : sequence of PublishedClasses or PublishedBuckets
            One or more, with the same columns.
        known : sequence of int32 [n_people, n_qi]
            For each release, the leaf codes that each person has in it.
        paired : bool, default False
            Of a bucket whose sensitive values stand beside quasi-identifiers, take those only that stand beside
            cells that fit the person. Without it, all values of the bucket, as the privacy risk is defined.
        """
        linked = [_linked(release, codes, paired=paired) for release, codes in zip(releases, known, strict=True)]
        alone = tuple(sets for sets, _ in linked)
        return Links(alone, np.stack([classes for _, classes in linked], axis=1), common_values(alone))

    def true_matches(
        self,
        releases: Sequence[Release],
        links: Links,
        truth: NDArray[np.int32],
        own: NDArray[np.int32] | None = None,
    ) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Tell who has a true match, and in which class each person was published.

        Parameters
        ----------
        releases : sequence of PublishedClasses or PublishedBuckets
        links : Links
            Of these releases.
        truth : int32 [n_people, n_releases]
            Sensitive value that each person has in each private table; -1 where he is not in it.
        own : int32 [n_people, n_releases], optional
            Class in which he was published, -1 where he was not, -2 where that is not known. Where it is not, it
            is the candidate class that holds his value, if there is only one.

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
            there = entry >= 0
            found[:, i] = -1
            found[there, i] = np.where(sets.ways[entry[there]] == 1, sets.classes[entry[there]], -2)
            if own is not None:
                told = np.where(_hold(release, own[:, i], truth[:, i]), own[:, i], -1)
                found[:, i] = np.where(own[:, i] == -2, found[:, i], told)
        same = (truth == truth[:, :1]).all(axis=1)
        return same & (found != -1).all(axis=1), found

    def meet(self, first: Release, second: Release) -> Meetings | None:
        """Count how the classes of two releases meet.

        Returns
        -------
        Meetings or None
            None where buckets are grouped so differently that it would take too long.
        """
        if isinstance(first, PublishedClasses) and isinstance(second, PublishedClasses):
            return meet_classes(first, second)
        return meet_buckets(first, second)


def _linked(release: Release, known: NDArray[np.int32], *, paired: bool) -> tuple[ValueSets, NDArray[np.int64]]:
    """Match each distinct point once, and tell it of everybody who lies there."""
    if not len(known) or not len(release):
        nothing = ValueSets(
            np.zeros(len(known) + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int32)
        )
        return nothing, np.zeros(len(known), np.int64)
    columns = [known[:, j] for j in range(known.shape[1])]
    point, first = rank_columns(columns, [int(column.max()) + 1 for column in columns])
    codes = known[first]
    parts = list(valued(release, codes, candidates(release, codes), paired=paired))
    sizes = np.concatenate([part.sizes for part in parts])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    entry = spread(starts[point], sizes[point])
    offsets = np.concatenate([[0], np.cumsum(sizes[point])]).astype(np.int64)
    values = np.concatenate([part.values for part in parts])[entry]
    ways = np.concatenate([part.ways for part in parts])[entry]
    classes = np.concatenate([part.classes for part in parts])[entry]
    n_classes = np.concatenate([part.n_classes for part in parts])
    return ValueSets(offsets, values, ways, classes), n_classes[point]


def _hold(release: Release, own: NDArray[np.int32], values: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return whether each class holds the value beside it; class and value -1 do not."""
    width = max(int(release.values.max(initial=0)), int(values.max(initial=0))) + 1
    keys = np.repeat(np.arange(len(release)), np.diff(release.offsets)) * width + release.values
    found: NDArray[np.bool_] = np.isin(own.astype(np.int64) * width + values, keys) & (own >= 0) & (values >= 0)
    return found
