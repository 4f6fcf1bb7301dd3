"""Many things done in consecutive parts, on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np

__all__ = ["at_once", "parts_of"]

MANY = 1 << 20
"""Things from which on they are done in parts."""

T = TypeVar("T")


def parts_of(n: int) -> list[slice]:
    """Return consecutive parts of *n* things, one for each core where there are many, else one.

    Examples
    --------
    >>> parts_of(3)
    [slice(0, 3, None)]
    """
    n_parts = (os.cpu_count() or 1) if n >= MANY else 1
    return [slice(*pair) for pair in pairwise(np.linspace(0, n, n_parts + 1).astype(int).tolist())]


def at_once(work: Callable[[slice], T], parts: Sequence[slice]) -> list[T]:
    """Return what *work* gives for each part, done side by side: kernels let other threads run."""
    if len(parts) == 1:
        return [work(parts[0])]
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(work, parts))
