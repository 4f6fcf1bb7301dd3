"""shoal sweep: what each k and each algorithm costs, and the risk that it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from shoal.cli import options as o
from shoal.cli.given import names, spec_from
from shoal.cli.say import emit_json, progress_bar, show
from shoal.cli.shared import takes
from shoal.errors import SpecError

__all__ = ["sweep"]


@takes(
    "quasi",
    "sensitive",
    "unit",
    "l",
    "t",
    "alpha",
    "hierarchies",
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
def sweep(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="CSV, TSV or Parquet; - for CSV on stdin.")],
    *,
    k: Annotated[str, typer.Option("-k", "--k", metavar="2,3,…", help="Sizes of the smallest group to try.")] = (
        "2,3,5,10"
    ),
    algorithms: Annotated[
        str | None,
        typer.Option("--algorithms", metavar="A,B,…", help="Searches to try; the spec's where left out."),
    ] = None,
    report: o.Report = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Repeat a sweep exactly.")] = None,
    spec: o.SpecFile = None,
    force: o.Force = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    given: Mapping[str, Any],
) -> int:
    """Try every k with every algorithm on a table that is counted once. Nothing is published.

    Tells which choices no other one beats, and where a further step costs most for least. Other models of the spec
    hold in every choice. Exit code 3 if no choice is feasible.
    """
    wanted = spec_from(spec=spec, **given)
    from shoal.report.sweep_terminal import sweep_report
    from shoal.workflow import sweep_file
    from shoal.workflow.account.files import check_report_path

    if report is not None:
        check_report_path(report, force=force)
    with progress_bar(quiet=quiet or json) as progress:
        found = sweep_file(
            source,
            wanted,
            k=_sizes(k),
            algorithms=names([algorithms]) if algorithms else None,
            seed=seed,
            progress=progress,
        )
    if report is not None:
        found.to_html(report, force=force)
    if json:
        emit_json("sweep", {"result": found.as_dict()})
    elif not quiet:
        show(sweep_report(found.as_dict()))
    return 0 if found.frontier else 3


def _sizes(given: str) -> list[int]:
    try:
        return [int(part) for part in given.split(",")]
    except ValueError:
        raise SpecError("k must be whole numbers", where="--k", fix="write them as --k 2,3,5,10") from None
