"""Grouping rows of small integers: the one loop that everything else stands on.

Groups are numbered in the order in which their first row appears, so the result depends on the rows alone.
Rows are packed into 64-bit keys; tables too wide for that are grouped a few columns at a time, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

KEY_LIMIT = 1 << 63

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def _group_keys(keys: Any, groups: Any, first: Any, slots: Any) -> int:  # pragma: no cover - compiled
    mask = np.uint64(slots.shape[0] - 1)
    n_groups = 0
    for row in range(keys.shape[0]):
        key = keys[row]
        mixed = key * _GOLDEN
        at = (mixed ^ (mixed >> np.uint64(32))) & mask
        while True:
            group = slots[at]
            if group < 0:
                slots[at] = n_groups
                first[n_groups] = row
                groups[row] = n_groups
                n_groups += 1
                break
            if keys[first[group]] == key:
                groups[row] = group
                break
            at = (at + np.uint64(1)) & mask
    return n_groups


@kernel
def _sum_by_group(groups: Any, amounts: Any, sums: Any) -> None:  # pragma: no cover - compiled
    for row in range(groups.shape[0]):
        if groups[row] >= 0:
            sums[groups[row]] += amounts[row]


def group_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number equal keys alike.

    Parameters
    ----------
    keys : uint64 [n_rows]
        One key per row.

    Returns
    -------
    groups : int32 [n_rows]
        Group of each row, numbered by first appearance.
    first : int64 [n_groups]
        Row in which each group appears first.
    """
    n_rows = keys.shape[0]
    slots = np.full(1 << max(4, (2 * n_rows).bit_length()), -1, np.int32)
    groups = np.empty(n_rows, np.int32)
    first = np.empty(n_rows, np.int64)
    n_groups = _group_keys(np.ascontiguousarray(keys, np.uint64), groups, first, slots)
    return groups, first[:n_groups].copy()


def group_columns(
    columns: Sequence[NDArray[Any]], cardinalities: Sequence[int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number equal rows of several code columns alike.

    Parameters
    ----------
    columns : sequence of integer arrays [n_rows]
        Codes, each in ``[0, cardinality)``.
    cardinalities : sequence of int
        One above the largest code of each column.

    Returns
    -------
    groups : int32 [n_rows]
        Group of each row, numbered by first appearance.
    first : int64 [n_groups]
        Row in which each group appears first.

    Examples
    --------
    >>> groups, first = group_columns([np.array([1, 0, 1]), np.array([2, 2, 2])], [2, 3])
    >>> groups.tolist(), first.tolist()
    ([0, 1, 0], [0, 1])
    """
    if not columns:
        raise ValueError("at least one column is needed")
    keys = columns[0].astype(np.uint64)
    room = max(1, int(cardinalities[0]))
    for column, cardinality in zip(columns[1:], cardinalities[1:], strict=True):
        size = max(1, int(cardinality))
        if room * size > KEY_LIMIT:
            groups, first = group_keys(keys)
            keys = groups.astype(np.uint64)
            room = max(1, first.shape[0])
        keys = keys * np.uint64(size) + column.astype(np.uint64)
        room *= size
    return group_keys(keys)


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
