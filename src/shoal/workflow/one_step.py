"""One step finer: what each class of a release falls into when one column is told more exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns

__all__ = ["one_step"]


def one_step(
    table: FrequencyTable, regions: Regions, problem: Problem, j: int
) -> tuple[Classes, NDArray[np.int64]]:
    """Take each class apart by one step in one column.

    A hierarchy's node falls into its children (for stars, into values), and a range or a set of values into two
    parts with as equal numbers of rows as a cut between values can make.

    Parameters
    ----------
    table : FrequencyTable
    regions : Regions
        Normalized boxes.
    problem : Problem
        Says which sensitive columns are counted.
    j : int
        The column.

    Returns
    -------
    classes : Classes
        The parts that hold rows, of those classes in which the column is generalized.
    owner : int64 [n_parts]
        Class that each part is of.
    """
    wide = (regions.lo[:, j] < regions.hi[:, j]) & (regions.region_rows > 0)
    share = np.flatnonzero((regions.region >= 0) & wide[regions.region])
    region, rows = regions.region[share], regions.rows[share]
    item = regions.item_of_share[share]
    leaf = table.codes[table.point_of_item[item], j]
    hierarchy = table.hierarchies[j]
    if regions.labels == "stars":
        part = leaf
    elif regions.labels == "nodes":
        part = _child(hierarchy, leaf, regions.lo[region, j], regions.hi[region, j])
    else:
        part = _halves(region, leaf, rows, n_regions=regions.n_regions, n_values=hierarchy.n_values)
    owner, first = group_columns([region, part], [regions.n_regions, len(hierarchy.lo)])
    classes = table.classes(owner, len(first), problem.columns, items=item, counts=rows)
    return classes, region[first].astype(np.int64)


def _child(
    hierarchy: Hierarchy, leaf: NDArray[np.int32], lo: NDArray[np.int32], hi: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the largest node around each leaf that is smaller than its interval."""
    child = leaf.astype(np.int32)
    for nodes in hierarchy.levels[1:]:
        at = nodes[leaf]
        child = np.where(hierarchy.hi[at] - hierarchy.lo[at] < hi - lo, at, child)
    return child


def _halves(
    region: NDArray[np.int32], leaf: NDArray[np.int32], rows: NDArray[np.int64], *, n_regions: int, n_values: int
) -> NDArray[np.int32]:
    """Return 0 or 1 for the two parts of each region that a cut between values makes most equal."""
    pair, first = group_columns([region, leaf], [n_regions, n_values])
    order = np.lexsort((leaf[first], region[first]))
    owner, code = region[first][order], leaf[first][order]
    sums = np.cumsum(np.bincount(pair, rows, len(first))[order])
    ends = np.searchsorted(owner, np.arange(n_regions), side="right") - 1
    start = np.concatenate([[0.0], sums])[np.searchsorted(owner, np.arange(n_regions))]
    left = sums - start[owner]
    right = sums[ends[owner]] - sums
    # Of equally good cuts the first one, as sorting is stable.
    best = np.lexsort((-np.minimum(left, right), owner))
    where = np.searchsorted(owner[best], np.arange(n_regions))
    cut = np.zeros(n_regions, np.int32)
    there = ends >= np.searchsorted(owner, np.arange(n_regions))
    cut[there] = code[best[where[there]]]
    halves: NDArray[np.int32] = (leaf > cut[region]).astype(np.int32)
    return halves
