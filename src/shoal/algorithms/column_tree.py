"""The nodes that one column may be generalized to, where the whole column follows one cut through them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["ColumnTree"]


@dataclass(frozen=True, eq=False)
class ColumnTree:
    """Intervals of leaf codes, each divided by its children.

    Parameters
    ----------
    lo, hi : int32 [n_nodes]
        First and last leaf code of each node.
    children : tuple of int64 arrays
        Nodes directly below each node, in code order.
    """

    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    children: tuple[NDArray[np.int64], ...]

    @classmethod
    def of(cls, hierarchy: Hierarchy, labels: str) -> ColumnTree:
        """Return the tree of a column for a label form.

        The hierarchy where nodes are published, and for columns without an order; leaves below the root for
        stars; halves of halves for ranges and sets of an ordered column, its missing value apart.

        Examples
        --------
        >>> tree = ColumnTree.of(Hierarchy.from_paths(list("abc"), [["*"]] * 3, order=range(3)), "ranges")
        >>> list(zip(tree.lo.tolist(), tree.hi.tolist()))
        [(0, 2), (0, 1), (2, 2), (0, 0), (1, 1)]
        """
        if labels == "stars":
            return _built(hierarchy.n_values, _leaves)
        if labels == "nodes" or not hierarchy.ordered:
            nodes = range(len(hierarchy.lo))
            return cls(hierarchy.lo, hierarchy.hi, tuple(hierarchy.children(v).astype(np.int64) for v in nodes))
        return _built(hierarchy.n_values, _halves, null=hierarchy.has_null)

    def branch(self, node: int, code: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return which child of *node* is above each leaf code under it, numbered from 0."""
        return np.searchsorted(self.hi[self.children[node]], code)


Interval = tuple[int, int]


def _leaves(lo: int, hi: int) -> list[Interval]:
    return [(code, code) for code in range(lo, hi + 1)]


def _halves(lo: int, hi: int) -> list[Interval]:
    middle = (lo + hi) // 2
    return [(lo, middle), (middle + 1, hi)]


def _built(n_values: int, divide: Callable[[int, int], list[Interval]], *, null: bool = False) -> ColumnTree:
    """Divide the domain until single codes are left; with *null* the last one is divided off first."""
    last = n_values - 1
    nodes = [(0, last)]
    children: list[NDArray[np.int64]] = []
    for lo, hi in nodes:
        parts = divide(lo, hi) if lo < hi else []
        if null and (lo, hi) == (0, last) and parts:
            parts = [(0, last - 1), (last, last)]
        children.append(np.arange(len(nodes), len(nodes) + len(parts)))
        nodes += parts
    lows, highs = zip(*nodes, strict=True)
    return ColumnTree(np.array(lows, np.int32), np.array(highs, np.int32), tuple(children))
