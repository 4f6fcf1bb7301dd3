"""An order drawn at random, quick for many rows too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["shuffled"]

PILE = 1 << 15
"""Rows that lie in a processor's cache while they are shuffled."""

MOST_PILES = 1 << 8


def shuffled(n_rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the numbers below *n_rows* in an order drawn from all orders with equal chance.

    Every number is thrown on one of several piles, and each pile is shuffled by itself: a pile fits a cache, where
    a shuffle of everything waits for memory at each step.

    References
    ----------
    .. [1] Rao, C. R. (1961), Generation of random permutations of given number of elements using random sampling
       numbers. Sankhya A 23, 305-307.

    Examples
    --------
    >>> sorted(shuffled(4, np.random.default_rng(1)).tolist())
    [0, 1, 2, 3]
    """
    n_piles = min(MOST_PILES, 1 + n_rows // PILE)
    if n_piles == 1:
        return rng.permutation(n_rows)
    pile = rng.integers(0, n_piles, n_rows, dtype=np.uint8)
    # NumPy sorts numbers of one byte by counting them.
    order = np.argsort(pile, kind="stable")
    for one in np.split(order, np.cumsum(np.bincount(pile, minlength=n_piles))[:-1]):
        rng.shuffle(one)
    return order
