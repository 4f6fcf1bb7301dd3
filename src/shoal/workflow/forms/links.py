"""To which sensitive values the published cells of a bucket link somebody, read from the output itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.hierarchy import Hierarchy
from shoal.core.label_reading import label_interval, parse_label
from shoal.errors import HierarchyError

__all__ = ["Links", "high", "links_of", "low", "with_sides"]

MOST_PAIRS = 1 << 23
"""Pairs of a person and a published row that are looked at at once."""

NOTHING = 1 << 62
"""More values than there can be: the fewest where there is nobody."""

WHO, ROWS, PAIRS = "__who__", "__rows__", "__pairs__"


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
    rows = published.group_by(published.columns).len(ROWS)
    for name, hierarchy in hierarchies.items():
        rows = with_sides(rows, name, hierarchy)
    names = list(hierarchies)
    if not names:
        return _summed(people.with_row_index(WHO).join(rows, on=bucket), people.height, sensitive, counts_missing)
    is_exact = pl.all_horizontal(pl.col(low(name)) == pl.col(high(name)) for name in names)
    exact, wide = rows.filter(is_exact), rows.filter(~is_exact)
    # Whom exact cells cover is looked up; only wide ones are tried on everybody in their bucket.
    wide_in = wide.group_by(bucket).len(PAIRS)
    counted = people.join(wide_in, on=bucket, how="left").sort(bucket, *names)
    ends = counted[PAIRS].fill_null(0).cum_sum().to_numpy()
    found, start = [Links(NOTHING, 0.0)], 0
    while start < counted.height:
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + MOST_PAIRS, side="right")))
        block = counted[start:stop].drop(PAIRS).with_row_index(WHO)
        at = [pl.col(low(name)).alias(name) for name in names]
        same = block.join(exact.select(bucket, sensitive, ROWS, *at), on=[bucket, *names])
        covers = [(pl.col(low(name)) <= pl.col(name)) & (pl.col(name) <= pl.col(high(name))) for name in names]
        covered = block.lazy().join(wide.lazy(), on=bucket).filter(*covers).collect()
        told = [WHO, sensitive, ROWS]
        pairs = pl.concat([same.select(told), covered.select(told)])
        found.append(_summed(pairs, block.height, sensitive, counts_missing))
        start = stop
    return Links(min(links.fewest for links in found), max(links.largest for links in found))


def _summed(pairs: pl.DataFrame, n_people: int, sensitive: str, counts_missing: bool) -> Links:  # noqa: FBT001
    """Count the values of each person, and the largest share of one; everybody has a row of their own at least."""
    per_value = pairs.group_by(WHO, sensitive).agg(pl.col(ROWS).sum())
    per_person = per_value.group_by(WHO).agg(
        (pl.len() if counts_missing else pl.col(sensitive).drop_nulls().len()).alias("values"),
        (pl.col(ROWS).max() / pl.col(ROWS).sum()).alias("share"),
    )
    if per_person.height < n_people:
        return Links(0, 1.0)
    if not n_people:
        return Links(NOTHING, 0.0)
    values, share = per_person["values"].to_numpy(), per_person["share"].to_numpy()
    return Links(int(values.min()), float(share.max()))


def low(name: str) -> str:
    """Return the name of the column with the first leaf of each cell of a column."""
    return f"__lo__{name}"


def high(name: str) -> str:
    """Return the name of the column with the last leaf of each cell of a column."""
    return f"__hi__{name}"


def with_sides(rows: pl.DataFrame, name: str, hierarchy: Hierarchy) -> pl.DataFrame:
    """Read the labels of a column back to the leaves that they cover."""
    labels = rows[name].unique().to_list()
    sides = [_side(hierarchy, label) for label in labels]
    lo, hi = low(name), high(name)
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
