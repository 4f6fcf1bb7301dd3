"""Rows to codes: one compact code per row and column, in a single streaming pass."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["EncodedColumn", "compact", "encode"]


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """The texts of a column and which one each row holds.

    Parameters
    ----------
    texts : tuple of str or None
        Distinct texts, sorted; ``None``, the missing value, comes last where it occurs.
    codes : uint8, uint16 or uint32 [n_rows]
        Index into *texts*.
    """

    texts: tuple[str | None, ...]
    codes: NDArray[Any]

    def recoded(self, code_of: Mapping[str | None, int], n_codes: int) -> NDArray[Any]:
        """Return the code of each row in another numbering of the same texts."""
        mapped = np.fromiter((code_of[text] for text in self.texts), np.int64, len(self.texts))
        recoded: NDArray[Any] = compact(mapped, n_codes)[self.codes]
        return recoded


def compact(codes: NDArray[Any], n_codes: int) -> NDArray[Any]:
    """Return *codes* in the smallest unsigned type that holds ``n_codes`` values."""
    smallest: NDArray[Any] = codes.astype(np.min_scalar_type(max(0, n_codes - 1)))
    return smallest


def encode(
    frame: pl.LazyFrame, columns: Sequence[str], expressions: Mapping[str, pl.Expr] | None = None
) -> dict[str, EncodedColumn]:
    """Read the texts of some columns.

    Parameters
    ----------
    frame : LazyFrame
        Scanned once, streaming; the order of rows is kept.
    columns : sequence of str
    expressions : mapping of str to Expr, optional
        How a column's canonical text is made, where it is not text already.

    Returns
    -------
    dict of str to EncodedColumn
        Memory: one to four bytes per row and column.
    """
    expressions = expressions or {}
    # Categories of their own let Polars number the texts while it reads, in one pass and without a known domain.
    casts = [
        expressions.get(name, pl.col(name)).cast(pl.Categorical(pl.Categories.random())).alias(name)
        for name in dict.fromkeys(columns)
    ]
    if not casts:
        return {}
    read = frame.select(casts).collect(engine="streaming")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(read.columns, pool.map(_encoded, read.iter_columns()), strict=True))


def _encoded(column: pl.Series) -> EncodedColumn:
    has_null = column.null_count() > 0
    physical = column.to_physical()
    # Missing cells get the number behind all others, and it the last place.
    largest = physical.max()
    missing = 0 if largest is None else int(largest) + 1  # type: ignore[arg-type]
    numbers = physical.fill_null(missing).to_numpy()
    occurs = np.zeros(missing + 1, bool)
    occurs[numbers] = True
    occurring = np.flatnonzero(occurs[:-1])
    texts = pl.Series(occurring.astype(np.uint32)).cat.to(column.dtype).cast(pl.String)
    # Numbers are given in whatever order threads met the texts; sorted texts make them reproducible.
    order = texts.arg_sort().to_numpy()
    rank = np.zeros(missing + 1, np.int64)
    rank[occurring[order]] = np.arange(len(order))
    rank[-1] = len(order)
    ordered: tuple[str | None, ...] = tuple(texts[order].to_list())
    return EncodedColumn((*ordered, None) if has_null else ordered, compact(rank, len(order) + 1)[numbers])
