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
    digests = [
        # A length before each text keeps ("ab", "c") and ("a", "bc") apart.
        blake2b(
            b"".join(b"-" if text is None else b"%d:%s" % (len(b := text.encode()), b) for text in row),
            digest_size=8,
            key=key,
        ).digest()
        for row in picked.collect(engine="streaming").iter_rows()
    ]
    return np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)
