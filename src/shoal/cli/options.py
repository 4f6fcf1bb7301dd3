"""The options that several commands share, and the spec that they amount to."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.errors import SpecError

if TYPE_CHECKING:
    from shoal.workflow.spec import Spec

__all__ = [
    "Algorithm",
    "Alpha",
    "AttributeWeight",
    "Because",
    "Budget",
    "Delimiter",
    "Encoding",
    "Force",
    "Groups",
    "Hierarchies",
    "Household",
    "Insensitive",
    "Json",
    "K",
    "L",
    "Labels",
    "Ledger",
    "Loss",
    "MaxLevel",
    "Missing",
    "Policy",
    "Population",
    "Quasi",
    "Quiet",
    "Report",
    "SamplingFraction",
    "Sensitive",
    "Settings",
    "SpecFile",
    "SuppressionLimit",
    "T",
    "Unit",
    "Weight",
    "groups",
    "names",
    "reading",
    "spec_from",
    "whole_numbers",
    "with_models",
]

SHORT = "Instead of a spec"
READING = "Reading"
METHOD = "Search"

SpecFile = Annotated[Path | None, typer.Option("--spec", help="The spec, a TOML file; `shoal init` writes one.")]
Quasi = Annotated[
    list[str] | None,
    typer.Option("--quasi", metavar="A,B,…", help="Columns an attacker may know.", rich_help_panel=SHORT),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive", metavar="A,…", help="Columns nobody may learn of a person.", rich_help_panel=SHORT
    ),
]
Insensitive = Annotated[
    list[str] | None,
    typer.Option("--insensitive", metavar="A,…", help="Columns to publish as they are.", rich_help_panel=SHORT),
]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="A",
        help="Column that says which person a row is of; people are counted then.",
        rich_help_panel=SHORT,
    ),
]
Household = Annotated[
    str | None,
    typer.Option(
        "--household",
        metavar="A",
        help="Column that says who belongs together: whoever finds one member has found the others.",
        rich_help_panel=SHORT,
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight", metavar="A", help="Column with how many people a row stands for.", rich_help_panel=SHORT
    ),
]
K = Annotated[
    int | None, typer.Option("-k", "--k", min=1, help="k-anonymity: smallest group.", rich_help_panel=SHORT)
]
L = Annotated[
    int | None,
    typer.Option("--l", min=1, help="l-diversity: fewest different sensitive values.", rich_help_panel=SHORT),
]
T = Annotated[
    str | None,
    typer.Option("--t", metavar="T", help="t-closeness: largest distance to the whole.", rich_help_panel=SHORT),
]
Alpha = Annotated[
    str | None,
    typer.Option(
        "--alpha",
        metavar="A",
        help="Largest share of a sensitive value in a group, 0.5 or 1/2.",
        rich_help_panel=SHORT,
    ),
]
Hierarchies = Annotated[
    Path | None,
    typer.Option(
        "--hierarchies",
        metavar="DIR",
        help="Folder with one CSV hierarchy per column: …COLUMN.csv.",
        rich_help_panel=SHORT,
    ),
]
Population = Annotated[
    Path | None,
    typer.Option(
        "--population",
        metavar="FILE",
        help="The people that the table is a sample of, one row each: for k-map, delta-presence and risk.",
        rich_help_panel=READING,
    ),
]
SamplingFraction = Annotated[
    str | None,
    typer.Option(
        "--sampling-fraction",
        metavar="F",
        help="Share of the population in the table, 0.01 or 1/100: estimates who is alone in the population.",
        rich_help_panel=READING,
    ),
]
Algorithm = Annotated[
    str | None,
    typer.Option("--algorithm", metavar="NAME", help="See `shoal list algorithms`.", rich_help_panel=METHOD),
]
Loss = Annotated[
    str | None, typer.Option("--loss", metavar="NAME", help="See `shoal list losses`.", rich_help_panel=METHOD)
]
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="KIND",
        help="nodes, ranges, sets or stars: what published cells may say.",
        rich_help_panel=METHOD,
    ),
]
SuppressionLimit = Annotated[
    str | None,
    typer.Option(
        "--suppression-limit",
        metavar="SHARE",
        help="Largest share of suppressed records, 0.04 or 1/25.",
        rich_help_panel=METHOD,
    ),
]
AttributeWeight = Annotated[
    list[str] | None,
    typer.Option(
        "--attribute-weight",
        metavar="COLUMN=W",
        help="How much a column matters in the loss, 1 if not given; repeat for more.",
        rich_help_panel=METHOD,
    ),
]
MaxLevel = Annotated[
    list[str] | None,
    typer.Option(
        "--max-level",
        metavar="COLUMN=N",
        help="Highest level of a column's hierarchy that may be published; repeat for more.",
        rich_help_panel=METHOD,
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="SECONDS",
        help="Take the best found in so many seconds; such a run cannot be repeated exactly.",
        rich_help_panel=METHOD,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A setting of the algorithm, as in the spec: max_class_size=50; repeat for more.",
        rich_help_panel=METHOD,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", metavar="C", help="Between the fields of a CSV file.", rich_help_panel=READING),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Of a CSV file; UTF-8 if not given.", rich_help_panel=READING),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing", metavar="TEXT", help="A text that means missing; repeat for more.", rich_help_panel=READING
    ),
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy", metavar="NAME", help="What a law or a practice asks; see `shoal list presets`, or a TOML file."
    ),
]
Because = Annotated[
    str | None,
    typer.Option("--because", metavar="REASON", help="Why less than the policy asks is enough; kept in private."),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Private report: .html, one page without network, or .json."),
]
Ledger = Annotated[
    Path | None,
    typer.Option("--ledger", metavar="FILE", help="Private file of the releases before this one; remembers it."),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="A,B|C,…",
        help="Columns that are shuffled together within buckets; else the manifest beside the table says it.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object to stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]


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


def groups(given: str | None) -> list[list[str]] | None:
    """Return the groups of an option like ``--groups "age,zip|sex,disease"``.

    Examples
    --------
    >>> groups("age,zip|sex,disease")
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
    method |= _pairs(settings, "--set")
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
    from shoal.core.protocols import needs_models

    if not spec.requirements and policy is None and needs_models(spec.algorithm()):
        raise SpecError("no model says what must hold", fix="give -k 5, or a [[models]] table in the spec")
    return spec


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _pairs(given: list[str] | None, option: str) -> dict[str, Any]:
    """Return what options like ``--attribute-weight age=3`` say, by name."""
    found = {}
    for pair in given or ():
        name, equals, value = pair.rpartition("=")
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
