"""Which columns lost what, and in which groups of the published records they lost most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.labels import label_intervals
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns

__all__ = ["ColumnLoss", "GroupLoss", "losses_by_group"]

SMALLEST_SHARE = 0.02
"""Groups with a smaller share of the records are not named."""

NOTABLE = 0.05
"""How much more of a column a group must have lost than all records have."""

NAMED = 2
"""Groups that are named per column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLoss:
    """The records that are published with one label in some column, and what they lost of another one.

    Parameters
    ----------
    column : str
        Quasi-identifier whose label says which records are meant.
    label : str or None
        As it is published; None for a missing value.
    rows : int
    loss : float
        Mean loss of the explained column in these records, in [0, 1].
    """

    column: str
    label: str | None
    rows: int
    loss: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLoss:
    """What one quasi-identifier lost.

    Parameters
    ----------
    name : str
    loss : float
        Share of its domain that a cell leaves open, (leaves - 1)/(D - 1), mean over all records, in [0, 1].
    of_all : float
        Its part of the loss of all columns, in [0, 1].
    most : tuple of GroupLoss
        Groups that lost notably more, most first; empty where it was lost evenly.
    """

    name: str
    loss: float
    of_all: float
    most: tuple[GroupLoss, ...]


def losses_by_group(table: FrequencyTable, regions: Regions) -> tuple[ColumnLoss, ...]:
    """Return what each quasi-identifier lost, and where.

    Groups are named by published labels alone, which everybody sees anyway.

    Parameters
    ----------
    table : FrequencyTable
    regions : Regions
        Normalized boxes.
    """
    rows = regions.region_rows
    last = np.array([h.n_values - 1 for h in table.hierarchies])
    costs = (regions.hi - regions.lo) / np.maximum(last, 1)
    lost = rows @ costs + np.where(last > 0, regions.suppressed_rows, 0)
    n, everything = max(1, table.n_rows), float(lost.sum()) or 1.0
    found: list[list[GroupLoss]] = [[] for _ in table.names]
    for by in range(table.n_qi):
        for j, group in _notable(table, regions, by, costs, lost / n):
            found[j].append(group)
    return tuple(
        ColumnLoss(
            name=name,
            loss=float(lost[j] / n),
            of_all=float(lost[j] / everything),
            most=tuple(sorted(found[j], key=lambda group: (-group.loss, -group.rows, group.column))[:NAMED]),
        )
        for j, name in enumerate(table.names)
    )


def _notable(
    table: FrequencyTable, regions: Regions, by: int, costs: NDArray[np.float64], mean: NDArray[np.float64]
) -> list[tuple[int, GroupLoss]]:
    """Return the groups by the labels of one column that lost notably more of another one than the mean."""
    if not regions.n_regions:
        return []
    hierarchy, rows = table.hierarchies[by], regions.region_rows
    lo, hi = regions.lo[:, by], regions.hi[:, by]
    group, first = group_columns([lo, hi], [hierarchy.n_values, hierarchy.n_values])
    size = np.bincount(group, rows, len(first))
    told = (hi - lo)[first] < max(1, hierarchy.n_values - 1)
    large = told & (size >= SMALLEST_SHARE * table.n_rows) & (size > 0)
    result = []
    for j in range(table.n_qi):
        if j == by:
            continue
        loss = np.bincount(group, rows * costs[:, j], len(first)) / np.maximum(size, 1)
        at = np.flatnonzero(large & (loss >= mean[j] + NOTABLE))
        at = at[np.argsort(-loss[at], kind="stable")][:NAMED]
        labels = label_intervals(hierarchy, lo[first[at]], hi[first[at]], regions.labels)
        for label, g in zip(labels, at.tolist(), strict=True):
            named = GroupLoss(column=table.names[by], label=label, rows=int(size[g]), loss=float(loss[g]))
            result.append((j, named))
    return result
