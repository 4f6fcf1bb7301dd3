"""Adding up rows by (leaf, side of the box): what every loss over cells is computed from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["rows_by_cell"]


@kernel
def _rows_by_cell(  # noqa: PLR0917
    leaf_of_point: Any, items: Any, shares: Any, region: Any, rows: Any, side: Any, sums: Any
) -> None:  # pragma: no cover - compiled
    last = sums.shape[1] - 1
    for point in range(leaf_of_point.shape[0]):
        leaf = leaf_of_point[point]
        for share in range(shares[items[point]], shares[items[point + 1]]):
            box = region[share]
            sums[leaf, side[box] if box >= 0 else last] += rows[share]


def rows_by_cell(
    leaf_of_point: NDArray[np.int32],
    *,
    items: NDArray[np.int64],
    shares: NDArray[np.int64],
    region: NDArray[np.int32],
    rows: NDArray[np.int64],
    side: NDArray[np.int32],
    n_values: int,
    n_sides: int,
) -> NDArray[np.int64]:
    """Return how many rows publish each leaf as each side, int64 [n_values, n_sides + 1].

    Parameters
    ----------
    leaf_of_point : int32 [n_points]
    items : int64 [n_points + 1]
        Items of each point.
    shares : int64 [n_items + 1]
        Shares of each item.
    region : int32 [n_shares]
        Box of each share; negative ones are counted in the last column.
    rows : int64 [n_shares]
    side : int32 [n_regions]
        Side of each box in this column, numbered from 0.
    n_values, n_sides : int
    """
    sums = np.zeros((n_values, n_sides + 1), np.int64)
    _rows_by_cell(leaf_of_point, items, shares, region, rows, side, sums)
    return sums
