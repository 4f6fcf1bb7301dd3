"""The smallest box around the points of each group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["hulls"]


@kernel
def _hulls(codes: Any, point: Any, group: Any, lo: Any, hi: Any) -> None:  # pragma: no cover - compiled
    seen = np.zeros(lo.shape[0], np.bool_)
    for share in range(point.shape[0]):
        g, p = group[share], point[share]
        for j in range(codes.shape[1]):
            code = codes[p, j]
            if not seen[g] or code < lo[g, j]:
                lo[g, j] = code
            if not seen[g] or code > hi[g, j]:
                hi[g, j] = code
        seen[g] = True


def hulls(
    codes: NDArray[np.int32], *, point: NDArray[Any], group: NDArray[np.int32], n_groups: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first and last code of each group in each column, int32 [n_groups, n_qi] each.

    Parameters
    ----------
    codes : int32 [n_points, n_qi]
    point : int32 or int64 [n_shares]
        Point of each share.
    group : int32 [n_shares]
        Group of each share.
    n_groups : int
        Groups without a share get the box of code 0.

    Examples
    --------
    >>> codes = np.array([[0, 5], [2, 5], [1, 1]], np.int32)
    >>> lo, hi = hulls(codes, point=np.array([0, 1, 2]), group=np.array([0, 0, 1], np.int32), n_groups=2)
    >>> lo.tolist(), hi.tolist()
    ([[0, 5], [1, 1]], [[2, 5], [1, 1]])
    """
    lo = np.zeros((n_groups, codes.shape[1]), np.int32)
    hi = np.zeros_like(lo)
    _hulls(np.ascontiguousarray(codes), point.astype(np.int64, copy=False), group, lo, hi)
    return lo, hi
