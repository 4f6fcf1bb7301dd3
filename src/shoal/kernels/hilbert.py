"""The Hilbert curve in any number of dimensions: points that are near on it are near in space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.grouping import sort_keys
from shoal.kernels.jit import kernel
from shoal.kernels.parts import at_once, parts_of

__all__ = ["curve_order", "hilbert_keys"]

WORD = 64


@kernel
def _keys(codes: Any, bits: Any, keys: Any) -> None:  # pragma: no cover - compiled
    d = codes.shape[1]
    spare = keys.shape[1] * WORD - d * bits
    x = np.empty(d, np.uint64)
    zero, one = np.uint64(0), np.uint64(1)
    for row in range(codes.shape[0]):
        for i in range(d):
            x[i] = np.uint64(codes[row, i])
        for bit in range(bits - 1, 0, -1):
            below = (one << np.uint64(bit)) - one
            for i in range(d):
                # Where the bit is set, invert the first coordinate, else swap it with this one: without a branch,
                # which would be guessed wrong half of the time.
                inverted = below & (zero - ((x[i] >> np.uint64(bit)) & one))
                swapped = (x[0] ^ x[i]) & (below ^ inverted)
                x[0] ^= swapped ^ inverted
                x[i] ^= swapped
        for i in range(1, d):
            x[i] ^= x[i - 1]
        turned = np.uint64(0)
        for bit in range(bits - 1, 0, -1):
            turned ^= ((one << np.uint64(bit)) - one) & (zero - ((x[d - 1] >> np.uint64(bit)) & one))
        for i in range(d):
            x[i] ^= turned
        at = spare
        word = np.uint64(0)
        for bit in range(bits - 1, -1, -1):
            for i in range(d):
                word = (word << one) | ((x[i] >> np.uint64(bit)) & one)
                at += 1
                if at % WORD == 0:
                    keys[row, at // WORD - 1] = word
                    word = np.uint64(0)


def hilbert_keys(codes: NDArray[np.int32], bits: int) -> NDArray[np.uint64]:
    """Return the place of each point on the Hilbert curve through a cube of side ``2**bits``.

    The keys are a bijection, and points with consecutive keys differ by 1 in one coordinate.

    Parameters
    ----------
    codes : int32 [n, d]
        Coordinates, each in ``[0, 2**bits)``.
    bits : int
        At least 1.

    Returns
    -------
    uint64 [n, n_words]
        Keys of ``d * bits`` bits, the most significant word first.

    References
    ----------
    .. [1] Skilling, J. (2004), Programming the Hilbert curve. doi:10.1063/1.1751381

    Examples
    --------
    >>> square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    >>> hilbert_keys(square, 1)[:, 0].tolist()
    [0, 1, 3, 2]
    """
    n, d = codes.shape
    keys = np.zeros((n, max(1, -(-d * bits // WORD))), np.uint64)
    if d:
        points = np.ascontiguousarray(codes, np.int32)
        at_once(lambda part: _keys(points[part], bits, keys[part]), parts_of(n))
    return keys


def curve_order(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the points in their order on the curve through the smallest cube that holds them.

    Parameters
    ----------
    codes : int32 [n, d]
        Coordinates, not negative.

    Returns
    -------
    int64 [n]
        Indices of the points; equal points keep their order.

    Examples
    --------
    >>> curve_order(np.array([[0, 1], [1, 1], [0, 0], [1, 0]], np.int32)).tolist()
    [2, 0, 1, 3]
    """
    # A column without a difference would only lengthen the keys.
    most = codes.max(axis=0, initial=0)
    wide = codes if most.all() else codes[:, most > 0]
    bits = max(1, int(most.max(initial=0)).bit_length())
    keys = hilbert_keys(wide, bits)
    if keys.shape[1] == 1:
        return sort_keys(keys[:, 0])[0]
    order: NDArray[np.int64] = np.lexsort(keys.T[::-1])
    return order
