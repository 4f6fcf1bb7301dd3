"""Sets of columns: who is alone in them, and how large their groups are."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.grouping import group_columns
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
    for i in range(n):
        key = 0
        for c in range(chosen.shape[0]):
            key += codes[chosen[c], i] * strides[c]
        seen = holder[key]
        if seen == -1:
            holder[key] = person[i]
        elif seen != person[i]:
            holder[key] = -2
    found = 0
    for i in range(n):
        key = 0
        for c in range(chosen.shape[0]):
            key += codes[chosen[c], i] * strides[c]
        if holder[key] != -2:
            alone[found] = i
            found += 1
    return found


class Subsets:
    """Records whose columns are looked at a few at a time.

    Parameters
    ----------
    codes : int32 [n_records, n_columns]
    sizes : sequence of int
        One above the largest code of each column.
    person : int64 [n_records]
        Whose each record is, or :data:`SEVERAL`.

    Examples
    --------
    Two records, of persons 0 and 1, and one that two people share:

    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    >>> subsets = Subsets(codes, [2, 2], np.array([0, 1, SEVERAL]))
    >>> subsets.alone([0]).tolist(), subsets.alone([0, 1]).tolist()
    ([], [0, 1])
    """

    def __init__(self, codes: NDArray[np.int32], sizes: Sequence[int], person: NDArray[np.int64]) -> None:
        self.codes = np.ascontiguousarray(codes.T)
        self.sizes = [int(size) for size in sizes]
        self.person = person.astype(np.int32)
        self._found = np.empty(person.shape[0], np.int64)

    def alone(self, columns: Sequence[int]) -> NDArray[np.int64]:
        """Return the records whose combination in some columns one person alone has, ascending."""
        n = self.person.shape[0]
        combinations = prod(self.sizes[j] for j in columns)
        # Clearing a table that is much larger than the records costs more than hashing them.
        if combinations <= min(DENSE, 8 * n + 1024):
            chosen = np.array(columns, np.int64)
            strides = np.cumprod([1, *(self.sizes[j] for j in columns[:-1])]).astype(np.int64)
            codes = self.codes
        else:
            groups, first = group_columns([self.codes[j] for j in columns], [self.sizes[j] for j in columns])
            codes, chosen, strides = groups[None, :], np.zeros(1, np.int64), np.ones(1, np.int64)
            combinations = first.shape[0]
        holder = np.full(combinations, _NOBODY, np.int32)
        found = _alone(codes, chosen, strides, self.person, holder, self._found)
        return self._found[:found].copy()
