"""Groups of different sensitive values, formed along an order of records."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["frontier_groups", "joined_runs"]


@kernel
def _sift_up(heap: Any, at: int) -> None:  # pragma: no cover - compiled
    entry = heap[at]
    while at > 0 and heap[(at - 1) // 2] > entry:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = entry


@kernel
def _take_first(heap: Any, size: int) -> Any:  # pragma: no cover - compiled
    first = heap[0]
    entry = heap[size - 1]
    at = 0
    while 2 * at + 1 < size - 1:
        below = 2 * at + 1
        if below + 1 < size - 1 and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= entry:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = entry
    return first


@kernel
def _frontier(  # noqa: PLR0917
    value: Any, rows: Any, block: Any, starts: Any, l: int, shares: Any, times: Any
) -> Any:  # pragma: no cover - compiled
    m = starts.shape[0] - 1
    count = np.zeros(m, np.int64)
    n = 0
    for i in range(value.shape[0]):
        count[value[i]] += rows[i]
        n += rows[i]
    # Values by how many rows they have left: lists linked in both directions.
    head = np.full(n // l + 1, -1, np.int64)
    after = np.full(m, -1, np.int64)
    before = np.full(m, -1, np.int64)
    at = starts[:m].copy()
    left = np.zeros(m, np.int64)
    heap = np.empty(value.shape[0] + m + l, np.int64)
    size = 0
    for v in range(m):
        if count[v] > 0:
            left[v] = rows[block[at[v]]]
            heap[size] = block[at[v]]
            size += 1
            _sift_up(heap, size - 1)
            after[v] = head[count[v]]
            if after[v] >= 0:
                before[after[v]] = v
            head[count[v]] = v
    top = head.shape[0] - 1
    taken = np.empty(2 * l, np.int64)
    aside = np.empty(2 * l, np.int64)
    n_shares = 0
    n_groups = 0
    while n >= 2 * l:
        most = n // l
        n_taken = 0
        v = head[most]
        while v >= 0:
            taken[n_taken] = v
            n_taken += 1
            v = after[v]
        n_forced = n_taken
        n_aside = 0
        while n_taken < l:
            first = _take_first(heap, size)
            size -= 1
            v = value[first]
            if count[v] == 0 or block[at[v]] != first:
                continue
            if count[v] == most:
                aside[n_aside] = first
                n_aside += 1
            else:
                taken[n_taken] = v
                n_taken += 1
        for i in range(n_aside):
            heap[size] = aside[i]
            size += 1
            _sift_up(heap, size - 1)
        repeat = 1
        if n_taken == l:
            # The same group comes again until a record is used up or another value must be taken, too.
            while top > 0 and (top >= most or head[top] < 0):
                top -= 1
            repeat = min((n - 2 * l) // l + 1, max(1, most - top))
            for i in range(n_taken):
                repeat = min(repeat, left[taken[i]])
        if n_shares + n_taken > shares.shape[0]:
            wider = np.empty((2 * shares.shape[0], 3), np.int64)
            wider[:n_shares] = shares[:n_shares]
            shares = wider
        if n_groups + 2 > times.shape[0]:
            longer = np.empty(2 * times.shape[0], np.int64)
            longer[:n_groups] = times[:n_groups]
            times = longer
        for i in range(n_taken):
            v = taken[i]
            shares[n_shares, 0] = block[at[v]]
            shares[n_shares, 1] = n_groups
            shares[n_shares, 2] = repeat
            n_shares += 1
            if before[v] >= 0:
                after[before[v]] = after[v]
            else:
                head[count[v]] = after[v]
            if after[v] >= 0:
                before[after[v]] = before[v]
            count[v] -= repeat
            after[v] = head[count[v]]
            before[v] = -1
            if after[v] >= 0:
                before[after[v]] = v
            head[count[v]] = v
            left[v] -= repeat
            moved = left[v] == 0
            if moved:
                at[v] += 1
                if count[v] > 0:
                    left[v] = rows[block[at[v]]]
            if count[v] > 0 and (moved or i >= n_forced):
                heap[size] = block[at[v]]
                size += 1
                _sift_up(heap, size - 1)
        times[n_groups] = repeat
        n_groups += 1
        n -= repeat * n_taken
    last = n_shares
    for v in range(m):
        if count[v] > 0:
            last += starts[v + 1] - at[v]
    if last > shares.shape[0]:
        wider = np.empty((last, 3), np.int64)
        wider[:n_shares] = shares[:n_shares]
        shares = wider
    for v in range(m):
        if count[v] > 0:
            for i in range(at[v], starts[v + 1]):
                shares[n_shares, 0] = block[i]
                shares[n_shares, 1] = n_groups
                shares[n_shares, 2] = left[v] if i == at[v] else rows[block[i]]
                n_shares += 1
    times[n_groups] = 1
    return shares[:n_shares].copy(), times[: n_groups + 1].copy()


def frontier_groups(
    value: NDArray[np.int32], rows: NDArray[np.int64], *, l: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide records into groups of l to 2l - 1 rows in which no value has more than the share 1/l.

    Rows of one value leave in the order of the records. Every group takes the first remaining row of each value
    that makes up a share of 1/l of what remains (rounded), and then of those whose first row comes first, until
    it has l values. What remains keeps to the share 1/l, so the last group does, too.

    Parameters
    ----------
    value : int32 [n]
        Sensitive value of each record, in the order along which groups are formed.
    rows : int64 [n]
        Rows of each record, positive. No value may have more than the share 1/l of all.
    l : int
        At least 1.

    Returns
    -------
    shares : int64 [n_shares, 3]
        Record, group, and the rows of the record that go there; sorted by group.
    times : int64 [n_groups]
        How many equal groups each group stands for.

    Raises
    ------
    ValueError
        If a value has more than the share 1/l.

    Examples
    --------
    >>> shares, _ = frontier_groups(np.array([0, 0, 1, 1], np.int32), np.array([1, 1, 1, 1]), l=2)
    >>> shares.tolist()
    [[2, 0, 1], [0, 0, 1], [1, 1, 1], [3, 1, 1]]
    """
    if not value.size:
        return np.empty((0, 3), np.int64), np.empty(0, np.int64)
    n_values = int(value.max()) + 1
    # In the smallest type: NumPy sorts short numbers by counting them.
    block = np.argsort(value.astype(np.min_scalar_type(n_values)), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(value, minlength=n_values))]).astype(np.int64)
    if l * np.add.reduceat(rows[block], starts[:-1][np.diff(starts) > 0]).max() > rows.sum():
        raise ValueError("a value has more than the share 1/l")
    room = max(16, value.shape[0] + value.shape[0] // 2)
    shares: NDArray[np.int64]
    times: NDArray[np.int64]
    shares, times = _frontier(
        np.ascontiguousarray(value, np.int64),
        np.ascontiguousarray(rows, np.int64),
        block,
        starts,
        l,
        np.empty((room, 3), np.int64),
        np.empty(room, np.int64),
    )
    return shares, times


@kernel
def _joined_runs(rows: Any, k: int, joined: Any) -> None:  # pragma: no cover - compiled
    left = 0
    for i in range(rows.shape[0]):
        left += rows[i]
    at = 0
    size = 0
    for i in range(rows.shape[0]):
        if size >= k and left >= k:
            at += 1
            size = 0
        joined[i] = at
        size += rows[i]
        left -= rows[i]


def joined_runs(rows: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Number the runs of neighbouring groups that have at least *k* rows together, as short as they can be.

    What is too little at the end goes to the last run.

    Parameters
    ----------
    rows : int64 [n_groups]
    k : int

    Returns
    -------
    int64 [n_groups]
        Ascending from 0.

    Examples
    --------
    >>> joined_runs(np.array([2, 2, 2, 3, 2]), 3).tolist()
    [0, 0, 1, 1, 1]
    """
    joined = np.zeros(len(rows), np.int64)
    _joined_runs(np.ascontiguousarray(rows, np.int64), k, joined)
    return joined
