"""Dealing rows of stacks into groups that hold no stack twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["deal_stacks"]


@kernel
def _sift(heap: Any, left: Any, at: int, size: int) -> None:  # pragma: no cover - compiled
    """Move a stack down the heap until no taller one, or lower-numbered one as tall, lies below it."""
    while True:
        top = at
        for child in (2 * at + 1, 2 * at + 2):
            if child < size:
                a, b = heap[child], heap[top]
                if left[a] > left[b] or (left[a] == left[b] and a < b):
                    top = child
        if top == at:
            return
        heap[at], heap[top] = heap[top], heap[at]
        at = top


@kernel
def _deal(left: Any, l: int, stack: Any) -> int:  # pragma: no cover - compiled
    heap = np.flatnonzero(left > 0)
    size = heap.shape[0]
    for at in range(size // 2, -1, -1):
        _sift(heap, left, at, size)
    taken = np.empty(l, np.int64)
    n = 0
    while size >= l:
        for i in range(l):
            taken[i] = heap[0]
            size -= 1
            heap[0] = heap[size]
            _sift(heap, left, 0, size)
        for i in range(l):
            stack[n] = taken[i]
            n += 1
            left[taken[i]] -= 1
            if left[taken[i]] > 0:
                heap[size] = taken[i]
                size += 1
                at = size - 1
                while at > 0:
                    above = (at - 1) // 2
                    a, b = heap[at], heap[above]
                    if left[a] < left[b] or (left[a] == left[b] and a > b):
                        break
                    heap[at], heap[above] = b, a
                    at = above
    return n // l


def deal_stacks(heights: NDArray[np.int64], l: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Take one row from each of the *l* tallest stacks, again and again, while that many are left.

    Parameters
    ----------
    heights : int64 [n_stacks]
        Rows of each stack.
    l : int

    Returns
    -------
    stack : int64 [n_groups, l]
        Stacks that each group took a row of, the tallest first, equally tall ones by number.
    left : int64 [n_stacks]
        Rows that are left over. Where no stack had more than 1/l of the rows, none has more than one.

    Examples
    --------
    >>> stack, left = deal_stacks(np.array([1, 2, 3, 2]), 2)
    >>> stack.tolist(), left.tolist()
    ([[2, 1], [2, 3], [0, 1], [2, 3]], [0, 0, 0, 0])
    """
    left = heights.astype(np.int64)
    stack = np.empty(int(heights.sum()), np.int64)
    n_groups = _deal(left, l, stack)
    return stack[: n_groups * l].reshape(n_groups, l), left
