"""shoal anonymize: from a table of people to a published table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options as o
from shoal.cli.say import emit_json, message, progress_bar, show
from shoal.cli.secret import KEY_VARIABLE, pseudonym_key
from shoal.cli.shared import takes
from shoal.errors import SpecError

if TYPE_CHECKING:
    from shoal.workflow.spec import ColumnSpec

__all__ = ["anonymize"]

UNPROVEN = 5
"""Exit code of a run that had to prove an optimum and spent its budget."""


@takes(
    "quasi",
    "sensitive",
    "insensitive",
    "unit",
    "k",
    "l",
    "t",
    "alpha",
    "hierarchies",
    "algorithm",
    "loss",
    "labels",
    "suppression_limit",
    "attribute_weight",
    "max_level",
    "budget",
    "settings",
    "delimiter",
    "encoding",
    "missing",
    "population",
)
def anonymize(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="CSV, TSV or Parquet; - for CSV on stdin.")],
    *,
    out: Annotated[str, typer.Option("-o", "--out", metavar="OUT", help="File to write; - for stdout.")],
    spec: o.SpecFile = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Keep the order of rows, which may tell who is who.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", min=0, help="Repeat a run exactly. Keep it private: with it the shuffle can be undone."
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell what was lost where, what forced it, and what another k costs.")
    ] = False,
    report: o.Report = None,
    external_report: Annotated[
        Path | None,
        typer.Option("--external-report", metavar="FILE", help="Report that may be published: .html or .json."),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option("--mapping", metavar="FILE", help="CSV of what each value was published as. Private."),
    ] = None,
    policy: o.Policy = None,
    because: o.Because = None,
    pseudonym_key_file: Annotated[
        Path | None,
        typer.Option(
            "--pseudonym-key-file",
            metavar="FILE",
            help=f"Secret of the pseudonyms; else {KEY_VARIABLE} of the environment. It is not kept.",
        ),
    ] = None,
    ledger: o.Ledger = None,
    ledger_refuse: Annotated[
        bool,
        typer.Option(
            "--ledger-refuse", help="Write nothing if the table is not safe together with a release of it."
        ),
    ] = False,
    force: o.Force = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    given: Mapping[str, Any],
) -> int:
    """Search a recoding, apply it, count the output again, and write it with its manifests.

    The output is written only if every model holds in it, and every check of the policy. Without a spec:

    shoal anonymize people.csv --quasi age,sex,zip --sensitive disease -k 5 -o out.csv
    """
    if ledger_refuse and ledger is None:
        raise SpecError("--ledger-refuse without a ledger", fix="name it with --ledger FILE")
    if json and out == "-":
        raise SpecError("--json and -o - both want stdout", fix="write the table to a file")
    wanted = o.with_models(o.spec_from(spec=spec, **given), policy)
    if given["hierarchies"] is not None and not quiet:
        _say_automatic(wanted.columns)
    from shoal.report.terminal import release_report
    from shoal.workflow import anonymize_file

    with progress_bar(quiet=quiet or json) as progress:
        release = anonymize_file(
            source,
            wanted,
            out,
            seed=seed,
            keep_order=keep_order,
            force=force,
            explain=explain,
            policy=policy,
            because=because,
            pseudonym_key=pseudonym_key(pseudonym_key_file),
            report=report,
            external_report=external_report,
            mapping=mapping,
            ledger=ledger,
            ledger_refuse=ledger_refuse,
            progress=progress,
        )
    told = release.as_dict()
    if json:
        emit_json("anonymize", {"result": told})
    elif not quiet:
        show(release_report(told), stderr=True)
    # The table is written and safe, but whoever asked for an optimum must see that there is no proof of it.
    return UNPROVEN if told["optimal"] is False else 0


def _say_automatic(columns: Mapping[str, ColumnSpec]) -> None:
    """Name the quasi-identifiers for which the folder of hierarchies has no file."""
    without = [name for name, c in columns.items() if c.role == "quasi-identifier" and c.hierarchy is None]
    if without:
        message(f"no hierarchy file for {', '.join(without)}: made automatically")
