"""Writing rows to a file, in order and as a stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from shoal.errors import InputError, SpecError
from shoal.io.delimited import scanner
from shoal.io.dialect import Dialect
from shoal.io.texts import decimal_texts, text_expr
from shoal.io.typed import typed_frame

__all__ = ["output_kind", "read_back", "write"]

_SUFFIXES = {".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet"}


def output_kind(path: str | Path) -> str:
    """Return the format that a path's suffix names; ``-`` is CSV.

    Raises
    ------
    SpecError
        If it names none, or is a folder.

    Examples
    --------
    >>> output_kind("out.parquet"), output_kind("-")
    ('parquet', 'csv')
    """
    if str(path) == "-":
        return "csv"
    if Path(path).is_dir():
        raise SpecError("the output is a folder", where=str(path), fix="name a file in it")
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise SpecError(
            f"the suffix {suffix!r} names no format that can be written",
            where=str(path),
            fix="use one of " + ", ".join(_SUFFIXES),
        )
    return _SUFFIXES[suffix]


def write(frame: pl.LazyFrame, path: Path, *, kind: str, dialect: Dialect | None = None) -> None:
    r"""Write rows in their order, as a stream.

    Parameters
    ----------
    frame : polars.LazyFrame
    path : Path
        File to write, whatever its suffix.
    kind : {"csv", "tsv", "parquet"}
        See :func:`output_kind`.
    dialect : Dialect, optional
        The input's. Its delimiter is kept (a tab for TSV), and where exactly one text means missing, missing
        cells are written as that text, otherwise as nothing. Text is UTF-8 without a byte order mark, lines end
        in LF, and cells are quoted where they must be: an empty text that is not missing is ``""``. No cell is
        changed to keep spreadsheets from reading it as a formula.

    Raises
    ------
    InputError
        If the rows cannot be written.

    Notes
    -----
    Typed columns are written to text as :func:`shoal.io.texts.text_expr` says. Parquet keeps types; categories
    become text, and no metadata of the input goes along.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "out"
    >>> write(pl.LazyFrame({"a": ["x;y", None, ""]}), path, kind="csv", dialect=Dialect(delimiter=";"))
    >>> path.read_bytes()
    b'a\n"x;y"\n\n""\n'
    """
    schema = frame.collect_schema()
    try:
        if kind == "parquet":
            categories = [
                name for name, dtype in schema.items() if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null)
            ]
            frame.with_columns(pl.col(categories).cast(pl.String)).sink_parquet(path)
            return
        dialect = dialect or Dialect()
        typed = [text_expr(name, dtype) for name, dtype in schema.items() if dtype != pl.String]
        frame.with_columns(typed).sink_csv(
            path,
            separator="\t" if kind == "tsv" else dialect.delimiter,
            null_value=dialect.null_text,
            check_extension=False,
            maintain_order=True,
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        # A parser's or a system's text may hold cells.
        failed = type(error).__name__
    else:
        return
    raise InputError(
        f"the rows cannot be written ({failed})", where=str(path), fix="check the disk, and the input"
    )


def read_back(
    path: Path,
    *,
    kind: str,
    columns: Sequence[str],
    dialect: Dialect | None = None,
    decimal_columns: Sequence[str] = (),
) -> pl.LazyFrame:
    """Scan what :func:`write` wrote, as a reader of the published file would.

    Parameters
    ----------
    path, kind
        As given to :func:`write`.
    columns : sequence of str
        Its columns, in order.
    dialect
        As given to :func:`write`.
    decimal_columns : sequence of str
        Columns whose decimal comma is read as a point.
    """
    dialect = dialect or Dialect()
    if kind == "parquet":
        frame = pl.scan_parquet(path, glob=False)
        # Cells that were not generalized leave as they came, so a text that meant missing still does.
        rows = typed_frame(frame, frame.collect_schema(), missing=dialect.missing, where=str(path))
        return rows(True)  # noqa: FBT003
    delimiter = "\t" if kind == "tsv" else dialect.delimiter
    written = replace(dialect, delimiter=delimiter, quote='"')
    return scanner(path, tuple(columns), written, quoted=True)(True).with_columns(  # noqa: FBT003
        *(decimal_texts(name) for name in decimal_columns if name in columns)
    )
