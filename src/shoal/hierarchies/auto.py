"""A hierarchy for a column of which nothing is said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from shoal.core.hierarchy import Hierarchy
from shoal.core.schema import HierarchyBuilder
from shoal.hierarchies.dates import Dates
from shoal.hierarchies.flat import Flat
from shoal.hierarchies.intervals import Intervals
from shoal.hierarchies.prefix import Prefix
from shoal.hierarchies.reading import distinct_values, infer_type, read_days, read_numbers, refuse_type

__all__ = ["Auto", "auto"]

FEW = 5
"""Up to so many numbers are categories."""

FINEST = 16
"""About so many of the narrowest intervals span the middle of the values."""

MOST_WIDTHS = 4

CODE = re.compile(r"[0-9A-Za-z./ -]{3,12}")


@dataclass(frozen=True)
class Auto:
    """A hierarchy chosen by the look of the values; see :func:`auto`."""

    def build(self, values: Iterable[str | None], *, column: str = "", type: str | None = None) -> Hierarchy:  # noqa: A002
        """Return the hierarchy of the builder that :meth:`choose` chooses.

        Raises
        ------
        HierarchyError
            If values do not fit the declared type.
        SpecError
            If the column is declared ordered: its order has to be listed.
        """
        found = list(values)
        return self.choose(found, column=column, type=type).build(found, column=column, type=type)

    def choose(
        self,
        values: Iterable[str | None],
        *,
        column: str = "",
        type: str | None = None,  # noqa: A002
    ) -> HierarchyBuilder:
        """Return the builder that fits the values; the same ones always get the same."""
        refuse_type("an automatic hierarchy", type, ("text", "integer", "decimal", "date"), column)
        texts, _ = distinct_values(values, column)
        stated = type or infer_type(texts)
        if stated in {"integer", "decimal"}:
            numbers = sorted(read_numbers(texts, stated, column))
            widths = _widths(numbers, whole=stated == "integer")
            return Intervals(widths=widths) if len(numbers) > FEW and widths else Flat()
        if stated == "date":
            years = {year for year, _, _ in read_days(texts, column)}
            long = bool(years) and max(years) - min(years) >= 20
            return Dates(("month", "year", "decade") if long else ("month", "year"))
        return _for_text(texts)


def _for_text(texts: Sequence[str]) -> HierarchyBuilder:
    lengths = {len(text) for text in texts}
    codes = all(CODE.fullmatch(text) and any(c.isdigit() for c in text) for text in texts)
    if len(texts) > FEW and len(lengths) == 1 and codes:
        return Prefix(max(lengths))
    return Flat()


def _widths(numbers: Sequence[Decimal], *, whole: bool) -> tuple[Decimal, ...]:
    """Return nested widths of 1, 2 or 5 times a power of ten that fit the spread of sorted numbers."""
    if len(numbers) < 2:
        return ()
    last = len(numbers) - 1
    span = numbers[-1] - numbers[0]
    # A few far values must not make the narrowest intervals wide.
    middle = numbers[last - last // 20] - numbers[last // 20]
    wanted = (middle or span) / FINEST
    width = _nice(max(wanted, Decimal(2)) if whole else wanted)
    chain = [width]
    while True:
        width = next(w for w in (_nice(chain[-1] * factor) for factor in (2, 3, 5, 10)) if w % chain[-1] == 0)
        if width * 2 > span:
            break
        chain.append(width)
    step = -(-len(chain) // MOST_WIDTHS)
    return tuple(chain[::step])


def _nice(least: Decimal) -> Decimal:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least *least*."""
    unit = Decimal(1).scaleb(least.adjusted())
    lead = (least / unit).to_integral_value(ROUND_CEILING)
    width = next(n for n in (1, 2, 5, 10) if n >= lead) * unit
    return Decimal(f"{width.normalize():f}")


def auto() -> Auto:
    """Choose a hierarchy by the look of the values.

    Numbers (more than five) become nested intervals whose widths fit their spread; dates months and years, and
    decades where they span twenty years; codes of one length with digits (postcodes, ICD) lose their last
    characters one by one; everything else is flat. Numbers with leading zeros and whole numbers beyond 2**53
    are codes.

    Returns
    -------
    Auto

    Examples
    --------
    >>> [str(width) for width in auto().choose([str(age) for age in range(18, 91)]).widths]
    ['5', '10', '20']
    >>> auto().choose(["02139", "02138", "94110", "10001", "60601", "30303"])
    Prefix(n=5, length=None, mask='*')
    """
    return Auto()
