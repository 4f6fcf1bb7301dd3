"""Days of the calendar into months, quarters, years and decades."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.errors import HierarchyError, SpecError, nearest_name
from shoal.hierarchies.reading import Day, distinct_values, read_days, refuse_type, where

__all__ = ["PERIODS", "Dates", "dates"]

PERIODS = ("day", "week", "month", "quarter", "year", "decade")
"""What dates can be generalized to, from fine to coarse."""


@dataclass(frozen=True)
class Dates:
    """Periods of the calendar; see :func:`dates`."""

    periods: tuple[str, ...] = ("month", "year")

    def __post_init__(self) -> None:
        if not self.periods:
            raise SpecError("dates need at least one period", fix='dates("month", "year")')
        for period in self.periods:
            if period not in PERIODS:
                raise SpecError(f"dates know no period {period!r}", fix=nearest_name(str(period), PERIODS))
        for fine, coarse in pairwise(self.periods):
            if PERIODS.index(fine) >= PERIODS.index(coarse):
                raise SpecError(
                    f"the period {coarse!r} is not longer than {fine!r} before it", fix="go from fine to coarse"
                )
        if "week" in self.periods and self.periods[-1] != "week":
            raise SpecError(
                "weeks do not nest in months, quarters, years or decades: one week may lie in two of them",
                fix='use "week" as the last period, or leave it out',
            )

    def build(self, values: Iterable[str | None], *, column: str = "", type: str | None = None) -> Hierarchy:  # noqa: A002
        """Return the hierarchy over *values*, in the order of the calendar; positions are ordinal days.

        Raises
        ------
        HierarchyError
            If values are no real dates, or are months where days or weeks are asked.
        SpecError
            If the column is declared as anything but dates.
        """
        refuse_type("dates", type, ("date",), column)
        texts, null = distinct_values(values, column)
        days = read_days(texts, column)
        months = [text for text, (_, _, day) in zip(texts, days, strict=True) if day is None]
        if months and {"day", "week"} & set(self.periods):
            raise HierarchyError(
                f"{len(months)} value(s) are months without a day",
                where=where(column),
                fix='begin with "month"',
                examples=months,
            )
        found = sorted(
            (date(y, m, d or 1).toordinal(), text, (y, m, d)) for text, (y, m, d) in _pairs(texts, days)
        )
        return Hierarchy.from_paths(
            [text for _, text, _ in found],
            [[*(_label(period, day) for period in self.periods), ANY] for _, _, day in found],
            order=[float(place) for place, _, _ in found],
            null=null,
            type="date",
            column=column,
        )


def _pairs(texts: list[str], days: list[Day]) -> Iterable[tuple[str, Day]]:
    return zip(texts, days, strict=True)


def _label(period: str, day: Day) -> str:
    year, month, number = day
    if period == "week":
        iso = date(year, month, number or 1).isocalendar()
        return f"{iso.year:04d}-W{iso.week:02d}"
    return {
        "day": f"{year:04d}-{month:02d}-{number or 1:02d}",
        "month": f"{year:04d}-{month:02d}",
        "quarter": f"{year:04d}-Q{(month + 2) // 3}",
        "year": f"{year:04d}",
        "decade": f"{year // 10 * 10:04d}s",
    }[period]


def dates(*periods: str) -> Dates:
    """Generalize ISO dates to periods of the calendar.

    Values are days ``2024-03-05``, alone or with a time behind (``2024-03-05T10:30``; groups use the day), or
    months ``2024-03``. Dates that the calendar does not have are refused.

    Parameters
    ----------
    *periods : str
        From fine to coarse: ``"day"``, ``"week"`` (ISO; it nests in nothing longer), ``"month"``, ``"quarter"``,
        ``"year"``, ``"decade"``. Months and years where none is given.

    Returns
    -------
    Dates

    Examples
    --------
    >>> builder = dates("month", "quarter", "year", "decade")
    >>> h = builder.build(["2024-03-05", "2024-03-31", "2024-01-02", "2019-07-07"])
    >>> h.labels[h.n_values:]
    ('2024-03', '2024-Q1', '*')
    """
    return Dates(periods or ("month", "year"))
