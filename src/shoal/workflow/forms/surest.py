"""How surely a published table in buckets links a person with a sensitive value, read from its rows alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.hierarchy import Hierarchy
from shoal.workflow.forms.links import high, low, with_sides

__all__ = ["surest_link"]

MOST_PAIRS = 1 << 22
"""Pairs of a person and a bucket that are looked at at once."""

WHO, ROWS, SHARE, OTHER, PAIRS = "__who__", "__rows__", "__share__", "__other__", "__pairs__"


@dataclass(frozen=True, eq=False)
class _Group:
    """One group of columns: which sub-tuple each person has, and which share of which bucket covers it.

    ``of_person`` has the person and the sub-tuple ``v``, ``matches`` has ``v``, the bucket and the share of its
    rows, ``values`` the shares of the sensitive values among these; ``n_pairs`` are the buckets of all persons.
    """

    of_person: pl.DataFrame
    matches: pl.DataFrame
    values: pl.DataFrame
    n_pairs: int


def surest_link(
    published: pl.DataFrame,
    people: pl.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
    groups: Sequence[Sequence[str]],
    *,
    bucket: str,
    sensitive: str,
) -> float:
    """Return the largest probability with which somebody is linked with a sensitive value.

    The definition is that of :func:`shoal.risk.bucket_links.bucket_links`, which reads it from a decision.

    Parameters
    ----------
    published : DataFrame
        Rows of the output without fakes, as text.
    people : DataFrame
        Distinct quasi-identifiers of those who are looked up, as leaf codes.
    hierarchies : mapping of str to Hierarchy
        Of these columns.
    groups : sequence of sequence of str
        Columns that stay together, the last with the sensitive one as its last name.
    bucket, sensitive : str
        Names of the bucket and the sensitive column.

    Returns
    -------
    float
        In [0, 1]; 1 if somebody is covered by no bucket, since then nothing is known to hold.
    """
    known = people.with_row_index(WHO)
    columns = [[name for name in group if name != sensitive] for group in groups]
    parts = [_group(published, known, names, hierarchies, bucket=bucket, sensitive=sensitive) for names in columns]
    # Who lies in which bucket is looked for first in the group in which the fewest buckets fit.
    order = sorted(range(len(parts)), key=lambda g: parts[g].n_pairs)
    first, last = parts[order[0]], parts[-1]
    counted = first.of_person.join(first.matches.group_by("v").len(PAIRS), on="v", how="left")
    ends = counted[PAIRS].fill_null(0).cum_sum().to_numpy()
    largest, start = 0.0, 0
    while start < counted.height:
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + MOST_PAIRS, side="right")))
        pairs = counted[start:stop].join(first.matches, on="v").select(WHO, bucket, SHARE)
        for g in order[1:]:
            pairs = (
                pairs.join(parts[g].of_person, on=WHO)
                .join(parts[g].matches.rename({SHARE: OTHER}), on=["v", bucket])
                .select(WHO, bucket, pl.col(SHARE) * pl.col(OTHER))
            )
        if pairs[WHO].n_unique() < stop - start:
            return 1.0
        linked = (
            pairs.with_columns(pl.col(SHARE) / pl.col(SHARE).sum().over(WHO))
            .join(last.of_person, on=WHO)
            .join(last.values, on=["v", bucket])
            .group_by(WHO, sensitive)
            .agg((pl.col(SHARE) * pl.col(OTHER)).sum())
        )
        largest = max(largest, float(linked[SHARE].to_numpy().max()))
        start = stop
    return largest


def _group(
    published: pl.DataFrame,
    known: pl.DataFrame,
    names: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    *,
    bucket: str,
    sensitive: str,
) -> _Group:
    rows = published.group_by(bucket, *names, sensitive).len(ROWS)
    if names:
        subtuples = known.select(names).unique().with_row_index("v")
        of_person = known.join(subtuples, on=names).select(WHO, "v").sort(WHO)
        covered = rows.join(_covered(rows, subtuples, names, hierarchies), on=names, nulls_equal=True)
    else:
        of_person = known.select(WHO, pl.lit(0, pl.UInt32).alias("v"))
        covered = rows.with_columns(pl.lit(0, pl.UInt32).alias("v"))
    sizes = published.group_by(bucket).len("__size__")
    matches = covered.group_by("v", bucket).agg(pl.col(ROWS).sum()).join(sizes, on=bucket)
    values = covered.group_by("v", bucket, sensitive).agg(pl.col(ROWS).sum())
    pairs = of_person.join(matches.group_by("v").len(PAIRS), on="v")[PAIRS].sum()
    return _Group(
        of_person,
        matches.select("v", bucket, (pl.col(ROWS) / pl.col("__size__")).alias(SHARE)),
        values.with_columns((pl.col(ROWS) / pl.col(ROWS).sum().over("v", bucket)).alias(OTHER)).drop(ROWS),
        int(pairs),
    )


def _covered(
    rows: pl.DataFrame, subtuples: pl.DataFrame, names: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> pl.DataFrame:
    """Return the labels of each published sub-tuple with each ``v`` that they cover."""
    labels = rows.select(names).unique().with_row_index("__label__")
    sided = labels
    for name in names:
        sided = with_sides(sided, name, hierarchies[name])
    exact = pl.all_horizontal(pl.col(low(name)) == pl.col(high(name)) for name in names)
    at = [pl.col(low(name)).alias(name) for name in names]
    same = sided.filter(exact).select("__label__", *at).join(subtuples, on=list(names))
    covers = [(pl.col(low(name)) <= pl.col(name)) & (pl.col(name) <= pl.col(high(name))) for name in names]
    wide = sided.filter(~exact).lazy().join(subtuples.lazy(), how="cross").filter(*covers)
    found = pl.concat([same.select("__label__", "v"), wide.select("__label__", "v").collect()])
    return labels.join(found, on="__label__").drop("__label__")
