"""Shares of items, item by item: which rows of which item go where."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["merged_shares", "shares_by_item"]

_FEW = 32


@kernel
def _by_item(  # noqa: PLR0917
    item: Any, place: Any, rows: Any, at: Any, places: Any, amounts: Any
) -> None:  # pragma: no cover - compiled
    for share in range(item.shape[0]):
        to = at[item[share]]
        at[item[share]] += 1
        places[to] = place[share]
        amounts[to] = rows[share]


def shares_by_item(
    item: NDArray[np.int64], place: NDArray[Any], rows: NDArray[np.int64], n_items: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Sort shares by item; those of an item keep their order.

    Parameters
    ----------
    item : int64 [n_shares]
    place : integers [n_shares]
        Where each share goes.
    rows : int64 [n_shares]
    n_items : int

    Returns
    -------
    offsets : int64 [n_items + 1]
        Shares ``offsets[i]:offsets[i + 1]`` belong to item *i*.
    place : int32 [n_shares]
    rows : int64 [n_shares]

    Examples
    --------
    >>> item, place, rows = np.array([1, 0, 1]), np.array([5, 6, 7]), np.array([2, 3, 4])
    >>> [part.tolist() for part in shares_by_item(item, place, rows, 2)]
    [[0, 1, 3], [6, 5, 7], [3, 2, 4]]
    """
    offsets = np.zeros(n_items + 1, np.int64)
    np.cumsum(np.bincount(item, minlength=n_items), out=offsets[1:])
    places, amounts = np.empty(len(item), np.int32), np.empty(len(item), np.int64)
    _by_item(item, place, rows, offsets[:-1].copy(), places, amounts)
    return offsets, places, amounts


@kernel
def _sort_run(place: Any, rows: Any, start: int, stop: int) -> None:  # pragma: no cover - compiled
    if stop - start > _FEW:
        order = np.argsort(place[start:stop])
        place[start:stop] = place[start:stop][order]
        rows[start:stop] = rows[start:stop][order]
        return
    for share in range(start + 1, stop):
        one, amount, to = place[share], rows[share], share
        while to > start and place[to - 1] > one:
            place[to], rows[to] = place[to - 1], rows[to - 1]
            to -= 1
        place[to], rows[to] = one, amount


@kernel
def _merged(offsets: Any, place: Any, rows: Any, ends: Any) -> None:  # pragma: no cover - compiled
    to = 0
    for item in range(offsets.shape[0] - 1):
        start, stop = offsets[item], offsets[item + 1]
        for share in range(start + 1, stop):
            if place[share] < place[share - 1]:
                _sort_run(place, rows, start, stop)
                break
        for share in range(start, stop):
            if share > start and place[share] == place[to - 1]:
                rows[to - 1] += rows[share]
            else:
                place[to], rows[to] = place[share], rows[share]
                to += 1
        ends[item] = to


def merged_shares(
    offsets: NDArray[np.int64], place: NDArray[np.int32], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Sort the shares of each item by where they go, and join those that go to one place.

    Parameters and returned arrays are as :func:`shares_by_item` returns them.

    Examples
    --------
    >>> place = np.array([7, 2, 7], np.int32)
    >>> [part.tolist() for part in merged_shares(np.array([0, 3]), place, np.array([1, 2, 3]))]
    [[0, 2], [2, 7], [2, 4]]
    """
    place, rows = place.copy(), rows.copy()
    merged = np.zeros_like(offsets)
    _merged(offsets, place, rows, merged[1:])
    return merged, place[: merged[-1]], rows[: merged[-1]]
