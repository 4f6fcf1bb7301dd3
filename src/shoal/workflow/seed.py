"""The seed of a run: given, or fresh entropy."""

from __future__ import annotations

import secrets
from numbers import Integral

from shoal.errors import SpecError

__all__ = ["seed_of"]


def seed_of(seed: int | None) -> int:
    """Return the seed, drawn where it is None.

    Raises
    ------
    SpecError
        If it is no whole number, or negative.

    Examples
    --------
    >>> seed_of(7)
    7
    """
    if seed is None:
        return secrets.randbits(63)
    if not isinstance(seed, Integral) or seed < 0:
        raise SpecError("the seed must be a whole number and not negative", fix="leave it out for a fresh one")
    return int(seed)
