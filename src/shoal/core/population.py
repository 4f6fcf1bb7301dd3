"""A population counted in the classes of a table, and what else some models read of classes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError
from shoal.kernels.grouping import group_columns, sum_by_group
from shoal.kernels.population import count_covered

__all__ = ["classes_at", "count_labels", "counted_population", "members_of", "needed_population"]


def needed_population(population: FrequencyTable | None) -> FrequencyTable:
    """Return the population that a model reads.

    Raises
    ------
    SpecError
        If there is none.
    """
    if population is None:
        raise SpecError(
            "a model counts a population and none is given",
            fix='give its file: [population] with file = "population.csv", or --population',
        )
    return population


def counted_population(classes: Classes) -> NDArray[np.int64]:
    """Return the rows of the population in each class, int64 [n_classes].

    Raises
    ------
    SpecError
        If they were not counted.
    """
    if classes.population is None:
        raise SpecError(
            "a model reads a population and the classes were counted without one",
            fix='give its file: [population] with file = "population.csv", or --population',
        )
    return classes.population


def members_of(
    class_of_item: NDArray[np.int32], unit: NDArray[np.int64], n_classes: int, n_units: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return class and person of each distinct pair, leaving out items of class -1."""
    kept = np.flatnonzero(class_of_item >= 0)
    owner, person = class_of_item[kept], unit[kept]
    _, first = group_columns([owner, person], [n_classes, n_units])
    return owner[first].astype(np.int64), person[first].astype(np.int64)


def classes_at(
    table: FrequencyTable,
    levels: Sequence[int],
    sensitive: Iterable[str] = (),
    *,
    reads: Collection[str] = (),
    population: FrequencyTable | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64], Classes]:
    """Count the classes of a full-domain generalization with all that models read.

    Parameters
    ----------
    table : FrequencyTable
    levels : sequence of int
        Level of each quasi-identifier.
    sensitive : iterable of str
    reads : collection of str
        ``"population"`` and ``"cells"``, where models read them.
    population : FrequencyTable, optional
        In the same hierarchies as *table*.

    Returns
    -------
    class_of_point : int32 [n_points]
    first : int64 [n_classes]
        First point of each class.
    classes : Classes

    Raises
    ------
    SpecError
        If a population is read and none is given.
    """
    class_of_point, first = table.coarsen(levels)
    class_of_item = class_of_point[table.point_of_item]
    classes = table.classes(class_of_item, first.shape[0], sensitive)
    if not reads:
        return class_of_point, first, classes
    cells = _nodes(table, levels)[first]
    if "cells" in reads:
        members = None
        if table.unit is not None:
            members = members_of(class_of_item, table.unit, first.shape[0], table.n_units)
        classes = replace(classes, cells=cells, members=members)
    if "population" in reads:
        people = needed_population(population)
        n, sizes = first.shape[0], [hierarchy.lo.shape[0] for hierarchy in table.hierarchies]
        both = np.concatenate([cells, _nodes(people, levels)])
        groups, _ = group_columns(list(both.T), sizes)
        counts, outside = _joined(groups, n, people.point_rows)
        classes = replace(classes, population=counts, outside=outside)
    return class_of_point, first, classes


def count_labels(
    cells: NDArray[np.int32], covers: Sequence[NDArray[Any]], population: FrequencyTable
) -> tuple[NDArray[np.int64], int]:
    """Count the population in published classes, by what their labels cover.

    Parameters
    ----------
    cells : int32 [n_classes, n_qi]
        Label of each class in each column.
    covers : sequence of integers [n_values], or bool [n_labels, n_values]
        Per column: the one label that covers each of the population's values, -1 for none; or, where labels
        overlap, which values each label covers.
    population : FrequencyTable

    Returns
    -------
    counts : int64 [n_classes]
    outside : int
        Rows that no class covers.
    """
    rows = population.point_rows
    if any(cover.ndim > 1 for cover in covers):
        return count_covered(cells, covers, population.codes, rows)
    # Each value has one label at most, so the population can be recoded and grouped.
    recoded = [cover[population.codes[:, j]] + 1 for j, cover in enumerate(covers)]
    both = [np.concatenate([cells[:, j] + 1, column]) for j, column in enumerate(recoded)]
    groups, _ = group_columns(both, [int(column.max(initial=0)) + 1 for column in both])
    return _joined(groups, cells.shape[0], rows)


def _joined(groups: NDArray[np.int32], n: int, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return the rows that share the group of each of the first *n*, and those that share none."""
    found = np.full(int(groups.max(initial=-1)) + 1, -1, np.int64)
    found[groups[:n]] = np.arange(n)
    place = found[groups[n:]]
    counts = sum_by_group(place, rows, n)
    return counts, int(rows[place < 0].sum())


def _nodes(table: FrequencyTable, levels: Sequence[int]) -> NDArray[np.int32]:
    """Return the node of each point in each column, int32 [n_points, n_qi]."""
    columns = [
        hierarchy.levels[level][table.codes[:, j]]
        for j, (hierarchy, level) in enumerate(zip(table.hierarchies, levels, strict=True))
    ]
    return np.stack(columns, axis=1).astype(np.int32)
