"""Hierarchies in code space: every node of the tree is an interval of leaf codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import HierarchyError

__all__ = ["ANY", "Hierarchy"]

ANY = "*"
"""The label of every root and of a suppressed cell."""

ROOT_LATER = -1


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

    def children(self, node: int) -> NDArray[np.int32]:
        """Return the nodes directly below *node*, in code order."""
        below = np.flatnonzero(self.parents == node)
        return below[np.argsort(self.lo[below], kind="stable")].astype(np.int32)

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
            Numeric place of each leaf. It becomes the code order where every node is contiguous in it;
            elsewhere the codes follow the tree and the column is nominal.
        null : bool, default False
            Add the missing value, a leaf of its own directly under the root.
        type : str, default "text"
            How the leaves were read.
        column : str, optional
            Column name for errors.

        Raises
        ------
        HierarchyError
            If a leaf stands twice, the lines are of unequal length, or a label has two parents.

        Examples
        --------
        >>> h = Hierarchy.from_paths(["DE", "US", "FR"], [["Europe"], ["America"], ["Europe"]])
        >>> h.leaves, h.labels
        (('DE', 'FR', 'US'), ('DE', 'FR', 'US', 'Europe', '*'))
        >>> h.levels.tolist()
        [[0, 1, 2], [3, 3, 2], [4, 4, 4]]
        """
        return _number(leaves, paths, order=order, null=null, type_=type, column=column)


def _number(
    leaves: Sequence[str],
    paths: Sequence[Sequence[str]],
    *,
    order: Sequence[float] | None,
    null: bool,
    type_: str,
    column: str,
) -> Hierarchy:
    where = f"column {column!r}" if column else ""
    if not leaves and not null:
        raise HierarchyError("a hierarchy needs at least one value", where=where)
    if len(set(leaves)) < len(leaves):
        twice = sorted(value for value, times in Counter(leaves).items() if times > 1)
        raise HierarchyError(f"{len(twice)} value(s) stand twice in the hierarchy", where=where, examples=twice)
    lengths = {len(path) for path in paths}
    if len(lengths) > 1:
        raise HierarchyError("the lines of the hierarchy have unequal lengths", where=where)
    rows = [[leaf, *path] for leaf, path in zip(leaves, paths, strict=True)]
    if rows and (len(rows[0]) == 1 or len({row[-1] for row in rows}) > 1):
        rows = [[*row, ANY] for row in rows]
    depth = len(rows[0]) if rows else 2
    _check_nested(rows, where)

    sequence = _code_order(rows, order)
    ordered = sequence is not None
    if sequence is None:
        sequence = _tree_order(rows)
    rows = [rows[i] for i in sequence]
    texts: list[str | None] = [row[0] for row in rows]
    positions = None
    if order is not None:
        positions = np.array([order[i] for i in sequence] + [np.nan] * null, np.float64)
    n_values = len(texts) + null

    lo = list(range(n_values))
    hi = list(range(n_values))
    levels = np.empty((depth, n_values), np.int32)
    levels[0] = np.arange(n_values)
    steps = np.zeros((depth, n_values), np.int32)
    names: list[tuple[str, int]] = [(text or "", 0) for text in texts] + [("", 0)] * null
    node_of = {(code, code): code for code in range(n_values)}
    everything = (0, n_values - 1)
    for level in range(1, depth):
        top = level == depth - 1
        for start, stop in [(0, n_values)] if top else _runs([row[level] for row in rows]):
            interval = (start, stop - 1)
            if interval not in node_of:
                if interval == everything:
                    # The root is numbered last; it may already cover a level below the top.
                    levels[level, start:stop] = ROOT_LATER
                    continue
                node_of[interval] = len(lo)
                lo.append(start)
                hi.append(stop - 1)
                names.append((rows[start][level], level))
            levels[level, start:stop] = node_of[interval]
        if null and not top:
            levels[level, -1] = n_values - 1
        for code, row in enumerate(rows):
            climbed = row[level] != row[level - 1] or levels[level, code] != levels[level - 1, code]
            steps[level, code] = steps[level - 1, code] + climbed
    if null:
        steps[-1, -1] = 1
    if n_values > 1:
        levels[levels == ROOT_LATER] = len(lo)
        lo.append(0)
        hi.append(n_values - 1)
        names.append((ANY, depth - 1))
    all_leaves = (*texts, None) if null else tuple(texts)
    return Hierarchy(
        leaves=all_leaves,
        levels=levels,
        steps=steps,
        lo=np.array(lo, np.int32),
        hi=np.array(hi, np.int32),
        labels=_unique_labels(names),
        ordered=ordered,
        positions=positions,
        type=type_,
    )


def _check_nested(rows: list[list[str]], where: str) -> None:
    """Refuse a label whose values have two different parents: going up would split a class."""
    for level in range(1, len(rows[0]) - 1 if rows else 0):
        above: dict[str, str] = {}
        torn = sorted(
            {row[level] for row in rows if above.setdefault(row[level], row[level + 1]) != row[level + 1]}
        )
        if torn:
            raise HierarchyError(
                f"{len(torn)} label(s) of level {level} have two parents at level {level + 1}: not a tree",
                where=where,
                fix="give each group one parent; the labels are on err.examples",
                examples=torn,
            )


def _code_order(rows: list[list[str]], order: Sequence[float] | None) -> list[int] | None:
    """Return the leaves by their numeric place if every node is contiguous in it, else None."""
    if order is None:
        return None
    sequence = sorted(range(len(rows)), key=lambda i: (order[i], rows[i][0]))
    for level in range(1, len(rows[0]) - 1 if rows else 0):
        labels = [rows[i][level] for i in sequence]
        runs = sum(1 for _ in _runs(labels))
        if runs != len(set(labels)):
            return None
    return sequence


def _tree_order(rows: list[list[str]]) -> list[int]:
    """Return the leaves in depth-first order of the tree, groups by their first appearance."""
    keys: list[tuple[int, ...]] = []
    ranks: list[dict[str, int]] = [{} for _ in (rows[0] if rows else [])]
    for i, row in enumerate(rows):
        key = [ranks[level].setdefault(row[level], len(ranks[level])) for level in range(len(row) - 1, 0, -1)]
        keys.append((*key, i))
    return sorted(range(len(rows)), key=keys.__getitem__)


def _runs(labels: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the [start, stop) of each run of equal labels."""
    start = 0
    for i in range(1, len(labels) + 1):
        if i == len(labels) or labels[i] != labels[start]:
            yield start, i
            start = i


def _unique_labels(names: list[tuple[str, int]]) -> tuple[str, ...]:
    """Qualify labels that another node bears already, leaves first, so that a label is one interval."""
    taken: set[str] = set()
    labels: list[str] = []
    for text, level in names:
        label = text
        if label in taken and level > 0:
            label = f"{text} (level {level})"
            twin = 2
            while label in taken:
                label, twin = f"{text} (level {level}, {twin})", twin + 1
        taken.add(label)
        labels.append(label)
    return tuple(labels)
