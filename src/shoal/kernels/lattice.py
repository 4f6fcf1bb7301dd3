"""Counting the classes of one lattice node, from points or from the classes of a finer node.

A class is known by one of its points, its representative: the codes of that point, lifted to the node's levels,
are the class's label. Lifted codes are packed into one 64-bit key by adding up a contribution per column, so a
node costs one gather per column and class of the source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.grouping import slot_of
from shoal.kernels.jit import kernel
from shoal.kernels.parts import at_once, parts_of

__all__ = ["Scratch", "first_people", "merge_classes"]

FIRST_SLOTS = 1 << 12


@kernel
def _add_person(people: Any, row: int, start: int, person: int) -> None:  # pragma: no cover - compiled
    for at in range(start, people.shape[1]):
        if people[row, at] == person:
            return
        if people[row, at] < 0:
            people[row, at] = person
            return


@kernel
def _first_people(offsets: Any, unit: Any, people: Any, start: int) -> None:  # pragma: no cover - compiled
    for point in range(offsets.shape[0] - 1):
        for item in range(offsets[point], offsets[point + 1]):
            _add_person(people, point, start, unit[item])


@kernel
def _grown(slots: Any, keys: Any, n_classes: int) -> Any:  # pragma: no cover - compiled
    slots[:] = -1
    mask = np.uint64(slots.shape[0] - 1)
    for class_ in range(n_classes):
        at = slot_of(keys[class_], mask)
        while slots[at] >= 0:
            at = (at + np.uint64(1)) & mask
        slots[at] = class_
    return slots


@kernel
def _merge(  # noqa: PLR0917
    codes: Any,
    source: Any,
    rows: Any,
    extra: Any,
    n_values: int,
    contributions: Any,
    starts: Any,
    memory: Any,
    keys: Any,
    found: Any,
    sums: Any,
    merged: Any,
) -> int:  # pragma: no cover - compiled
    # The table starts small and grows with the classes: few classes among many points stay in the cache.
    slots = memory[:FIRST_SLOTS]
    slots[:] = -1
    mask = np.uint64(slots.shape[0] - 1)
    n_columns = starts.shape[0]
    width = extra.shape[1]
    n_classes = 0
    for i in range(source.shape[0]):
        if 2 * n_classes >= slots.shape[0]:
            slots = _grown(memory[: 4 * slots.shape[0]], keys, n_classes)
            mask = np.uint64(slots.shape[0] - 1)
        point = source[i]
        key = np.uint64(0)
        for j in range(n_columns):
            if starts[j] >= 0:
                key += contributions[starts[j] + codes[point, j]]
        at = slot_of(key, mask)
        while True:
            class_ = slots[at]
            if class_ < 0:
                slots[at] = n_classes
                keys[n_classes] = key
                found[n_classes] = point
                sums[n_classes] = rows[i]
                for v in range(width):
                    merged[n_classes, v] = extra[i, v]
                n_classes += 1
                break
            if keys[class_] == key:
                sums[class_] += rows[i]
                for v in range(n_values):
                    merged[class_, v] += extra[i, v]
                for v in range(n_values, width):
                    if extra[i, v] < 0:
                        break
                    _add_person(merged, class_, n_values, extra[i, v])
                break
            at = (at + np.uint64(1)) & mask
    return n_classes


@dataclass(frozen=True, eq=False)
class Scratch:
    """Memory that all nodes of one table are counted in: fresh pages would cost more than the counting.

    Parameters
    ----------
    n_points : int
        Largest number of classes.
    n_values : int
        Sensitive values of all columns together.
    n_people : int
        People that are remembered of each class.
    """

    n_points: int
    n_values: int
    n_people: int
    slots: NDArray[np.int32] = field(init=False)
    keys: NDArray[np.uint64] = field(init=False)
    found: NDArray[np.int32] = field(init=False)
    sums: NDArray[np.int64] = field(init=False)
    merged: NDArray[np.int32] = field(init=False)
    values: NDArray[np.int32] = field(init=False)
    counts: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        n = self.n_points
        fields = {
            "slots": np.empty(_n_slots(n), np.int32),
            "keys": np.empty(n, np.uint64),
            "found": np.empty(n, np.int32),
            "sums": np.empty(n, np.int64),
            "merged": np.empty((n, self.n_values + self.n_people), np.int32),
            "values": np.empty(n * self.n_values, np.int32),
            "counts": np.empty(n * self.n_values, np.int64),
        }
        for name, array in fields.items():
            object.__setattr__(self, name, array)


def _n_slots(n: int) -> int:
    """Return a size that growing by fours from the first one reaches, with twice as many slots as classes."""
    size = FIRST_SLOTS
    while size < 2 * n:
        size *= 4
    return size


def first_people(
    offsets: NDArray[np.int64], *, unit: NDArray[np.int64], people: NDArray[np.int32], start: int
) -> None:
    """Write the first different people of each point into ``people[:, start:]``, which holds -1.

    Parameters
    ----------
    offsets : int64 [n_points + 1]
        Items of each point.
    unit : int64 [n_items]
        Person of each item.
    people : int32 [n_points, at least start]
    start : int
    """
    _first_people(offsets, unit, people, start)


def merge_classes(
    codes: NDArray[np.int32],
    *,
    source: NDArray[np.int32],
    rows: NDArray[np.int64],
    extra: NDArray[np.int32],
    n_values: int,
    contributions: NDArray[np.uint64],
    starts: NDArray[np.int64],
    scratch: Scratch,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Merge the classes of a finer node into those of a coarser one.

    Parameters
    ----------
    codes : int32 [n_points, n_columns]
    source : int32 [n_source]
        Representative point of each class of the finer node.
    rows : int64 [n_source]
        Its rows.
    extra : int32 [n_source, n_values + n_people]
        Its counts of sensitive values, which are added up, then its people, of which each class gets as many
        different ones as there is room; -1 where there are fewer.
    n_values : int
    contributions : uint64
        What each code adds to the key, one block per column and level.
    starts : int64 [n_columns]
        First entry of the node's block of each column; -1 where the level says nothing.
    scratch : Scratch

    Returns
    -------
    representative : int32 [n_classes]
    rows : int64 [n_classes]
    extra : int32 [n_classes, n_values + n_people]
    """
    parts = parts_of(source.shape[0])
    if len(parts) > 1:
        # Parts are merged at once on all cores, in memory of their own of which little is touched; then the parts'
        # classes are merged, first parts first, so that classes come in the order of their first points as ever.

        def one(part: slice) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
            some = Scratch(part.stop - part.start, 0, extra.shape[1])
            return _merged(codes, source[part], rows[part], extra[part], n_values, contributions, starts, some)

        source, rows, extra = (np.concatenate(arrays) for arrays in zip(*at_once(one, parts), strict=True))
    return _merged(codes, source, rows, extra, n_values, contributions, starts, scratch)


def _merged(  # noqa: PLR0917 - the arrays of the kernel
    codes: NDArray[np.int32],
    source: NDArray[np.int32],
    rows: NDArray[np.int64],
    extra: NDArray[np.int32],
    n_values: int,
    contributions: NDArray[np.uint64],
    starts: NDArray[np.int64],
    scratch: Scratch,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    n = _merge(
        codes, source, rows, extra, n_values, contributions, starts,
        scratch.slots, scratch.keys, scratch.found, scratch.sums, scratch.merged,
    )  # fmt: skip
    return scratch.found[:n].copy(), scratch.sums[:n].copy(), scratch.merged[:n].copy()
