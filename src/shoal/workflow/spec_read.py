"""Checking a whole spec and gathering everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from shoal.core.algorithm import check_support
from shoal.core.protocols import PrivacyModel
from shoal.core.rational import exact
from shoal.core.schema import Role
from shoal.errors import SpecError, nearest_name
from shoal.workflow.default import default_algorithm
from shoal.workflow.faults import Faults
from shoal.workflow.spec_build import (
    build_algorithm,
    build_hierarchy,
    build_loss,
    build_model,
    registry,
    settings_of,
)
from shoal.workflow.spec_keys import COLUMN, INPUT, METHOD, POPULATION, TOP, Key, check_keys
from shoal.workflow.spec_parts import ColumnSpec, InputSpec, MethodSpec, PopulationSpec

__all__ = ["VERSION", "read_document"]

VERSION = 1
OWN_METHOD_KEYS = tuple(key.name for key in METHOD)


def read_document(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Check a whole document and return the fields of its Spec.

    Raises
    ------
    SpecError
        With all faults at once.
    """
    faults = Faults()
    _find_misfits(document, "the spec", faults)
    # Further checks compare numbers, which a NaN does not allow.
    faults.raise_any()
    top = check_keys(document, TOP, where="top of the spec", faults=faults)
    if "version" not in document:
        faults.add("the spec has no version", where="top of the spec", fix="write version = 1 as its first line")
    elif top.get("version", VERSION) != VERSION:
        faults.add(
            "the spec has a version that is not known",
            where="version",
            fix=f"this shoal reads version = {VERSION}",
        )
    given = _read_reading(top.get("input", {}), INPUT, "[input]", faults)
    population = _read_population(top, faults)
    columns = _read_columns(top.get("columns", {}), folder, faults)
    requirements = tuple(top.get("models", ()))
    models = _check_models(requirements, columns, faults)
    method = _read_method(top.get("method", {}), models, faults)
    if not faults:
        with faults.catching("[method]"):
            check_support(build_algorithm(method, models), models)
    faults.raise_any()
    return {
        "input": InputSpec(**given),
        "columns": columns,
        "population": population,
        "requirements": requirements,
        "method": method,
        "folder": folder,
    }


def _read_reading(table: Mapping[str, Any], keys: Iterable[Key], where: str, faults: Faults) -> dict[str, Any]:
    given = check_keys(table, keys, where=where, faults=faults)
    if "missing" in given:
        given["missing"] = tuple(given["missing"])
    if len(given.get("delimiter", ";")) != 1:
        faults.add("delimiter must be one character", where=where, fix='as in delimiter = ";"')
        del given["delimiter"]
    return given


def _read_population(top: Mapping[str, Any], faults: Faults) -> PopulationSpec | None:
    if "population" not in top:
        return None
    given = _read_reading(top["population"], POPULATION, "[population]", faults)
    if not given.get("file"):
        faults.add("the population has no file", where="[population]", fix='file = "population.csv"')
    return PopulationSpec(**given)


def _read_columns(tables: Mapping[str, Any], folder: Path, faults: Faults) -> dict[str, ColumnSpec]:
    columns = {}
    for name, table in tables.items():
        where = f"[columns.{name}]"
        if not isinstance(table, Mapping):
            faults.add("a column must be a table", where=where, fix='[columns.age] with role = "quasi-identifier"')
            continue
        column = ColumnSpec(**check_keys(table, COLUMN, where=where, faults=faults))
        columns[name] = column
        # A role that is wrong was noted; what depends on it cannot be judged.
        if "role" not in table or column.role is not None:
            _check_column(column, where, faults)
        with faults.catching(where):
            build_hierarchy(column, folder)
    roles = [column.role for column in columns.values()]
    faulty = any(isinstance(t, Mapping) and "role" in t and columns[n].role is None for n, t in tables.items())
    if Role.QUASI_IDENTIFIER not in roles and not faulty:
        faults.add(
            "no column is a quasi-identifier",
            where="[columns]",
            fix='give role = "quasi-identifier" to what an attacker may know, like age and postcode',
        )
    for role in (Role.UNIT, Role.HOUSEHOLD, Role.WEIGHT):
        if roles.count(role) > 1:
            named = ", ".join(name for name, column in columns.items() if column.role == role)
            faults.add(
                f"more than one column has the role {str(role)!r}",
                where="[columns]",
                fix=f"keep it at one of {named}",
            )
    return columns


