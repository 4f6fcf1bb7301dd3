"""Where a line starts: which of its rows must be suppressed before classes are formed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.infeasible import no_box_is_feasible
from shoal.algorithms.line import Line
from shoal.core.classes import Classes, Histogram
from shoal.core.problem import Problem
from shoal.core.regions import SUPPRESSED, Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.eligible import largest_within

__all__ = ["Different", "different_values", "shares_are_small", "trimmed", "with_one_residue"]


class Different(NamedTuple):
    """What meets every model: *l* different values of column *name* in equal shares, in classes of *k* rows."""

    name: str
    l: int
    k: int


def different_values(problem: Problem) -> Different | None:
    """Return how many different values in equal shares, and how many rows, would meet every model.

    None where the models cannot be met so: where people are counted, or a model asks for something else.
    """
    asked = [found for found in map(_asked, problem.models) if found is not None]
    columns = {need.name for need in asked if need.name}
    if problem.context.by_people or len(asked) < len(problem.models) or len(columns) != 1:
        return None
    return Different(columns.pop(), max(need.l for need in asked), max(need.k for need in asked))


def _asked(model: Any) -> Different | None:
    if model.name == "k-anonymity":
        return Different("", 1, model.k)
    if model.name == "l-diversity":
        return Different(model.sensitive, math.ceil(model.threshold), 1)
    if model.name == "alpha-k-anonymity":
        return Different(model.sensitive, math.ceil(Fraction(1) / min(model.limits.values())), model.k)
    return None


def trimmed(line: Line, table: FrequencyTable, problem: Problem, asked: Different | None) -> tuple[Line, Classes]:
    """Return the line without the rows that no class can take, and its parts counted with them.

    Where no value may have more than the share 1/l, the last rows of the values that have more are suppressed,
    as few as possible; else a part that fails is suppressed as a whole.

    Raises
    ------
    InfeasibleError
        If that is more than may be suppressed.
    """
    whole = _count(line, table, problem.columns)
    classes, failing = whole, problem.violating(whole)
    if not failing.any():
        return line, whole
    if asked is not None:
        line = line.without(_excess(line, table, whole, failing, asked))
        classes = _count(line, table, problem.columns)
        failing = problem.violating(classes)
    if failing.any():
        line = line.without(np.where(failing[line.part], line.rows, 0))
    lost = int(line.lost_rows.sum())
    if not len(line) or lost > problem.allowed:
        raise no_box_is_feasible(problem, whole, lost)
    return line, whole


def with_one_residue(regions: Regions, table: FrequencyTable, problem: Problem) -> Regions | None:
    """Return *regions* without suppressed rows beside a class that is ``*`` in every column.

    Both would be published alike. They are all suppressed, if so many may be, or all of that class, if it passes
    with them; None where neither holds.
    """
    last = np.array([h.n_values - 1 for h in table.hierarchies])
    whole = np.flatnonzero(((regions.lo == 0) & (regions.hi == last) & (last > 0)).all(axis=1))
    if not whole.size or not regions.suppressed_rows:
        return regions
    box = int(whole[0])
    if int(regions.region_rows[box]) + regions.suppressed_rows <= problem.allowed:
        region = np.where(regions.region == box, SUPPRESSED, regions.region)
        return replace(regions, region=region.astype(np.int32), is_normalized=False).normalized(table.hierarchies)
    region = np.where(regions.region == SUPPRESSED, box, regions.region)
    found = replace(regions, region=region.astype(np.int32), is_normalized=False).normalized(table.hierarchies)
    return None if problem.violating(found.classes(table, problem.columns)).any() else found


def shares_are_small(line: Line, table: FrequencyTable, name: str, l: int) -> bool:
    """Tell whether no value of any part has more than the share 1/l."""
    classes = _count(line, table, [name])
    histogram = classes.histograms[name]
    return bool((l * histogram.per_class(np.maximum, histogram.counts) <= classes.rows).all())


def _count(line: Line, table: FrequencyTable, columns: Sequence[str]) -> Classes:
    return table.classes(line.part, line.n_parts, columns, items=line.item, counts=line.rows)


def _excess(
    line: Line, table: FrequencyTable, classes: Classes, failing: NDArray[np.bool_], asked: Different
) -> NDArray[np.int64]:
    """Return how many rows of each record go, so that no value of a failing part has more than the share 1/l."""
    name, l, _ = asked
    histogram: Histogram = classes.histograms[name]
    ones = np.ones(len(histogram.counts), np.int64)
    most = largest_within(histogram.offsets, histogram.counts, ones, l * ones, classes.size) // l
    most[~failing] = classes.rows[~failing]
    value = table.sensitive[line.item, table.sensitive_names.index(name)]
    order = np.lexsort((np.arange(len(line)), value, line.part))
    part, value, rows = line.part[order], value[order], line.rows[order]
    starts = np.ones(len(line), bool)
    starts[1:] = (part[1:] != part[:-1]) | (value[1:] != value[:-1])
    ahead = np.cumsum(rows) - rows
    ahead -= np.repeat(ahead[starts], np.diff(np.append(np.flatnonzero(starts), len(line))))
    removed = np.empty(len(line), np.int64)
    removed[order] = rows - np.clip(most[part] - ahead, 0, rows)
    return removed
