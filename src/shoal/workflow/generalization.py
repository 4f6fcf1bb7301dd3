"""How a column may be read and generalized, from what its cells look like.

No hierarchy here holds a cell value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from shoal.io.facts import ColumnFacts

__all__ = ["looks_coded", "propose_generalization", "propose_type"]

AGE_WIDTHS = (5, 10, 20)
FEW_NUMBERS = 20
"""Numbers with so few distinct values are read as codes, which have no order."""

CODING = frozenset(("code", "type", "kind", "cat", "category", "class", "group", "status", "id", "nr", "flag"))
COUNTING = frozenset(
    ("num", "number", "count", "n", "hours", "days", "weeks", "months", "years", "time", "length", "size", "level")
)

FEW_CODES = 20
"""Codes of letters and digits with so few distinct values are categories, whose beginnings mean nothing."""

SHORTEST_CODE = 3


def propose_type(facts: ColumnFacts, *, markers: bool = False) -> str | None:
    """Return how all present cells can be read, None for text; with *markers*, usual marks of missing aside.

    Examples
    --------
    >>> facts = ColumnFacts(name="age", n_rows=3, counts={"integer": 2, "decimal": 2}, markers={"?": 1})
    >>> propose_type(facts), propose_type(facts, markers=True)
    (None, 'integer')
    """
    if facts.all_are("integer", markers=markers):
        return "integer"
    if facts.all_are("decimal", markers=markers) or facts.all_are("integer", "decimal_comma", markers=markers):
        return "decimal"
    if facts.all_are("date", "timestamp", markers=markers):
        return "date"
    return None


def propose_generalization(
    facts: ColumnFacts, *, topic: str = "", words: Sequence[str] = (), markers: bool = False
) -> tuple[str | None, Mapping[str, Any]]:
    """Return the type and the hierarchy of a quasi-identifier.

    Parameters
    ----------
    facts : ColumnFacts
        What was counted in the column.
    topic : str
        Key of the topic that its name speaks of.
    words : sequence of str
        Its name in words, which may say that numbers in it are codes or counts.
    markers : bool
        Whether to set usual marks of a missing value aside.

    Returns
    -------
    type : str or None
        None: text.
    hierarchy : mapping
        As a spec writes it.

    Examples
    --------
    >>> facts = ColumnFacts(name="age", n_rows=90, n_distinct=60, counts={"integer": 90}, span=(21.0, 79.0))
    >>> propose_generalization(facts, topic="age")
    ('integer', {'intervals': [5, 10, 20]})
    """
    stated = propose_type(facts, markers=markers)
    if stated == "date":
        return stated, {"dates": ["month", "year"]}
    if looks_coded(facts) or (topic == "postcode" and facts.max_length >= SHORTEST_CODE):
        # A code keeps its zeros and letters, so its characters, not its number, are generalized.
        return "text", {"prefix": facts.max_length}
    if stated in ("integer", "decimal"):
        if topic in ("age", "birth"):
            return stated, {"intervals": list(AGE_WIDTHS)}
        if _are_codes(facts, words):
            # Read as numbers, codes that stand for unlike things would share an interval.
            return "text", {"auto": True}
        if facts.n_distinct > FEW_NUMBERS:
            return stated, {"intervals": _widths(facts, whole=stated == "integer")}
        return stated, {"auto": True}
    # A column with marks of missing values reads otherwise once they are declared: the type stays open.
    return None, {"auto": True}


def _are_codes(facts: ColumnFacts, words: Sequence[str]) -> bool:
    if COUNTING.intersection(words):
        return False
    return bool(CODING.intersection(words)) or (facts.n_distinct <= FEW_NUMBERS and facts.share_distinct < 0.5)


def looks_coded(facts: ColumnFacts) -> bool:
    """Tell whether cells are codes of one length, with leading zeros or letters among the digits."""
    if facts.n_sampled == 0 or facts.counts.get("masked"):
        return False
    one_length = facts.n_equal_length >= 0.9 * facts.n_sampled and facts.max_length == facts.common_length
    zeros = facts.share_of("digits") >= 0.99 and facts.counts.get("leading_zero", 0) > 0
    letters = facts.n_letter_digit >= 0.95 * facts.n_sampled and facts.n_distinct > FEW_CODES
    return one_length and facts.common_length >= SHORTEST_CODE and (zeros or letters)


def _widths(facts: ColumnFacts, *, whole: bool) -> list[int | Decimal]:
    """Return four doubling widths; the narrowest cuts the middle nine tenths into about twenty parts."""
    low, high = facts.span or (0.0, 1.0)
    part = (high - low) / 20
    if not math.isfinite(part) or part <= 0:
        low, high = facts.extent or (0.0, 1.0)
        part = max((high - low) / 20, 0.0)
    if not math.isfinite(part) or part <= 0:
        part = 1.0
    exponent = max(-9, math.floor(math.log10(part)))
    digit = next((d for d in (1, 2, 5) if part <= d * 10.0**exponent), 10)
    narrowest = Decimal(digit).scaleb(exponent)
    if whole:
        narrowest = max(narrowest, Decimal(1))
    return [_plain(narrowest * factor) for factor in (1, 2, 4, 8)]


def _plain(width: Decimal) -> int | Decimal:
    return int(width) if width == width.to_integral_value() else Decimal(f"{width.normalize():f}")
