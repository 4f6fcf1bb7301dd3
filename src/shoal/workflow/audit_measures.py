"""Everything that an audit measures, on the counted table."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.hierarchy import ANY
from shoal.core.table import FrequencyTable
from shoal.risk.causes import alone_without
from shoal.risk.members import members_of_table, subsets_of
from shoal.risk.missing_cells import READINGS, class_sizes
from shoal.risk.separation import ColumnSet, column_sets
from shoal.risk.suda import Suda, suda

__all__ = [
    "count_missing",
    "measure_columns_of",
    "measure_sensitive",
    "suppressed_points",
    "without_points",
]

COMPARISONS = 10_000_000
"""Points times patterns of missing cells up to which all readings of missing cells are counted."""

LISTED = 12
"""Sets of columns that an audit lists beside the columns alone."""


def suppressed_points(table: FrequencyTable) -> NDArray[np.bool_]:
    """Return which points have ``*`` in every quasi-identifier, bool [n_points]."""
    suppressed = np.ones(table.n_points, bool)
    for j, hierarchy in enumerate(table.hierarchies):
        suppressed &= table.codes[:, j] == hierarchy.codes.get(ANY, -1)
    return suppressed


def without_points(table: FrequencyTable, gone: NDArray[np.bool_]) -> FrequencyTable:
    """Return the table without some points."""
    if not gone.any():
        return table
    items = ~gone[table.point_of_item]
    lengths = np.diff(table.offsets)[~gone]
    return replace(
        table,
        codes=table.codes[~gone],
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        sensitive=table.sensitive[items],
        counts=table.counts[items],
        unit=None if table.unit is None else table.unit[items],
    )


def count_missing(table: FrequencyTable) -> dict[str, tuple[int, int] | None]:
    """Return (smallest class, rows that stand alone) in each reading of missing cells.

    A suppressed cell is missing too. None where there is no record or the reading would take too long.
    """
    if not table.n_points:
        return dict.fromkeys(READINGS)
    unknown = np.zeros(table.codes.shape, bool)
    for j, hierarchy in enumerate(table.hierarchies):
        for text in (ANY, None):
            unknown[:, j] |= table.codes[:, j] == hierarchy.codes.get(text, -1)
    if not unknown.any():
        rows = table.point_rows
        return dict.fromkeys(READINGS, (int(rows.min()), int((rows == 1).sum())))
    patterns = len(np.unique(np.packbits(unknown, axis=1), axis=0))
    affordable = patterns * table.n_points <= COMPARISONS
    found: dict[str, tuple[int, int] | None] = {}
    for reading in READINGS:
        if affordable or reading == "own":
            sizes = class_sizes(table, reading, missing=unknown)
            found[reading] = int(sizes.min()), int((sizes == 1).sum())
        else:
            found[reading] = None
    return found


def measure_columns_of(
    table: FrequencyTable, *, sampling_fraction: Fraction | None, m: int | None = None
) -> tuple[int, tuple[dict[str, Any], ...], Suda, tuple[ColumnSet, ...]]:
    """Say of each quasi-identifier, and of sets of them (of up to *m*), whom they tell apart.

    Returns
    -------
    alone : int
        Records, or people, that stand alone.
    columns : tuple of dict
    special : Suda
    sets : tuple of ColumnSet
        Of more than one column.
    """
    members = members_of_table(table)
    looked = subsets_of(table, members)
    fraction = 0.01 if sampling_fraction is None else float(sampling_fraction)
    special = suda(table, m=m, sampling_fraction=fraction, subsets=looked)
    if sampling_fraction is None:
        special = replace(special, dis=None, highest_dis=None)
    sets = column_sets(table, subsets=looked)
    alone, without = alone_without(table, subsets=looked)
    rows, result = table.point_rows, []
    for j, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        null = hierarchy.n_values - 1 if hierarchy.has_null else -1
        entry: dict[str, Any] = {
            "name": name,
            "distinct": hierarchy.n_values - hierarchy.has_null,
            "missing": int(rows[table.codes[:, j] == null].sum()),
            "suda_contribution": special.contributions[name],
            "distinction": sets[j].distinction,
            "separation": sets[j].separation,
        }
        if table.n_qi > 1:
            entry["alone_because_of_it"] = alone - without[j]
        result.append(entry)
    return alone, tuple(result), special, sets[table.n_qi :][:LISTED]


def measure_sensitive(table: FrequencyTable, classes: Classes, context: Context) -> tuple[dict[str, Any], ...]:
    """Say of each sensitive column what somebody who knows the quasi-identifiers learns.

    Parameters
    ----------
    table : FrequencyTable
    classes : Classes
        Its points as classes.
    context : Context
    """
    total = max(1, int(classes.size.sum()))
    whole = max(1, context.n_rows if context.people is None else context.people)
    result = []
    for name, histogram in classes.histograms.items():
        one_value = np.diff(histogram.offsets) == 1
        known = int(classes.rows[one_value].sum())
        if table.unit is not None:
            known = int(np.unique(table.unit[one_value[table.point_of_item]]).shape[0])
        most = histogram.per_class(np.maximum, histogram.counts)
        result.append(
            {
                "name": name,
                "known": known,
                "known_share": known / whole,
                "guessed": min(1.0, float(most.sum()) / total),
                "guessed_without": float(context.column(name).totals.max(initial=0)) / whole,
            }
        )
    return tuple(result)
