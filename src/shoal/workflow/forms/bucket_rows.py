"""The rows of a bucket release: each column group of a bucket in an order of its own, fake records among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.buckets import Buckets
from shoal.engines.apply import label_columns
from shoal.errors import SchemaError
from shoal.io.texts import cells_of
from shoal.workflow.beside import BUCKET
from shoal.workflow.dealt import dealt_rows
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import Prepared
from shoal.workflow.publish import Published

__all__ = ["number_of_bucket", "publish_buckets"]

FAKE = -1
"""Row of the input behind a cell of no record."""


@dataclass(frozen=True, eq=False)
class Entries:
    """What the rows of the buckets hold, genuine ones first, before they are ordered.

    Parameters
    ----------
    bucket : int32 [n_rows]
        Published number of the bucket of each.
    row : int64 [n_rows]
        Row of the input, -1 for a fake.
    """

    bucket: NDArray[np.int32]
    row: NDArray[np.int64]


def number_of_bucket(buckets: Buckets, seed: int) -> NDArray[np.int32]:
    """Return the number under which each bucket is published, int32 [n_buckets]; drawn, so it tells nothing."""
    return np.random.default_rng([seed, 2]).permutation(buckets.n_buckets).astype(np.int32)


def publish_buckets(prepared: Prepared, buckets: Buckets, plan: Plan, *, seed: int) -> Published:
    """Make the rows, sorted by bucket.

    Parameters
    ----------
    prepared : Prepared
    buckets : Buckets
    plan : Plan
        Says what fake rows hold in insensitive columns.
    seed : int
        Of the numbers of the buckets, of the orders within them and of dealing the rows of split items.

    Raises
    ------
    SchemaError
        If fake rows would need cells of insensitive columns.
    """
    source, table, schema, fakes = prepared.source, prepared.table, prepared.schema, buckets.fakes
    columns = [name for name in source.columns if name in set(schema.published)]
    free = [name for name in columns if name not in table.names and name != buckets.sensitive]
    if free and len(fakes) and plan.insensitive != "copy":
        raise SchemaError(
            "fake rows have no cells of insensitive columns",
            where=", ".join(free),
            fix='give them role "drop", ask for no fake rows, or set insensitive = "copy": each fake row then '
            "copies them from one genuine row of its bucket",
        )
    raw = source.raw()
    share = dealt_rows(prepared, buckets.regions, seed=seed)
    rows = np.flatnonzero(share >= 0)
    number = number_of_bucket(buckets, seed)
    entries = Entries(
        np.concatenate([number[buckets.bucket[share[rows]]], number[fakes.bucket]]),
        np.concatenate([rows, np.full(len(fakes), FAKE)]),
    )
    parts: dict[str, pl.Series] = {BUCKET: pl.Series(BUCKET, np.sort(entries.bucket))}
    order = np.empty(0, np.int64)
    for g, group in enumerate(buckets.groups):
        order = _order(entries.bucket, [seed, 3, g])
        cells = np.concatenate([share[rows], fakes.source[:, g]]).astype(np.int32)[order]
        names = [name for name in group if name in table.names]
        if names:
            parts |= label_columns(table, buckets.regions, cells, names).collect().to_dict()
    # The last group holds the sensitive column.
    codes = np.concatenate(
        [table.sensitive[buckets.item_of_share[share[rows]], _place(prepared, buckets)], fakes.sensitive]
    )
    kept = raw.select([buckets.sensitive, *free]).collect(engine="streaming")
    parts[buckets.sensitive] = _sensitive(prepared, buckets, kept[buckets.sensitive], entries.row, codes)[order]
    fake = entries.row[order] == FAKE
    unit = None if prepared.unit_of_row is None else prepared.unit_of_row[entries.row[order]]
    behind = _copied(entries, seed)
    for i, name in enumerate(free):
        parts[name] = kept[name][behind[_order(entries.bucket, [seed, 4, i])]]
    columns.append(BUCKET)
    frame = pl.DataFrame([parts[name].alias(name) for name in columns])
    return Published(frame.lazy(), tuple(columns), unit, fake=fake)


def _order(bucket: NDArray[np.int32], seed: list[int]) -> NDArray[np.int64]:
    """Return the entries sorted by bucket, within a bucket in an order that is drawn."""
    drawn = np.random.default_rng(seed).permutation(bucket.shape[0])
    return drawn[np.argsort(bucket[drawn], kind="stable")]


def _place(prepared: Prepared, buckets: Buckets) -> int:
    return prepared.table.sensitive_names.index(buckets.sensitive)


def _sensitive(
    prepared: Prepared,
    buckets: Buckets,
    cells: pl.Series,
    row: NDArray[np.int64],
    codes: NDArray[np.int32],
) -> pl.Series:
    """Return the sensitive cells: those of records as they came, and the values of fakes as records have them."""
    genuine: pl.Series = cells[row[row != FAKE]]
    wanted = codes[row == FAKE]
    if not wanted.size:
        return genuine
    hierarchy = prepared.table.sensitive_hierarchies[_place(prepared, buckets)]
    code_of_row = prepared.table.sensitive[prepared.item_of_row, _place(prepared, buckets)]
    somewhere = np.full(hierarchy.n_values, FAKE, np.int64)
    somewhere[code_of_row[::-1]] = np.arange(len(code_of_row))[::-1]
    if (somewhere[wanted] != FAKE).all():
        return genuine.append(cells[somewhere[wanted]])
    texts = pl.Series([hierarchy.leaves[code] for code in wanted.tolist()], dtype=pl.String)
    made = cells_of(texts, cells.dtype)
    if made is None:
        raise SchemaError(
            "a value of the declared domain cannot be written as the column's type",
            where=f"column {buckets.sensitive!r}",
            fix="give the column as text, or let fake values come from the bucket",
        )
    return genuine.append(made)


def _copied(entries: Entries, seed: int) -> NDArray[np.int64]:
    """Return the row whose insensitive cells each entry bears: its own, or for a fake one of its bucket."""
    fake = np.flatnonzero(entries.row == FAKE)
    if not fake.size:
        return entries.row
    genuine = np.flatnonzero(entries.row != FAKE)
    genuine = genuine[np.argsort(entries.bucket[genuine], kind="stable")]
    bucket = entries.bucket[genuine]
    first = np.searchsorted(bucket, entries.bucket[fake])
    end = np.searchsorted(bucket, entries.bucket[fake], side="right")
    drawn = first + (np.random.default_rng([seed, 5]).random(fake.size) * (end - first)).astype(np.int64)
    behind = entries.row.copy()
    behind[fake] = entries.row[genuine[drawn]]
    return behind
