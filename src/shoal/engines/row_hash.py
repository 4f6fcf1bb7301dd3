"""A keyed hash of whole rows, the same on every engine."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["hash_rows"]


def hash_rows(frame: pl.LazyFrame, rows: NDArray[np.int64], *, key: bytes) -> NDArray[np.uint64]:
    """Hash some rows by all their texts.

    Parameters
    ----------
    frame : LazyFrame
        Every column as text.
    rows : int64 [n]
        Positions of the wanted rows, ascending.
    key : bytes
        Without it nobody can tell which row went where.

    Returns
    -------
    uint64 [n]
    """
    wanted = np.zeros(frame.select(pl.len()).collect(engine="streaming").item(), bool)
    wanted[rows] = True
    mask = pl.LazyFrame({"__wanted__": wanted})
    picked = pl.concat([frame, mask], how="horizontal").filter("__wanted__").drop("__wanted__")
    names = picked.collect_schema().names()
    # Written by the engine, since a loop over cells takes longer than all else that is done to a row.
    rows_as_bytes = picked.select(pl.concat_str(_marked(name) for name in names).cast(pl.Binary))
    texts = rows_as_bytes.collect(engine="streaming").to_series().to_list()
    digests = [blake2b(text, digest_size=8, key=key).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)


def _marked(name: str) -> pl.Expr:
    """Return a text behind its length, which keeps ("ab", "c") and ("a", "bc") apart."""
    text = pl.col(name)
    return pl.concat_str(text.str.len_bytes().cast(pl.String), pl.lit(":"), text).fill_null("-")
