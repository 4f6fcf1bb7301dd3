"""Dealing shares of coarser items out to the items that they are made of, and rows out to shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["deal", "dealt"]


@kernel
def _deal(  # noqa: PLR0917
    order: Any, counts: Any, shares: Any, offsets: Any, share: Any, rows: Any
) -> None:  # pragma: no cover - compiled
    """Walk along both; without room for the pieces only count them, one place late, into *offsets*."""
    counting = share.shape[0] == 0
    at, left = 0, shares[0]
    for i in range(order.shape[0]):
        item, open_ = order[i], counts[order[i]]
        place = offsets[item]
        while open_:
            piece = min(open_, left)
            if counting:
                offsets[item + 1] += 1
            else:
                share[place], rows[place] = at, piece
                place += 1
            open_ -= piece
            left -= piece
            if left == 0 and at + 1 < shares.shape[0]:
                at += 1
                left = shares[at]


def deal(
    order: NDArray[np.int64], counts: NDArray[np.int64], shares: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Cut one line of rows both by items and by shares.

    Parameters
    ----------
    order : int64 [n_items]
        Items in the order in which they lie along the line.
    counts : int64 [n_items]
        Rows of each item, positive.
    shares : int64 [n_shares]
        Rows of each share along the same line, positive; they add up to the same.

    Returns
    -------
    offsets : int64 [n_items + 1]
        Pieces ``offsets[i]:offsets[i + 1]`` are of item *i*.
    share : int64 [n_pieces]
        Share that each piece is of.
    rows : int64 [n_pieces]

    Examples
    --------
    >>> [part.tolist() for part in deal(np.array([1, 0]), np.array([2, 3]), np.array([4, 1]))]
    [[0, 2, 3], [0, 1, 0], [1, 1, 3]]
    """
    offsets = np.zeros(len(order) + 1, np.int64)
    nothing = np.empty(0, np.int64)
    if not len(order):
        return offsets, nothing, nothing
    _deal(order, counts, shares, offsets, nothing, nothing)
    offsets = np.cumsum(offsets)
    share, rows = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    _deal(order, counts, shares, offsets, share, rows)
    return offsets, share, rows


@kernel
def _dealt(stack: Any, at: Any, left: Any, share: Any) -> None:  # pragma: no cover - compiled
    for i in range(stack.shape[0]):
        one = at[stack[i]]
        share[i] = one
        left[one] -= 1
        if left[one] == 0:
            at[stack[i]] += 1


def dealt(stack: NDArray[np.int32], first: NDArray[np.int64], shares: NDArray[np.int64]) -> NDArray[np.int64]:
    """Deal rows out one after another, each to the first share of its stack that is not full.

    Parameters
    ----------
    stack : int32 [n]
        Stack of each row.
    first : int64 [n_stacks]
        First share of each stack.
    shares : int64 [n_shares]
        Rows that each share takes, positive; those of a stack are as many as its rows.

    Returns
    -------
    int64 [n]
        Share of each row.

    Examples
    --------
    >>> dealt(np.array([0, 1, 0, 0], np.int32), np.array([0, 2]), np.array([2, 1, 1])).tolist()
    [0, 2, 0, 1]
    """
    share = np.empty(stack.shape[0], np.int64)
    _dealt(stack, first.copy(), shares.copy(), share)
    return share
