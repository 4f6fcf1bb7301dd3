"""Stars: how many cells say nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["Stars"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stars:
    """Number of cells that are published as ``*``, those of suppressed records included.

    A column whose domain has one value only holds no star: nothing is lost there, suppressed or not.

    Notes
    -----
    Range: 0 to the number of cells; a count, not normalized.
    0 means: no cell is ``*`` (groups and ranges are not stars).
    Weights: attribute weights yes, record weights no.

    References
    ----------
    .. [1] Meyerson, A., Williams, R. (2004), On the complexity of optimal k-anonymity.
       doi:10.1145/1055558.1055591

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["ab"], ["ab"], ["c"]])
    >>> Stars().costs(tree, np.ones(3, int), np.array([0, 0]), np.array([0, 0]), np.array([1, 2])).tolist()
    [0.0, 1.0]
    """

    name: ClassVar[str] = "stars"
    normalized: ClassVar[bool] = False

    def costs(
        self,
        hierarchy: Hierarchy,
        marginal: NDArray[np.int64],
        leaf: NDArray[np.int32],
        lo: NDArray[np.int32],
        hi: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return 1 for each cell that covers the whole domain, else 0."""
        last = hierarchy.n_values - 1
        star: NDArray[np.bool_] = (lo == 0) & (hi == last) & (last > 0)
        return star.astype(np.float64)

    def full(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> float:
        """Return the number of cells of the column."""
        return float(marginal.sum())
