"""Counting a population in the boxes that a recoding publishes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["count_covered"]


@kernel
def _count_covered(  # noqa: PLR0917 - a compiled loop takes plain arrays
    cells: Any, masks: Any, starts: Any, widths: Any, codes: Any, rows: Any, counts: Any, covered: Any
) -> None:  # pragma: no cover - compiled
    n_qi = codes.shape[1]
    for c in range(cells.shape[0]):
        for p in range(codes.shape[0]):
            inside = True
            for j in range(n_qi):
                if not masks[starts[j] + cells[c, j] * widths[j] + codes[p, j]]:
                    inside = False
                    break
            if inside:
                counts[c] += rows[p]
                covered[p] = True


def count_covered(
    cells: NDArray[np.int32],
    masks: list[NDArray[np.bool_]],
    codes: NDArray[np.int32],
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.int64], int]:
    """Count the population rows that each class covers, where classes may overlap.

    Parameters
    ----------
    cells : int32 [n_classes, n_qi]
        Label of each class in each column.
    masks : list of bool [n_labels, n_values]
        Per column: which values each label covers.
    codes : int32 [n_points, n_qi]
        Values of each point of the population.
    rows : int64 [n_points]
        Rows of each point.

    Returns
    -------
    counts : int64 [n_classes]
    outside : int
        Rows that no class covers.

    Notes
    -----
    Cost: O(n_classes * n_points) at worst; a point leaves at the first column that does not cover it.

    Examples
    --------
    >>> masks = [np.array([[True, True, False], [False, True, True]])]
    >>> count_covered(np.array([[0], [1]], np.int32), masks, np.array([[0], [1]], np.int32), np.array([2, 3]))
    (array([5, 3]), 0)
    """
    widths = np.array([mask.shape[1] for mask in masks], np.int64)
    starts = np.concatenate([[0], np.cumsum([mask.size for mask in masks])])[:-1].astype(np.int64)
    flat = np.concatenate([mask.ravel() for mask in masks] or [np.empty(0, bool)])
    counts = np.zeros(cells.shape[0], np.int64)
    covered = np.zeros(codes.shape[0], np.bool_)
    _count_covered(
        np.ascontiguousarray(cells, np.int32),
        flat,
        starts,
        widths,
        np.ascontiguousarray(codes, np.int32),
        np.ascontiguousarray(rows, np.int64),
        counts,
        covered,
    )
    return counts, int(rows[~covered].sum())
