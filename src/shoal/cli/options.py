"""The options that several commands share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
