"""Normalized certainty penalty by leaves: the share of the domain that a cell leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["NCP"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NCP:
    """Mean over cells of (leaves - 1)/(D - 1); equals ARX's Loss with the arithmetic mean.

    ``leaves`` is the number of leaves that the published interval covers and ``D`` that of the whole column. A
    suppressed record counts 1 in every quasi-identifier.

    Notes
    -----
    Range: [0, 1], unitless.
    0 means: every cell is published as it was.
    Weights: attribute weights yes, record weights no.

    References
    ----------
    .. [1] Iyengar, V. (2002), Transforming data to satisfy privacy constraints. doi:10.1145/775047.775089
    .. [2] Xu, J. et al. (2006), Utility-based anonymization using local recoding. doi:10.1145/1150402.1150504

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["ab"], ["ab"], ["c"]])
    >>> NCP().costs(tree, np.ones(3, int), np.array([0, 0]), np.array([0, 0]), np.array([1, 2])).tolist()
    [0.5, 1.0]
    """

    name: ClassVar[str] = "ncp"
    normalized: ClassVar[bool] = True

    def costs(
        self,
        hierarchy: Hierarchy,
        marginal: NDArray[np.int64],
        leaf: NDArray[np.int32],
        lo: NDArray[np.int32],
        hi: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return (leaves - 1)/(D - 1) of each interval."""
        return (hi - lo) / max(1, hierarchy.n_values - 1)

    def full(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> float:
        """Return the number of cells of the column."""
        return float(marginal.sum())
