"""Opening CSV and TSV files: bytes are checked first, and read by Polars afterwards."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.io.dialect import (
    Dialect,
    delimiter_name,
    detect_decimal_comma,
    detect_delimiter,
    sample,
    split_records,
)
from shoal.io.encoding import check_utf8, detect_bom, known_encoding, reading_file, transcode, undecodable
from shoal.io.faults import structure_error
from shoal.io.source import Kind, Source, check_names, missing_note
from shoal.io.spool import Spool
from shoal.io.unchanged import unchanged
from shoal.kernels.records import Fault, Structure, check_records

__all__ = ["open_delimited", "scanner"]

_HEAD = 1 << 18
_LONGEST_HEADER = 1 << 24
_BLANK_LINES = re.compile(rb"(?:\r?\n)*\r?")


@dataclass(frozen=True, slots=True)
class _Head:
    """The beginning of a file as text."""

    text: str
    mark: int
    whole: bool


def open_delimited(
    path: Path,
    *,
    name: str,
    kind: Kind,
    spool: Spool,
    delimiter: str | None,
    quote: str | None,
    encoding: str | None,
    missing: tuple[str, ...],
    decimal_comma: bool | None,
    decimal_columns: Sequence[str],
) -> Source:
    """Open a delimited text file; see :func:`shoal.io.opening.open_source`."""
    notes: list[str] = []
    path = _as_utf8(path, name=name, encoding=encoding, spool=spool, notes=notes)
    head = _head(path, name=name, quote=quote)
    if head.mark:
        notes.append("A byte order mark was removed.")
    if delimiter is None:
        tab = kind == "tsv"
        delimiter = "\t" if tab else detect_delimiter(head.text, quote=quote, whole=head.whole)
        notes.append(f"Delimiter: {delimiter_name(delimiter)}.")
    dialect = Dialect(delimiter, quote, missing)
    header, *records = sample(head.text, delimiter=delimiter, quote=quote, whole=head.whole)
    end = next(split_records(head.text, delimiter=delimiter, quote=quote))[1]
    start = head.mark + len(head.text[:end].encode())
    check = unchanged(path, name=name)
    path, found = _checked(
        path,
        dialect,
        mark=head.mark,
        start=start,
        header=header,
        records=records,
        name=name,
        spool=spool,
        notes=notes,
    )
    names = check_names(header, where=f"header of {name}", header_fix=_header_fix(header))
    padded = sum(text != text.strip() for text in names)
    if padded:
        notes.append(f"{padded} column name(s) begin or end with a blank, which belongs to the name.")
    if decimal_comma is None:
        commas = detect_decimal_comma(records, delimiter=delimiter, missing=missing)
        decimal_comma = bool(commas)
        if commas:
            notes.append(f"Decimal comma in: {', '.join(names[i] for i in commas)}.")
    dialect = replace(dialect, decimal_comma=decimal_comma)
    notes.append(missing_note(missing))
    quoted = found.quoted or (quote is not None and quote in head.text[:end])
    return Source(
        kind=kind,
        name=name,
        columns=names,
        missing=missing,
        dialect=dialect,
        decimal_columns=tuple(column for column in decimal_columns if column in names) if decimal_comma else (),
        notes=tuple(notes),
        _frame=scanner(path, names, dialect, quoted=quoted),
        _rows=found.n_records,
        _spool=spool,
        _check=check,
    )


def _as_utf8(path: Path, *, name: str, encoding: str | None, spool: Spool, notes: list[str]) -> Path:
    """Return the file, or a private copy in UTF-8 where it has another encoding."""
    with reading_file(name), path.open("rb") as read:
        first = read.read(16)
    if not first:
        raise InputError("the file is empty", where=name)
    marked = detect_bom(first, name=name)
    declared = known_encoding(encoding) if encoding else None
    if marked and declared and not declared.startswith(marked):
        raise InputError(
            f"the file begins with the byte order mark of {marked} and is declared as {declared}",
            where=name,
            fix=f'encoding = "{marked}"',
        )
    used = declared or marked or "utf-8"
    if used in ("utf-8", "utf-8-sig"):
        return path
    notes.append(f"Encoding: {used}.")
    copy = spool.file("utf-8.txt")
    with reading_file(name):
        transcode(path, copy, encoding=used, name=name)
    return copy


def _head(path: Path, *, name: str, quote: str | None) -> _Head:
    """Read until the header is in, and some records where there are any."""
    size = _HEAD
    while True:
        with reading_file(name), path.open("rb") as read:
            data = read.read(size)
        whole = len(data) < size
        mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        text = _decoded(data[mark:], whole=whole, name=name, offset=mark)
        # Any delimiter will do here: whether a line end stands in quotes does not depend on it much, and a
        # header that is cut short is read again, longer.
        complete = len(list(islice(split_records(text, delimiter=",", quote=quote), 2))) > 1
        if whole or complete or size > _LONGEST_HEADER:
            break
        size *= 8
    if not whole and not complete:
        raise InputError(
            f"the header does not end within {_LONGEST_HEADER >> 20} MB", where=name, fix="close its quotes"
        )
    if not text.strip("\r\n"):
        raise InputError("the file holds nothing but line ends" if text else "the file is empty", where=name)
    if "\r" in text and "\n" not in text:
        raise InputError(
            "lines end in a carriage return alone", where=name, fix="convert the line ends to LF or CR LF"
        )
    return _Head(text, mark, whole)


def _decoded(data: bytes, *, whole: bool, name: str, offset: int) -> str:
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError(
            "the file holds a NUL byte",
            where=f"byte {offset + nul} of {name}",
            fix='declare the encoding if it is UTF-16: encoding = "utf-16"',
        )
    try:
        return codecs.getincrementaldecoder("utf-8")("strict").decode(data, final=whole)
    except UnicodeDecodeError as error:
        # The error holds the bytes of the file, so it goes no further.
        at = error.start
    raise undecodable("utf-8", offset=offset + at, wrong=data[at : at + 4096], name=name)


def _header_fix(header: Sequence[str]) -> str:
    fix = "give each column a name of its own in the first line"
    if not header[-1].strip():
        fix += "; a delimiter at the end of every line makes a column without a name"
    return fix


def _checked(
    path: Path,
    dialect: Dialect,
    *,
    mark: int,
    start: int,
    header: Sequence[str],
    records: Sequence[Sequence[str]],
    name: str,
    spool: Spool,
    notes: list[str],
) -> tuple[Path, Structure]:
    """Check every record, and that the file is UTF-8 to its end."""
    with reading_file(name):
        data = np.asarray(np.memmap(path, np.uint8, "r"))
    found = _structure(data[mark:start], dialect, n_fields=len(header))
    if found.fault is not Fault.NONE:
        raise structure_error(found, data=data, start=mark, header=header, sizes=(), dialect=dialect, name=name)
    found = _structure(data[start:], dialect, n_fields=len(header))
    if found.fault is not Fault.NONE:
        at = start + found.offset
        if not (found.fault is Fault.FIELDS and _only_line_ends(data[at:])):
            raise structure_error(
                found,
                data=data,
                start=start,
                header=header,
                sizes=[len(cells) for cells in records],
                dialect=dialect,
                name=name,
            )
        # Polars would read blank lines at the end as records without any value.
        copy = spool.file("trimmed.txt")
        with reading_file(name), copy.open("wb") as write:
            data[:at].tofile(write)
        notes.append("Blank lines at the end were left out.")
        path = copy
        found = _structure(data[start:at], dialect, n_fields=len(header))
    if not found.ascii:
        check_utf8(path, name=name)
    return path, found


def _structure(data: NDArray[np.uint8], dialect: Dialect, *, n_fields: int) -> Structure:
    quote = None if dialect.quote is None else ord(dialect.quote)
    return check_records(data, delimiter=ord(dialect.delimiter), quote=quote, n_fields=n_fields)


def _only_line_ends(data: NDArray[np.uint8]) -> bool:
    return data.shape[0] < _HEAD and _BLANK_LINES.fullmatch(bytes(data)) is not None


def scanner(
    path: Path, names: tuple[str, ...], dialect: Dialect, *, quoted: bool
) -> Callable[[bool], pl.LazyFrame]:
    """Return how the records of a UTF-8 file are scanned, given whether missing texts become null."""
    texts = {name: pl.String() for name in names}
    empty = "" in dialect.missing
    # Polars tells an empty cell from an empty quoted one; the same text must mean the same here.
    others = [text for text in dialect.missing if text or quoted]

    def frame(nulls: bool) -> pl.LazyFrame:  # noqa: FBT001 - an internal switch
        return pl.scan_csv(
            path,
            # Names are ours: Polars renames doubles and keeps doubled quotes.
            has_header=False,
            skip_rows=1,
            schema=texts,
            separator=dialect.delimiter,
            quote_char=dialect.quote if quoted else None,
            null_values=others if nulls and others else None,
            empty_string_is_null=nulls and empty,
            glob=False,
        )

    return frame
