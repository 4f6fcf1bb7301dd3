"""Counting a population in the boxes that a recoding publishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["count_covered"]


@kernel
def _count_covered(  # noqa: PLR0917 - a compiled loop takes plain arrays
    cells: Any, mapped: Any, masks: Any, starts: Any, widths: Any, codes: Any, rows: Any, counts: Any, covered: Any
) -> None:  # pragma: no cover - compiled
    n_qi = codes.shape[1]
    for c in range(cells.shape[0]):
        for p in range(codes.shape[0]):
            inside = True
            for j in range(n_qi):
                if starts[j] < 0:
                    inside = mapped[p, j] == cells[c, j]
                else:
                    inside = masks[starts[j] + cells[c, j] * widths[j] + codes[p, j]]
                if not inside:
                    break
            if inside:
                counts[c] += rows[p]
                covered[p] = True


def count_covered(
    cells: NDArray[np.int32],
    covers: Sequence[NDArray[Any]],
    codes: NDArray[np.int32],
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.int64], int]:
    """Count the population rows that each class covers, where classes may overlap.

    Parameters
    ----------
    cells : int32 [n_classes, n_qi]
        Label of each class in each column.
    covers : sequence of integers [n_values], or bool [n_labels, n_values]
        Per column: the one label that covers each value, -1 for none; or which values each label covers.
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
    >>> covers = [np.array([[True, True, False], [False, True, True]])]
    >>> count_covered(np.array([[0], [1]], np.int32), covers, np.array([[0], [1]], np.int32), np.array([2, 3]))
    (array([5, 3]), 0)
    """
    mapped = np.full(codes.shape, -1, np.int32)
    starts, widths = np.full(len(covers), -1, np.int64), np.zeros(len(covers), np.int64)
    flat, begin = [np.empty(0, np.bool_)], 0
    for j, cover in enumerate(covers):
        if cover.ndim == 1:
            mapped[:, j] = cover[codes[:, j]]
        else:
            starts[j], widths[j] = begin, cover.shape[1]
            flat.append(cover.ravel())
            begin += cover.size
    counts = np.zeros(cells.shape[0], np.int64)
    covered = np.zeros(codes.shape[0], np.bool_)
    _count_covered(
        np.ascontiguousarray(cells, np.int32),
        mapped,
        np.concatenate(flat),
        starts,
        widths,
        np.ascontiguousarray(codes, np.int32),
        np.ascontiguousarray(rows, np.int64),
        counts,
        covered,
    )
    return counts, int(rows[~covered].sum())
