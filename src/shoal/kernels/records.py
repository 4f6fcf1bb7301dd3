"""Counting the fields of every record of a delimited text, byte by byte.

Parsers pad short records or cut long ones without a word. A padded record is a row with missing values that
nobody wrote, so the structure is checked here, in one pass at the speed of memory, before anything is read.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["Fault", "Structure", "check_records"]

_PART = 1 << 24


class Fault(IntEnum):
    """What can be wrong with a record."""

    NONE = 0
    FIELDS = 1
    STRAY_QUOTE = 2
    AFTER_QUOTE = 3
    UNCLOSED = 4
    NUL = 5
    CARRIAGE_RETURN = 6


@dataclass(frozen=True, slots=True)
class Structure:
    """What a delimited text holds, as far as its bytes tell.

    Parameters
    ----------
    n_records : int
        Records that are whole; those before the fault where there is one.
    quoted : bool
        Some cell stands in quotes.
    ascii : bool
        No byte is above 127 (as far as was read).
    fault : Fault
        The first thing wrong.
    offset : int
        Byte of the fault, from the start of the data; for FIELDS the start of the record.
    n_fields : int
        Fields of the record with the fault.
    """

    n_records: int
    quoted: bool
    ascii: bool
    fault: Fault = Fault.NONE
    offset: int = -1
    n_fields: int = 0


@kernel
def _plain(data: Any, delimiter: Any, quote: Any, n_fields: int, seen: Any) -> int:  # pragma: no cover - compiled
    size = data.shape[0]
    n_records = 0
    fields = 1
    high: Any = np.uint8(0)
    start = 0
    # One branch per delimiter would be guessed wrong most of the time. Blocks of the width of a vector register
    # are looked at as a whole, and byte by byte only where a line ends.
    while start + 32 <= size:
        found: Any = np.uint8(0)
        ends: Any = np.uint8(0)
        odd: Any = np.uint8(0)
        for lane in range(32):
            byte = data[start + lane]
            high |= byte
            found += np.uint8(byte == delimiter)
            odd |= np.uint8((byte == quote) | (byte == 0) | (byte == 13))
            ends += np.uint8(byte == 10)
        if odd:
            return -1
        if ends:
            for lane in range(32):
                byte = data[start + lane]
                fields += byte == delimiter
                if byte == 10:
                    if fields != n_fields:
                        return -1
                    n_records += 1
                    fields = 1
        else:
            fields += found
        start += 32
    for at in range(start, size):
        byte = data[at]
        high |= byte
        fields += byte == delimiter
        if byte == 10:
            if fields != n_fields:
                return -1
            n_records += 1
            fields = 1
        elif (byte == quote) | (byte == 0) | (byte == 13):
            return -1
    seen[0] = high
    if data[size - 1] != 10:
        if fields != n_fields:
            return -1
        n_records += 1
    return n_records


@kernel
def _machine(
    data: Any, delimiter: int, quote: int, n_fields: int, seen: Any
) -> int:  # pragma: no cover - compiled
    # States: 0 at the start of a cell, 1 in a bare cell, 2 in quotes, 3 after a quote in quotes, 4 after that
    # and a carriage return.
    state = 0
    n_records = 0
    fields = 1
    record = 0
    opened = 0
    size = data.shape[0]
    for at in range(size):
        byte = data[at]
        fault = 0
        seen[0] |= byte
        if byte == 0:
            fault = 5
        elif state == 2:
            if byte == quote:
                state = 3
        elif state == 3 and byte == quote:
            state = 2
        elif byte == 10:
            if fields != n_fields:
                fault = 1
            else:
                n_records += 1
                fields = 1
                record = at + 1
                state = 0
        elif state == 4:
            fault = 3
        elif byte == delimiter:
            fields += 1
            state = 0
        elif state == 3:
            if byte == 13:
                state = 4
            else:
                fault = 3
        elif byte == quote:
            if state == 1:
                fault = 2
            else:
                state = 2
                opened = at
                seen[1] = 1
        else:
            if byte == 13 and at + 1 < size and data[at + 1] != 10:
                fault = 6
            state = 1
        if fault:
            seen[2] = fault
            seen[3] = record if fault == 1 else at
            seen[4] = fields
            return n_records
    if state == 2:
        seen[2] = 4
        seen[3] = opened
    elif record < size:
        if fields != n_fields:
            seen[2] = 1
            seen[3] = record
            seen[4] = fields
        else:
            n_records += 1
    return n_records


def check_records(
    data: NDArray[np.uint8], *, delimiter: int, quote: int | None, n_fields: int, n_threads: int = 2
) -> Structure:
    r"""Check that every record has the same number of fields.

    A record ends with a line feed outside quotes, with or without a carriage return before it; the last one
    may lack it. A quote opens a cell only at its start and is doubled inside it (RFC 4180). Other carriage
    returns must stand in quotes: parsers differ in what they make of them.

    Parameters
    ----------
    data : uint8 [n_bytes]
        The records, without the header.
    delimiter, quote : int
        Bytes; ``quote=None`` where quotes mean nothing.
    n_fields : int
        Fields that every record must have.
    n_threads : int, default 2
        Threads of the quick pass over text without quotes.

    Returns
    -------
    Structure
        With the first fault, if any.

    Examples
    --------
    >>> text = np.frombuffer(b'1,2\n3,"4,5"\n6\n', np.uint8)
    >>> found = check_records(text, delimiter=ord(","), quote=ord('"'), n_fields=2)
    >>> found.n_records, found.fault.name, found.offset, found.n_fields
    (2, 'FIELDS', 12, 1)
    """
    if data.shape[0] == 0:
        return Structure(0, quoted=False, ascii=True)
    data = data.view()
    data.flags.writeable = False
    # NUL is a fault of its own, so it can stand for "no quote at all".
    mark = 0 if quote is None else quote
    parts = _parts(data)

    def plain(part: NDArray[np.uint8]) -> tuple[int, int]:
        seen = np.zeros(1, np.int64)
        return _plain(part, np.uint8(delimiter), np.uint8(mark), n_fields, seen), int(seen[0])

    # Most texts hold no quote, no carriage return and no fault: that is tried first, in parallel, and given up
    # at the first of them.
    first = plain(parts[0])
    found = [first]
    if first[0] >= 0 and len(parts) > 1:
        with ThreadPoolExecutor(n_threads) as pool:
            found += pool.map(plain, parts[1:])
    if all(records >= 0 for records, _ in found):
        return Structure(
            sum(records for records, _ in found), quoted=False, ascii=all(high < 128 for _, high in found)
        )
    seen = np.zeros(5, np.int64)
    n_records = _machine(data, delimiter, mark, n_fields, seen)
    high, quoted, fault, offset, fields = seen.tolist()
    return Structure(
        n_records,
        quoted=bool(quoted),
        ascii=high < 128,
        fault=Fault(fault),
        offset=offset if fault else -1,
        n_fields=fields if fault == Fault.FIELDS else 0,
    )


def _parts(data: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """Cut after line feeds, into parts of about 16 MB."""
    cuts = [0]
    while cuts[-1] + _PART < data.shape[0]:
        at = cuts[-1] + _PART
        # A line feed is near; one that is farther than a window away only makes the part longer.
        while at < data.shape[0]:
            ends = np.flatnonzero(data[at : at + 65536] == 10)
            if ends.shape[0]:
                at += int(ends[0]) + 1
                break
            at += 65536
        if at >= data.shape[0]:
            break
        cuts.append(at)
    return [data[start:stop] for start, stop in zip(cuts, [*cuts[1:], data.shape[0]], strict=True)]
