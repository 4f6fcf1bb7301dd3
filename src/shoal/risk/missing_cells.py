"""Class sizes where cells are missing, under the three readings that are in use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, nearest_name
from shoal.kernels.grouping import group_columns, sum_by_group

__all__ = ["READINGS", "class_sizes"]

READINGS = ("own", "wildcard", "conservative")


def class_sizes(
    table: FrequencyTable,
    reading: str = "own",
    *,
    missing: NDArray[np.bool_] | None = None,
    amounts: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return how many rows an attacker cannot tell from the rows of each point.

    Parameters
    ----------
    table : FrequencyTable
    reading : {"own", "wildcard", "conservative"}, default "own"
        ``own``: a missing cell is a value like any other; what models use. ``wildcard``: it equals everything.
        ``conservative``: the row's own missing cells equal everything, another row's equal only missing ones.
        The last two are readings of an audit: they relate rows and do not part them into classes.
    missing : bool [n_points, n_qi], optional
        Cells that are missing; those that hold the missing value where left out. A caller marks suppressed
        cells too. The reading ``own`` does not use it.
    amounts : [n_points], optional
        What is added up instead of the rows of each point, such as survey weights.

    Returns
    -------
    int64 or float64 [n_points]
        Rows, not people, that match the point, its own rows among them.

    Raises
    ------
    SpecError
        If the reading is unknown.

    Notes
    -----
    Cost: O(n_points * n_patterns), n_patterns the number of different sets of columns that are missing together:
    under a second for 100,000 points and 35 patterns, minutes for thousands of patterns.

    References
    ----------
    .. [1] Templ, M. (2017), Statistical disclosure control for microdata, section 4.1.
       doi:10.1007/978-3-319-50272-4

    Examples
    --------
    >>> from shoal.core.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]], null=True)
    >>> table, _ = FrequencyTable.from_columns({"sex": (tree, np.array([0, 0, 1, 2], np.int32))})
    >>> [class_sizes(table, reading).tolist() for reading in ("own", "wildcard", "conservative")]
    [[2, 1, 1], [3, 2, 4], [2, 1, 4]]
    """
    if reading not in READINGS:
        raise SpecError("unknown reading of missing cells", fix=nearest_name(reading, READINGS))
    rows = table.point_rows if amounts is None else amounts
    if reading == "own" or not table.n_points:
        return rows
    if missing is None:
        nulls = [h.n_values - 1 if h.has_null else -1 for h in table.hierarchies]
        missing = table.codes == np.array(nulls, np.int32)
    pattern, first = group_columns(list(missing.T), [2] * table.n_qi)
    patterns = missing[first]
    order = np.argsort(pattern, kind="stable")
    points_of = np.split(order, np.cumsum(np.bincount(pattern))[:-1])
    sizes = np.zeros(table.n_points, rows.dtype)
    for own, mine in zip(patterns, points_of, strict=True):
        for compared, others in _comparisons(own, patterns, reading):
            theirs = np.concatenate([points_of[other] for other in others])
            sizes[mine] += _matching(table, rows, mine, theirs, compared)
    return sizes


def _comparisons(
    own: NDArray[np.bool_], patterns: NDArray[np.bool_], reading: str
) -> list[tuple[NDArray[np.int64], list[int]]]:
    """Return the columns to compare and the patterns whose rows are compared on them."""
    if reading == "conservative":
        subset = ~(patterns & ~own).any(axis=1)
        return [(np.flatnonzero(~own), np.flatnonzero(subset).tolist())]
    united = patterns | own
    alike: dict[bytes, list[int]] = {}
    for other in range(united.shape[0]):
        alike.setdefault(united[other].tobytes(), []).append(other)
    return [(np.flatnonzero(~united[others[0]]), others) for others in alike.values()]


def _matching(
    table: FrequencyTable,
    rows: NDArray[Any],
    mine: NDArray[np.int64],
    theirs: NDArray[np.int64],
    compared: NDArray[np.int64],
) -> NDArray[Any]:
    """Return for each of my points the rows of theirs that are equal on the compared columns."""
    if not compared.size:
        return np.full(mine.shape[0], rows[theirs].sum())
    both = np.concatenate([mine, theirs])
    columns = [table.codes[both, j] for j in compared]
    groups, first = group_columns(columns, [table.hierarchies[j].n_values for j in compared])
    sums = sum_by_group(groups[mine.shape[0] :], rows[theirs], first.shape[0])
    matching: NDArray[Any] = sums[groups[: mine.shape[0]]]
    return matching
