"""Non-uniform entropy: bits needed to get the original cells back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["NonUniformEntropy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NonUniformEntropy:
    """Sum over cells of log2(rows under the published interval / rows with the value), in bits.

    Notes
    -----
    Range: 0 to the entropy of the columns times n; bits, not normalized.
    0 means: every value that occurs can be told from what is published.
    Weights: attribute weights yes, record weights no.
    Nulls: the missing value is a value like any other.

    References
    ----------
    .. [1] Gionis, A., Tassa, T. (2007), k-anonymization with minimal loss of information.
       doi:10.1007/978-3-540-75520-3_40

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["ab"], ["ab"], ["c"]])
    >>> costs = NonUniformEntropy().costs(
    ...     tree, np.array([2, 1, 1]), np.array([0, 1, 2]), np.array([0, 0, 2]), np.array([1, 1, 2])
    ... )
    >>> float((costs * [2, 1, 1]).sum().round(6))
    2.754888
    """

    name: ClassVar[str] = "non-uniform-entropy"
    normalized: ClassVar[bool] = False

    def costs(
        self,
        hierarchy: Hierarchy,
        marginal: NDArray[np.int64],
        leaf: NDArray[np.int32],
        lo: NDArray[np.int32],
        hi: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return log2(rows within the interval / rows with the leaf); 0 for a leaf that does not occur."""
        below = np.concatenate([[0], np.cumsum(marginal)])
        own = marginal[leaf]
        bits: NDArray[np.float64] = np.log2(
            np.where(own > 0, (below[hi + 1] - below[lo]) / np.maximum(1, own), 1.0)
        )
        return bits

    def full(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> float:
        """Return the bits of the column where all of it is suppressed."""
        occurring = marginal[marginal > 0]
        return float((occurring * np.log2(marginal.sum() / occurring)).sum())
