"""Hierarchies in code space: every node of the tree is an interval of leaf codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.core.numbering import ANY, number_leaves

__all__ = ["ANY", "Hierarchy"]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over the values of one column, its leaves numbered so that nodes are intervals.

    Nodes are numbered too: node ``v < n_values`` is leaf ``v``; inner nodes follow, the root last (where the
    domain has one value only, the leaf is the root). A node *is* its interval: levels of a chain of single
    children share one node, and it bears the lowest label.

    Build one with :meth:`from_paths`, or with a builder of :mod:`shoal.hierarchies`.

    Parameters
    ----------
    leaves : tuple of str or None
        Text of each leaf in code order. ``None``, the missing value, can only be the last one.
    levels : int32 [n_levels, n_values]
        Node of each leaf at each level; level 0 holds the leaves, the last level the root alone.
    steps : int32 [n_levels, n_values]
        Edges climbed from the leaf up to that level, chains counted, a repeated label not.
    lo, hi : int32 [n_nodes]
        First and last leaf code under each node, both included.
    labels : tuple of str
        Label of each node, unique in the column: a group that shares its text with another node carries its
        level behind it. The null leaf's label is the empty text.
    ordered : bool
        Whether code order has a meaning (numbers, dates, a declared order), so that ranges may be published.
    positions : float64 [n_values] or None
        Numeric place of each leaf, NaN for the null leaf; None for values without one.
    type : str
        ``"text"``, ``"integer"``, ``"decimal"``, ``"date"`` or ``"ordered"``: how the leaves were read.
    aliases : mapping of str to int
        Node of each label that a chain of single children gave up, and that no other node bears. They are read,
        in tables of other tools, and never written.
    declared : bool
        Whether the leaves, except that of missing values, were listed before the table was seen: then the domain
        tells nothing of the records.
    """

    leaves: tuple[str | None, ...]
    levels: NDArray[np.int32]
    steps: NDArray[np.int32]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    labels: tuple[str, ...]
    ordered: bool = False
    positions: NDArray[np.float64] | None = None
    type: str = "text"
    aliases: Mapping[str, int] = field(default_factory=dict)
    declared: bool = False

    @property
    def n_values(self) -> int:
        """Number of leaves, the null leaf included."""
        return len(self.leaves)

    @property
    def n_levels(self) -> int:
        """Number of levels, leaves and root included."""
        return int(self.levels.shape[0])

    @property
    def height(self) -> int:
        """Highest level, that of the root."""
        return self.n_levels - 1

    @property
    def has_null(self) -> bool:
        """Whether missing values occur; they are the last leaf."""
        return bool(self.leaves) and self.leaves[-1] is None

    @property
    def root(self) -> int:
        """Node that covers every leaf."""
        return int(self.levels[-1, 0])

    @cached_property
    def codes(self) -> dict[str | None, int]:
        """Code of each leaf's text."""
        return {leaf: code for code, leaf in enumerate(self.leaves)}

    @cached_property
    def node_of_label(self) -> dict[str, int]:
        """Node of each label and alias; the missing value has none."""
        return dict(self.aliases) | {
            label: node
            for node, label in enumerate(self.labels)
            if not (self.has_null and node == self.n_values - 1)
        }

    @cached_property
    def parents(self) -> NDArray[np.int32]:
        """Smallest node above each node, int32 [n_nodes]; -1 for the root."""
        parents = np.full(self.lo.shape[0], -1, np.int32)
        for below, above in zip(self.levels[:-1], self.levels[1:], strict=True):
            changed = below != above
            parents[below[changed]] = above[changed]
        return parents

    @cached_property
    def node_steps(self) -> NDArray[np.int32]:
        """Edges from each leaf up to each of its nodes, by level: those of the lowest level with that interval.

        Shape [n_levels, n_values].
        """
        steps = self.steps.copy()
        for level in range(1, self.n_levels):
            same = self.levels[level] == self.levels[level - 1]
            steps[level, same] = steps[level - 1, same]
        return steps

    @property
    def depths(self) -> NDArray[np.int32]:
        """Edges from each leaf up to the root, int32 [n_values]; 0 where the domain has one value only."""
        depths: NDArray[np.int32] = self.steps[-1] if self.n_values > 1 else np.zeros(self.n_values, np.int32)
        return depths

    def climbed(self, leaf: NDArray[np.int32], lo: NDArray[np.int32], hi: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the edges from each leaf up to the smallest node that covers ``[lo, hi]``, int32 [n].

        The root is always the top of the tree, since it prints ``*``: a chain below it counts in full.
        """
        nodes = self.covering(lo, hi)
        result = self.depths[leaf]
        for level in range(self.n_levels - 1, -1, -1):
            here = (self.levels[level][leaf] == nodes) & (nodes != self.root)
            result = np.where(here, self.node_steps[level][leaf], result)
        return result.astype(np.int32)

    @cached_property
    def _below(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """All nodes sorted by (parent, first leaf), and where each parent's begin."""
        nodes = np.lexsort((self.lo, self.parents)).astype(np.int32)
        starts = np.searchsorted(self.parents[nodes], np.arange(len(self.labels) + 1))
        return starts, nodes

    def children(self, node: int) -> NDArray[np.int32]:
        """Return the nodes directly below *node*, in code order."""
        starts, nodes = self._below
        return nodes[starts[node] : starts[node + 1]]

    def same_as(self, other: Hierarchy) -> bool:
        """Tell whether *other* has the same leaves, nodes, labels, order and type."""
        scalars = all(
            getattr(self, name) == getattr(other, name) for name in ("leaves", "labels", "ordered", "type")
        )
        arrays = ("levels", "steps", "lo", "hi")
        if not scalars or not all(np.array_equal(getattr(self, a), getattr(other, a)) for a in arrays):
            return False
        if self.positions is None or other.positions is None:
            return self.positions is other.positions
        return bool(np.array_equal(self.positions, other.positions, equal_nan=True))

    @cached_property
    def _node_of_interval(self) -> dict[tuple[int, int], int]:
        return {(int(lo), int(hi)): node for node, (lo, hi) in enumerate(zip(self.lo, self.hi, strict=True))}

    def node_of(self, lo: int, hi: int) -> int | None:
        """Return the node that is exactly ``[lo, hi]``, or None."""
        return self._node_of_interval.get((int(lo), int(hi)))

    def covering(self, lo: NDArray[np.int32], hi: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the smallest node that covers each interval.

        Parameters
        ----------
        lo, hi : int32 [n]
            Intervals of leaf codes, both ends included.

        Returns
        -------
        int32 [n]
            Node of the smallest covering interval, the lowest common ancestor of all leaves within.
        """
        nodes = np.asarray(lo, np.int32).copy()
        parents = np.where(self.parents < 0, self.root, self.parents)
        open_ = self.hi[nodes] < hi
        while open_.any():
            nodes[open_] = parents[nodes[open_]]
            open_ = self.hi[nodes] < hi
        return nodes

    @classmethod
    def from_paths(
        cls,
        leaves: Sequence[str],
        paths: Sequence[Sequence[str]],
        *,
        order: Sequence[float] | None = None,
        null: bool = False,
        type: str = "text",  # noqa: A002
        column: str = "",
        published: bool = False,
        declared: bool = False,
    ) -> Hierarchy:
        """Number the leaves of a tree so that every node is an interval.

        Parameters
        ----------
        leaves : sequence of str
            Distinct texts of the leaves.
        paths : sequence of sequence of str
            For each leaf its ancestors' labels from the lowest up, all of one length. Whether the last one is
            the same for all or not, the root is ``*``: where it is not, a root is added.
        order : sequence of float, optional
            Numeric place of each leaf. It becomes the code order where every node is contiguous in it
            (leaves of one place keep the order in which they are given); elsewhere the codes follow the tree
            and the column is nominal.
        null : bool, default False
            Add the missing value, a leaf of its own directly under the root.
        type : str, default "text"
            How the leaves were read.
        column : str, optional
            Column name for errors.
        published : bool, default False
            The leaves are cells of a published table, which is counted as it stands: ``*`` is one of them.
        declared : bool, default False
            The leaves were listed before the table was seen, whether they occur in it or not.

        Raises
        ------
        HierarchyError
            If a leaf stands twice or is ``*``, the mark of a suppressed cell; if the lines are of unequal
            length; or if a label has two parents.

        Examples
        --------
        >>> h = Hierarchy.from_paths(["DE", "US", "FR"], [["Europe"], ["America"], ["Europe"]])
        >>> h.leaves, h.labels
        (('DE', 'FR', 'US'), ('DE', 'FR', 'US', 'Europe', '*'))
        >>> h.levels.tolist()
        [[0, 1, 2], [3, 3, 2], [4, 4, 4]]
        """
        where = f"column {column!r}" if column else ""
        found = number_leaves(leaves, paths, order=order, null=null, published=published, where=where)
        return cls(**found, type=type, declared=declared)
