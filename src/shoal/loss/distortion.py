"""Distortion ratio: how far up its tree the whole table climbed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["Distortion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distortion:
    """Edges climbed by all cells over the edges that full suppression would climb, pooled over columns.

    A cell climbs from its leaf to the smallest node that covers the published interval. Columns with taller
    trees weigh more; :class:`Precision` weighs columns alike.

    Notes
    -----
    Range: [0, 1], unitless.
    0 means: every cell is published as it was.
    Weights: attribute weights yes, record weights no.
    Nulls: the missing value lies one edge below the root.

    References
    ----------
    .. [1] Wong, R. et al. (2006), (α, k)-anonymity. doi:10.1145/1150402.1150499

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["ab"], ["ab"], ["c"]])
    >>> Distortion().costs(tree, np.ones(3, int), np.array([0, 0]), np.array([0, 0]), np.array([1, 2])).tolist()
    [1.0, 2.0]
    """

    name: ClassVar[str] = "distortion"
    normalized: ClassVar[bool] = True

    def costs(
        self,
        hierarchy: Hierarchy,
        marginal: NDArray[np.int64],
        leaf: NDArray[np.int32],
        lo: NDArray[np.int32],
        hi: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return the edges that each cell climbed."""
        return hierarchy.climbed(leaf, lo, hi).astype(np.float64)

    def full(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> float:
        """Return the edges from all cells to the root."""
        return float((marginal * hierarchy.depths).sum())
