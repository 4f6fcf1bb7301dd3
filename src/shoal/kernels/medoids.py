"""Clusters around members: the k-medoids problem on a matrix of distances."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["medoids_of"]

EXACT = 10
"""Most members for which every set of medoids is tried."""

NOISE = 1e-9
"""Costs that differ by less are equal."""


def medoids_of(distance: NDArray[np.float64], n_clusters: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the members around which the sum of distances is least.

    With at most ten members every set is tried, and of equal ones the first in lexicographic order is taken;
    with more they are added one by one, and swapped as long as that helps, which need not end in the optimum.

    Parameters
    ----------
    distance : float64 [n, n]
        Symmetric, 0 on the diagonal.
    n_clusters : int
        At most n.

    Returns
    -------
    medoids : int64 [n_clusters]
        In rising order.
    cluster : int64 [n]
        Medoid, counted from 0, to which each member is nearest, the lowest of equally near ones.

    References
    ----------
    .. [1] Kaufman, L., Rousseeuw, P. (1987), Clustering by means of medoids.

    Examples
    --------
    >>> points = np.array([0.0, 1.0, 2.0, 10.0, 11.0])
    >>> medoids, cluster = medoids_of(np.abs(points[:, None] - points), 2)
    >>> medoids.tolist(), cluster.tolist()
    ([1, 3], [0, 0, 0, 1, 1])
    """
    n = distance.shape[0]
    chosen = _best(distance, n_clusters) if n <= EXACT else _built_and_swapped(distance, n_clusters)
    near = distance[:, list(chosen)]
    cluster = np.argmax(near <= near.min(axis=1, keepdims=True) + NOISE, axis=1)
    # A medoid is its own, though another may lie at distance 0.
    cluster[list(chosen)] = np.arange(n_clusters)
    return np.array(chosen, np.int64), cluster


def _cost(distance: NDArray[np.float64], chosen: tuple[int, ...]) -> float:
    return float(distance[:, list(chosen)].min(axis=1).sum())


def _best(distance: NDArray[np.float64], n_clusters: int) -> tuple[int, ...]:
    best, least = tuple(range(n_clusters)), np.inf
    for chosen in combinations(range(distance.shape[0]), n_clusters):
        cost = _cost(distance, chosen)
        if cost < least - NOISE:
            best, least = chosen, cost
    return best


def _built_and_swapped(distance: NDArray[np.float64], n_clusters: int) -> tuple[int, ...]:
    n = distance.shape[0]
    chosen: tuple[int, ...] = ()
    for _ in range(n_clusters):
        chosen = _cheapest(distance, [tuple(sorted((*chosen, new))) for new in range(n) if new not in chosen])
    cost = _cost(distance, chosen)
    while True:
        swaps = [
            tuple(sorted({*chosen} - {old} | {new})) for old in chosen for new in range(n) if new not in chosen
        ]
        swapped = _cheapest(distance, swaps) if swaps else chosen
        if _cost(distance, swapped) >= cost - NOISE:
            return chosen
        chosen, cost = swapped, _cost(distance, swapped)


def _cheapest(distance: NDArray[np.float64], sets: list[tuple[int, ...]]) -> tuple[int, ...]:
    best, least = sets[0], np.inf
    for chosen in sorted(sets):
        cost = _cost(distance, chosen)
        if cost < least - NOISE:
            best, least = chosen, cost
    return best
