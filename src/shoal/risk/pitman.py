"""Uniques of a population by Pitman's sampling formula."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.risk.gamma import digamma, log_gamma

__all__ = ["highest_likelihood", "log_likelihood", "pitman"]

GRID = 33
"""Values of alpha that are tried at once; the search goes on between the neighbours of the best."""

ROUNDS = 7
STEPS = 64
LARGEST = 1e12


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
    found = _best(size, times)
    if found is None:
        return None
    theta, alpha = found
    people = float((size * times).sum()) / fraction
    value = log_gamma(theta + 1) - log_gamma(theta + alpha) + alpha * math.log(people)
    return math.exp(min(float(value), 700.0))


def highest_likelihood(size: NDArray[np.int64], times: NDArray[np.int64]) -> float:
    """Return the logarithm of the highest probability of these class sizes; -inf where there is none."""
    found = _best(size, times)
    return -math.inf if found is None else float(log_likelihood(*found, size, times))


def log_likelihood(
    theta: Any, alpha: Any, size: NDArray[np.int64], times: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the logarithm of the probability of these class sizes, up to a constant; theta and alpha alike."""
    theta, alpha = np.asarray(theta, np.float64), np.asarray(alpha, np.float64)
    n, u = int((size * times).sum()), int(times.sum())
    classes = (u - 1) * np.log(alpha) + log_gamma(theta / alpha + u) - log_gamma(theta / alpha + 1)
    members = log_gamma(theta + n) - log_gamma(theta + 1)
    within = (times * (log_gamma(size - alpha[..., None]) - log_gamma(1 - alpha[..., None]))).sum(axis=-1)
    likelihood: NDArray[np.float64] = classes - members + within
    return likelihood


def _best(size: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[float, float] | None:
    """Return theta and alpha of the highest likelihood, where that is in 0 < alpha < 1."""
    n, u = int((size * times).sum()), int(times.sum())
    if u in (1, n):
        return None
    low, high = 1e-6, 1 - 1e-6
    for _ in range(ROUNDS):
        alphas = np.linspace(low, high, GRID)
        thetas = _thetas(alphas, n, u)
        at = int(log_likelihood(thetas, alphas, size, times).argmax())
        low, high = alphas[max(0, at - 1)], alphas[min(GRID - 1, at + 1)]
    theta, alpha = float(thetas[at]), float(alphas[at])
    return (theta, alpha) if 1e-5 < alpha < 1 - 1e-5 and theta < LARGEST / 2 else None


def _thetas(alpha: NDArray[np.float64], n: int, u: int) -> NDArray[np.float64]:
    """Return the theta of highest likelihood for each alpha, where the slope crosses 0, or an end of the range."""
    # Half of the steps find the power of ten, from just above -alpha.
    low, high = np.full(alpha.shape, -30.0), np.full(alpha.shape, math.log(LARGEST))
    for _ in range(STEPS):
        middle = (low + high) / 2
        theta = np.exp(middle) - alpha * (1 - 1e-9)
        x = theta / alpha
        slope = (digamma(x + u) - digamma(x + 1)) / alpha - digamma(theta + n) + digamma(theta + 1)
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    thetas: NDArray[np.float64] = np.exp((low + high) / 2) - alpha * (1 - 1e-9)
    return thetas
