"""A spec as a Python script that makes the same run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from decimal import Decimal
from typing import Any

from shoal.workflow.spec_parts import ColumnSpec, InputSpec, MethodSpec, PopulationSpec

__all__ = ["script_of"]

HEAD = '''"""Publish a table of people safely: python {name} INPUT OUT."""

{imports}

spec = Spec(
'''
TAIL = """)

if __name__ == "__main__":
    release = anonymize_file(sys.argv[1], spec, sys.argv[2])
    for verdict in release.verdicts:
        print(verdict.model, "required", verdict.required, "achieved", verdict.achieved)
"""


def script_of(
    how: InputSpec,
    columns: Mapping[str, ColumnSpec],
    requirements: Iterable[Mapping[str, Any]],
    method: MethodSpec,
    *,
    population: PopulationSpec | None = None,
    name: str = "publish.py",
) -> str:
    """Write a Python script with the same roles, models and search.

    Relative paths of hierarchies start at the script's folder, as they start at the spec's.
    """
    body = ["    folder=Path(__file__).parent,"]
    if _call(how) != "InputSpec()":
        body.append(f"    input={_call(how)},")
    body += [
        "    columns={",
        *(f"        {name!r}: {_call(column)}," for name, column in columns.items()),
        "    },",
    ]
    body += ["    requirements=(", *(f"        {_literal(table)}," for table in requirements), "    ),"]
    if population is not None:
        body.append(f"    population={_call(population)},")
    body.append(f"    method={_call(method)},")
    text = "\n".join(body) + "\n"
    parts = [kind for kind in ("ColumnSpec", "InputSpec", "MethodSpec", "PopulationSpec") if f"{kind}(" in text]
    imports = ["import sys"]
    if "Decimal(" in text:
        imports.append("from decimal import Decimal")
    imports += ["from pathlib import Path", "", "from shoal.workflow import anonymize_file"]
    imports.append(f"from shoal.workflow.spec import {', '.join([*parts, 'Spec'])}")
    return HEAD.format(name=name, imports="\n".join(imports)) + text + TAIL


def _call(part: InputSpec | ColumnSpec | MethodSpec | PopulationSpec) -> str:
    default = type(part)()
    given = [
        f"{f.name}={_literal(getattr(part, f.name))}"
        for f in fields(part)
        if getattr(part, f.name) != getattr(default, f.name)
    ]
    return f"{type(part).__name__}({', '.join(given)})"


def _literal(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_literal(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_literal, value)) + ("," if len(value) == 1 else "") + ")"
    # A float prints its shortest digits, which are the spec's digits unless there are very many of them.
    if isinstance(value, Decimal) and Decimal(repr(float(value))) == value:
        return repr(float(value))
    return repr(value)
