"""Normalized certainty penalty by value: the share of the numeric range that a cell leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["NCPValue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NCPValue:
    """Mean over cells of (highest - lowest)/(max - min) by numeric place; by leaves where values have none.

    The place of a value is :attr:`Hierarchy.positions`. In a column whose codes do not follow the numbers, the
    highest and lowest place under the published interval count.

    Notes
    -----
    Range: [0, 1], unitless.
    0 means: every cell is published as it was.
    Weights: attribute weights yes, record weights no.
    Nulls: a missing value alone costs 0; an interval that holds it and a value is ``*`` and costs 1; max and
    min are those of the values.

    References
    ----------
    .. [1] Xu, J. et al. (2006), Utility-based anonymization using local recoding. doi:10.1145/1150402.1150504

    Examples
    --------
    >>> ages = Hierarchy.from_paths(["20", "21", "60"], [["*"]] * 3, order=[20, 21, 60])
    >>> NCPValue().costs(ages, np.ones(3, int), np.array([0, 0]), np.array([0, 0]), np.array([1, 2])).tolist()
    [0.025, 1.0]
    """

    name: ClassVar[str] = "ncp-value"
    normalized: ClassVar[bool] = True

    def costs(
        self,
        hierarchy: Hierarchy,
        marginal: NDArray[np.int64],
        leaf: NDArray[np.int32],
        lo: NDArray[np.int32],
        hi: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return (highest - lowest)/(max - min) of each interval."""
        n = hierarchy.n_values
        places = hierarchy.positions
        spread = 0.0 if places is None or n == int(hierarchy.has_null) else np.nanmax(places) - np.nanmin(places)
        if places is None or not spread > 0:
            return (hi - lo) / max(1, n - 1)
        if hierarchy.has_null:
            places = places[:-1]
        last = places.shape[0] - 1
        with_null = (hi > last) & (lo < hi)
        lo, hi = np.minimum(lo, last), np.minimum(hi, last)
        width = places[hi] - places[lo] if hierarchy.ordered else _widths(places, lo, hi)
        return np.where(with_null, 1.0, width / spread)

    def full(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> float:
        """Return the number of cells of the column."""
        return float(marginal.sum())


def _widths(places: NDArray[np.float64], lo: NDArray[np.int32], hi: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return highest minus lowest place within each interval of codes."""
    sides, inverse = np.unique(np.stack([lo, hi], axis=1), axis=0, return_inverse=True)
    if not sides.shape[0]:
        return np.empty(0)
    bounds = (sides + np.array([0, 1])).ravel().astype(np.int64)
    padded = np.append(places, places[-1])
    width = np.maximum.reduceat(padded, bounds)[::2] - np.minimum.reduceat(padded, bounds)[::2]
    return width[inverse.ravel()]
