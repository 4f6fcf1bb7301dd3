"""The three phases of TP on counted rows: which rows leave their groups for the residue.

A *cell* is a (group, sensitive value) with its rows. The cells of a group stand in ``order`` by descending rows,
so that its pillars, the most frequent values, are the first ``pillars[group]`` of them. Taking one row of a cell
swaps it with the last cell of as many rows, which keeps the order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["FAILED", "Removal", "remove"]

FAILED = 0
"""Phase of a run that ended without an eligible residue, which only tables that are not eligible have."""

ROWS, TOP, MOVES = 0, 1, 2


class Removal(NamedTuple):
    """What TP takes out of each cell.

    Parameters
    ----------
    kept : int64 [n_cells]
        Rows that stay in their group.
    phase : int
        1, 2 or 3, the phase in which the residue became eligible, or :data:`FAILED`.
    first_rows, first_height : int
        Rows of the residue after phase one, and the rows of its most frequent value.
    rounds : int
        Rounds of phase three.
    moves : int64 [n_moves, 3]
        (phase, group, value) of each row that moved in phases two and three, where a trace was asked for.
    """

    kept: NDArray[np.int64]
    phase: int
    first_rows: int
    first_height: int
    rounds: int
    moves: NDArray[np.int64]


class _Groups(NamedTuple):
    """The groups as they are now: arrays that the kernels change."""

    offsets: Any
    value: Any
    left: Any
    size: Any
    order: Any
    place: Any
    pillars: Any


class _Residue(NamedTuple):
    """Rows of each value in the residue, [rows, height, moves so far], and the moves."""

    rows: Any
    sums: Any
    moves: Any


@kernel
def _truncate(offsets: Any, counts: Any, l: Any, left: Any) -> None:  # pragma: no cover - compiled
    """Phase one in closed form: cut each group down to its largest eligible height."""
    for g in range(offsets.shape[0] - 1):
        start, stop = offsets[g], offsets[g + 1]
        size, top = 0, 0
        for c in range(start, stop):
            size += counts[c]
            top = max(top, counts[c])
        if size < l * top:
            low, high = 0, top - 1
            while low < high:
                middle = (low + high + 1) // 2
                size = 0
                for c in range(start, stop):
                    size += min(counts[c], middle)
                if size >= l * middle:
                    low = middle
                else:
                    high = middle - 1
            top = low
        for c in range(start, stop):
            left[c] = min(counts[c], top)


@kernel
def _arrange(groups: Any) -> None:  # pragma: no cover - compiled
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
def _take(groups: Any, residue: Any, phase: Any, g: Any, cell: Any) -> None:  # pragma: no cover - compiled
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
def _take_pillars(groups: Any, residue: Any, phase: Any, g: Any) -> None:  # pragma: no cover - compiled
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
def _is_fat(groups: Any, l: Any, g: Any) -> Any:  # pragma: no cover - compiled
    return groups.size[g] > l * groups.left[groups.order[groups.offsets[g]]]


@kernel
def _is_alive(groups: Any, residue: Any, l: Any, g: Any) -> Any:  # pragma: no cover - compiled
    """Whether a group can give rows without raising the residue's height."""
    if groups.size[g] == 0:
        return False
    if _is_fat(groups, l, g):
        return True
    start = groups.offsets[g]
    for at in range(start, start + groups.pillars[g]):
        if residue.rows[groups.value[groups.order[at]]] == residue.sums[TOP]:
            return False
    return True


@kernel
def _is_done(residue: Any, l: Any) -> Any:  # pragma: no cover - compiled
    return residue.sums[ROWS] >= l * residue.sums[TOP]


@kernel
def _sink(heap: Any, n: Any) -> None:  # pragma: no cover - compiled
    """Restore the order of a heap of keys whose first one has grown."""
    key, at = heap[0], 0
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = key


@kernel
def _grow(groups: Any, residue: Any, l: Any, owner: Any) -> Any:  # pragma: no cover - compiled
    """Phase two: add rows of the rarest values as long as the residue's height stays; whether it became eligible.

    The dead stay dead and no value becomes rarer in the residue, so a heap of values by their rows there, and
    for each value a pointer to its first cell in an alive group, only move forward.
    """
    n_values, n_cells = residue.rows.shape[0], groups.value.shape[0]
    starts = np.zeros(n_values + 1, np.int64)
    for c in range(n_cells):
        starts[groups.value[c] + 1] += 1
    for v in range(n_values):
        starts[v + 1] += starts[v]
    pointer = starts[:-1].copy()
    cells = np.empty(n_cells, np.int64)
    for c in range(n_cells):
        cells[pointer[groups.value[c]]] = c
        pointer[groups.value[c]] += 1
    pointer[:] = starts[:-1]
    heap = residue.rows * n_values + np.arange(n_values)
    heap.sort()
    dead = np.zeros(groups.size.shape[0], np.bool_)
    n = n_values
    while n:
        v = heap[0] % n_values
        if heap[0] // n_values != residue.rows[v]:
            heap[0] = residue.rows[v] * n_values + v
            _sink(heap, n)
            continue
        while pointer[v] < starts[v + 1]:
            cell = cells[pointer[v]]
            g = owner[cell]
            if groups.left[cell] > 0 and not dead[g]:
                if _is_alive(groups, residue, l, g):
                    break
                dead[g] = True
            pointer[v] += 1
        if pointer[v] == starts[v + 1]:
            n -= 1
            heap[0] = heap[n]
            _sink(heap, n)
            continue
        cell = cells[pointer[v]]
        if _is_fat(groups, l, owner[cell]):
            _take(groups, residue, 2, owner[cell], cell)
        else:
            _take_pillars(groups, residue, 2, owner[cell])
        if _is_done(residue, l):
            return True
    return False


