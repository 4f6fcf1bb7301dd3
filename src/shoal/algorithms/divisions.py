"""How the node of a column can be divided, and how well each division tells sensitive values apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns, sum_by_group

__all__ = ["SCORES", "ColumnRecords", "Side", "children_of", "n_divisions", "sensitivity"]

SCORES = ("max", "information-gain")

Side = tuple[int, int]
"""First and last leaf code, both included."""


def sensitivity(score: str, n_values: int) -> float:
    """Return by how much one record can change a score at most.

    Examples
    --------
    >>> sensitivity("max", 8), sensitivity("information-gain", 8)
    (1.0, 3.0)
    """
    return 1.0 if score == "max" else max(1.0, float(np.log2(max(1, n_values))))


def children_of(hierarchy: Hierarchy, side: Side, *, cut: bool) -> list[Side] | None:
    """Return the parts into which a side is divided, none for a leaf, or None where a point has to be drawn.

    Parameters
    ----------
    hierarchy : Hierarchy
    side : tuple of int and int
    cut : bool
        Whether the column is cut between any two codes, once its missing value is apart, instead of following
        its tree.
    """
    lo, hi = side
    if lo == hi:
        return []
    if cut:
        last = hierarchy.n_values - 1
        return [(lo, hi - 1), (last, last)] if hierarchy.has_null and hi == last else None
    node = hierarchy.node_of(lo, hi)
    assert node is not None  # noqa: S101 (sides are made of nodes)
    return [(int(hierarchy.lo[child]), int(hierarchy.hi[child])) for child in hierarchy.children(node)]


def n_divisions(hierarchy: Hierarchy, *, cut: bool) -> int:
    """Return how often a column can be divided until single values are left; it depends on the domain alone."""
    return hierarchy.n_values - 1 if cut else len(hierarchy.lo) - hierarchy.n_values


@dataclass(frozen=True, eq=False)
class ColumnRecords:
    """The items in the order of their codes in one column, so that the records of a node lie together.

    Parameters
    ----------
    codes : int32 [n_items]
        Rising.
    values : int32 [n_items]
        Codes of the sensitive value.
    rows : int64 [n_items]
    n_values : int
        Values of the sensitive column.
    """

    codes: NDArray[np.int32]
    values: NDArray[np.int32]
    rows: NDArray[np.int64]
    n_values: int

    @classmethod
    def of(cls, table: FrequencyTable, j: int) -> ColumnRecords:
        """Return the items of a table with one sensitive column by quasi-identifier *j*."""
        codes = table.codes[table.point_of_item, j]
        order = np.argsort(codes, kind="stable")
        return cls(
            codes[order],
            table.sensitive[order, 0],
            table.counts[order],
            table.sensitive_hierarchies[0].n_values,
        )

    def score(self, side: Side, children: list[Side], score: str) -> float:
        """Return how well the children of a node tell sensitive values apart.

        ``max``: the sum over the children of the count of their most frequent value. ``information-gain``: the
        drop of the entropy of the values, in bits.
        """
        codes, values, rows = self._within(side)
        if not codes.size:
            return 0.0
        child = np.searchsorted([hi for _, hi in children], codes)
        cell, first = group_columns([child, values], [len(children), self.n_values])
        counts, owner = sum_by_group(cell, rows, len(first)), child[first]
        if score == "max":
            most = np.zeros(len(children), np.int64)
            np.maximum.at(most, owner, counts)
            return float(most.sum())
        sizes = np.bincount(owner, counts, len(children))
        total = np.bincount(values, rows, self.n_values)
        left = _bits(sizes).sum() - _bits(counts).sum()
        return float((_bits(sizes.sum()) - _bits(total).sum() - left) / sizes.sum())

    def cut_scores(self, side: Side, score: str) -> NDArray[np.float64]:
        """Return the score of cutting a side behind each of its codes but the last, float64 [hi - lo]."""
        lo, hi = side
        codes, values, rows = self._within(side)
        behind = np.searchsorted(codes, np.arange(lo, hi), side="right")
        running = (_running(values, rows), _running(values[::-1], rows[::-1]))
        if score == "max":
            left, right = (np.append(0, np.maximum.accumulate(counts)) for counts in running)
            most: NDArray[np.float64] = (left[behind] + right[len(codes) - behind]).astype(np.float64)
            return most
        if not codes.size:
            return np.zeros(hi - lo)
        # Sums of n log n of the counts before each record, from the left and from the right.
        left, right = (
            np.append(0, np.cumsum(_bits(counts) - _bits(counts - weight)))
            for counts, weight in zip(running, (rows, rows[::-1]), strict=True)
        )
        size = np.append(0, np.cumsum(rows))
        total = size[-1]
        parts = _bits(size[behind]) + _bits(total - size[behind])
        inner = left[behind] + right[len(codes) - behind]
        gains: NDArray[np.float64] = (_bits(total) - left[-1] - (parts - inner)) / total
        return gains

    def _within(self, side: Side) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        start, stop = np.searchsorted(self.codes, [side[0], side[1] + 1])
        return self.codes[start:stop], self.values[start:stop], self.rows[start:stop]


def _running(values: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many rows up to each record have its value."""
    if not values.size:
        return rows
    order = np.argsort(values, kind="stable")
    summed = np.cumsum(rows[order])
    starts = np.flatnonzero(np.diff(values[order], prepend=-1))
    before = np.append(0, summed[:-1])[starts]
    running = np.empty_like(summed)
    running[order] = summed - np.repeat(before, np.diff(np.append(starts, len(order))))
    return running


def _bits(counts: NDArray[np.int64] | NDArray[np.float64] | np.int64 | np.float64) -> NDArray[np.float64]:
    """Return n log2 n, 0 for 0."""
    numbers = np.asarray(counts, np.float64)
    found: NDArray[np.float64] = numbers * np.log2(np.maximum(numbers, 1.0))
    return found
