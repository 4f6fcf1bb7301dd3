"""Numbers on an axis of whole units, so that no sum or label suffers from floating point."""

from __future__ import annotations

from bisect import bisect_right
from decimal import Decimal
from typing import Protocol

__all__ = ["Axis", "places_of", "scaled"]


class Settings(Protocol):
    """Widths, cut points and bounds of nested intervals."""

    @property
    def widths(self) -> tuple[Decimal, ...]: ...
    @property
    def cuts(self) -> tuple[tuple[Decimal, ...], ...]: ...
    @property
    def low(self) -> Decimal | None: ...
    @property
    def high(self) -> Decimal | None: ...
    @property
    def bottom(self) -> Decimal | None: ...
    @property
    def top(self) -> Decimal | None: ...
    @property
    def origin(self) -> Decimal: ...


class Axis:
    """Intervals in units of 10**-places.

    Parameters
    ----------
    settings : Settings
        Widths, cut points and bounds.
    whole : bool
        Whether the numbers are integers, labelled with both ends.
    places : int
        Decimals of the finest value or setting.
    """

    def __init__(self, settings: Settings, *, whole: bool, places: int) -> None:
        self.whole = whole
        self.places = places
        self.low, self.high, self.bottom, self.top = (
            None if bound is None else scaled(bound, places)
            for bound in (settings.low, settings.high, settings.bottom, settings.top)
        )
        self.origin = scaled(settings.origin, places)
        self.widths = [scaled(width, places) for width in settings.widths]
        self._labels: dict[tuple[int, int], str] = {}
        self.cuts = [[scaled(cut, places) for cut in cuts] for cuts in settings.cuts]

    def outside_domain(self, at: int) -> bool:
        """Tell whether a number is below low or above high."""
        return (self.low is not None and at < self.low) or (self.high is not None and at > self.high)

    def outside_cuts(self, at: int) -> bool:
        """Tell whether a number is in no interval and no open end."""
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
        known = self._labels.get((start, stop))
        if known is None:
            known = self._labels[start, stop] = self._write(start, stop, closed=closed)
        return known

    def _write(self, start: int, stop: int, *, closed: bool) -> str:
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


def places_of(number: Decimal) -> int:
    """Return how many decimals a number is written with."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)  # noqa: S101 (settings and values are finite)
    return -exponent


def scaled(number: Decimal, places: int) -> int:
    """Return a number in units of 10**-places, of which it is a multiple."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)  # noqa: S101 (settings and values are finite)
    whole: int = int("".join(map(str, digits))) * 10 ** (exponent + places)
    return -whole if sign else whole
