"""What is wrong with a delimited text, in words: record, line and byte, never a cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.io.dialect import Dialect, delimiter_name
from shoal.kernels.records import Fault, Structure

__all__ = ["structure_error"]

_CHUNK = 1 << 22


def structure_error(
    found: Structure,
    *,
    data: NDArray[np.uint8],
    start: int,
    header: Sequence[str],
    sizes: Sequence[int],
    dialect: Dialect,
    name: str,
) -> InputError:
    """Return the error for the first fault of the records.

    Parameters
    ----------
    found : Structure
        With a fault.
    data : uint8 [n_bytes]
        The whole file.
    start : int
        Byte where the records begin, behind the header.
    header : sequence of str
        Names of the columns.
    sizes : sequence of int
        Fields of the first records.
    dialect : Dialect
    name : str
        Name of the file.
    """
    at = start + found.offset
    record = found.n_records + 1
    where = f"record {record}, line {_line(data, at)}, byte {at} of {name}"
    if found.fault is Fault.FIELDS:
        return _field_error(found, record, at, data=data, header=header, sizes=sizes, dialect=dialect, where=where)
    problem, fix = {
        Fault.STRAY_QUOTE: (
            "a quote stands inside a cell that does not begin with one",
            "put the cell in quotes and double each quote in it",
        ),
        Fault.AFTER_QUOTE: (
            "text stands behind the closing quote of a cell",
            "double each quote inside the cell, and remove what stands between the quote and the delimiter",
        ),
        Fault.UNCLOSED: ("a quote is opened and never closed", "close the quote"),
        Fault.CARRIAGE_RETURN: (
            "a carriage return stands inside a cell without quotes",
            "convert the line ends to LF or CR LF, or put the cell in quotes",
        ),
        Fault.NUL: ("the file holds a NUL byte", 'declare the encoding if it is UTF-16: encoding = "utf-16"'),
    }[found.fault]
    return InputError(problem, where=where, fix=fix)


def _field_error(
    found: Structure,
    record: int,
    at: int,
    *,
    data: NDArray[np.uint8],
    header: Sequence[str],
    sizes: Sequence[int],
    dialect: Dialect,
    where: str,
) -> InputError:
    names, fields = len(header), found.n_fields
    if _is_blank_line(data, at) and names > 1:
        return InputError(f"record {record} is a blank line", where=where, fix="remove the line")
    if record == 1 and set(sizes) <= {fields}:
        fix = "name every column in the first line"
        if names == fields + 1 and not header[-1].strip():
            fix = "remove the delimiter at the end of the header"
        elif fields == names + 1:
            fix = "name every column in the first line, or remove the delimiter at the end of every row"
        if names == 1:
            fix += "; or declare a delimiter that does not occur if this is one column"
        return InputError(f"header has {names} names, rows have {fields} fields", where=where, fix=fix)
    return InputError(
        f"record {record} has {fields} fields, the header has {names} names",
        where=where,
        fix=f"put cells that hold a {delimiter_name(dialect.delimiter)} or a line end in quotes",
    )


def _is_blank_line(data: NDArray[np.uint8], at: int) -> bool:
    """Tell whether an empty line begins at a byte."""
    return bytes(data[at : at + 1]) == b"\n" or bytes(data[at : at + 2]) in (b"\r\n", b"\r")


def _line(data: NDArray[np.uint8], at: int) -> int:
    return 1 + sum(int(np.count_nonzero(data[i : min(i + _CHUNK, at)] == 10)) for i in range(0, at, _CHUNK))
