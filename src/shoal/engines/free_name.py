"""A name for a column that is made on the way."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["free_name"]


def free_name(names: Iterable[str]) -> str:
    """Return a name that is none of *names*: it is longer than each.

    Examples
    --------
    >>> free_name(["a", "mark"])
    'mark_'
    """
    return max(names, key=len, default="") + "_"
