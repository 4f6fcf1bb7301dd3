"""The buckets of a slicing while they are split, and whether a split keeps every link weak enough."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes
from shoal.algorithms.bucket_rules import Asked
from shoal.algorithms.testing import Tester
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import rank_columns
from shoal.kernels.slicing import EMPTY, enter, passes

__all__ = ["SlicingState"]

FIRST_SLOTS = 1 << 12


class SlicingState:
    """Buckets of points, counted so that the links of some of them are found quickly.

    Parameters
    ----------
    table : FrequencyTable
    asked : Asked
    groups : tuple of tuple of str
    most : float
        Largest probability that a link may have.
    local : bool
        Whether a split is judged by the points that it parts, or by all.
    """

    def __init__(
        self,
        table: FrequencyTable,
        asked: Asked,
        groups: tuple[tuple[str, ...], ...],
        *,
        most: float,
        local: bool,
    ) -> None:
        self._table, self._most, self._local = table, most, local
        self._values = np.ascontiguousarray(table.sensitive[:, asked.column])
        self._n_values = table.sensitive_hierarchies[asked.column].n_values
        self._part, self._pair = _features(table, groups, asked, self._values)
        order = np.argsort(self._part.ravel(), kind="stable")
        self._sharing = order // self._part.shape[1]
        self._starts = np.searchsorted(self._part.ravel()[order], np.arange(int(self._part.max()) + 2))
        self._bucket = np.zeros(table.n_points, np.int32)
        self._live = np.zeros(1, np.int64)
        self._everyone = np.arange(table.n_points)
        self._rebuild()

    def worst(self) -> float:
        """Return the largest probability of a link of any point."""
        return self._links(self._everyone, np.inf)

    def tester(self, fails: Tester) -> Tester:
        """Return a test that splits buckets: whatever passes *fails* and keeps links weak enough is split at once.

        Boxes are judged one after the other, each beside the splits before it.
        """

        def test(boxes: Boxes, some: NDArray[np.int64], side: NDArray[np.uint8]) -> NDArray[np.bool_]:
            failing = fails(boxes, some, side)
            for i, box in enumerate(some.tolist()):
                held = slice(boxes.starts[box], boxes.starts[box + 1])
                if not failing[i].any() and not self._split(boxes.record[held], side[held]):
                    failing[i] = True
            return failing

        return test

    def _split(self, record: NDArray[Any], side: NDArray[np.uint8]) -> bool:
        points = record.astype(np.int64)
        self._make_room(len(points))
        before = int(self._bucket[points[0]])
        self._bucket[points] = np.int32(self._n_numbers) + side
        self._used += self._enter(points)
        old = self._live
        number = self._n_numbers
        self._live = np.append(old[old != before], [number, number + 1])
        self._n_numbers += 2
        if self._links(points if self._local else self._everyone, self._most) <= self._most:
            return True
        self._bucket[points] = before
        self._live = old
        return False

    def _links(self, points: NDArray[np.int64], most: float) -> float:
        found: float = passes(
            points, self._bucket, self._part, self._starts, self._sharing, self._keys, self._rows, self._head,
            self._behind, self._value_at, self._bucket_rows, self._live, most, self._n_values,
        )  # fmt: skip
        return found

    def _enter(self, points: NDArray[np.int64]) -> int:
        added: int = enter(
            points, self._bucket, self._part, self._table.offsets, self._pair, self._values, self._table.counts,
            self._keys, self._rows, self._head, self._behind, self._value_at, self._bucket_rows,
        )  # fmt: skip
        return added

    def _make_room(self, n_points: int) -> None:
        more = n_points * self._part.shape[1] + self._table.n_items
        if 2 * (self._used + more) > len(self._keys) or self._n_numbers + 2 > len(self._bucket_rows):
            self._rebuild()

    def _rebuild(self) -> None:
        """Count the live buckets anew, under new numbers, with room for as much again."""
        self._bucket = np.searchsorted(np.sort(self._live), self._bucket).astype(np.int32)
        self._n_numbers = len(self._live)
        self._live = np.arange(self._n_numbers)
        entries = self._table.n_points * self._part.shape[1] + self._table.n_items
        slots = FIRST_SLOTS
        while slots < 8 * entries:
            slots *= 2
        self._keys = np.full(slots, EMPTY, np.int64)
        self._rows, self._head = np.empty(slots, np.int64), np.empty(slots, np.int64)
        self._behind, self._value_at = np.empty(slots, np.int64), np.empty(slots, np.int32)
        self._bucket_rows = np.zeros(4 * self._n_numbers + FIRST_SLOTS, np.int64)
        self._used = self._enter(self._everyone)


def _features(
    table: FrequencyTable, groups: tuple[tuple[str, ...], ...], asked: Asked, values: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number what points show in each group, [n_points, n_groups], and items beside their value, [n_items]."""
    nothing = np.zeros(table.n_points, np.int32)
    part = np.empty((table.n_points, len(groups)), np.int64)
    n = 0
    for g, group in enumerate(groups):
        columns = [table.names.index(name) for name in group if name != asked.sensitive]
        sizes = [table.hierarchies[j].n_values for j in columns]
        shown, first = rank_columns([nothing, *table.codes[:, columns].T], [1, *sizes])
        part[:, g] = shown + n
        n += len(first)
    pair, _ = rank_columns(
        [part[table.point_of_item, -1], values], [n, table.sensitive_hierarchies[asked.column].n_values]
    )
    return part, pair.astype(np.int64) + n
