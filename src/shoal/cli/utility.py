"""shoal utility: what a published table is still good for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import options as o
from shoal.cli.given import groups_of, names, spec_from, whole_numbers
from shoal.cli.say import emit_json, show
from shoal.cli.shared import takes
from shoal.errors import SpecError, nearest_name

__all__ = ["utility"]


@takes("quasi", "sensitive", "hierarchies", "delimiter", "encoding", "missing")
def utility(
    original: Annotated[Path, typer.Argument(metavar="ORIGINAL", help="The private table.")],
    published: Annotated[Path, typer.Argument(metavar="PUBLISHED", help="What was made of it, by any tool.")],
    *,
    groups: o.Groups = None,
    queries: Annotated[
        int, typer.Option("--queries", min=0, metavar="N", help="Random COUNT queries of each dimension.")
    ] = 1000,
    dimensions: Annotated[
        str | None,
        typer.Option("--dimensions", metavar="1,3,…", help="Quasi-identifiers in a query; 1 to 5 if not given."),
    ] = None,
    selectivity: Annotated[
        float,
        typer.Option(
            "--selectivity",
            metavar="SHARE",
            help="Share of the records that a query would meet if all were alike.",
        ),
    ] = 0.05,
    workload: Annotated[
        Path | None,
        typer.Option(
            "--workload",
            metavar="FILE",
            help="Queries of your own: a JSON list, or a list of tables `queries` in TOML.",
        ),
    ] = None,
    targets: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="A,…", help="Columns that decision trees predict from the others."),
    ] = None,
    holdout: Annotated[
        Path | None,
        typer.Option("--holdout", metavar="FILE", help="Original rows that were not released, to test trees on."),
    ] = None,
    propensity: Annotated[
        str,
        typer.Option(
            "--propensity", metavar="HOW", help="What tries to tell the tables apart: logistic, tree or none."
        ),
    ] = "logistic",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of queries and of values drawn from cells.")] = 0,
    spec: o.SpecFile = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
    given: Mapping[str, Any],
) -> int:
    """Measure what a published table still tells, beside its original.

    Distortion, the error of COUNT queries, the accuracy of decision trees (--target), whether published rows can
    be told from original ones, and how far single columns and pairs moved. The report speaks of the original:
    keep it to yourself.
    """
    from shoal.utility.propensity import PROPENSITY_METHODS

    methods = [*PROPENSITY_METHODS, "none"]
    if propensity not in methods:
        raise SpecError(f"unknown method {propensity!r} of --propensity", fix=nearest_name(propensity, methods))
    wanted = spec_from(spec=spec, **given)
    from shoal.report.utility_terminal import utility_report
    from shoal.workflow.utility import measure_utility_files
    from shoal.workflow.utility_measures import Asked

    found = measure_utility_files(
        original,
        published,
        wanted,
        groups=groups_of(groups),
        holdout=holdout,
        workload=workload,
        asked=Asked(
            queries=queries,
            dimensions=whole_numbers("--dimensions", dimensions),
            selectivity=selectivity,
            targets=names(targets),
            propensity=None if propensity == "none" else propensity,
            seed=seed,
        ),
    )
    if json:
        emit_json("utility", {"result": found.as_dict()})
    elif not quiet:
        show(utility_report(found.as_dict()))
    return 0
