"""Groups whose cells stand by their rows, the residue, and the moves from one to the other.

A *cell* is a (group, sensitive value) with its rows. The cells of a group stand in ``order`` by descending rows,
so that its pillars, the most frequent values, are the first ``pillars[group]`` of them. Taking one row of a cell
swaps it with the last cell of as many rows, which keeps the order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shoal.kernels.jit import kernel

ROWS, TOP, MOVES = 0, 1, 2
"""Places in the sums of the residue."""


class Groups(NamedTuple):
    """The groups as they are now: arrays that the kernels change."""

    offsets: Any
    value: Any
    left: Any
    size: Any
    order: Any
    place: Any
    pillars: Any


class Residue(NamedTuple):
    """Rows of each value in the residue, [rows, height, moves so far], and the moves."""

    rows: Any
    sums: Any
    moves: Any


@kernel
def arrange(groups: Any) -> None:  # pragma: no cover - compiled
    """Sort the cells of each group by descending rows and count its pillars."""
    for g in range(groups.offsets.shape[0] - 1):
        start, stop = groups.offsets[g], groups.offsets[g + 1]
        ranked = np.argsort(-groups.left[start:stop])
        size = 0
        for i in range(stop - start):
            cell = start + ranked[i]
            groups.order[start + i] = cell
            groups.place[cell] = start + i
            size += groups.left[cell]
        groups.size[g] = size
        _count_pillars(groups, g, start)


@kernel
def _count_pillars(groups: Any, g: Any, known: Any) -> None:  # pragma: no cover - compiled
    """Count the pillars of a group whose cells before *known* are pillars."""
    start, stop = groups.offsets[g], groups.offsets[g + 1]
    top = groups.left[groups.order[start]]
    at = known
    while at < stop and groups.left[groups.order[at]] == top:
        at += 1
    groups.pillars[g] = at - start


@kernel
def _add(residue: Any, phase: Any, group: Any, value: Any) -> None:  # pragma: no cover - compiled
    residue.rows[value] += 1
    residue.sums[ROWS] += 1
    residue.sums[TOP] = max(residue.sums[TOP], residue.rows[value])
    if residue.moves.shape[0]:
        at = residue.sums[MOVES]
        residue.moves[at, 0], residue.moves[at, 1], residue.moves[at, 2] = phase, group, value
    residue.sums[MOVES] += 1


@kernel
def take(groups: Any, residue: Any, phase: Any, g: Any, cell: Any) -> None:  # pragma: no cover - compiled
    """Move one row of a cell to the residue."""
    start, stop = groups.offsets[g], groups.offsets[g + 1]
    rows, at = groups.left[cell], groups.place[cell]
    is_pillar = at < start + groups.pillars[g]
    low = at
    if is_pillar:
        low = start + groups.pillars[g] - 1
    else:
        high = stop - 1
        while low < high:
            middle = (low + high + 1) // 2
            if groups.left[groups.order[middle]] == rows:
                low = middle
            else:
                high = middle - 1
    other = groups.order[low]
    groups.order[at], groups.order[low] = other, cell
    groups.place[other], groups.place[cell] = at, low
    groups.left[cell] = rows - 1
    groups.size[g] -= 1
    if is_pillar:
        groups.pillars[g] -= 1
        if groups.pillars[g] == 0:
            _count_pillars(groups, g, start)
    _add(residue, phase, g, groups.value[cell])


@kernel
def take_pillars(groups: Any, residue: Any, phase: Any, g: Any) -> None:  # pragma: no cover - compiled
    """Move one row of each pillar of a group to the residue; they stay its pillars."""
    start, n = groups.offsets[g], groups.pillars[g]
    # In the order of values, so that a trace does not depend on the order of equal cells.
    cells = np.sort(groups.order[start : start + n])
    for i in range(n):
        groups.left[cells[i]] -= 1
        _add(residue, phase, g, groups.value[cells[i]])
    groups.size[g] -= n
    _count_pillars(groups, g, start + n)


@kernel
def is_fat(groups: Any, l: Any, g: Any) -> Any:  # pragma: no cover - compiled
    """Whether a group stays eligible after a row of any of its cells has left."""
    return groups.size[g] > l * groups.left[groups.order[groups.offsets[g]]]


@kernel
def is_alive(groups: Any, residue: Any, l: Any, g: Any) -> Any:  # pragma: no cover - compiled
    """Whether a group can give rows without raising the residue's height."""
    if groups.size[g] == 0:
        return False
    if is_fat(groups, l, g):
        return True
    start = groups.offsets[g]
    for at in range(start, start + groups.pillars[g]):
        if residue.rows[groups.value[groups.order[at]]] == residue.sums[TOP]:
            return False
    return True


@kernel
def is_done(residue: Any, l: Any) -> Any:  # pragma: no cover - compiled
    """Whether the residue is eligible."""
    return residue.sums[ROWS] >= l * residue.sums[TOP]
