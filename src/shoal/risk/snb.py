"""Uniques of a population by the slide negative binomial model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["expected_counts", "shlosser", "snb"]

GRID = 400
"""Values of beta among which the first solution is looked for."""

ZOOM = 17
ROUNDS = 10
STEPS = 90
LARGEST = 1e6


def snb(size: NDArray[np.int64], times: NDArray[np.int64], fraction: float) -> float | None:
    """Return the estimated number of uniques in the population.

    Sizes of the population's K classes, less one, are negative binomial with parameters α and β; these are found
    so that the sample is expected to have its classes of one and of two. K is Shlosser's estimate.

    Parameters
    ----------
    size, times : int64 [n]
        Sizes of classes in the sample, increasing, and how many classes have each.
    fraction : float
        Sampling fraction, in (0, 1).

    Returns
    -------
    float or None
        K β^α; None where no α and β fit.

    References
    ----------
    .. [1] Chen, G., Keller-McNulty, S. (1998), Estimation of identification disclosure risk in microdata.
       Journal of Official Statistics 14(1), 79-95.
    """
    ones, twos = float(times[size == 1].sum()), float(times[size == 2].sum())
    n_classes = shlosser(size, times, fraction)
    if not np.isfinite(n_classes) or not twos:
        return None
    betas = np.linspace(0.0, 1.0, GRID + 2)[1:-1]
    beta, alpha = np.nan, np.nan
    for _ in range(ROUNDS):
        alphas = _alphas(betas, n_classes, fraction, ones)
        gaps = expected_counts(alphas, betas, n_classes, fraction)[1] - twos
        usable = np.isfinite(gaps)
        changes = np.flatnonzero(usable[:-1] & usable[1:] & (np.sign(gaps[:-1]) != np.sign(gaps[1:])))
        if not changes.size:
            break
        at = int(changes[0])
        beta, alpha = betas[at], alphas[at]
        betas = np.linspace(betas[at], betas[at + 1], ZOOM)
    return None if np.isnan(beta) else float(n_classes * beta**alpha)


def shlosser(size: NDArray[np.int64], times: NDArray[np.int64], fraction: float) -> float:
    """Return how many classes the population has, by the third modified Shlosser estimator.

    References
    ----------
    .. [1] Haas, P., Stokes, L. (1998), Estimating the number of classes in a finite population.
       doi:10.1080/01621459.1998.10473807
    """
    i, f = size.astype(np.float64), times.astype(np.float64)
    q = fraction
    doubled = (i * q**2 * (1 - q**2) ** (i - 1) * f).sum() / (((1 - q**2) ** i - (1 - q) ** i) * f).sum()
    missed = ((1 - q) ** i * f).sum() / (i * q * (1 - q) ** (i - 1) * f).sum()
    return float(f.sum() + f[size == 1].sum() * doubled * missed**2)


def expected_counts(
    alpha: NDArray[np.float64], beta: NDArray[np.float64], n_classes: float, fraction: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many classes of one and of two a sample is expected to have.

    A class of the population has size 1 + j with the chance that a negative binomial variable with probability
    generating function (β/(1 - (1 - β) s))^α is j; each of its members is drawn with the sampling fraction.
    """
    missed = (1 - fraction) * (1 - beta)
    seen = 1 - missed
    power = np.exp(alpha * np.log(beta / seen))
    ones = n_classes * fraction * power * (1 + alpha * missed / seen)
    twos = n_classes * fraction**2 / 2 * power * alpha * (1 - beta) / seen**2 * (2 - (1 - alpha) * missed)
    return ones, twos


def _alphas(beta: NDArray[np.float64], n_classes: float, fraction: float, ones: float) -> NDArray[np.float64]:
    """Return for each beta the alpha that gives the classes of one; NaN where none does.

    The expected number rises with alpha to one peak at most and falls to 0 from there, where the root is taken.
    """
    missed = (1 - fraction) * (1 - beta)
    odds = missed / (1 - missed)
    decay = np.log(beta / (1 - missed))
    # The derivative of (1 + α e) r^α is 0 where α = -1/ln r - 1/e.
    peak = np.maximum(0.0, -1 / decay - 1 / odds)
    low, high = peak.copy(), np.full(beta.shape, LARGEST)
    reached = expected_counts(peak, beta, n_classes, fraction)[0] >= ones
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = expected_counts(middle, beta, n_classes, fraction)[0] > ones
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    found: NDArray[np.float64] = np.where(reached, (low + high) / 2, np.nan)
    return found
