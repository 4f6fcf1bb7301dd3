"""Columns copied into one matrix, on all cores where there is much to copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["fill_columns", "side_by_side"]

LARGE = 1 << 20
"""Rows from which on columns are copied by several threads; NumPy lets others run while it copies."""


def fill_columns(matrix: NDArray[Any], column: Callable[[int], NDArray[Any]]) -> None:
    """Set each column of *matrix* to what *column* returns for its number."""

    def fill(j: int) -> None:
        matrix[:, j] = column(j)

    if matrix.shape[0] < LARGE:
        for j in range(matrix.shape[1]):
            fill(j)
        return
    with ThreadPoolExecutor() as pool:
        list(pool.map(fill, range(matrix.shape[1])))


def side_by_side(
    columns: Sequence[NDArray[Any]], rows: NDArray[Any] | None = None, *, n_rows: int
) -> NDArray[np.int32]:
    """Return columns of codes as a matrix whose columns are contiguous in memory.

    Parameters
    ----------
    columns : sequence of integer arrays
    rows : int64 or bool array, optional
        Which rows to take, by position or marked; all where left out.
    n_rows : int
        How many rows that are.

    Examples
    --------
    >>> side_by_side([np.array([1, 2]), np.array([3, 4])], np.array([1, 1, 0]), n_rows=3).tolist()
    [[2, 4], [2, 4], [1, 3]]
    """
    matrix = np.empty((n_rows, len(columns)), np.int32, order="F")
    fill_columns(matrix, lambda j: columns[j] if rows is None else columns[j][rows])
    return matrix
