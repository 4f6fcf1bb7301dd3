"""How likely it is that at least d of independent events of unequal chances happen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["at_least"]


@kernel
def _at_least(offsets: Any, chances: Any, d: Any, found: Any) -> None:  # pragma: no cover - compiled
    # below[j] is the probability of exactly j events so far, for j < d; d of them stay d.
    below = np.empty(d, np.float64)
    for group in range(found.shape[0]):
        if offsets[group + 1] - offsets[group] < d:
            continue
        below[:] = 0.0
        below[0] = 1.0
        for i in range(offsets[group], offsets[group + 1]):
            chance = chances[i]
            for j in range(d - 1, 0, -1):
                below[j] = below[j] * (1.0 - chance) + below[j - 1] * chance
            below[0] *= 1.0 - chance
        found[group] = 1.0 - min(1.0, below.sum())


def at_least(offsets: NDArray[np.int64], chances: NDArray[np.float64], d: int) -> NDArray[np.float64]:
    """Return the probability that at least *d* events of each group happen (Poisson binomial, by convolution).

    Parameters
    ----------
    offsets : int64 [n_groups + 1]
        Group *g* has the events ``offsets[g]:offsets[g + 1]``, independent of each other.
    chances : float64 [n_events]
        Probability of each, in [0, 1].
    d : int
        At least 1.

    Returns
    -------
    float64 [n_groups]

    Examples
    --------
    >>> at_least(np.array([0, 2, 3]), np.array([0.5, 0.5, 0.9]), 1).round(6).tolist()
    [0.75, 0.9]
    """
    found = np.zeros(offsets.shape[0] - 1)
    _at_least(offsets, chances, d, found)
    return found
