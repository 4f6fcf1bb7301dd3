"""How the texts of a column are read: as numbers, as dates of the calendar, or as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import TypeVar

from shoal.core.hierarchy import ANY
from shoal.errors import HierarchyError, SpecError

__all__ = [
    "NUMBER",
    "check_covered",
    "distinct_values",
    "infer_type",
    "place_values",
    "read_days",
    "read_numbers",
    "refuse_type",
    "where",
]

T = TypeVar("T")

# Float64 tells whole numbers apart up to here; beyond, two different ids would be one.
LARGEST_WHOLE = 2**53

# Bounded in length: no value may cost the time of a million digits.
NUMBER = {
    "integer": re.compile(r"[+-]?[0-9]{1,400}"),
    "decimal": re.compile(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,3})?"),
}
CANONICAL = {
    "integer": re.compile(r"-?(0|[1-9][0-9]{0,15})"),
    "decimal": re.compile(r"-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?"),
}
DAY = re.compile(
    r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2})"
    r"(?:[T ]([01][0-9]|2[0-3]):[0-5][0-9](?::([0-5][0-9]|60)(?:[.,][0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?)?"
)

Day = tuple[int, int, int | None]
"""Year, month and day; None for a month without a day."""


def where(column: str) -> str:
    """Return the place of an error."""
    return f"column {column!r}" if column else ""


def distinct_values(values: Iterable[str | None], column: str) -> tuple[list[str], bool]:
    """Return the distinct texts, sorted, and whether a missing value is among them.

    Raises
    ------
    HierarchyError
        If a value is ``*``, the mark of a suppressed cell.
    """
    found = set(values)
    if ANY in found:
        raise HierarchyError(
            "1 value is the mark of a suppressed cell, which is no value",
            where=where(column),
            fix='list it beside what is missing already, as in missing = ["", "*"]',
            examples=[ANY],
        )
    return sorted(text for text in found if text is not None), None in found


def check_covered(texts: Iterable[str], known: Collection[str], column: str) -> None:
    """Refuse values that a given hierarchy does not hold.

    Raises
    ------
    HierarchyError
        With their number; the values are on its examples.
    """
    missing = sorted(set(texts).difference(known))
    if missing:
        raise HierarchyError(
            f"the hierarchy misses {len(missing)} value(s) of the column",
            where=where(column),
            fix="give each a place in the hierarchy, or list them as missing; in Python, err.examples has them",
            examples=missing,
        )


def read_numbers(texts: Sequence[str], type: str, column: str = "") -> list[Decimal]:  # noqa: A002
    """Read every text as an integer or a decimal, exactly.

    Raises
    ------
    HierarchyError
        If some are not such numbers, or are whole numbers beyond 2**53.
    """
    numbers = _read_all(texts, lambda text: _number(text, type), column, f"not of type {type}")
    large = [text for text, number in zip(texts, numbers, strict=True) if abs(number) > LARGEST_WHOLE]
    if large and type == "integer":
        raise HierarchyError(
            f"{len(large)} value(s) lie beyond 2**53, where an integer has no exact place",
            where=where(column),
            fix='read an id as text: type = "text"',
            examples=large,
        )
    return numbers


def _number(text: str, type_: str) -> Decimal | None:
    if not NUMBER[type_].fullmatch(text):
        return None
    number = Decimal(text)
    return number if isfinite(float(number)) else None


def read_days(texts: Sequence[str], column: str = "") -> list[Day]:
    """Read every text as a day (or month) of the calendar: ``YYYY-MM-DD``, also with a time, or ``YYYY-MM``.

    Raises
    ------
    HierarchyError
        If some are no such date, or no real one (30 February).
    """
    return _read_all(texts, _day, column, "not a date of the calendar written YYYY-MM-DD")


def _day(text: str) -> Day | None:
    match = DAY.fullmatch(text)
    if match is None:
        return None
    year, month = int(match[1]), int(match[2])
    day = None if match[3] is None else int(match[3])
    try:
        date(year, month, day or 1)
    except ValueError:
        return None
    return None if day == 0 else (year, month, day)


def _read_all(texts: Sequence[str], read: Callable[[str], T | None], column: str, problem: str) -> list[T]:
    found = [read(text) for text in texts]
    bad = [text for text, value in zip(texts, found, strict=True) if value is None]
    if bad:
        raise HierarchyError(
            f"{len(bad)} of {len(texts)} value(s) are {problem}",
            where=where(column),
            fix="mend them, list them as missing, or read the column as text; in Python, err.examples has them",
            examples=bad,
        )
    return [value for value in found if value is not None]


def infer_type(texts: Collection[str]) -> str:
    """Return how texts read if nobody says it: as numbers or dates only where nothing could be lost by it.

    Leading zeros, signs like ``+``, exponents and whole numbers beyond 2**53 keep a column text, as does one
    value that is neither number nor date.

    Examples
    --------
    >>> infer_type(["7", "12"]), infer_type(["7", "12.50"]), infer_type(["02139", "94110"])
    ('integer', 'decimal', 'text')
    """
    if not texts:
        return "text"
    for type_, pattern in CANONICAL.items():
        if all(pattern.fullmatch(t) and t != "-0" and abs(int(t.split(".")[0])) < LARGEST_WHOLE for t in texts):
            return type_
    if all(_is_plain_date(text) for text in texts):
        return "date"
    return "text"


def _is_plain_date(text: str) -> bool:
    found = _day(text)
    # A code such as 5512-03 looks like a month without a day; a year of our time makes it one.
    return found is not None and (found[2] is not None or 1800 <= found[0] < 2200)


def place_values(texts: Sequence[str], type: str | None, column: str) -> tuple[str, list[float] | None]:  # noqa: A002
    """Return how listed leaves are read and the numeric place of each, None for plain text.

    Parameters
    ----------
    texts : sequence of str
        Leaves in the order in which the hierarchy lists them; that order counts for type ``"ordered"``.
    type : str or None
        None infers it.
    column : str
        For errors.
    """
    stated = infer_type(texts) if type is None else type
    if stated in NUMBER:
        return stated, [float(number) for number in read_numbers(texts, stated, column)]
    if stated == "date":
        return stated, [float(date(y, m, d or 1).toordinal()) for y, m, d in read_days(texts, column)]
    if stated == "ordered":
        return stated, [float(place) for place in range(len(texts))]
    return stated, None


def refuse_type(builder: str, type: str | None, allowed: Sequence[str], column: str) -> None:  # noqa: A002
    """Refuse a declared type that a builder cannot give.

    Raises
    ------
    SpecError
        If *type* is given and not among *allowed*.
    """
    if type is not None and type not in allowed:
        raise SpecError(
            f"{builder} does not fit a column of type {type!r}",
            where=where(column),
            fix="leave the type out, or declare " + " or ".join(repr(name) for name in allowed),
        )
