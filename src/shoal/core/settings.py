"""Names and settings as plain values, for verdicts, manifests and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

__all__ = ["settings_of"]


def settings_of(thing: Any) -> dict[str, Any]:
    """Return the name and the settings of a model, a loss or an algorithm as plain values.

    Settings that are None are left out; exact numbers are texts.

    Examples
    --------
    >>> from shoal.models import LDiversity
    >>> settings_of(LDiversity(sensitive="disease", l=3))
    {'name': 'l-diversity', 'sensitive': 'disease', 'l': 3, 'kind': 'distinct', 'count_nulls': False}
    """
    settings: dict[str, Any] = {"name": getattr(thing, "name", type(thing).__name__.lower())}
    if is_dataclass(thing):
        for field in fields(thing):
            value = getattr(thing, field.name)
            if field.init and value is not None:
                settings[field.name] = _plain(value)
    return settings


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return settings_of(value) if is_dataclass(value) else str(value)
