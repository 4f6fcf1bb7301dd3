"""Counted nodes that are remembered, so that coarser ones are merged from few classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.counted import finest_source

__all__ = ["Merged", "Sources"]

REMEMBERED = 2048
"""Largest number of nodes that are remembered."""

MEMORY = 1 << 25
"""Largest number of 32-bit entries that they hold together."""

NOWHERE = np.iinfo(np.int32).max
"""Level of a free place: finer than nothing."""


class Merged(NamedTuple):
    """Classes in the form from which coarser ones can be merged.

    Attributes
    ----------
    representative : int32 [n_classes]
        First point of each class; classes are in the order of their first points.
    rows : int64 [n_classes]
    extra : int32 [n_classes, n_values + n_people]
        Counts of the sensitive values of all columns side by side, then people by number, -1 where there are
        fewer.
    """

    representative: NDArray[np.int32]
    rows: NDArray[np.int64]
    extra: NDArray[np.int32]

    @property
    def entries(self) -> int:
        """Number of 32-bit entries."""
        return int(self.rows.shape[0] * (3 + self.extra.shape[1]))


class Sources:
    """The points, and the nodes that were counted last; the largest go first where memory ends."""

    def __init__(self, points: Merged, n_columns: int) -> None:
        self.levels = np.full((REMEMBERED, n_columns), NOWHERE, np.int32)
        self.levels[0] = 0
        self.sizes = np.zeros(REMEMBERED, np.int64)
        self.sizes[0] = points.rows.shape[0]
        self.kept: list[Merged | None] = [points]
        self.free: list[int] = []
        self.entries = 0
        self.oldest = 1

    def finest(self, node: NDArray[np.int32]) -> Merged:
        """Return the smallest source that is finer than *node*; the points are finer than all."""
        at = finest_source(self.levels, sizes=self.sizes, n=len(self.kept), node=node)
        found = self.kept[at]
        if found is None:
            raise AssertionError("a free place is finer than nothing")
        return found

    def remember(self, node: NDArray[np.int32], merged: Merged) -> None:
        """Keep a node as a source, unless it is larger than all that would have to go for it."""
        while self.entries + merged.entries > MEMORY:
            largest = int(self.sizes[1:].argmax()) + 1
            if self.sizes[largest] <= merged.rows.shape[0]:
                return
            self._forget(largest)
        if self.free:
            at = self.free.pop()
        elif len(self.kept) < REMEMBERED:
            at = len(self.kept)
            self.kept.append(None)
        else:
            at = self.oldest
            self.oldest = self.oldest % (REMEMBERED - 1) + 1
            self._forget(at)
            self.free.remove(at)
        self.kept[at], self.levels[at], self.sizes[at] = merged, node, merged.rows.shape[0]
        self.entries += merged.entries

    def _forget(self, at: int) -> None:
        old = self.kept[at]
        self.entries -= old.entries if old is not None else 0
        self.kept[at], self.levels[at], self.sizes[at] = None, NOWHERE, 0
        self.free.append(at)
