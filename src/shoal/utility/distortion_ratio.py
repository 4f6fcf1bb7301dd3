"""How far up their trees the cells of a published table stand, without knowing where they came from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.published import LeafSets
from shoal.errors import SpecError, nearest_name

__all__ = ["DISTORTION_READINGS", "distortion_ratio", "label_distortions"]

DISTORTION_READINGS = ("tree", "ncp")
"""How a cell is judged: by the node that covers it, or, where values are numbers, by the width of its range."""


def label_distortions(hierarchy: Hierarchy, side: LeafSets, reading: str = "tree") -> NDArray[np.float64]:
    """Return what each label of a column costs, float64 [n_labels], each in [0, 1].

    Parameters
    ----------
    hierarchy : Hierarchy
    side : LeafSets
        The values that each label covers.
    reading : {"tree", "ncp"}, default "tree"
        ``tree``: 0 for a single value, else the level of the smallest node that covers the label over the height
        of the tree, the level of a node being the height less its depth. ``ncp``: for numbers and dates the width
        of the hull over the width of the domain; other columns as ``tree``.

    Raises
    ------
    SpecError
        If the reading is unknown.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["ab"], ["ab"], ["c"]])
    >>> label_distortions(tree, LeafSets.from_runs([[(0, 0)], [(0, 1)], [(0, 0), (2, 2)]])).tolist()
    [0.0, 0.5, 1.0]
    """
    if reading not in DISTORTION_READINGS:
        raise SpecError(
            f"unknown reading {reading!r} of distortion", fix=nearest_name(reading, DISTORTION_READINGS)
        )
    full = np.flatnonzero(side.sizes)
    costs = np.zeros(len(side))
    lo, hi = side.lo[side.offsets[full]], side.hi[side.offsets[full + 1] - 1]
    places = hierarchy.positions
    if reading == "ncp" and places is not None and hierarchy.ordered:
        span = float(np.nanmax(places) - np.nanmin(places))
        width = (places[hi] - places[lo]) / (span or 1.0)
        # A label that covers the missing value beside others has no width: it is everything.
        costs[full] = np.where(lo == hi, 0.0, np.where(np.isnan(width), 1.0, width))
        return costs
    nodes = hierarchy.covering(lo, hi)
    costs[full] = np.where(lo == hi, 0.0, _levels(hierarchy)[nodes])
    return costs


def _levels(hierarchy: Hierarchy) -> NDArray[np.float64]:
    """Return the level of each node over the height of the tree."""
    height = int(hierarchy.depths.max(initial=0))
    depth = np.zeros(len(hierarchy.labels), np.int64)
    for level in range(hierarchy.n_levels - 1, -1, -1):
        depth[hierarchy.levels[level]] = hierarchy.depths - hierarchy.node_steps[level]
    depth[hierarchy.root] = 0
    return (height - depth) / max(height, 1)


def distortion_ratio(
    hierarchies: Sequence[Hierarchy],
    sides: Sequence[LeafSets],
    cells: NDArray[np.int32],
    *,
    reading: str = "tree",
    fake: NDArray[np.bool_] | None = None,
    include_fakes: bool = False,
) -> float:
    """Return the distortion of all cells over that of a table of stars, in [0, 1]; 0 without rows.

    Parameters
    ----------
    hierarchies : sequence of Hierarchy
        Of the quasi-identifiers; sensitive columns are not counted.
    sides : sequence of LeafSets
    cells : int32 [n_rows, n_columns]
    reading : {"tree", "ncp"}, default "tree"
        See :func:`label_distortions`.
    fake : bool [n_rows], optional
        Rows that were invented, where whoever measures knows.
    include_fakes : bool, default False
        Count them too.
    """
    if fake is not None and not include_fakes:
        cells = cells[~fake]
    if not cells.size:
        return 0.0
    costs = [label_distortions(h, side, reading) for h, side in zip(hierarchies, sides, strict=True)]
    return float(sum(cost[cells[:, j]].mean() for j, cost in enumerate(costs)) / len(costs))
