"""The classes of a published table, read by their labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.bucket_entries import GroupEntries, PairedValues
from shoal.core.published import PublishedTable, PublishedValues, Side
from shoal.kernels.grouping import rank_columns

__all__ = ["read_buckets", "read_published"]

_CLASS = "__class__"


def read_published(
    frame: pl.LazyFrame, quasi_identifiers: Sequence[str], sensitive: Sequence[str], *, name: str
) -> PublishedTable:
    """Read distinct label vectors, and which sensitive values stand beside each.

    Parameters
    ----------
    frame : LazyFrame
        The published rows, as text.
    quasi_identifiers, sensitive : sequence of str
    name : str
        What the table is called in words to the user.

    Returns
    -------
    PublishedTable
        Classes in the order of their labels, so that the order of rows changes nothing.
    """
    quasi = [f"q{j}" for j in range(len(quasi_identifiers))]
    values = [f"s{j}" for j in range(len(sensitive))]
    columns = [pl.col(column).alias(q) for q, column in zip(quasi, quasi_identifiers, strict=True)]
    columns += [pl.col(column).alias(v) for v, column in zip(values, sensitive, strict=True)]
    items = frame.select(columns).unique().collect(engine="streaming")
    classes = items.select(quasi).unique().sort(quasi, nulls_last=True).with_row_index(_CLASS)
    sides, cells = {}, []
    for q, column in zip(quasi, quasi_identifiers, strict=True):
        labels = classes.select(q).unique().sort(q, nulls_last=True).with_row_index("label")
        sides[column] = tuple(Side(label) for label in labels[q].to_list())
        coded = classes.join(labels, on=q, how="left", nulls_equal=True, maintain_order="left")
        cells.append(coded["label"].to_numpy().astype(np.int32))
    found = {}
    for v, column in zip(values, sensitive, strict=True):
        texts = items.select(v).unique().sort(v, nulls_last=True).with_row_index("code")
        entries = (
            items.select(*quasi, v)
            .unique()
            .join(classes, on=quasi, nulls_equal=True)
            .join(texts, on=v, nulls_equal=True)
            .sort(_CLASS, "code")
        )
        sizes = np.bincount(entries[_CLASS].to_numpy(), minlength=classes.height)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        found[column] = PublishedValues(
            tuple(texts[v].to_list()), offsets, entries["code"].to_numpy().astype(np.int32)
        )
    stacked = np.stack(cells, axis=1) if cells else np.empty((classes.height, 0), np.int32)
    return PublishedTable(name, sides, stacked, found)


def read_buckets(
    frame: pl.LazyFrame,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    *,
    name: str,
    groups: Sequence[Sequence[str]],
    bucket: str,
) -> PublishedTable:
    """Read what each bucket holds of each group of columns, and which sensitive values.

    Parameters
    ----------
    frame : LazyFrame
        The published rows, as text.
    quasi_identifiers, sensitive : sequence of str
    name : str
        What the table is called in words to the user.
    groups : sequence of sequence of str
        Each of these columns is in one of them.
    bucket : str
        The column that numbers the buckets.

    Returns
    -------
    PublishedTable
        Buckets in the order of their labels.
    """
    rows = frame.select(bucket, *quasi_identifiers, *sensitive).unique().collect(engine="streaming")
    labels = rows.select(bucket).unique().sort(bucket, nulls_last=True)[bucket]
    of_row = _codes(rows[bucket], labels)
    texts = {
        column: rows.select(column).unique().sort(column, nulls_last=True)[column]
        for column in (*quasi_identifiers, *sensitive)
    }
    codes = {column: _codes(rows[column], found) for column, found in texts.items()}
    place = {column: j for j, column in enumerate(quasi_identifiers)}
    entries: list[GroupEntries] = []
    pairs = {}
    for group in groups:
        columns = [column for column in group if column in place]
        if not columns:
            continue
        sizes = [len(texts[column]) for column in columns]
        entry, first = rank_columns([codes[column] for column in columns], sizes)
        held = np.unique(entry.astype(np.int64) * len(labels) + of_row)
        offsets = np.searchsorted(held // len(labels), np.arange(len(first) + 1)).astype(np.int64)
        cells = np.stack([codes[column][first] for column in columns], axis=1).astype(np.int32)
        where = tuple(place[column] for column in columns)
        entries.append(GroupEntries(where, cells, offsets, (held % len(labels)).astype(np.int32)))
        for column in group:
            if column in sensitive:
                ranked = [len(labels), len(first), len(texts[column])]
                _, one = rank_columns([of_row, entry, codes[column]], ranked)
                starts = np.searchsorted(of_row[one], np.arange(len(labels) + 1)).astype(np.int64)
                pairs[column] = PairedValues(len(entries) - 1, starts, entry[one], codes[column][one])
    found = {}
    for column in sensitive:
        width = len(texts[column])
        distinct = np.unique(of_row.astype(np.int64) * width + codes[column])
        offsets = np.searchsorted(distinct // width, np.arange(len(labels) + 1)).astype(np.int64)
        found[column] = PublishedValues(
            tuple(texts[column].to_list()), offsets, (distinct % width).astype(np.int32)
        )
    return PublishedTable(
        name,
        {column: tuple(Side(label) for label in texts[column].to_list()) for column in quasi_identifiers},
        np.empty((len(labels), 0), np.int32),
        found,
        tuple(entries),
        pairs,
        tuple(labels.to_list()),
    )


def _codes(column: pl.Series, texts: pl.Series) -> NDArray[np.int32]:
    """Return the place of each value among *texts*, which it is one of."""
    known = texts.to_frame("text").with_row_index("code")
    found = column.to_frame("text").join(known, on="text", how="left", nulls_equal=True, maintain_order="left")
    return found["code"].to_numpy().astype(np.int32)
