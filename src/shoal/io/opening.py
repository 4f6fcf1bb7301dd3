"""Opening a table by its path."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from shoal.errors import InputError
from shoal.io.delimited import open_delimited
from shoal.io.parquet import open_parquet
from shoal.io.source import Kind, Source, checked_missing, path_of
from shoal.io.spool import Spool

__all__ = ["open_source"]

_KINDS: dict[str, Kind] = {".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet"}


def open_source(
    path: str | Path,
    *,
    delimiter: str | None = None,
    quote: str | None = '"',
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
    decimal_comma: bool | None = None,
    decimal_columns: Sequence[str] = (),
    stdin: BinaryIO | None = None,
) -> Source:
    r"""Open a table that lies in a file.

    The format follows the suffix: ``.csv`` and ``.txt`` (delimiter detected), ``.tsv`` and ``.tab``,
    ``.parquet``; ``-`` is CSV on standard input, which is copied to a private temporary file. Text files are
    checked to their last byte here: every record has as many fields as the header, quotes close, and the
    encoding holds. So reading them afterwards cannot fail half-way, or pad a short record.

    Parameters
    ----------
    path : str or Path
    delimiter : str, optional
        One ASCII character; detected where left out.
    quote : str or None, default ``'"'``
        None where quotes are letters.
    encoding : str, optional
        UTF-8, or what a byte order mark says, where left out. Anything else is never guessed.
    missing : sequence of str, default ``("",)``
        Texts that mean missing, in quotes or not.
    decimal_comma : bool, optional
        Whether numbers are written ``1234,50``; detected where left out.
    decimal_columns : sequence of str
        Columns that hold numbers: where the file has decimal commas, they are read with a point. Names that the
        table does not have are passed over.
    stdin : binary file, optional
        Read instead of standard input.

    Returns
    -------
    Source
        To be closed, or used in a ``with`` statement.

    Raises
    ------
    InputError
        If the file cannot be read as it is declared; with record, line and byte.
    SchemaError
        If column names are blank or occur twice.
    SpecError
        If an option is wrong.

    Examples
    --------
    >>> import io
    >>> people = io.BytesIO(b"id;pay\n01;1234,50\n02;\n")
    >>> with open_source("-", stdin=people, decimal_columns=["pay"]) as source:
    ...     print(source.scan().collect().rows(), source.n_rows())
    ...     print(*source.notes, sep="\n")
    [('01', '1234.50'), ('02', None)] 2
    Delimiter: semicolon.
    Decimal comma in: pay.
    Treated as missing: empty cells.
    """
    texts = checked_missing(missing)
    spool = Spool()
    try:
        kind: Kind
        if str(path) == "-":
            name, kind, at = "standard input", "csv", spool.file("stdin.csv")
            with at.open("wb") as write:
                shutil.copyfileobj(stdin or _standard_input(), write, 1 << 20)
        else:
            name, at = str(path), path_of(path)
            kind = _kind(at, name)
        if kind == "parquet":
            return open_parquet(at, name=name, spool=spool, missing=texts)
        return open_delimited(
            at,
            name=name,
            kind=kind,
            spool=spool,
            delimiter=delimiter,
            quote=quote or None,
            encoding=encoding,
            missing=texts,
            decimal_comma=decimal_comma,
            decimal_columns=decimal_columns,
        )
    except BaseException:
        spool.close()
        raise


def _standard_input() -> BinaryIO:
    # A program that is started without one has None here.
    if sys.stdin is None:
        raise InputError("standard input is closed", fix="pipe the table in, or name its file")
    return sys.stdin.buffer


def _kind(path: Path, name: str) -> Kind:
    if path.is_dir():
        raise InputError("the path is a folder, not a file", where=name, fix="name a file in it")
    if path.exists() and not path.is_file():
        raise InputError("the path is not a plain file", where=name, fix="pipe it in and name it -")
    try:
        return _KINDS[path.suffix.lower()]
    except KeyError:
        raise InputError(
            f"the suffix {path.suffix!r} names no format that can be read",
            where=name,
            fix="use one of " + ", ".join(_KINDS),
        ) from None
