"""Records as risk counts them: one per row, or one per person and point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns
from shoal.kernels.subsets import SEVERAL, Subsets

__all__ = ["Members", "members_of_table", "subsets_of"]


@dataclass(frozen=True, eq=False)
class Members:
    """Points with who has them.

    Parameters
    ----------
    point : int64 [n]
        Point of each entry.
    person : int64 [n]
        Whose it is, or :data:`~shoal.kernels.subsets.SEVERAL` where the entry stands for several rows.
    weight : int64 [n]
        How many members the entry stands for.
    """

    point: NDArray[np.int64]
    person: NDArray[np.int64]
    weight: NDArray[np.int64]


def members_of_table(table: FrequencyTable) -> Members:
    """Return one entry per point, with its rows, or one per point and person where a unit is given.

    Examples
    --------
    >>> from shoal.core.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    >>> table, _ = FrequencyTable.from_columns({"q": (tree, np.array([0, 1, 1], np.int32))})
    >>> members_of_table(table).person.tolist()
    [0, -2]
    """
    if table.unit is None:
        rows = table.point_rows
        point = np.arange(table.n_points)
        return Members(point, np.where(rows == 1, point, SEVERAL), rows)
    owner, person = table.point_of_item, table.unit
    _, first = group_columns([owner, person], [table.n_points, table.n_units])
    return Members(owner[first].astype(np.int64), person[first], np.ones(first.shape[0], np.int64))


def subsets_of(table: FrequencyTable, members: Members) -> Subsets:
    """Return the entries ready to be looked at a few columns at a time; made once, it serves several measures."""
    codes = table.codes if table.unit is None else table.codes[members.point]
    sizes = [hierarchy.n_values for hierarchy in table.hierarchies]
    return Subsets(codes, sizes, members.person, members.weight)
