"""Exact thresholds: numbers that meet counts are rationals, read by their digits."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction

from shoal.errors import SpecError

__all__ = ["Exact", "exact"]

Exact = int | float | str | Decimal | Fraction

MAX_DENOMINATOR = 10**9


def exact(number: Exact, name: str) -> Fraction:
    """Read a threshold exactly.

    Parameters
    ----------
    number : int, float, str, Decimal or Fraction
        ``"1/3"``, ``"0.07"``, ``0.07`` (read by its printed digits, so 7/100) or a Fraction.
    name : str
        What the number is, for the error.

    Raises
    ------
    SpecError
        If it is not a number or its denominator exceeds 10^9.

    Examples
    --------
    >>> exact(0.07, "alpha") * 100
    Fraction(7, 1)
    """
    try:
        value = number if isinstance(number, Fraction) else Fraction(str(number).strip())
    except (ValueError, ZeroDivisionError, InvalidOperation) as error:
        raise SpecError(f"{name} is not a number", fix=f'write {name} as 0.5 or as text, "1/3"') from error
    if value.denominator > MAX_DENOMINATOR:
        raise SpecError(f"{name} has a denominator above {MAX_DENOMINATOR}", fix="round it to nine digits")
    return value
