"""Precision: the mean share of its tree that a cell climbed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["Precision"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """Mean over cells of edges climbed / edges to the root; one minus Sweeney's Prec.

    A cell climbs from its leaf to the smallest node that covers the published interval. Where the tree has
    unequal depth each leaf is measured by its own depth, so that ``*`` is 1 for all.

    Notes
    -----
    Range: [0, 1], unitless.
    0 means: every cell is published as it was.
    Weights: attribute weights yes, record weights no.
    Nulls: the missing value lies one edge below the root.

    References
    ----------
    .. [1] Sweeney, L. (2002), Achieving k-anonymity privacy protection using generalization and suppression.
       doi:10.1142/S021848850200165X

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["ab"], ["ab"], ["c"]])
    >>> Precision().costs(tree, np.ones(3, int), np.array([0, 0]), np.array([0, 0]), np.array([1, 2])).tolist()
    [0.5, 1.0]
    """

    name: ClassVar[str] = "precision"
    normalized: ClassVar[bool] = True

    def costs(
        self,
        hierarchy: Hierarchy,
        marginal: NDArray[np.int64],
        leaf: NDArray[np.int32],
        lo: NDArray[np.int32],
        hi: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return the share of its way to the root that each cell climbed."""
        return hierarchy.climbed(leaf, lo, hi) / np.maximum(1, hierarchy.depths[leaf])

    def full(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> float:
        """Return the number of cells of the column."""
        return float(marginal.sum())
