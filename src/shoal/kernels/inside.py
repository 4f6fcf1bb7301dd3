"""Whether shares of rows lie in the boxes that they go to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel
from shoal.kernels.parts import at_once, parts_of

__all__ = ["all_inside"]


@kernel
def _all_inside(  # noqa: PLR0917
    codes: Any, point: Any, offsets: Any, box: Any, lo: Any, hi: Any
) -> Any:  # pragma: no cover - compiled
    for item in range(point.shape[0]):
        for share in range(offsets[item], offsets[item + 1]):
            at = box[share]
            if at < 0:
                continue
            if at >= lo.shape[0]:
                return False
            for j in range(codes.shape[1]):
                code = codes[point[item], j]
                if code < lo[at, j] or hi[at, j] < code:
                    return False
    return True


def all_inside(  # noqa: PLR0917
    codes: NDArray[np.int32],
    point: NDArray[Any],
    offsets: NDArray[np.int64],
    box: NDArray[np.int32],
    lo: NDArray[np.int32],
    hi: NDArray[np.int32],
) -> bool:
    """Tell whether the point of every share lies in its box, on every side.

    Parameters
    ----------
    codes : int32 [n_points, n_columns]
    point : int32 or int64 [n_items]
        Point of each item.
    offsets : int64 [n_items + 1]
        Shares ``offsets[i]:offsets[i + 1]`` belong to item *i*.
    box : int32 [n_shares]
        Negative for shares that have none.
    lo, hi : int32 [n_boxes, n_columns]
        First and last code of each side, both included.

    Examples
    --------
    >>> codes, point, offsets = np.array([[0], [3]], np.int32), np.array([0, 1]), np.array([0, 1, 3])
    >>> lo, hi = np.array([[0], [2]], np.int32), np.array([[1], [4]], np.int32)
    >>> [all_inside(codes, point, offsets, np.array(box, np.int32), lo, hi) for box in ([0, 1, -1], [0, 1, 0])]
    [True, False]
    """
    columns, lo, hi = np.asfortranarray(codes), np.ascontiguousarray(lo), np.ascontiguousarray(hi)

    def inside(items: slice) -> bool:
        return bool(_all_inside(columns, point[items], offsets[items.start : items.stop + 1], box, lo, hi))

    return all(at_once(inside, parts_of(len(point))))
