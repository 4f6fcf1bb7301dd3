"""The earth mover's distance of sparse histograms where all values lie equally far apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["equal_distances"]


@kernel
def _distances(
    offsets: Any, values: Any, counts: Any, whole: Any, distances: Any
) -> None:  # pragma: no cover - compiled
    for class_ in range(distances.shape[0]):
        size = 0
        for i in range(offsets[class_], offsets[class_ + 1]):
            size += counts[i]
        excess = 0.0
        for i in range(offsets[class_], offsets[class_ + 1]):
            excess += max(0.0, counts[i] / size - whole[values[i]])
        distances[class_] = excess


def equal_distances(
    offsets: NDArray[np.int64],
    *,
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    whole: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return half the sum of |q - p| of each class, as the sum of max(0, q - p): what must move.

    Parameters
    ----------
    offsets : int64 [n_classes + 1]
    values : int32 [n_entries]
    counts : int64 [n_entries]
    whole : float64 [n_values]
        Shares p of the whole table.

    Returns
    -------
    float64 [n_classes]

    Examples
    --------
    >>> two = np.array([0.5, 0.5])
    >>> equal_distances(np.array([0, 1]), values=np.array([0]), counts=np.array([2]), whole=two)
    array([0.5])
    """
    distances = np.empty(offsets.shape[0] - 1)
    _distances(offsets, values, counts, whole, distances)
    return distances
