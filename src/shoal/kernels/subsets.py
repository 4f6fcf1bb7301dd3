"""Sets of columns: who is alone in them, and how large their groups are."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.grouping import group_columns, group_keys
from shoal.kernels.jit import kernel

__all__ = ["SEVERAL", "Subsets"]

SEVERAL = -2
"""Person of a record that stands for more than one."""

DENSE = 1 << 23
"""Largest number of combinations for which a table of all of them is kept; more are grouped by hashing."""

_NOBODY = -1


@kernel
def _alone(  # noqa: PLR0917 - a compiled loop takes plain arrays
    codes: Any, chosen: Any, strides: Any, person: Any, holder: Any, alone: Any
) -> int:  # pragma: no cover - compiled
    # holder: who has each combination; one person, nobody, or several.
    n = person.shape[0]
    single = 0
    for i in range(n):
        key = 0
        for c in range(chosen.shape[0]):
            key += codes[chosen[c], i] * strides[c]
        seen = holder[key]
        if seen == -1:
            holder[key] = person[i]
            single += person[i] != -2
        elif seen != person[i] and seen != -2:
            holder[key] = -2
            single -= 1
    found = 0
    if single == 0:
        return found
    for i in range(n):
        key = 0
        for c in range(chosen.shape[0]):
            key += codes[chosen[c], i] * strides[c]
        if holder[key] != -2:
            alone[found] = i
            found += 1
    return found


@kernel
def _crowded(keys: Any, shift: Any, met: Any, crowded: Any) -> int:  # pragma: no cover - compiled
    # met: whether no key (0), one (1) or more (2) have the same first bits.
    for i in range(keys.shape[0]):
        bucket = keys[i] >> shift
        if met[bucket] < 2:
            met[bucket] += 1
    found = 0
    for i in range(keys.shape[0]):
        if met[keys[i] >> shift] > 1:
            crowded[found] = i
            found += 1
    return found


@kernel
def _sizes(codes: Any, chosen: Any, strides: Any, weight: Any, sizes: Any) -> Any:  # pragma: no cover - compiled
    for i in range(weight.shape[0]):
        key = 0
        for c in range(chosen.shape[0]):
            key += codes[chosen[c], i] * strides[c]
        sizes[key] += weight[i]
    groups, together = 0, 0
    for key in range(sizes.shape[0]):
        if sizes[key]:
            groups += 1
            together += sizes[key] * (sizes[key] - 1)
    return groups, together


class Subsets:
    """Records whose columns are looked at a few at a time.

    Parameters
    ----------
    codes : int32 [n_records, n_columns]
    sizes : sequence of int
        One above the largest code of each column.
    person : int64 [n_records]
        Whose each record is, or :data:`SEVERAL`.
    weight : int64 [n_records]
        How many members each record stands for.

    Examples
    --------
    Two records, of persons 0 and 1, and one that two people share:

    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    >>> subsets = Subsets(codes, [2, 2], np.array([0, 1, SEVERAL]), np.array([1, 1, 2]))
    >>> subsets.alone([0]).tolist(), subsets.alone([0, 1]).tolist()
    ([], [0, 1])
    >>> subsets.groups([0]), subsets.groups([0, 1])
    ((2, 4), (3, 2))
    """

    def __init__(
        self,
        codes: NDArray[np.int32],
        sizes: Sequence[int],
        person: NDArray[np.int64],
        weight: NDArray[np.int64],
    ) -> None:
        self.codes = np.ascontiguousarray(codes.T)
        self.sizes = [int(size) for size in sizes]
        self.person = person.astype(np.int32)
        self.weight = weight
        self._found = np.empty(person.shape[0], np.int64)

    def alone(self, columns: Sequence[int]) -> NDArray[np.int64]:
        """Return the records whose combination in some columns one person alone has, ascending."""
        codes, chosen, strides, combinations = self._keys(columns)
        holder = np.full(combinations, _NOBODY, np.int32)
        found = _alone(codes, chosen, strides, self.person, holder, self._found)
        return self._found[:found].copy()

    def alone_in(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the records whose key one person alone has, ascending; the keys' bits are evenly random."""
        n = keys.shape[0]
        # Most keys that nobody shares differ from all others in their first bits already, which is quick to see.
        bits = min(24, max(1, (8 * n).bit_length()))
        at = self._found[: _crowded(keys, np.uint64(64 - bits), np.zeros(1 << bits, np.uint8), self._found)].copy()
        alone = self.person != SEVERAL
        alone[at] = False
        groups, first = group_keys(keys[at])
        holder = np.full(first.shape[0], _NOBODY, np.int32)
        whole = np.zeros(1, np.int64), np.ones(1, np.int64)
        found = _alone(groups[None, :], *whole, self.person[at], holder, self._found)
        alone[at[self._found[:found]]] = True
        return np.flatnonzero(alone)

    def groups(self, columns: Sequence[int]) -> tuple[int, int]:
        """Return how many groups some columns make, and how many ordered pairs of members share one.

        Members are added up, so this is for records without people.
        """
        codes, chosen, strides, combinations = self._keys(columns)
        groups, together = _sizes(codes, chosen, strides, self.weight, np.zeros(combinations, np.int64))
        return int(groups), int(together)

    def _keys(self, columns: Sequence[int]) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64], int]:
        """Return codes, which of them, their strides and the number of keys; wide sets are grouped first."""
        n = self.person.shape[0]
        combinations = prod(self.sizes[j] for j in columns)
        # Clearing a table that is much larger than the records costs more than hashing them.
        if combinations <= min(DENSE, 8 * n + 1024):
            strides = np.cumprod([1, *(self.sizes[j] for j in columns[:-1])]).astype(np.int64)
            return self.codes, np.array(columns, np.int64), strides, combinations
        groups, first = group_columns([self.codes[j] for j in columns], [self.sizes[j] for j in columns])
        return groups[None, :], np.zeros(1, np.int64), np.ones(1, np.int64), first.shape[0]
