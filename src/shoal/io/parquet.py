"""Opening Parquet files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.errors import InputError
from shoal.io.encoding import reading_file
from shoal.io.source import Source, check_names, missing_note
from shoal.io.spool import Spool
from shoal.io.typed import typed_frame
from shoal.io.unchanged import unchanged

__all__ = ["open_parquet"]


def open_parquet(path: Path, *, name: str, spool: Spool, missing: tuple[str, ...]) -> Source:
    """Open a Parquet file; see :func:`shoal.io.opening.open_source`."""
    check = unchanged(path, name=name)
    with reading_file(name), path.open("rb") as read:
        magic = read.read(4)
    if not magic:
        raise InputError("the file is empty", where=name)
    problem = "" if magic == b"PAR1" else "the file is not Parquet"
    rows = 0
    if not problem:
        try:
            frame = pl.scan_parquet(path, glob=False)
            schema = frame.collect_schema()
            rows = frame.select(pl.len()).collect().item()
        except (pl.exceptions.PolarsError, OSError, UnicodeError) as error:
            problem = f"the Parquet file is damaged ({type(error).__name__})"
    if problem:
        raise InputError(problem, where=name, fix="write the file again, or correct its suffix")
    columns = check_names(list(schema), where=name)
    return Source(
        kind="parquet",
        name=name,
        columns=columns,
        missing=missing,
        dialect=None,
        decimal_columns=(),
        notes=(missing_note(missing),),
        _frame=typed_frame(pl.scan_parquet(path, glob=False), schema, missing=missing, where=name),
        _rows=int(rows),
        _spool=spool,
        _check=check,
    )