def _check_column(column: ColumnSpec, where: str, faults: Faults) -> None:
    if column.role != Role.QUASI_IDENTIFIER:
        for key in ("weight", "max_level"):
            if getattr(column, key) is not None:
                faults.add(f"only a quasi-identifier has a {key}", where=where, fix=f"remove {key}")
        if column.hierarchy is not None and column.role != Role.SENSITIVE:
            faults.add(
                "only quasi-identifiers and sensitive columns have a hierarchy",
                where=where,
                fix="take it away, or give the column such a role",
            )
    if column.pseudonym and column.role != Role.IDENTIFIER:
        faults.add("only an identifier has a pseudonym", where=where, fix="remove pseudonym")
    if column.weight is not None and not column.weight > 0:
        faults.add("weight must be above 0", where=where, fix="weight = 2 counts twice as much as 1")
    if column.max_level is not None and column.max_level < 0:
        faults.add("max_level must be at least 0", where=where, fix="max_level = 0 keeps the values as they are")


def _check_models(
    tables: Iterable[Mapping[str, Any]], columns: Mapping[str, ColumnSpec], faults: Faults
) -> list[PrivacyModel]:
    """Return the models without a fault."""
    models = []
    sensitive = [name for name, column in columns.items() if column.role == Role.SENSITIVE]
    for number, table in enumerate(tables, 1):
        where = f"[[models]] number {number}"
        with faults.catching(where):
            model = build_model(table)
            models.append(model)
            for name in model.columns:
                if name not in sensitive:
                    fix = nearest_name(name, sensitive) if sensitive else 'no column has role = "sensitive"'
                    faults.add(f"{name!r} is not a sensitive column", where=where, fix=fix)
    return models


def _read_method(table: Mapping[str, Any], models: Iterable[PrivacyModel], faults: Faults) -> MethodSpec:
    where = "[method]"
    settings: list[str] = []
    name = table.get("algorithm", default_algorithm(models))
    with faults.catching(where):
        settings = settings_of(registry("algorithm")[name]) if isinstance(name, str) else []
    own = [key for key in settings if key not in OWN_METHOD_KEYS]
    good = check_keys(table, METHOD, where=where, faults=faults, more=own)
    method = MethodSpec(
        **{key: value for key, value in good.items() if key in OWN_METHOD_KEYS},
        settings={key: value for key, value in good.items() if key not in OWN_METHOD_KEYS},
    )
    if isinstance(name, str) and name in registry("algorithm"):
        with faults.catching(where):
            build_algorithm(method, models)
    with faults.catching(where):
        build_loss(method)
    with faults.catching(where):
        if not 0 <= exact(method.suppression_limit, "suppression_limit") <= 1:
            raise SpecError("suppression_limit must be in [0, 1]", fix="0.04 allows 4 % of the records")
    if method.budget_s is not None and not method.budget_s > 0:
        faults.add("budget_s must be above 0", where=where, fix="budget_s = 60 is a minute")
    return method


def _find_misfits(value: Any, where: str, faults: Faults) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _find_misfits(inner, key, faults)
    elif isinstance(value, list):
        for inner in value:
            _find_misfits(inner, where, faults)
    elif isinstance(value, Decimal):
        if not value.is_finite():
            faults.add("a number must be finite", where=where, fix="write it in digits")
    elif not isinstance(value, (str, int)):
        faults.add(
            f"a value of type {type(value).__name__} has no place in a spec",
            where=where,
            fix="write a text in quotes, a number, a list or a table",
        )
