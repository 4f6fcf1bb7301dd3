"""Numbers into nested intervals, exactly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from typing import Any

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies.reading import NUMBER, distinct_values, read_numbers, refuse_type, where

__all__ = ["LARGEST_DOMAIN", "Intervals", "intervals"]

LARGEST_DOMAIN = 100_000
"""So many integers of a declared domain become leaves; a wider domain holds only the values that occur."""


Leaf = tuple[int, str, float]
"""Exact place in units of 10**-places, text, and the place as a float."""


@dataclass(frozen=True)
class Intervals:
    """Nested intervals of numbers; see :func:`intervals`."""

    widths: tuple[Decimal, ...] = ()
    cuts: tuple[tuple[Decimal, ...], ...] = ()
    low: Decimal | None = None
    high: Decimal | None = None
    bottom: Decimal | None = None
    top: Decimal | None = None
    origin: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        if self.widths and self.cuts:
            raise SpecError("intervals have widths and cut points", fix="give one of the two")
        if not self.widths and not self.cuts and self.bottom is None and self.top is None:
            raise SpecError("intervals need widths, cut points, bottom or top", fix="intervals(5, 10, 20)")
        if any(width <= 0 for width in self.widths):
            raise SpecError("an interval's width must be above 0")
        for narrow, wide in pairwise(self.widths):
            if wide <= narrow or Fraction(wide) % Fraction(narrow):
                raise SpecError(
                    f"the width {wide} is not a multiple of the width {narrow} before it",
                    fix="nested intervals need widths such as 5, 10, 20",
                )
        for level, cuts in enumerate(self.cuts, 1):
            if len(cuts) < 2 or any(b <= a for a, b in pairwise(cuts)):
                raise SpecError(f"the cut points of level {level} must be two or more and rise")
        for level, (fine, coarse) in enumerate(pairwise(self.cuts), 2):
            if not set(coarse) < set(fine) or (coarse[0], coarse[-1]) != (fine[0], fine[-1]):
                raise SpecError(
                    f"the cut points of level {level} are not some of level {level - 1}'s with its two ends",
                    fix="leave inner cut points out from one level to the next",
                )
        for lower, upper in (("low", "high"), ("bottom", "top")):
            a, b = getattr(self, lower), getattr(self, upper)
            if a is not None and b is not None and a >= b:
                raise SpecError(f"{lower} must be below {upper}")

    def build(self, values: Iterable[str | None], *, column: str = "", type: str | None = None) -> Hierarchy:  # noqa: A002
        """Return the hierarchy over *values* and the declared domain.

        Parameters
        ----------
        values : iterable of str or None
            Distinct texts; None where missing values occur.
        column : str, optional
            For errors.
        type : {"integer", "decimal"}, optional
            How they are read; integers where left out and all are.

        Raises
        ------
        HierarchyError
            If values are no numbers, or lie outside the declared domain or all cut points.
        SpecError
            If the type is another, or an integer column has fractional widths.
        """
        refuse_type("intervals", type, ("integer", "decimal"), column)
        texts, null = distinct_values(values, column)
        stated = type or ("integer" if all(NUMBER["integer"].fullmatch(text) for text in texts) else "decimal")
        if stated == "integer" and any(number != number.to_integral_value() for number in self._numbers()):
            raise SpecError(
                "intervals of integers have widths or bounds that are not whole",
                where=where(column),
                fix='give whole numbers, or read the column as decimals: type = "decimal"',
            )
        numbers = read_numbers(texts, stated, column)
        places = max([0, *(_places(number) for number in (*numbers, *self._numbers()))])
        axis = _Axis(self, stated == "integer", places)
        found = sorted((_scaled(number, places), text, float(number)) for number, text in _pairs(numbers, texts))
        self._refuse_outside(found, axis, column)
        if stated == "integer" and axis.low is not None and axis.high is not None:
            found = _with_domain(found, axis.low, axis.high)
        return Hierarchy.from_paths(
            [text for _, text, _ in found],
            [[*axis.path(at, text), ANY] for at, text, _ in found],
            order=[place for _, _, place in found],
            null=null,
            type=stated,
            column=column,
        )

    def _numbers(self) -> tuple[Decimal, ...]:
        bounds = (self.low, self.high, self.bottom, self.top, self.origin)
        inner = (cut for cuts in self.cuts for cut in cuts)
        return (*self.widths, *inner, *(bound for bound in bounds if bound is not None))

    def _refuse_outside(self, found: Sequence[Leaf], axis: _Axis, column: str) -> None:
        for outside, what, fix in (
            (axis.outside_domain, "the declared domain", "widen low and high, or list the values as missing"),
            (axis.outside_cuts, "all cut points", "add cut points, or open the ends with bottom and top"),
        ):
            lost = [text for at, text, _ in found if outside(at)]
            if lost:
                raise HierarchyError(
                    f"{len(lost)} value(s) lie outside {what}", where=where(column), fix=fix, examples=lost
                )


class _Axis:
    """The settings in units of 10**-places, so that all sums are exact."""

    def __init__(self, settings: Intervals, whole: bool, places: int) -> None:  # noqa: FBT001
        self.whole = whole
        self.places = places
        self.low, self.high, self.bottom, self.top = (
            None if bound is None else _scaled(bound, places)
            for bound in (settings.low, settings.high, settings.bottom, settings.top)
        )
        self.origin = _scaled(settings.origin, places)
        self.widths = [_scaled(width, places) for width in settings.widths]
        self.cuts = [[_scaled(cut, places) for cut in cuts] for cuts in settings.cuts]

    def outside_domain(self, at: int) -> bool:
        return (self.low is not None and at < self.low) or (self.high is not None and at > self.high)

    def outside_cuts(self, at: int) -> bool:
        return bool(self.cuts) and not self.tail(at) and not self.cuts[0][0] <= at <= self.cuts[0][-1]

    def tail(self, at: int) -> str:
        """Return the label of the open end that holds a number, empty where none does."""
        if self.bottom is not None and at <= self.bottom:
            return f"<= {self.text(self.bottom)}"
        if self.top is not None and at >= self.top:
            return f">= {self.text(self.top)}"
        return ""

    def path(self, at: int, leaf: str) -> list[str]:
        """Return the labels above a number, from the narrowest up, without the root."""
        n_levels = len(self.widths) or len(self.cuts) or 1
        tail = self.tail(at)
        if tail:
            return [tail] * n_levels
        if self.widths:
            return [self._of_width(at, width) for width in self.widths]
        if self.cuts:
            path = []
            for cuts in self.cuts:
                # The last interval holds its upper cut too, or the largest value would be lost.
                i = min(bisect_right(cuts, at), len(cuts) - 1)
                path.append(self.label(cuts[i - 1], cuts[i], closed=i == len(cuts) - 1))
            return path
        return [leaf]

    def _of_width(self, at: int, width: int) -> str:
        start = at - (at - self.origin) % width
        # The upper end of a declared domain of decimals (100 %) joins the interval below it.
        if not self.whole and at == start == self.high:
            start -= width
        return self.label(start, start + width, closed=not self.whole and start + width == self.high)

    def label(self, start: int, stop: int, *, closed: bool) -> str:
        """Return the label of an interval, clipped to the domain and to the open ends."""
        after_bottom = self.bottom is not None and start <= self.bottom
        before_top = self.top is not None and stop >= self.top
        first = self.bottom if after_bottom else start
        last = self.top if before_top else stop
        assert first is not None  # noqa: S101 (follows from the two tests above)
        assert last is not None  # noqa: S101
        closed = closed and not before_top
        if self.low is not None and first < self.low:
            first, after_bottom = self.low, False
        if self.high is not None and last > self.high:
            last, closed = self.high, True
        if self.whole:
            return f"[{self.text(first + after_bottom)}, {self.text(last - (not closed))}]"
        return f"{'(' if after_bottom else '['}{self.text(first)}, {self.text(last)}{']' if closed else ')'}"

    def text(self, scaled: int) -> str:
        """Write a number without exponent, trailing zeros or float noise."""
        units, rest = divmod(abs(scaled), 10**self.places)
        decimals = str(rest).zfill(self.places).rstrip("0") if rest else ""
        return f"{'-' if scaled < 0 else ''}{units}{'.' if decimals else ''}{decimals}"


def _pairs(numbers: Sequence[Decimal], texts: Sequence[str]) -> Iterable[tuple[Decimal, str]]:
    return zip(numbers, texts, strict=True)


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)  # noqa: S101 (settings and values are finite)
    return -exponent


def _scaled(number: Decimal, places: int) -> int:
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)  # noqa: S101 (settings and values are finite)
    whole: int = int("".join(map(str, digits))) * 10 ** (exponent + places)
    return -whole if sign else whole


def _with_domain(found: list[Leaf], low: int, high: int) -> list[Leaf]:
    if high - low >= LARGEST_DOMAIN:
        return found
    present = {at for at, _, _ in found}
    return sorted([*found, *((at, str(at), float(at)) for at in range(low, high + 1) if at not in present)])


def intervals(
    *widths: float | str | Decimal,
    cuts: Sequence[Any] | None = None,
    low: float | str | Decimal | None = None,
    high: float | str | Decimal | None = None,
    bottom: float | str | Decimal | None = None,
    top: float | str | Decimal | None = None,
    origin: float | str | Decimal = 0,
) -> Intervals:
    """Generalize numbers to nested intervals.

    Integers are labelled with both ends included, ``[20, 24]``, decimals half open, ``[20, 25)``.

    Parameters
    ----------
    *widths : number
        Width of the intervals at each level, each a multiple of the one before.
    cuts : sequence of numbers, or of such sequences
        Cut points instead of widths, for one level or one list per level. An interval holds its lower cut point,
        the last one its upper cut point too. Values outside all cut points are refused.
    low, high : number, optional
        Declared domain: values outside are refused and labels are clipped to it. Where both are given, every
        integer between them is a leaf (up to 100,000), whether it occurs or not.
    bottom, top : number, optional
        Open ends: the values up to *bottom*, and those from *top*, are one group each from the lowest level of
        groups on, labelled ``<= 17`` and ``>= 90``.
    origin : number, default 0
        Where an interval starts.

    Returns
    -------
    Intervals

    Raises
    ------
    SpecError
        If widths or cut points do not nest, or bounds are in the wrong order.

    Examples
    --------
    >>> h = intervals(5, 10, top=30).build(["17", "21", "24", "26", "30", "41"])
    >>> h.labels[h.n_values:]
    ('[20, 24]', '>= 30', '[20, 29]', '*')
    >>> h.leaves[:2], h.labels[h.levels[1, 0]]
    (('17', '21'), '17')
    """
    return Intervals(
        widths=tuple(_setting(width) for width in widths),
        cuts=_levels(cuts),
        low=None if low is None else _setting(low),
        high=None if high is None else _setting(high),
        bottom=None if bottom is None else _setting(bottom),
        top=None if top is None else _setting(top),
        origin=_setting(origin),
    )


def _levels(cuts: Any) -> tuple[tuple[Decimal, ...], ...]:
    if cuts is None:
        return ()
    if not isinstance(cuts, (list, tuple)):
        raise SpecError("cut points are not a list", fix="cuts = [0, 18, 65, 120]")
    nested = [level for level in cuts if isinstance(level, (list, tuple))]
    if nested and len(nested) < len(cuts):
        raise SpecError("cut points are mixed with lists of them", fix="give one list, or one list per level")
    return tuple(tuple(_setting(cut) for cut in level) for level in nested or [cuts])


def _setting(given: object) -> Decimal:
    """Read a setting by its digits: 0.1 is one tenth."""
    try:
        number = Decimal(str(given))
    except InvalidOperation:
        number = Decimal("NaN")
    if isinstance(given, bool) or not number.is_finite() or abs(number.adjusted()) > 300:
        raise SpecError("a width, cut point or bound of intervals is not a number")
    return number
