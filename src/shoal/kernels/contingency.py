"""How strongly two columns of codes go together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.grouping import group_columns, sum_by_group

__all__ = ["mean_square_contingency"]

DIGITS = 12
"""Digits that sums of shares bear; the rest is noise, which must not break ties."""


def mean_square_contingency(
    first: NDArray[Any], second: NDArray[Any], counts: NDArray[np.int64], sizes: tuple[int, int]
) -> float:
    """Return the mean-square contingency coefficient of two columns.

    With f_ij the share of the rows that have value i in one column and j in the other, f_i and f_j those of the
    values alone, and r and c the numbers of values that occur: the sum of (f_ij - f_i f_j)^2 / (f_i f_j), divided
    by min(r, c) - 1. Only pairs that occur are visited, since the sum is that of f_ij^2 / (f_i f_j), less 1.

    Parameters
    ----------
    first, second : integer arrays [n]
        Codes.
    counts : int64 [n]
        Rows of each pair of codes.
    sizes : tuple of int and int
        One above the largest code of each column.

    Returns
    -------
    float
        In [0, 1]: 1 where each value of one column goes with its own values of the other, 0 where the columns
        are independent or one of them has a single value.

    Examples
    --------
    >>> ones = np.ones(4, np.int64)
    >>> mean_square_contingency(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), ones, (2, 2))
    1.0
    >>> mean_square_contingency(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), ones, (2, 2))
    0.0
    """
    total = int(counts.sum())
    in_first, in_second = sum_by_group(first, counts, sizes[0]), sum_by_group(second, counts, sizes[1])
    least = min(np.count_nonzero(in_first), np.count_nonzero(in_second))
    if least < 2:
        return 0.0
    pair, at = group_columns([first, second], sizes)
    together = sum_by_group(pair, counts, at.shape[0]) / total
    expected = (in_first / total)[first[at]] * (in_second / total)[second[at]]
    excess = float((together * together / expected).sum()) - 1.0
    return min(1.0, max(0.0, round(excess / (least - 1), DIGITS)))
