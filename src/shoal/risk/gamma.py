"""Logarithm of the gamma function and its derivative, for arrays, without further libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["digamma", "log_gamma"]

SHIFT = 12
"""Arguments are raised by so many steps; from there on the series is exact to the last digits."""

# B_2k / (2k (2k - 1)) and B_2k / (2k): Abramowitz & Stegun 6.1.40 and 6.3.18.
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
ASYMPTOTIC = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)


def log_gamma(x: Any) -> NDArray[np.float64]:
    """Return ln Γ(x) for x > 0.

    Examples
    --------
    >>> np.exp(log_gamma(np.array([1.0, 5.0, 0.5]))).round(12).tolist()
    [1.0, 24.0, 1.772453850906]
    """
    x = np.asarray(x, np.float64)
    steps = x[..., None] + np.arange(SHIFT)
    y = x + SHIFT
    series = sum(c / y ** (2 * k + 1) for k, c in enumerate(STIRLING))
    far = (y - 0.5) * np.log(y) - y + 0.5 * np.log(2 * np.pi) + series
    value: NDArray[np.float64] = far - np.log(steps).sum(axis=-1)
    return value


def digamma(x: Any) -> NDArray[np.float64]:
    """Return the derivative of ln Γ(x) for x > 0.

    Examples
    --------
    >>> digamma(np.array([1.0, 2.0])).round(12).tolist()
    [-0.577215664902, 0.422784335098]
    """
    x = np.asarray(x, np.float64)
    steps = x[..., None] + np.arange(SHIFT)
    y = x + SHIFT
    series = sum(c / y ** (2 * (k + 1)) for k, c in enumerate(ASYMPTOTIC))
    value: NDArray[np.float64] = np.log(y) - 0.5 / y - series - (1 / steps).sum(axis=-1)
    return value
