"""Discernibility: with how many records each record can be confused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Discernibility"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discernibility:
    """Sum over classes of size squared, plus all records for each suppressed one.

    Notes
    -----
    Range: n to n squared for n records; a count, not normalized.
    0 means: no records; n is the least, where each record is a class of its own.
    Weights: neither attribute nor record weights.

    References
    ----------
    .. [1] Bayardo, R., Agrawal, R. (2005), Data privacy through optimal k-anonymization.
       doi:10.1109/ICDE.2005.42

    Examples
    --------
    >>> Discernibility().of_sizes(np.array([2, 2, 2]), 1)
    19.0
    """

    name: ClassVar[str] = "discernibility"

    def of_sizes(self, rows: NDArray[np.int64], suppressed: int) -> float:
        """Return the sum of squares plus suppressed times all."""
        sizes = rows.astype(np.float64)
        return float((sizes * sizes).sum() + float(suppressed) * (float(sizes.sum()) + suppressed))
