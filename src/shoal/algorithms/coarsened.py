"""A table whose columns are generalized to a level each, as a table of its own, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.grouping import Grouping
from shoal.core.hierarchy import Hierarchy
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.dealing import deal

__all__ = ["Coarsened", "coarsened_hierarchy"]


def coarsened_hierarchy(hierarchy: Hierarchy, level: int) -> tuple[Hierarchy, NDArray[np.int32]]:
    """Return the part of a hierarchy from a level up, and the node that each of its leaves was.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["ab"], ["ab"], ["c"]])
    >>> above, nodes = coarsened_hierarchy(tree, 1)
    >>> above.leaves, above.lo.tolist(), above.hi.tolist(), nodes.tolist()
    (('ab', 'c'), [0, 1, 0], [0, 1, 1], [3, 2])
    """
    # Nodes of one level are intervals side by side, in code order.
    starts = np.unique(hierarchy.lo[hierarchy.levels[level]])
    nodes = hierarchy.levels[level][starts]
    above = hierarchy.levels[level:, starts]
    inner = np.setdiff1d(above, nodes)
    kept = np.concatenate([nodes, inner])
    number = np.full(len(hierarchy.labels), -1, np.int32)
    number[kept] = np.arange(len(kept))
    labels = tuple(hierarchy.labels[node] for node in kept.tolist())
    leaves: tuple[str | None, ...] = labels[: len(nodes)]
    if hierarchy.has_null and nodes[-1] == hierarchy.n_values - 1:
        leaves = (*leaves[:-1], None)
    positions = None
    if hierarchy.positions is not None:
        ends = hierarchy.positions[hierarchy.lo[nodes]], hierarchy.positions[hierarchy.hi[nodes]]
        positions = (ends[0] + ends[1]) / 2
    result = Hierarchy(
        leaves=leaves,
        levels=number[above],
        steps=(hierarchy.steps[level:, starts] - hierarchy.steps[level, starts]).astype(np.int32),
        lo=np.searchsorted(starts, hierarchy.lo[kept]).astype(np.int32),
        hi=(np.searchsorted(starts, hierarchy.hi[kept], side="right") - 1).astype(np.int32),
        labels=labels,
        ordered=hierarchy.ordered,
        positions=positions,
        type=hierarchy.type if level == 0 else ("ordered" if hierarchy.ordered else "text"),
    )
    return result, nodes


@dataclass(frozen=True, eq=False)
class Coarsened:
    """A table with coarser columns and one sensitive column, and where its items came from.

    Parameters
    ----------
    table : FrequencyTable
        The coarser table.
    source : FrequencyTable
        The table that it was made of.
    levels : tuple of int
        Level of each quasi-identifier.
    nodes : tuple of int32 [n_values] or None
        For each column the node of *source* that each of its leaves is; None at level 0.
    item_of_source : int64 [n_items of source] or None
        Item of *table* that each item of *source* went to; None where it is the same one.
    """

    table: FrequencyTable
    source: FrequencyTable
    levels: tuple[int, ...]
    nodes: tuple[NDArray[np.int32] | None, ...]
    item_of_source: NDArray[np.int64] | None

    @classmethod
    def of(cls, source: FrequencyTable, levels: Sequence[int], *, sensitive: str) -> Coarsened:
        """Generalize each quasi-identifier to a level and keep one sensitive column."""
        levels = tuple(levels)
        j = source.sensitive_names.index(sensitive)
        nothing = (None,) * source.n_qi
        if not any(levels) and source.sensitive_names == (sensitive,):
            return cls(source, source, levels, nothing, None)
        quasi, nodes = {}, []
        point = source.point_of_item
        for i, (name, hierarchy, level) in enumerate(zip(source.names, source.hierarchies, levels, strict=True)):
            above, node = coarsened_hierarchy(hierarchy, level) if level else (hierarchy, None)
            codes = source.codes[:, i]
            if node is not None:
                codes = np.searchsorted(hierarchy.lo[node], codes, side="right").astype(np.int32) - np.int32(1)
            quasi[name] = above, codes[point]
            nodes.append(node)
        held = {sensitive: (source.sensitive_hierarchies[j], source.sensitive[:, j])}
        table, item = FrequencyTable.from_columns(quasi, held, counts=source.counts)
        return cls(table, source, levels, tuple(nodes), item.astype(np.int64))

    def regions(self, grouping: Grouping, labels: str) -> Regions:
        """Return groups of the coarser table as normalized boxes of the source.

        Parameters
        ----------
        grouping : Grouping
        labels : {"stars", "nodes", "ranges", "sets"}
            What stands for cells that differ within their group: ``*``, or what covers the values that occur in
            it. A column that was coarsened keeps its groups where they do not differ.
        """
        lo, hi = grouping.lo.copy(), grouping.hi.copy()
        for j, (hierarchy, node) in enumerate(zip(self.source.hierarchies, self.nodes, strict=True)):
            different = lo[:, j] < hi[:, j]
            if node is not None:
                lo[:, j], hi[:, j] = hierarchy.lo[node[lo[:, j]]], hierarchy.hi[node[hi[:, j]]]
            if labels == "stars":
                lo[different, j], hi[different, j] = 0, hierarchy.n_values - 1
        if self.item_of_source is None:
            offsets, group, rows = grouping.offsets, grouping.group, grouping.rows
        else:
            # Rows of one coarser item are alike, so its shares go to the items that it is made of in order.
            order = np.argsort(self.item_of_source, kind="stable")
            offsets, share, rows = deal(order, self.source.counts, grouping.rows)
            group = grouping.group[share]
        form = "nodes" if labels == "stars" and any(self.levels) else labels
        return Regions(lo, hi, offsets, group, rows, form).normalized(self.source.hierarchies)
