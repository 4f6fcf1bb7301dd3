"""To which sensitive values the published cells of a bucket link somebody, read from the output itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.hierarchy import Hierarchy
from shoal.core.labels import label_interval, parse_label
from shoal.errors import HierarchyError

__all__ = ["Links", "links_of"]

PAIRS = 1 << 23
"""Pairs of a person's cells and a published row that are looked at at once."""


@dataclass(frozen=True, slots=True)
class Links:
    """What the rows of a bucket that may be somebody's say, over every bucket and everybody in it.

    Parameters
    ----------
    fewest : int
        Fewest different sensitive values.
    largest : float
        Largest share of one value, in [0, 1].
    """

    fewest: int
    largest: float


def links_of(
    published: pl.DataFrame,
    people: pl.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
    *,
    bucket: str,
    sensitive: str,
    counts_missing: bool = False,
) -> Links:
    """Read the links.

    Parameters
    ----------
    published : DataFrame
        Rows of the output without fakes, as text: the bucket, the columns of the group with the sensitive column,
        and that one.
    people : DataFrame
        Who is in which bucket: distinct rows of the bucket and, as leaf codes, the same columns.
    hierarchies : mapping of str to Hierarchy
        Of these columns.
    bucket, sensitive : str
        Names of the bucket and the sensitive column.
    counts_missing : bool, default False
        Whether a missing sensitive value counts as a value.
    """
    rows = published.group_by(published.columns).len("__rows__")
    for name, hierarchy in hierarchies.items():
        rows = _with_sides(rows, name, hierarchy)
    sizes = rows.group_by(bucket).len("__there__")
    counted = people.join(sizes, on=bucket, how="left").sort(bucket, *hierarchies)
    ends = counted["__there__"].fill_null(0).cum_sum().to_numpy()
    fewest, largest, start = np.iinfo(np.int64).max, 0.0, 0
    # Blocks of people, as many as have so many pairs together.
    while start < counted.height:
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + PAIRS, side="right")))
        block = counted[start:stop].drop("__there__").with_row_index("__who__")
        found = _linked(block, rows, list(hierarchies), bucket=bucket, sensitive=sensitive)
        if found.height < block.height:
            return Links(0, 1.0)
        values = found["all" if counts_missing else "present"]
        fewest = min(fewest, int(values.to_numpy().min()))
        largest = max(largest, float(found["share"].to_numpy().max()))
        start = stop
    return Links(0 if fewest == np.iinfo(np.int64).max else int(fewest), largest)


def _linked(
    block: pl.DataFrame, rows: pl.DataFrame, names: list[str], *, bucket: str, sensitive: str
) -> pl.DataFrame:
    """Count the values, and the largest share of one, for each of some people who has a row at all."""
    pairs = block.lazy().join(rows.lazy(), on=bucket)
    covered = [(pl.col(f"{name}__lo") <= pl.col(name)) & (pl.col(name) <= pl.col(f"{name}__hi")) for name in names]
    values = pairs.filter(*covered) if covered else pairs
    per_value = values.group_by("__who__", sensitive).agg(pl.col("__rows__").sum())
    return (
        per_value.group_by("__who__")
        .agg(
            pl.col(sensitive).drop_nulls().len().alias("present"),
            pl.len().alias("all"),
            (pl.col("__rows__").max() / pl.col("__rows__").sum()).alias("share"),
        )
        .collect()
    )


def _with_sides(rows: pl.DataFrame, name: str, hierarchy: Hierarchy) -> pl.DataFrame:
    """Read the labels of a column back to the leaves that they cover."""
    labels = rows[name].unique().to_list()
    sides = [_side(hierarchy, label) for label in labels]
    lo, hi = f"{name}__lo", f"{name}__hi"
    read = pl.DataFrame(
        {name: labels, lo: [side[0] for side in sides], hi: [side[1] for side in sides]},
        schema={name: pl.String, lo: pl.Int32, hi: pl.Int32},
    )
    return rows.join(read, on=name, how="left", nulls_equal=True).drop(name)


def _side(hierarchy: Hierarchy, label: str | None) -> tuple[int, int]:
    """Return the interval of a label; one that is none or cannot be read covers nobody."""
    interval = None if label is None else label_interval(hierarchy, label)
    if interval is not None:
        return interval
    try:
        inside = np.flatnonzero(parse_label(hierarchy, label))
    except HierarchyError:
        return 0, -1
    whole = inside.size and inside[-1] - inside[0] + 1 == inside.size
    return (int(inside[0]), int(inside[-1])) if whole else (0, -1)
