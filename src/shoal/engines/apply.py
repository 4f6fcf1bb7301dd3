"""Codes back to rows: a recoding applied to every row, streaming."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.hierarchy import ANY
from shoal.core.labels import label_intervals
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.engines.encode import compact
from shoal.kernels.dealing import dealt
from shoal.kernels.grouping import rank_columns, sort_keys

__all__ = ["label_columns", "label_table", "region_of_rows"]


def region_of_rows(
    regions: Regions,
    item_of_row: NDArray[np.int32],
    row_hash: Callable[[NDArray[np.int64]], NDArray[np.uint64]] | None = None,
) -> NDArray[np.int32]:
    """Return the box of each row.

    Parameters
    ----------
    regions : Regions
    item_of_row : int32 [n_rows]
    row_hash : callable, optional
        Gives a keyed hash of each whole row whose position it is asked for. The rows of an item that is split
        between boxes are dealt by it, so that neither the order of rows nor the engine matters; where left out,
        as they come.

    Returns
    -------
    int32 [n_rows]
        :data:`~shoal.core.regions.SUPPRESSED` for suppressed rows.
    """
    region = regions.region[regions.offsets[:-1]][item_of_row]
    is_split = np.diff(regions.offsets) > 1
    if is_split.any():
        rows = np.flatnonzero(is_split[item_of_row])
        if row_hash is not None:
            rows = rows[sort_keys(row_hash(rows))[0]]
        region[rows] = regions.region[dealt(item_of_row[rows], regions.offsets[:-1], regions.rows)]
    return region


def label_columns(
    table: FrequencyTable, regions: Regions, region_of_row: NDArray[np.int32], names: Sequence[str]
) -> pl.LazyFrame:
    """Return some quasi-identifiers as they are published, as text: one row per given box, in that order.

    Memory: one to four bytes per row and column; the texts are made while streaming.
    """
    codes: dict[str, pl.Series] = {}
    texts: dict[str, pl.Series] = {}
    for name in names:
        texts[name], code_of_region = _labels(table, regions, table.names.index(name))
        codes[name] = pl.Series(name, code_of_region[region_of_row])
    frame = pl.DataFrame(codes, height=region_of_row.shape[0])
    return frame.lazy().select(pl.lit(texts[name]).gather(pl.col(name)).alias(name) for name in names)


def label_table(table: FrequencyTable, regions: Regions) -> pl.DataFrame:
    """Return what each box is published as, one row per box and one column per quasi-identifier."""
    columns = []
    for j in range(table.n_qi):
        texts, code_of_region = _labels(table, regions, j)
        columns.append(texts.gather(code_of_region[:-1]).alias(f"q{j}"))
    return pl.DataFrame(columns)


def _labels(table: FrequencyTable, regions: Regions, j: int) -> tuple[pl.Series, NDArray[Any]]:
    """Return the labels of a column and which one each box has; the last is that of suppressed rows (index -1)."""
    hierarchy, lo, hi = table.hierarchies[j], regions.lo[:, j], regions.hi[:, j]
    code, first = rank_columns([lo, hi], [hierarchy.n_values] * 2)
    labels = label_intervals(hierarchy, lo[first], hi[first], regions.labels)
    texts = pl.Series(f"q{j}", [*labels, ANY], dtype=pl.String)
    return texts, compact(np.append(code, len(labels)), len(labels) + 1)
