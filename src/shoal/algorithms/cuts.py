"""What a column allows a box to be cut into: a small tree per column, laid out for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, check_choice
from shoal.kernels.mondrian import CUT_BOX, FIT_BOX, TIGHT_BOX

__all__ = ["FITS", "LABELS", "UNPUBLISHED", "Places", "Start", "Trees", "check_cuts", "start_boxes"]

CUTS = ("gain", "widest")
"""Which cut of a box is tried first."""

LABELS = ("nodes", "ranges", "sets", "stars")

UNPUBLISHED = "unpublished"
"""Form of boxes whose sides nobody sees: ordered columns are cut anywhere, the others along their tree."""

FITS = {"cut": CUT_BOX, "fit": FIT_BOX, "tight": TIGHT_BOX}


def check_cuts(cuts: str, per_column: int) -> None:
    """Refuse an unknown order of cuts, and a search that would test none.

    Raises
    ------
    SpecError
        With what to write instead.
    """
    check_choice("cuts", cuts, CUTS)
    if per_column < 1:
        raise SpecError("cuts_per_column must be at least 1", fix="64 is the default")


@dataclass(frozen=True, eq=False)
class Trees:
    """The nodes that the sides of boxes may be, of all columns in one numbering.

    A node without children is an interval that is cut anywhere; one with children sheds them one by one.

    Parameters
    ----------
    lo, hi : int32 [n_nodes]
        Interval of leaf codes of each node.
    offsets : int64 [n_nodes + 1]
        Children of node *v* are ``kids[offsets[v]:offsets[v + 1]]``, in code order.
    kids : int32 [n_nodes - n_qi]
    first : int64 [n_qi + 1]
        Nodes ``first[j]:first[j + 1]`` belong to column *j*.
    fit : int64 [n_qi]
        How far a side without children shrinks to its records.
    """

    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    offsets: NDArray[np.int64]
    kids: NDArray[np.int32]
    first: NDArray[np.int64]
    fit: NDArray[np.int64]

    @cached_property
    def parents(self) -> NDArray[np.int32]:
        """Node above each node, int32 [n_nodes]; -1 for the roots."""
        parents = np.full(len(self.lo), -1, np.int32)
        parents[self.kids] = np.repeat(np.arange(len(self.lo), dtype=np.int32), np.diff(self.offsets))
        return parents

    def leaves(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the lowest node around each code, int32 [n, n_qi]."""
        nodes = np.empty(codes.shape, np.int32)
        for j, (first, last) in enumerate(pairwise(self.first.tolist())):
            lowest = np.flatnonzero(self.offsets[first:last] == self.offsets[first + 1 : last + 1])
            lowest = lowest[np.argsort(self.lo[first:last][lowest], kind="stable")]
            nodes[:, j] = first + lowest[np.searchsorted(self.hi[first:last][lowest], codes[:, j])]
        return nodes

    @classmethod
    def of(cls, hierarchies: tuple[Hierarchy, ...], labels: str, boxes: str) -> Trees:
        """Lay out the trees for a label form.

        Parameters
        ----------
        hierarchies : tuple of Hierarchy
        labels : {"nodes", "ranges", "sets", "stars", "unpublished"}
        boxes : {"cut", "fit", "tight"}
        """
        lo: list[NDArray[Any]] = []
        hi: list[NDArray[Any]] = []
        kids: list[NDArray[Any]] = []
        counts: list[NDArray[Any]] = []
        first = [0]
        fit = []
        for hierarchy in hierarchies:
            lows, highs, parents = _nodes(hierarchy, labels)
            order = np.lexsort((lows, parents))[np.count_nonzero(parents < 0) :]
            lo.append(lows)
            hi.append(highs)
            kids.append(order + first[-1])
            counts.append(np.bincount(parents[order], minlength=len(lows)))
            first.append(first[-1] + len(lows))
            fit.append(TIGHT_BOX if boxes == "fit" and not hierarchy.ordered else FITS[boxes])
        return cls(
            np.concatenate(lo).astype(np.int32),
            np.concatenate(hi).astype(np.int32),
            np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64),
            np.concatenate(kids).astype(np.int32),
            np.array(first, np.int64),
            np.array(fit, np.int64),
        )


