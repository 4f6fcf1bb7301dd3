"""The values of a column in few groups, so that before and after can be laid side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["MOST_GROUPS", "Grouping", "group_values"]

MOST_GROUPS = 12


@dataclass(frozen=True, eq=False)
class Grouping:
    """A partition of the leaves of one column.

    Parameters
    ----------
    hierarchy : Hierarchy
    of_leaf : int32 [n_values]
        Group of each leaf.
    labels : tuple of str
        One per group; the missing value is ``(missing)``.
    first, last : int32 [n_groups]
        First and last leaf of each group; -1 for a group of what is left over, whose leaves have no order.
    made_of_ends : bool
        Whether a label of several leaves is made of the texts of its first and last one.
    """

    hierarchy: Hierarchy
    of_leaf: NDArray[np.int32]
    labels: tuple[str, ...]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    made_of_ends: bool = False

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.labels)

    def count(self, leaf_counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sum of each group, int64 [n_groups], of one count per leaf."""
        return np.bincount(self.of_leaf, leaf_counts, self.n_groups).astype(np.int64)

    def spread(self, lo: NDArray[np.int32], hi: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return which share of each interval lies in each group, float64 [n, n_groups]; rows sum to 1.

        It is what an analyst does with a published range: every value in it counts alike. The missing value
        counts only where it is the whole interval.
        """
        width = self.of_leaf.shape[0]
        below = np.zeros((width + 1, self.n_groups))
        np.add.at(below, (np.arange(1, width + 1), self.of_leaf), 1)
        below = below.cumsum(axis=0)
        last = hi - ((hi > lo) & (hi == width - 1) & self.hierarchy.has_null)
        inside: NDArray[np.float64] = below[last + 1] - below[lo]
        inside /= inside.sum(axis=1, keepdims=True)
        return inside


def group_values(hierarchy: Hierarchy, counts: NDArray[np.int64], *, most: int = MOST_GROUPS) -> Grouping:
    """Put the values of a column into at most about *most* groups.

    Parameters
    ----------
    hierarchy : Hierarchy
    counts : int64 [n_values]
        Rows of each leaf, which decide what is left over where nothing else does.
    most : int, default 12
        Groups beside the missing value.

    Returns
    -------
    Grouping
        The values themselves where they are few; else the most detailed level of the hierarchy with few enough
        groups; else stretches of ordered values, or the most frequent ones and the rest.

    Examples
    --------
    >>> flat = Hierarchy.from_paths([str(i) for i in range(30)], [["*"]] * 30, order=range(30), type="integer")
    >>> group_values(flat, np.ones(30, np.int64), most=3).labels
    ('0 to 9', '10 to 19', '20 to 29')
    """
    present = hierarchy.n_values - hierarchy.has_null
    if present <= most:
        return _of_level(hierarchy, 0)
    sizes = [len(np.unique(hierarchy.levels[level])) - hierarchy.has_null for level in range(hierarchy.n_levels)]
    fitting = [level for level in range(1, hierarchy.height) if 2 < sizes[level] <= most]
    if fitting:
        return _of_level(hierarchy, fitting[0])
    if hierarchy.ordered:
        return _stretches(hierarchy, most)
    return _most_frequent(hierarchy, counts, most)


def _of_level(hierarchy: Hierarchy, level: int) -> Grouping:
    nodes, of_leaf = np.unique(hierarchy.levels[level], return_inverse=True)
    # Groups stand in the order of their values, as an axis shows them.
    order = np.argsort(hierarchy.lo[nodes], kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.shape[0])
    nodes = nodes[order]
    labels = [hierarchy.labels[node] for node in nodes.tolist()]
    if hierarchy.has_null and nodes[-1] == hierarchy.n_values - 1:
        labels[-1] = MISSING
    return Grouping(
        hierarchy, rank[of_leaf].astype(np.int32), tuple(labels), hierarchy.lo[nodes], hierarchy.hi[nodes]
    )


def _stretches(hierarchy: Hierarchy, most: int) -> Grouping:
    present = hierarchy.n_values - hierarchy.has_null
    starts = np.unique(np.arange(most) * present // most)
    ends = np.append(starts[1:], present) - 1
    texts = hierarchy.leaves
    labels = [
        str(texts[a]) if a == b else f"{texts[a]} to {texts[b]}"
        for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    of_leaf = np.repeat(np.arange(starts.shape[0]), ends - starts + 1)
    return replace(_with_missing(hierarchy, of_leaf, labels, starts, ends), made_of_ends=True)


def _most_frequent(hierarchy: Hierarchy, counts: NDArray[np.int64], most: int) -> Grouping:
    present = hierarchy.n_values - hierarchy.has_null
    chosen = np.sort(np.argsort(-counts[:present], kind="stable")[: most - 1])
    of_leaf = np.full(present, chosen.shape[0])
    of_leaf[chosen] = np.arange(chosen.shape[0])
    labels = [str(hierarchy.leaves[leaf]) for leaf in chosen.tolist()]
    rest = f"{present - chosen.shape[0]:,} other values"
    ends = np.append(chosen, -1)
    return _with_missing(hierarchy, of_leaf, [*labels, rest], ends, ends)


MISSING = "(missing)"


def _with_missing(
    hierarchy: Hierarchy,
    of_leaf: NDArray[np.int64],
    labels: list[str],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> Grouping:
    if hierarchy.has_null:
        null = hierarchy.n_values - 1
        of_leaf, labels = np.append(of_leaf, len(labels)), [*labels, MISSING]
        first, last = np.append(first, null), np.append(last, null)
    return Grouping(
        hierarchy, of_leaf.astype(np.int32), tuple(labels), first.astype(np.int32), last.astype(np.int32)
    )
