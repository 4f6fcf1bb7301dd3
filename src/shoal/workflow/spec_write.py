"""A spec as plain data: what its TOML and its JSON hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import date, time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.workflow.spec_parts import ColumnSpec, InputSpec, MethodSpec, PopulationSpec
from shoal.workflow.spec_read import VERSION

__all__ = ["document_of", "json_of", "plain"]


def document_of(
    how: InputSpec,
    columns: Mapping[str, ColumnSpec],
    requirements: Iterable[Mapping[str, Any]],
    method: MethodSpec,
    population: PopulationSpec | None = None,
) -> dict[str, Any]:
    """Return the mapping that a spec's TOML stands for, in plain types, defaults left out."""
    search = _given(method)
    settings = search.pop("settings", {})
    document = {
        "version": VERSION,
        "input": _given(how),
        "columns": {name: _given(column) for name, column in columns.items()},
        "population": {} if population is None else _given(population),
        "models": list(requirements),
        "method": {**search, **settings},
    }
    found: dict[str, Any] = plain({key: value for key, value in document.items() if value not in ({}, [])})
    return found


def _given(part: InputSpec | ColumnSpec | MethodSpec | PopulationSpec) -> dict[str, Any]:
    default = type(part)()
    values = {f.name: getattr(part, f.name) for f in fields(part)}
    return {name: value for name, value in values.items() if value != getattr(default, name)}


def plain(value: Any) -> Any:
    """Return a value in the few types that TOML has; numbers keep their digits."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, (str, Fraction, date, time)):
        return str(value)
    return value


def json_of(value: Any) -> Any:
    """Return plain data as JSON has it: decimals become floats."""
    if isinstance(value, dict):
        return {key: json_of(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [json_of(inner) for inner in value]
    return float(value) if isinstance(value, Decimal) else value
