"""What is read of counted lattice nodes: the nearest finer one, the price of suppression, and histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel
from shoal.kernels.lattice import Scratch

__all__ = ["dense_to_sparse", "finest_source", "gain_of"]


@kernel
def _finest(levels: Any, sizes: Any, n: int, node: Any) -> int:  # pragma: no cover - compiled
    best = -1
    for i in range(n):
        if best >= 0 and sizes[i] >= sizes[best]:
            continue
        finer = True
        for j in range(node.shape[0]):
            if levels[i, j] > node[j]:
                finer = False
                break
        if finer:
            best = i
    return best


@kernel
def _gain(  # noqa: PLR0917
    codes: Any, source: Any, rows: Any, chosen: Any, gains: Any, starts: Any
) -> float:  # pragma: no cover - compiled
    total = 0.0
    for i in range(source.shape[0]):
        if chosen[i]:
            own = 0.0
            for j in range(starts.shape[0]):
                own += gains[starts[j] + codes[source[i], j]]
            total += own * rows[i]
    return total


@kernel
def _entries(  # noqa: PLR0917
    dense: Any, chosen: Any, start: int, stop: int, offsets: Any, values: Any, counts: Any
) -> int:  # pragma: no cover - compiled
    n = 0
    for at in range(chosen.shape[0]):
        class_ = chosen[at]
        offsets[at] = n
        for v in range(start, stop):
            if dense[class_, v] > 0:
                values[n] = v - start
                counts[n] = dense[class_, v]
                n += 1
    offsets[chosen.shape[0]] = n
    return n


def finest_source(levels: NDArray[np.int32], *, sizes: NDArray[np.int64], n: int, node: NDArray[np.int32]) -> int:
    """Return which of the first *n* counted nodes is finer than *node* and has fewest classes, or -1."""
    return int(_finest(levels, sizes, n, node))


def gain_of(
    codes: NDArray[np.int32],
    *,
    source: NDArray[np.int32],
    rows: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    gains: NDArray[np.float64],
    starts: NDArray[np.int64],
) -> float:
    """Return what the *chosen* classes would cost more if they were suppressed.

    ``gains[starts[j] + code]`` is the difference for one row in column *j*.
    """
    return float(_gain(codes, source, rows, chosen, gains, starts))


def dense_to_sparse(
    dense: NDArray[np.int32], chosen: NDArray[np.int64], *, start: int, stop: int, scratch: Scratch
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return the positive entries of the columns ``start:stop`` as offsets, values and counts.

    Those of the *chosen* classes, one class after the other.
    Values and counts lie in *scratch*, behind those of the columns before *start*, until the next node is counted.

    Examples
    --------
    >>> dense = np.array([[9, 0, 2], [9, 1, 1]], np.int32)
    >>> offsets, values, counts = dense_to_sparse(
    ...     dense, np.array([0, 1]), start=1, stop=3, scratch=Scratch(2, 3, 0)
    ... )
    >>> offsets.tolist(), values.tolist(), counts.tolist()
    ([0, 1, 3], [1, 0, 1], [2, 1, 1])
    """
    offsets = np.empty(chosen.shape[0] + 1, np.int64)
    room = slice(start * scratch.n_points, stop * scratch.n_points)
    values, counts = scratch.values[room], scratch.counts[room]
    n = _entries(dense, chosen, start, stop, offsets, values, counts)
    return offsets, values[:n], counts[:n]