def _nodes(hierarchy: Hierarchy, labels: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return first code, last code and parent of each node of one column; the root's parent is -1."""
    if labels == "nodes" or (labels == UNPUBLISHED and not hierarchy.ordered):
        return hierarchy.lo, hierarchy.hi, hierarchy.parents
    last = hierarchy.n_values - 1
    if labels == "stars":
        leaves = np.arange(last + 1)
        if last == 0:
            return leaves, leaves, np.array([-1])
        return np.append(leaves, 0), np.append(leaves, last), np.append(np.full(last + 1, last + 1), -1)
    if hierarchy.has_null and last > 0:
        # Missing and present values share no label but the star, so they part like the children of a node.
        return np.array([0, last, 0]), np.array([last - 1, last, last]), np.array([2, 2, -1])
    return np.array([0]), np.array([last]), np.array([-1])


@dataclass(frozen=True, eq=False)
class Places:
    """Where the leaves of each column lie between its first and its last.

    Parameters
    ----------
    of_leaf : float64 [sum of n_values]
        In [0, 1], column after column: by numeric place where there is one, else by code. Between the values
        that occur, where they are numeric.
    first : int64 [n_qi + 1]
        Leaves ``first[j]:first[j + 1]`` are those of column *j*.
    """

    of_leaf: NDArray[np.float64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, table: FrequencyTable) -> Places:
        """Return the places of the leaves of a table."""
        places = [_places(h, rows > 0) for h, rows in zip(table.hierarchies, table.marginals, strict=True)]
        return cls(np.concatenate(places), np.cumsum([0, *(len(place) for place in places)]))


def _places(hierarchy: Hierarchy, occurs: NDArray[np.bool_]) -> NDArray[np.float64]:
    places = hierarchy.positions
    if places is None or not hierarchy.ordered:
        return np.arange(hierarchy.n_values) / max(1, hierarchy.n_values - 1)
    known = places[occurs & ~np.isnan(places)]
    if not known.size or known.max() == known.min():
        return np.zeros(hierarchy.n_values)
    shares: NDArray[np.float64] = (places - known.min()) / (known.max() - known.min())
    return np.nan_to_num(shares, nan=1.0)


@dataclass(frozen=True, eq=False)
class Start:
    """The boxes that a search starts from: where no highest level is given, one that covers everything.

    Parameters
    ----------
    of_point : int32 [n_points]
        Box of each point.
    lo, hi, node : int32 [n_boxes, n_qi]
        Sides, and the lowest node around each.
    """

    of_point: NDArray[np.int32]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    node: NDArray[np.int32]


def start_boxes(table: FrequencyTable, trees: Trees, labels: str, max_levels: Mapping[str, int]) -> Start:
    """Return the most general boxes that the highest allowed levels permit."""
    levels = []
    for name, hierarchy in zip(table.names, table.hierarchies, strict=True):
        level = min(max_levels.get(name, hierarchy.height), hierarchy.height)
        levels.append(0 if labels == "stars" and level < hierarchy.height else level)
    of_point, first = np.zeros(table.n_points, np.int32), np.zeros(1, np.int64)
    if any(level < h.height for level, h in zip(levels, table.hierarchies, strict=True)):
        of_point, first = table.coarsen(levels)
    lo = np.empty((len(first), table.n_qi), np.int32)
    hi, node = np.empty_like(lo), np.empty_like(lo)
    for j, (level, hierarchy) in enumerate(zip(levels, table.hierarchies, strict=True)):
        nodes = hierarchy.levels[level][table.codes[first, j]]
        lo[:, j], hi[:, j] = hierarchy.lo[nodes], hierarchy.hi[nodes]
        node[:, j] = trees.first[j] + _tree_nodes(hierarchy, labels, nodes)
    return Start(of_point, lo, hi, node)


def _tree_nodes(hierarchy: Hierarchy, labels: str, nodes: NDArray[np.int32]) -> NDArray[Any]:
    """Return the nodes of the column's tree, as :func:`_nodes` numbers them, around nodes of its hierarchy."""
    if labels == "nodes" or (labels == UNPUBLISHED and not hierarchy.ordered):
        return nodes
    lo, hi, last = hierarchy.lo[nodes], hierarchy.hi[nodes], hierarchy.n_values - 1
    if labels == "stars":
        return np.where(lo == hi, lo, last + 1)
    if hierarchy.has_null and last > 0:
        return np.where(lo == last, 1, np.where(hi == last, 2, 0))
    return np.zeros(len(nodes), np.int32)
