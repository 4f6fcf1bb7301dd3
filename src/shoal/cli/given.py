"""What options say: lists, groups, numbers, and the spec that all of them amount to."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import SpecError

if TYPE_CHECKING:
    from shoal.workflow.spec import Spec

__all__ = ["groups_of", "names", "reading", "spec_from", "whole_numbers", "with_models"]


def names(given: Iterable[str] | None) -> list[str]:
    """Return the column names of options like ``--quasi a,b --quasi '"c,d"'``.

    Examples
    --------
    >>> names(["age,sex", '"income, net"'])
    ['age', 'sex', 'income, net']
    """
    return [
        name.strip() for part in given or () for row in csv.reader([part], skipinitialspace=True) for name in row
    ]


def groups_of(given: str | None) -> list[list[str]] | None:
    """Return the groups of an option like ``--groups "age,zip|sex,disease"``.

    Examples
    --------
    >>> groups_of("age,zip|sex,disease")
    [['age', 'zip'], ['sex', 'disease']]
    """
    return None if given is None else [names([part]) for part in given.split("|")]


def whole_numbers(option: str, given: str | None) -> list[int] | None:
    """Return the numbers of an option like ``1,3,5``.

    Raises
    ------
    SpecError
        If something else stands there.

    Examples
    --------
    >>> whole_numbers("--dimensions", "1,3,5")
    [1, 3, 5]
    """
    if given is None:
        return None
    try:
        return [int(part) for part in given.split(",")]
    except ValueError:
        raise SpecError(f"{option} takes whole numbers, as 1,3,5") from None


def reading(*, delimiter: str | None, encoding: str | None, missing: list[str] | None) -> dict[str, Any]:
    """Return the keys of ``[input]`` that are given."""
    return _given(
        delimiter="\t" if delimiter in ("\\t", "tab") else delimiter,
        encoding=encoding,
        missing=None if missing is None else list(missing),
    )


def spec_from(
    *,
    spec: Path | None,
    quasi: list[str] | None,
    sensitive: list[str] | None,
    insensitive: list[str] | None = None,
    unit: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    k: int | None = None,
    l: int | None = None,
    t: str | None = None,
    alpha: str | None = None,
    hierarchies: Path | None = None,
    algorithm: str | None = None,
    loss: str | None = None,
    labels: str | None = None,
    suppression_limit: str | None = None,
    attribute_weight: list[str] | None = None,
    max_level: list[str] | None = None,
    budget: str | None = None,
    settings: list[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: list[str] | None = None,
    population: Path | None = None,
) -> Spec:
    """Return the spec of a command: a file with some keys replaced, or the short form.

    Raises
    ------
    SpecError
        If neither or both are given, or the spec has a fault.
    """
    from shoal.workflow.spec import Spec

    method = _given(algorithm=algorithm, loss=loss, labels=labels, suppression_limit=suppression_limit)
    method |= _pairs(settings, "--set", cut=str.partition)
    if budget is not None:
        method["budget_s"] = _value(budget)
    weights, max_levels = _pairs(attribute_weight, "--attribute-weight"), _pairs(max_level, "--max-level")
    how = reading(delimiter=delimiter, encoding=encoding, missing=missing)
    short = _given(
        quasi=quasi or None,
        sensitive=sensitive or None,
        insensitive=insensitive or None,
        unit=unit,
        household=household,
        weight=weight,
        k=k,
        l=l,
        t=t,
        alpha=alpha,
    )
    if spec is not None:
        if short:
            raise SpecError(
                f"--spec and --{next(iter(short))} say the same thing twice",
                fix="columns and models stand in the spec: change them there",
            )
        columns: dict[str, dict[str, Any]] = {name: {"weight": value} for name, value in weights.items()}
        for name, level in max_levels.items():
            columns.setdefault(name, {})["max_level"] = level
        return Spec.from_toml(spec).changed(
            input=how, method=method, columns=columns, hierarchies=hierarchies, population=population
        )
    if not quasi:
        raise SpecError(
            "the command does not know what the columns are",
            fix="give --spec FILE (`shoal init INPUT` writes one), or --quasi with what an attacker may know",
        )
    return Spec.quick(
        names(quasi),
        sensitive=names(sensitive),
        insensitive=names(insensitive),
        unit=unit,
        household=household,
        weight=weight,
        k=k,
        l=l,
        t=t,
        alpha=alpha,
        hierarchies=hierarchies,
        population=population,
        weights=weights,
        max_levels=max_levels,
        input=how,
        method=method,
    )


def with_models(spec: Spec, policy: str | None = None) -> Spec:
    """Return the spec, if it or a policy asks for anything.

    Raises
    ------
    SpecError
        If it has no model, and the algorithm no promise of its own.
    """
    from shoal.core.algorithm import needs_models

    if not spec.requirements and policy is None and needs_models(spec.algorithm()):
        raise SpecError("no model says what must hold", fix="give -k 5, or a [[models]] table in the spec")
    return spec


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _pairs(
    given: list[str] | None, option: str, *, cut: Callable[[str, str], tuple[str, str, str]] = str.rpartition
) -> dict[str, Any]:
    """Return what options like ``--attribute-weight age=3`` say, by name.

    Names of columns may hold an equals sign, so it is the last one at which they are cut from numbers; of settings
    the values may, as in ``coarsen={age=2}``.
    """
    found = {}
    for pair in given or ():
        name, equals, value = cut(pair, "=")
        if not equals or not name.strip():
            raise SpecError(f"{option} needs a name and a value", fix=f"write it as {option} NAME=VALUE")
        found[name.strip()] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    """Return a value as a spec has it; what is no TOML is a text."""
    try:
        return tomllib.loads(f"value = {text}", parse_float=Decimal)["value"]
    except tomllib.TOMLDecodeError:
        return text
