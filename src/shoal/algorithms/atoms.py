"""The rows of a recoding as atoms, which the classes hold in linked lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.kernels.improving.linked import State

__all__ = ["kinds", "link", "parted"]


def parted(
    item: NDArray[np.int64], region: NDArray[np.int32], rows: NDArray[np.int64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Part the rows of each share into single ones, at most so many, and the rest."""
    singles = np.minimum(rows - 1, most)
    times = singles + 1
    at = np.repeat(np.arange(len(rows)), times)
    each = np.ones(len(at), np.int64)
    each[np.cumsum(times) - 1] = rows - singles
    return item[at], region[at], each


def kinds(
    table: FrequencyTable, problem: Problem, item: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.int32] | None:
    """Return which atoms no model can tell apart, or None where models read sizes alone or people are counted."""
    if table.unit is not None or not problem.columns:
        return None
    read = [table.sensitive[item, table.sensitive_names.index(name)] for name in problem.columns]
    return np.unique(np.column_stack([*read, rows]), axis=0, return_inverse=True)[1].ravel().astype(np.int32)


def link(s: State) -> None:
    """Make the lists and counts of all classes from the owners of the atoms."""
    order = np.argsort(s.owner, kind="stable").astype(np.int32)
    owner = s.owner[order]
    s.head[:] = -1
    same = np.ones(len(order), bool)
    if len(order):
        same[:-1] = owner[1:] == owner[:-1]
        same[-1] = False
        s.after[order] = np.where(same, np.append(order[1:], -1), -1)
        begins = np.append(True, owner[1:] != owner[:-1])
        s.head[owner[begins]] = order[begins]
    s.atoms[:] = np.bincount(s.owner, minlength=len(s.head))
    s.counts[:] = 0
    np.add.at(s.counts, (s.owner, s.value), s.rows)
    s.size[:] = s.counts.sum(axis=1)
