"""How far the distributions of single columns and of pairs move, as a release tells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.utility.groups import Grouping, group_values
from shoal.utility.released import ReleasedRows

__all__ = ["MOST_VALUES", "Distance", "column_distances", "pair_distances"]

MOST_VALUES = 256
"""Values of a column that are told apart in pairs; a column with more is compared in few groups."""

BLOCK = 1 << 14
"""Entries or buckets that are laid out at once."""


@dataclass(frozen=True, slots=True)
class Distance:
    """Total variation between the original and a release, in [0, 1]; 0 where nothing moved.

    Parameters
    ----------
    columns : tuple of str
        One, or two.
    distance : float or None
        None where either table has no rows.
    """

    columns: tuple[str, ...]
    distance: float | None


def column_distances(original: ReleasedRows, published: ReleasedRows) -> tuple[Distance, ...]:
    """Return how far each column moved; a published cell counts for all values that it covers alike."""
    found = []
    for j, name in enumerate(original.names):
        found.append(Distance((name,), _variation(_marginal(original, j), _marginal(published, j))))
    return tuple(found)


def pair_distances(
    original: ReleasedRows, published: ReleasedRows, *, most_values: int = MOST_VALUES
) -> tuple[Distance, ...]:
    """Return how far each pair of columns moved together.

    Cells of one row count for all pairs of values that they cover alike. In a bucket, columns of different groups
    go together at random. A column of more than *most_values* values is compared in the groups of
    :func:`~shoal.utility.groups.group_values`.
    """
    groupings = [_grouping(original, j, most_values) for j in range(len(original.names))]
    before, after = (_Spread(rows, groupings) for rows in (original, published))
    return tuple(
        Distance((original.names[i], original.names[j]), _variation(before.joint(i, j), after.joint(i, j)))
        for i, j in combinations(range(len(original.names)), 2)
    )


def _variation(before: NDArray[np.float64], after: NDArray[np.float64]) -> float | None:
    if not before.sum() or not after.sum():
        return None
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def _marginal(rows: ReleasedRows, column: int) -> NDArray[np.float64]:
    """Return the rows of each value, float64 [n_values]."""
    side = rows.sides[column]
    of_label = np.bincount(rows.cells[:, column], minlength=len(side)) / np.maximum(side.sizes, 1)
    of_run = np.repeat(of_label, np.diff(side.offsets))
    ends = np.zeros(rows.hierarchies[column].n_values + 1)
    np.add.at(ends, side.lo, of_run)
    np.add.at(ends, side.hi + 1, -of_run)
    return np.maximum(np.cumsum(ends)[:-1], 0.0)


def _grouping(rows: ReleasedRows, column: int, most_values: int) -> Grouping | None:
    hierarchy = rows.hierarchies[column]
    if hierarchy.n_values <= most_values:
        return None
    return group_values(hierarchy, _marginal(rows, column).astype(np.int64))


class _Spread:
    """The share of each label in each value or group of its column, and pairs of columns from it."""

    def __init__(self, rows: ReleasedRows, groupings: Sequence[Grouping | None]) -> None:
        self.entries = rows.entries
        self.group_of = rows.group_of
        sizes = np.diff(self.entries.starts)
        self.bucket = np.repeat(np.arange(len(sizes)), sizes)
        self.weight = (self.entries.weight / np.maximum(sizes, 1))[self.bucket]
        self.labels = []
        for hierarchy, side, grouping in zip(rows.hierarchies, rows.sides, groupings, strict=True):
            n = hierarchy.n_values
            of_leaf = np.eye(n) if grouping is None else np.eye(grouping.n_groups)[grouping.of_leaf]
            self.labels.append(side.sums(of_leaf) / np.maximum(side.sizes, 1)[:, None])

    def joint(self, i: int, j: int) -> NDArray[np.float64]:
        """Return the expected rows of each pair of values."""
        if self.group_of[i] != self.group_of[j]:
            return self._apart(i, j)
        mine, theirs = self.labels[i], self.labels[j]
        pair = self.entries.cells[:, i].astype(np.int64) * len(theirs) + self.entries.cells[:, j]
        distinct, at = np.unique(pair, return_inverse=True)
        weight = np.bincount(at, self.weight, len(distinct))
        first, second = np.divmod(distinct, max(len(theirs), 1))
        joint = np.zeros((mine.shape[1], theirs.shape[1]))
        for start in range(0, len(distinct), BLOCK):
            part = slice(start, start + BLOCK)
            joint += mine[first[part]].T @ (weight[part, None] * theirs[second[part]])
        return joint

    def _apart(self, i: int, j: int) -> NDArray[np.float64]:
        starts = self.entries.starts
        joint = np.zeros((self.labels[i].shape[1], self.labels[j].shape[1]))
        for begin in range(0, len(starts) - 1, BLOCK):
            edges = starts[begin : begin + BLOCK + 1]
            part = slice(edges[0], edges[-1])
            cuts = edges[:-1] - edges[0]
            sums = [
                np.add.reduceat(self.labels[column][self.entries.cells[part, column]], cuts) for column in (i, j)
            ]
            each = self.weight[edges[:-1]] / np.diff(edges)
            joint += sums[0].T @ (each[:, None] * sums[1])
        return joint
