"""Grouping rows of small integers: the one loop that everything else stands on.

Rows are packed into 64-bit keys; tables too wide for that are grouped a few columns at a time, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel
from shoal.kernels.side_by_side import side_by_side

__all__ = ["distinct_rows", "group_columns", "group_keys", "rank_columns", "slot_of", "sort_keys", "sum_by_group"]

KEY_LIMIT = 1 << 63
WORD = 64

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_SLOTS = 1 << 14
_LARGE = 1 << 20
_SAMPLE = 1 << 16


@kernel
def slot_of(key: Any, mask: Any) -> Any:  # pragma: no cover - compiled
    """Return where a hash table of ``mask + 1`` slots looks for a key first."""
    mixed = key * _GOLDEN
    return (mixed ^ (mixed >> np.uint64(32))) & mask


@kernel
def _grown(slots: Any, keys: Any, first: Any, n_groups: Any) -> Any:  # pragma: no cover - compiled
    larger = np.full(slots.shape[0] * 4, -1, np.int32)
    mask = np.uint64(larger.shape[0] - 1)
    for group in range(n_groups):
        at = slot_of(keys[first[group]], mask)
        while larger[at] >= 0:
            at = (at + np.uint64(1)) & mask
        larger[at] = group
    return larger


@kernel
def _group_keys(keys: Any, groups: Any, n_slots: Any) -> Any:  # pragma: no cover - compiled
    # The table starts small and grows with the groups: few groups among many rows stay in the cache.
    slots = np.full(n_slots, -1, np.int32)
    first = np.empty(n_slots // 2 + 1, np.int64)
    mask = np.uint64(slots.shape[0] - 1)
    n_groups = 0
    for row in range(keys.shape[0]):
        key = keys[row]
        at = slot_of(key, mask)
        while True:
            group = slots[at]
            if group < 0:
                first[n_groups] = row
                slots[at] = n_groups
                groups[row] = n_groups
                n_groups += 1
                if 2 * n_groups > slots.shape[0]:
                    slots = _grown(slots, keys, first, n_groups)
                    mask = np.uint64(slots.shape[0] - 1)
                    wider = np.empty(slots.shape[0] // 2 + 1, np.int64)
                    wider[:n_groups] = first[:n_groups]
                    first = wider
                break
            if keys[first[group]] == key:
                groups[row] = group
                break
            at = (at + np.uint64(1)) & mask
    return first[:n_groups].copy()


@kernel
def _sum_by_group(groups: Any, amounts: Any, sums: Any) -> None:  # pragma: no cover - compiled
    for row in range(groups.shape[0]):
        if groups[row] >= 0:
            sums[groups[row]] += amounts[row]


def group_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number equal keys alike, by first appearance.

    Parameters
    ----------
    keys : uint64 [n_rows]
        One key per row.

    Returns
    -------
    groups : int32 [n_rows]
        Group of each row.
    first : int64 [n_groups]
        Row in which each group appears first.
    """
    groups = np.empty(keys.shape[0], np.int32)
    return groups, _group_keys(np.ascontiguousarray(keys, np.uint64), groups, _FIRST_SLOTS)


def _packed(columns: Sequence[NDArray[Any]], cardinalities: Sequence[int]) -> tuple[NDArray[np.uint64], bool]:
    """Return one key per row, and whether the order of the keys is that of the rows."""
    if not columns:
        raise ValueError("at least one column is needed")
    keys = columns[0].astype(np.uint64)
    room = max(1, int(cardinalities[0]))
    sorted_alike = True
    for column, cardinality in zip(columns[1:], cardinalities[1:], strict=True):
        size = max(1, int(cardinality))
        if room * size > KEY_LIMIT:
            groups, first = group_keys(keys)
            keys = groups.astype(np.uint64)
            room = max(1, first.shape[0])
            sorted_alike = False
        keys *= np.uint64(size)
        np.add(keys, column, out=keys, dtype=np.uint64, casting="unsafe")
        room *= size
    return keys, sorted_alike


