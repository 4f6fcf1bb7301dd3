"""What TP takes out of each cell: phase one in closed form, then the others as long as they are needed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel
from shoal.kernels.tp.covering import one_round
from shoal.kernels.tp.growing import grow
from shoal.kernels.tp.pillars import Groups, Residue, arrange

__all__ = ["FAILED", "Removal", "remove"]

FAILED = 0
"""Phase of a run that ended without an eligible residue, which only tables that are not eligible have."""


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
def _run(groups: Any, residue: Any, l: Any, owner: Any, rounds: Any) -> Any:  # pragma: no cover - compiled
    arrange(groups)
    if grow(groups, residue, l, owner):
        return 2
    marks = np.zeros(residue.rows.shape[0], np.int64)
    chosen = np.empty(residue.rows.shape[0] + 1, np.int64)
    while True:
        rounds[0] += 1
        ended = one_round(groups, residue, l, marks, chosen)
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
        groups = Groups(
            offsets,
            values,
            left,
            np.empty(n_groups, np.int64),
            np.empty(n_cells, np.int64),
            np.empty(n_cells, np.int64),
            np.empty(n_groups, np.int64),
        )
        owner = np.repeat(np.arange(n_groups), np.diff(offsets))
        phase = int(_run(groups, Residue(rows, sums, moves), l, owner, rounds))
    return Removal(left, phase, first_rows, first_height, int(rounds[0]), moves[: sums[2]] if trace else moves)
