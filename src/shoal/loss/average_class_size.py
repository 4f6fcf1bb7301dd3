"""Average class size: how many records share a class, in multiples of k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SpecError

__all__ = ["AverageClassSize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageClassSize:
    """(All records / published classes) / k; suppressed records count above and form no class.

    Where every record is suppressed the residue counts as one class, so the loss is that of the whole table
    in one class.

    Parameters
    ----------
    k : int, default 1
        The k that was asked for, so that 1 is the best that can be reached; with 1 the loss is a mean size.

    Raises
    ------
    SpecError
        If *k* is not a whole number of at least 1.

    Notes
    -----
    Range: 1/k to n/k for n records; not normalized.
    0 means: no records.
    Weights: neither attribute nor record weights.

    References
    ----------
    .. [1] LeFevre, K. et al. (2006), Mondrian multidimensional k-anonymity. doi:10.1109/ICDE.2006.101

    Examples
    --------
    >>> AverageClassSize(k=2).of_sizes(np.array([2, 2, 2]), 0)
    1.0
    """

    name: ClassVar[str] = "average-class-size"
    k: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise SpecError("k of average-class-size must be a whole number of at least 1")

    def of_sizes(self, rows: NDArray[np.int64], suppressed: int) -> float:
        """Return (all records / classes) / k."""
        return float((int(rows.sum()) + suppressed) / max(1, rows.shape[0]) / self.k)
