"""Uniques of a population by Pitman's sampling formula."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.risk.gamma import digamma, log_gamma

__all__ = ["log_likelihood", "pitman"]

STEPS = 60
GOLDEN = (math.sqrt(5) - 1) / 2


def pitman(size: NDArray[np.int64], times: NDArray[np.int64], fraction: float) -> float | None:
    """Return the estimated number of uniques in the population.

    Parameters
    ----------
    size, times : int64 [n]
        Sizes of classes in the sample, increasing, and how many classes have each.
    fraction : float
        Sampling fraction, in (0, 1).

    Returns
    -------
    float or None
        Γ(θ + 1)/Γ(θ + α) N^α with the maximum likelihood of θ and α; None where there is none in 0 < α < 1.

    References
    ----------
    .. [1] Hoshino, N. (2001), Applying Pitman's sampling formula to microdata disclosure risk assessment.
       Journal of Official Statistics 17(4), 499-520.
    """
    n, u = int((size * times).sum()), int(times.sum())
    if u in (1, n):
        return None
    low, high = 1e-6, 1 - 1e-6
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_a, at_b = _profile(a, size, times), _profile(b, size, times)
    for _ in range(STEPS):
        if at_a > at_b:
            high, b, at_b = b, a, at_a
            a = high - GOLDEN * (high - low)
            at_a = _profile(a, size, times)
        else:
            low, a, at_a = a, b, at_b
            b = low + GOLDEN * (high - low)
            at_b = _profile(b, size, times)
    alpha = (low + high) / 2
    if not 1e-5 < alpha < 1 - 1e-5:
        return None
    theta = _theta(alpha, n, u)
    if theta is None:
        return None
    value = log_gamma(theta + 1) - log_gamma(theta + alpha) + alpha * math.log(n / fraction)
    return math.exp(min(float(value), 700.0))


def log_likelihood(theta: float, alpha: float, size: NDArray[np.int64], times: NDArray[np.int64]) -> float:
    """Return the logarithm of the probability of these class sizes, up to a constant."""
    n, u = int((size * times).sum()), int(times.sum())
    classes = (u - 1) * math.log(alpha) + log_gamma(theta / alpha + u) - log_gamma(theta / alpha + 1)
    members = log_gamma(theta + n) - log_gamma(theta + 1)
    within = (times * (log_gamma(size - alpha) - log_gamma(1 - alpha))).sum()
    return float(classes - members + within)


def _profile(alpha: float, size: NDArray[np.int64], times: NDArray[np.int64]) -> float:
    """Return the highest likelihood for one alpha."""
    theta = _theta(alpha, int((size * times).sum()), int(times.sum()))
    return -math.inf if theta is None else log_likelihood(theta, alpha, size, times)


def _theta(alpha: float, n: int, u: int) -> float | None:
    """Return the theta of highest likelihood for one alpha, where its slope crosses 0."""

    def slope(theta: float) -> float:
        x = theta / alpha
        return float((digamma(x + u) - digamma(x + 1)) / alpha - digamma(theta + n) + digamma(theta + 1))

    low, high = -alpha * (1 - 1e-9), 1.0
    if slope(low) <= 0:
        return low
    while slope(high) > 0:
        high *= 4
        if high > 1e12:
            return None
    for _ in range(100):
        middle = (low + high) / 2
        if slope(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
