"""The largest part of a class that can pass: what is left over must be suppressed in every refinement."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["largest_close", "largest_recursive", "largest_within"]

# Each pass only lowers the bound towards the fixed point, so stopping early is safe: it is a weaker bound.
PASSES = 64

# What rounding may take from a sum of shares, per row.
SLACK = 1e-12


@kernel
def _largest_within(
    offsets: Any, counts: Any, numerators: Any, denominators: Any, size: Any
) -> Any:  # pragma: no cover - compiled
    kept = np.empty(size.shape[0], np.int64)
    for c in range(size.shape[0]):
        n = size[c]
        free = n
        removed = 0
        for e in range(offsets[c], offsets[c + 1]):
            free -= counts[e]
            excess = counts[e] * denominators[e] - numerators[e] * n
            if excess > 0:
                room = denominators[e] - numerators[e]
                removed = max(removed, (excess + room - 1) // room)
        if removed == 0:
            kept[c] = n
            continue
        n = max(0, n - removed)
        for _ in range(PASSES):
            fits = free
            for e in range(offsets[c], offsets[c + 1]):
                fits += min(counts[e], numerators[e] * n // denominators[e])
            if fits >= n:
                break
            n = fits
        kept[c] = n
    return kept


@kernel
def _largest_recursive(
    offsets: Any, counts: Any, l: Any, numerator: Any, denominator: Any
) -> Any:  # pragma: no cover - compiled
    kept = np.empty(offsets.shape[0] - 1, np.int64)
    for c in range(offsets.shape[0] - 1):
        start, stop = offsets[c], offsets[c + 1]
        low, high = 0, counts[start] if stop > start else 0
        while low < high:
            top = (low + high + 1) // 2
            tail = 0
            for e in range(start + l - 1, stop):
                tail += min(counts[e], top)
            if top * denominator // numerator < tail:
                low = top
            else:
                high = top - 1
        kept[c] = 0
        for e in range(start, stop):
            kept[c] += min(counts[e], low)
    return kept


@kernel
def _largest_close(
    offsets: Any, counts: Any, whole: Any, size: Any, goal: Any
) -> Any:  # pragma: no cover - compiled
    kept = np.empty(size.shape[0], np.int64)
    for c in range(size.shape[0]):
        low, high, n = 0, size[c], size[c]
        while low < high:
            common = SLACK * (n + 1)
            for e in range(offsets[c], offsets[c + 1]):
                common += min(float(counts[e]), whole[e] * n)
            if common >= (1 - goal) * n:
                low = n
            else:
                high = n - 1
            n = (low + high + 1) // 2
        kept[c] = low
    return kept


def largest_within(
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    numerators: NDArray[np.int64],
    denominators: NDArray[np.int64],
    size: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many rows of each class can be in parts where every value keeps to its share.

    Parts that pass add up to one that passes, a part of the class. So the answer is the largest n with
    n <= rows without a limit + sum over values of min(count, floor(share * n)), found by going down from the
    class's size; never too small, exact unless the descent is long.

    Parameters
    ----------
    offsets : int64 [n_classes + 1]
        Entries ``offsets[c]:offsets[c + 1]`` are of class *c*.
    counts : int64 [n_entries]
        Rows of each value that has a limit; rows of the class in no entry have none.
    numerators, denominators : int64 [n_entries]
        Largest share of each value, in (0, 1]; denominators around 10^9 at most, so that products with counts
        stay exact.
    size : int64 [n_classes]
        Rows of each class.

    Returns
    -------
    int64 [n_classes]

    Examples
    --------
    A value with 5 of 6 rows and a limit of one half leaves 2 rows: one of it and the other one.

    >>> halves = np.array([1]), np.array([2])
    >>> largest_within(np.array([0, 1]), np.array([5]), *halves, np.array([6])).tolist()
    [2]
    """
    kept: NDArray[np.int64] = _largest_within(offsets, counts, numerators, denominators, size)
    return kept


def largest_recursive(
    offsets: NDArray[np.int64], counts: NDArray[np.int64], *, l: int, numerator: int, denominator: int
) -> NDArray[np.int64]:
    """Return how many rows of each class can be in parts that are recursive (c, l)-diverse.

    A passing part whose most frequent value has t rows lies in the class cut down to at most t rows of each
    value, which then passes too. t < c * sum over j >= l of min(r_j, t) is concave in t and 0 at 0, so the
    passing t form an interval from 1 on, and halving finds its end.

    Parameters
    ----------
    offsets : int64 [n_classes + 1]
    counts : int64 [n_entries]
        Rows of each value, descending in each class.
    l : int
    numerator, denominator : int
        c as a fraction.

    Returns
    -------
    int64 [n_classes]

    Examples
    --------
    >>> largest_recursive(np.array([0, 2]), np.array([5, 2]), l=2, numerator=2, denominator=1).tolist()
    [5]
    """
    kept: NDArray[np.int64] = _largest_recursive(offsets, counts, l, numerator, denominator)
    return kept


def largest_close(
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    whole: NDArray[np.float64],
    size: NDArray[np.int64],
    *,
    goal: float,
) -> NDArray[np.int64]:
    """Return how many rows of each class can be in parts that are t-close with the equal ground distance.

    Parts that pass add up to one of n rows that passes, and shares with the whole table at most
    sum of min(count, p n) rows, of which it needs (1 - t) n. The difference is concave in n and 0 at 0, so
    the possible n form an interval from 0 on, and halving finds its end. Fractions of rows are allowed in the
    sum, so the answer may be too large, never too small.

    Parameters
    ----------
    offsets : int64 [n_classes + 1]
    counts : int64 [n_entries]
        Rows of each value.
    whole : float64 [n_entries]
        Share p of the value in the whole table.
    size : int64 [n_classes]
        Rows of each class.
    goal : float
        The threshold t.

    Returns
    -------
    int64 [n_classes]

    Examples
    --------
    >>> halves = np.array([0.5, 0.5])
    >>> largest_close(np.array([0, 2]), np.array([5, 1]), halves, np.array([6]), goal=0.25).tolist()
    [4]
    """
    kept: NDArray[np.int64] = _largest_close(offsets, counts, whole, size, goal)
    return kept
