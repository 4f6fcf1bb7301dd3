"""Buckets that are split one by one while no record is linked with a value too surely.

What a record shows in a group of columns is a *feature*, and so is what it shows beside the sensitive column
together with its value. A hash table holds the rows of each (feature, bucket) that occurs. Buckets get new numbers
when they are split, so entries are only added; those of buckets that are gone go when the table is rebuilt.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.grouping import slot_of
from shoal.kernels.jit import kernel

__all__ = ["enter", "passes"]

EMPTY = -1


@kernel
def _find(keys: Any, key: Any) -> Any:  # pragma: no cover - compiled
    """Return the slot of a key, or the free one where it belongs."""
    mask = np.uint64(keys.shape[0] - 1)
    at = slot_of(np.uint64(key), mask)
    while keys[at] not in (EMPTY, key):
        at = (at + np.uint64(1)) & mask
    return np.int64(at)


@kernel
def enter(  # pragma: no cover - compiled
    points: Any,
    bucket_of: Any,
    part: Any,
    offsets: Any,
    pair: Any,
    value: Any,
    counts: Any,
    keys: Any,
    rows: Any,
    head: Any,
    behind: Any,
    value_at: Any,
    bucket_rows: Any,
) -> int:
    """Count the features of *points* in their buckets; return how many entries were added.

    ``part [n_points, n_groups]`` and ``pair [n_items]`` hold features, ``value [n_items]`` the sensitive value.
    ``head`` chains the values of an entry of the last group through ``behind``.
    """
    n_groups = part.shape[1]
    added = 0
    for p in points:
        b = np.int64(bucket_of[p])
        own: Any = np.int64(0)
        n = 0
        for i in range(offsets[p], offsets[p + 1]):
            n += counts[i]
        bucket_rows[b] += n
        for g in range(n_groups):
            key = (np.int64(part[p, g]) << 32) + b
            own = _find(keys, key)
            if keys[own] == EMPTY:
                keys[own] = key
                rows[own] = 0
                head[own] = EMPTY
                added += 1
            rows[own] += n
        for i in range(offsets[p], offsets[p + 1]):
            key = (np.int64(pair[i]) << 32) + b
            at = _find(keys, key)
            if keys[at] == EMPTY:
                keys[at] = key
                rows[at] = 0
                value_at[at] = value[i]
                behind[at] = head[own]
                head[own] = at
                added += 1
            rows[at] += counts[i]
    return added


@kernel
def passes(  # pragma: no cover - compiled
    points: Any,
    bucket_of: Any,
    part: Any,
    starts: Any,
    sharing: Any,
    keys: Any,
    rows: Any,
    head: Any,
    behind: Any,
    value_at: Any,
    bucket_rows: Any,
    live: Any,
    most: float,
    n_values: int,
) -> float:
    """Return the largest probability with which a value is linked with one of *points*, or the first above *most*.

    ``sharing[starts[f]:starts[f + 1]]`` are the points that show feature *f*.
    """
    n_groups = part.shape[1]
    weight = np.zeros(n_values, np.float64)
    seen = np.empty(n_values, np.int64)
    stamp = np.full(bucket_rows.shape[0], -1, np.int64)
    worst = 0.0
    for p in points:
        short = 0
        for g in range(n_groups):
            f, s = part[p, g], part[p, short]
            if starts[f + 1] - starts[f] < starts[s + 1] - starts[s]:
                short = g
        first, last = starts[part[p, short]], starts[part[p, short] + 1]
        by_bucket = live.shape[0] < last - first
        total = 0.0
        n_seen = 0
        for candidate in range(live.shape[0] if by_bucket else last - first):
            b = np.int64(live[candidate]) if by_bucket else np.int64(bucket_of[sharing[first + candidate]])
            if stamp[b] == p:
                continue
            stamp[b] = p
            chance = 1.0
            own: Any = np.int64(0)
            for g in range(n_groups):
                own = _find(keys, (np.int64(part[p, g]) << 32) + b)
                if keys[own] == EMPTY:
                    chance = 0.0
                    break
                chance *= rows[own] / bucket_rows[b]
            if chance == 0.0:
                continue
            total += chance
            at = head[own]
            while at != EMPTY:
                s = value_at[at]
                if weight[s] == 0.0:
                    seen[n_seen] = s
                    n_seen += 1
                weight[s] += chance * rows[at] / rows[own]
                at = behind[at]
        largest = 0.0
        for i in range(n_seen):
            largest = max(largest, weight[seen[i]])
            weight[seen[i]] = 0.0
        worst = max(worst, largest / total)
        if worst > most:
            return worst
    return worst
