"""The classes of a published table, read by their labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.core.published import PublishedTable, PublishedValues, Side

__all__ = ["read_published"]

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
