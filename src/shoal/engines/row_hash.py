"""A keyed hash of whole rows, the same on every engine."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.engines.free_name import free_name

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
    names = frame.collect_schema().names()
    mark = free_name(names)
    picked = pl.concat([frame, pl.LazyFrame({mark: wanted})], how="horizontal").filter(mark).drop(mark)
    # Written by the engine, since a loop over cells takes longer than all else that is done to a row.
    texts = picked.select(pl.concat_str(_marked(name) for name in names).alias("text"))
    frame_of_texts = texts.collect(engine="streaming")
    distinct = frame_of_texts.unique()
    if 2 * distinct.height > frame_of_texts.height:
        return _digests(frame_of_texts["text"], key)
    # Rows of one item are often alike altogether, and joining texts is quicker than hashing them.
    hashed = distinct.with_columns(pl.Series("hash", _digests(distinct["text"], key)))
    return frame_of_texts.join(hashed, on="text", how="left", maintain_order="left")["hash"].to_numpy()


def _digests(texts: pl.Series, key: bytes) -> NDArray[np.uint64]:
    digests = [blake2b(text, digest_size=8, key=key).digest() for text in texts.cast(pl.Binary).to_list()]
    return np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)


def _marked(name: str) -> pl.Expr:
    """Return a text behind its length, which keeps ("ab", "c") and ("a", "bc") apart."""
    text = pl.col(name)
    return pl.concat_str(text.str.len_bytes().cast(pl.String), pl.lit(":"), text).fill_null("-")
