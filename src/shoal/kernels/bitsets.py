"""Sets of classes as bits: which classes cover a leaf, which cover a point, and which bits are set."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["bits_of_leaves", "bits_of_members", "pack", "set_bits", "spread"]

Words = NDArray[np.uint64]


def spread(starts: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.int64]:
    """Return ``starts[i], starts[i] + 1, ...``, ``counts[i]`` of them, for each *i* in turn.

    Examples
    --------
    >>> spread(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    first = np.asarray(starts, np.int64) - (ends - counts)
    return np.repeat(first, counts) + np.arange(ends[-1] if len(ends) else 0)


def bits_of_leaves(
    leaves: NDArray[Any], cells: NDArray[Any], offsets: NDArray[Any], lo: NDArray[Any], hi: NDArray[Any]
) -> Words:
    """Return which classes cover each leaf of one column.

    Parameters
    ----------
    leaves : int [n_leaves]
        Leaf codes, rising.
    cells : int [n_classes]
        Label of each class.
    offsets : int [n_labels + 1]
        Runs ``offsets[v]:offsets[v + 1]`` belong to label *v*; they do not overlap.
    lo, hi : int [n_runs]
        First and last leaf of each run, both included.

    Returns
    -------
    uint64 [n_leaves, ceil(n_classes / 64)]
        Bit *c* of a row says whether class *c* covers the leaf.

    Notes
    -----
    Each run toggles its class where it begins and behind its end; summed by exclusive or along the leaves, this
    takes one step per run and one per word, and none per leaf of a run.
    """
    runs = np.diff(offsets)[cells]
    run = spread(np.asarray(offsets)[cells], runs)
    class_ = np.repeat(np.arange(len(cells)), runs)
    n_words = -(-len(cells) // 64)
    toggled = np.zeros((len(leaves) + 1, n_words), np.uint64)
    bit = np.uint64(1) << (class_ & 63).astype(np.uint64)
    for ends in (np.searchsorted(leaves, lo[run]), np.searchsorted(leaves, hi[run], side="right")):
        np.bitwise_xor.at(toggled.reshape(-1), ends * n_words + (class_ >> 6), bit)
    words: Words = np.bitwise_xor.accumulate(toggled, axis=0)[:-1]
    return words


def bits_of_members(keys: NDArray[Any], members: NDArray[Any], n_keys: int, n_members: int) -> Words:
    """Return for each key which members have it, uint64 [n_keys, ceil(n_members / 64)]; pairs are distinct."""
    n_words = -(-n_members // 64)
    words = np.zeros((n_keys, n_words), np.uint64)
    bit = np.uint64(1) << (members & 63).astype(np.uint64)
    np.bitwise_or.at(words.reshape(-1), keys.astype(np.int64) * n_words + (members >> 6), bit)
    return words


def pack(flags: NDArray[np.bool_]) -> Words:
    """Return rows of flags as words, uint64 [n_rows, ceil(n_flags / 64)]."""
    n_words = -(-flags.shape[1] // 64)
    packed = np.zeros((flags.shape[0], n_words * 8), np.uint8)
    found = np.packbits(flags, axis=1, bitorder="little")
    packed[:, : found.shape[1]] = found
    return packed.view("<u8").astype(np.uint64, copy=False)


def set_bits(words: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row and number of every bit that is set, by row and then by number.

    Examples
    --------
    >>> [found.tolist() for found in set_bits(np.array([[5, 1], [0, 2]], np.uint64))]
    [[0, 0, 0, 1], [0, 2, 64, 65]]
    """
    row, word = np.nonzero(words)
    octets = words[row, word].astype("<u8").view(np.uint8).reshape(-1, 8)
    at, bit = np.nonzero(np.unpackbits(octets, axis=1, bitorder="little"))
    return row[at].astype(np.int64), word[at].astype(np.int64) * 64 + bit