@kernel
def _cover(groups: Any, residue: Any, marks: Any, chosen: Any) -> Any:  # pragma: no cover - compiled
    """Choose groups so that every pillar of the residue is no pillar of one of them; how many, -1 if none are.

    All groups are dead here, so each has at most l pillars and shares one with the residue at least.
    """
    n_open, stamp, n_chosen, fewest_possible = 0, 1, 0, 1
    marks[:] = 0
    for v in range(residue.rows.shape[0]):
        if residue.rows[v] == residue.sums[TOP]:
            marks[v] = stamp
            n_open += 1
    while n_open:
        best, fewest = -1, n_open
        for g in range(groups.size.shape[0]):
            if groups.size[g] == 0:
                continue
            start = groups.offsets[g]
            shared = 0
            for at in range(start, start + groups.pillars[g]):
                shared += marks[groups.value[groups.order[at]]] == stamp
            if shared < fewest:
                # A group that was chosen shares all that is open, so it is not chosen again.
                best, fewest = g, shared
                if shared <= fewest_possible:
                    break
        if best < 0:
            return -1
        chosen[n_chosen] = best
        n_chosen += 1
        start = groups.offsets[best]
        for at in range(start, start + groups.pillars[best]):
            v = groups.value[groups.order[at]]
            if marks[v] == stamp:
                marks[v] = stamp + 1
        stamp += 1
        n_open, fewest_possible = fewest, 0
    return n_chosen


@kernel
def _round(groups: Any, residue: Any, l: Any, marks: Any, chosen: Any) -> Any:  # pragma: no cover - compiled
    """One round of phase three: 1 when the residue became eligible, 0 when not, -1 when it never can."""
    n_chosen = _cover(groups, residue, marks, chosen)
    if n_chosen < 0:
        return -1
    for i in range(n_chosen):
        _take_pillars(groups, residue, 3, chosen[i])
        if _is_done(residue, l):
            return 1
    for g in range(groups.size.shape[0]):
        first = groups.offsets[g]
        while _is_alive(groups, residue, l, g):
            if _is_fat(groups, l, g):
                # Pillars of the residue stay pillars and empty cells stay empty while its height stays.
                while groups.left[first] == 0 or residue.rows[groups.value[first]] == residue.sums[TOP]:
                    first += 1
                _take(groups, residue, 3, g, first)
            else:
                _take_pillars(groups, residue, 3, g)
            if _is_done(residue, l):
                return 1
    return 0


@kernel
def _run(groups: Any, residue: Any, l: Any, owner: Any, rounds: Any) -> Any:  # pragma: no cover - compiled
    _arrange(groups)
    if _grow(groups, residue, l, owner):
        return 2
    marks = np.zeros(residue.rows.shape[0], np.int64)
    chosen = np.empty(residue.rows.shape[0] + 1, np.int64)
    while True:
        rounds[0] += 1
        ended = _round(groups, residue, l, marks, chosen)
        if ended:
            return 3 if ended > 0 else FAILED


def remove(
    offsets: NDArray[np.int64],
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    *,
    l: int,
    n_values: int,
    trace: bool = False,
) -> Removal:
    """Take rows out of groups so that each group and the rows taken out are l-eligible.

    Rows are l-eligible where no sensitive value has more than the share 1/l of them. Ties go to the lowest value
    and to the first group.

    Parameters
    ----------
    offsets : int64 [n_groups + 1]
        Cells ``offsets[g]:offsets[g + 1]`` belong to group *g*; none is empty.
    values : int32 [n_cells]
        Sensitive value of each cell, ascending and distinct in each group.
    counts : int64 [n_cells]
        Rows of each cell, positive.
    l : int
    n_values : int
        One above the largest value.
    trace : bool, default False
        Whether to list the moves of phases two and three; takes 24 bytes per row.

    Returns
    -------
    Removal

    References
    ----------
    .. [1] Xiao, X., Yi, K., Tao, Y. (2010), The hardness and approximation algorithms for l-diversity.
       doi:10.1145/1739041.1739060

    Examples
    --------
    Two groups with the values (0, 0, 1) and (0, 1); one row of value 0 is too many, and a group gives a 1 to it:

    >>> found = remove(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.array([2, 2, 1, 1]), l=2, n_values=2)
    >>> found.kept.tolist(), found.phase
    ([2, 2, 1, 1], 1)
    """
    offsets, values = np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(values, np.int32)
    counts = np.ascontiguousarray(counts, np.int64)
    n_groups, n_cells = offsets.shape[0] - 1, values.shape[0]
    left = np.empty(n_cells, np.int64)
    _truncate(offsets, counts, l, left)
    rows = np.bincount(values, counts - left, n_values).astype(np.int64)
    first_rows, first_height = int(rows.sum()), int(rows.max(initial=0))
    moves = np.empty((int(left.sum()) if trace else 0, 3), np.int64)
    phase, rounds = 1, np.zeros(1, np.int64)
    sums = np.array([first_rows, first_height, 0], np.int64)
    if first_rows < l * first_height:
        groups = _Groups(
            offsets,
            values,
            left,
            np.empty(n_groups, np.int64),
            np.empty(n_cells, np.int64),
            np.empty(n_cells, np.int64),
            np.empty(n_groups, np.int64),
        )
        owner = np.repeat(np.arange(n_groups), np.diff(offsets))
        phase = int(_run(groups, _Residue(rows, sums, moves), l, owner, rounds))
    return Removal(left, phase, first_rows, first_height, int(rounds[0]), moves[: sums[2]] if trace else moves)
