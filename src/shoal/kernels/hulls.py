"""The smallest box around the cells of each group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["hulls"]


@kernel
def _hulls(  # noqa: PLR0917
    first: Any, last: Any, cell: Any, group: Any, lo: Any, hi: Any
) -> None:  # pragma: no cover - compiled
    seen = np.zeros(lo.shape[0], np.bool_)
    for share in range(group.shape[0]):
        g, c = group[share], cell[share]
        for j in range(lo.shape[1]):
            if not seen[g] or first[c, j] < lo[g, j]:
                lo[g, j] = first[c, j]
            if not seen[g] or last[c, j] > hi[g, j]:
                hi[g, j] = last[c, j]
        seen[g] = True


def hulls(
    lo: NDArray[np.int32],
    hi: NDArray[np.int32],
    *,
    group: NDArray[np.int32],
    n_groups: int,
    cell: NDArray[Any] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first and last code of each group in each column, int32 [n_groups, n_qi] each.

    Parameters
    ----------
    lo, hi : int32 [n_cells, n_qi]
        First and last code of each cell; the codes twice where cells are points.
    group : int32 [n_shares]
        Group of each share.
    n_groups : int
        Groups without a share get the box of code 0.
    cell : int32 or int64 [n_shares], optional
        Cell of each share; where left out the shares are the cells.

    Examples
    --------
    >>> codes = np.array([[0, 5], [2, 5], [1, 1]], np.int32)
    >>> lo, hi = hulls(codes, codes, group=np.array([0, 0, 1], np.int32), n_groups=2)
    >>> lo.tolist(), hi.tolist()
    ([[0, 5], [1, 1]], [[2, 5], [1, 1]])
    """
    low = np.zeros((n_groups, lo.shape[1]), np.int32)
    high = np.zeros_like(low)
    of_share = np.arange(len(group)) if cell is None else cell.astype(np.int64, copy=False)
    first = np.ascontiguousarray(lo)
    # Codes that are both ends are copied once.
    last = first if hi is lo else np.ascontiguousarray(hi)
    _hulls(first, last, of_share, group, low, high)
    return low, high