def _mostly_distinct(keys: NDArray[np.uint64]) -> bool:
    """Guess from a sample whether most keys occur once, so that sorting beats hashing."""
    n = keys.shape[0]
    if n < _LARGE:
        return False
    sample = keys[:: n // _SAMPLE]
    return bool(2 * np.unique(sample).shape[0] > sample.shape[0])


def sort_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return an order in which keys rise, equal ones in the order of their rows, and the keys in this order.

    Examples
    --------
    >>> order, ordered = sort_keys(np.array([7, 3, 7, 3], np.uint64))
    >>> order.tolist(), ordered.tolist()
    ([1, 3, 0, 2], [3, 3, 7, 7])
    """
    n = keys.shape[0]
    bits = max(n - 1, 0).bit_length()
    if n and int(keys.max()).bit_length() + bits <= WORD:
        # Numbers are sorted several times quicker than an order of them, so each takes its row along.
        ordered = keys << np.uint64(bits)
        ordered |= np.arange(n, dtype=np.uint64)
        ordered.sort()
        order = (ordered & np.uint64((1 << bits) - 1)).view(np.int64)
        ordered >>= np.uint64(bits)
        return order, ordered
    order = _order_of_wide(keys)
    return order, keys[order]


def _order_of_wide(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Sort keys that leave no room for a row; of many the lower half is sorted beside the upper one."""
    if keys.shape[0] < _LARGE:
        return np.argsort(keys, kind="stable")
    pivot = np.partition(keys[:: keys.shape[0] // _SAMPLE], _SAMPLE // 2)[_SAMPLE // 2]
    low = keys < pivot

    def ordered(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        at = np.flatnonzero(marked)
        return at[np.argsort(keys[at], kind="stable")]

    # NumPy lets other threads run while it sorts.
    with ThreadPoolExecutor(2) as pool:
        return np.concatenate(list(pool.map(ordered, [low, ~low])))


def group_columns(
    columns: Sequence[NDArray[Any]], cardinalities: Sequence[int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number equal rows of several code columns alike, by first appearance.

    Parameters
    ----------
    columns : sequence of integer arrays [n_rows]
        Codes, each in ``[0, cardinality)``.
    cardinalities : sequence of int
        One above the largest code of each column.

    Returns
    -------
    groups : int32 [n_rows]
        Group of each row.
    first : int64 [n_groups]
        Row in which each group appears first.

    Examples
    --------
    >>> groups, first = group_columns([np.array([1, 0, 1]), np.array([2, 2, 2])], [2, 3])
    >>> groups.tolist(), first.tolist()
    ([0, 1, 0], [0, 1])
    """
    keys, _ = _packed(columns, cardinalities)
    return group_keys(keys)


def rank_columns(
    columns: Sequence[NDArray[Any]], cardinalities: Sequence[int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number equal rows alike, in the lexicographic order of their codes.

    As :func:`group_columns`, but the numbers do not depend on the order of the rows. The second array holds
    any one row of each group.

    Examples
    --------
    >>> groups, first = rank_columns([np.array([1, 0, 1]), np.array([2, 2, 2])], [2, 3])
    >>> groups.tolist(), first.tolist()
    ([1, 0, 1], [1, 0])
    """
    groups, first, _ = _ranked(columns, cardinalities)
    return groups, first


def distinct_rows(
    columns: Sequence[NDArray[Any]], cardinalities: Sequence[int]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return which distinct row each row is, and the distinct rows in lexicographic order.

    Parameters
    ----------
    columns, cardinalities
        As in :func:`group_columns`.

    Returns
    -------
    groups : int32 [n_rows]
    distinct : int32 [n_groups, n_columns]
        Column by column in memory.

    Examples
    --------
    >>> groups, distinct = distinct_rows([np.array([1, 0, 1]), np.array([2, 2, 2])], [2, 3])
    >>> groups.tolist(), distinct.tolist()
    ([1, 0, 1], [[0, 2], [1, 2]])
    """
    groups, first, left = _ranked(columns, cardinalities)
    if left is None:
        return groups, side_by_side(columns, first, n_rows=first.shape[0])
    # A key holds its row, which saves looking it up anywhere in the table.
    distinct = np.empty((left.shape[0], len(columns)), np.int32, order="F")
    for j in range(len(columns) - 1, 0, -1):
        size = np.uint64(max(1, int(cardinalities[j])))
        above = left // size
        np.subtract(left, above * size, out=distinct[:, j], casting="unsafe")
        left = above
    distinct[:, 0] = left
    return groups, distinct


def _ranked(
    columns: Sequence[NDArray[Any]], cardinalities: Sequence[int]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.uint64] | None]:
    """Number rows in their order: the number of each, some row of each number, its key where keys hold rows."""
    keys, sorted_alike = _packed(columns, cardinalities)
    if sorted_alike:
        return _rank_keys(keys)
    groups, first = group_keys(keys)
    order = np.lexsort([column[first] for column in reversed(columns)])
    return *_renumbered(groups, first, order), None


def _rank_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.uint64]]:
    """Number keys in their order: the number of each, some row of each number, and the different keys."""
    if not _mostly_distinct(keys):
        groups, first = group_keys(keys)
        groups, first = _renumbered(groups, first, np.argsort(keys[first], kind="stable"))
        return groups, first, keys[first]
    order, ordered = sort_keys(keys)
    starts = np.ones(keys.shape[0], bool)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    groups = np.empty(keys.shape[0], np.int32)
    groups[order] = np.cumsum(starts, dtype=np.int32) - 1
    return groups, order[starts], ordered[starts]


def _renumbered(
    groups: NDArray[np.int32], first: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number groups by their place in *order*."""
    rank = np.empty(order.shape[0], np.int32)
    rank[order] = np.arange(order.shape[0], dtype=np.int32)
    return rank[groups], first[order]


def sum_by_group(groups: NDArray[Any], amounts: NDArray[Any], n_groups: int) -> NDArray[Any]:
    """Add up *amounts* per group, exactly for integers; rows of group -1 are left out.

    Examples
    --------
    >>> sum_by_group(np.array([0, 1, 0, -1]), np.array([5, 2, 1, 9]), 2).tolist()
    [6, 2]
    """
    sums = np.zeros(n_groups, np.float64 if amounts.dtype.kind == "f" else np.int64)
    _sum_by_group(groups, amounts, sums)
    return sums
