"""Numbers into nested intervals, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from typing import Any

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies.axis import Axis, places_of, scaled
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
        places = max([0, *(places_of(number) for number in (*numbers, *self._numbers()))])
        axis = Axis(self, whole=stated == "integer", places=places)
        found = sorted((scaled(number, places), text, float(number)) for number, text in _pairs(numbers, texts))
        self._refuse_outside(found, axis, column)
        declared = False
        if stated == "integer" and axis.low is not None and axis.high is not None:
            listed = axis.high - axis.low < LARGEST_DOMAIN
            # A number that is written in another way, such as 07, is a text that was not declared.
            declared = listed and all(text == str(at) for at, text, _ in found)
            found = _with_domain(found, axis.low, axis.high) if listed else found
        return Hierarchy.from_paths(
            [text for _, text, _ in found],
            [[*axis.path(at, text), ANY] for at, text, _ in found],
            order=[place for _, _, place in found],
            null=null,
            type=stated,
            column=column,
            declared=declared,
        )

    def _numbers(self) -> tuple[Decimal, ...]:
        bounds = (self.low, self.high, self.bottom, self.top, self.origin)
        inner = (cut for cuts in self.cuts for cut in cuts)
        return (*self.widths, *inner, *(bound for bound in bounds if bound is not None))

    def _refuse_outside(self, found: Sequence[Leaf], axis: Axis, column: str) -> None:
        for outside, what, fix in (
            (axis.outside_domain, "the declared domain", "widen low and high, or list the values as missing"),
            (axis.outside_cuts, "all cut points", "add cut points, or open the ends with bottom and top"),
        ):
            lost = [text for at, text, _ in found if outside(at)]
            if lost:
                raise HierarchyError(
                    f"{len(lost)} value(s) lie outside {what}", where=where(column), fix=fix, examples=lost
                )


def _pairs(numbers: Sequence[Decimal], texts: Sequence[str]) -> Iterable[tuple[Decimal, str]]:
    return zip(numbers, texts, strict=True)


def _with_domain(found: list[Leaf], low: int, high: int) -> list[Leaf]:
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
