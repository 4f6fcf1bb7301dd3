"""shoal audit: what a table satisfies as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from shoal.cli import options as o
from shoal.cli.given import names, reading, spec_from
from shoal.cli.say import emit_json, show
from shoal.cli.shared import takes

__all__ = ["audit"]


@takes(
    "quasi",
    "sensitive",
    "unit",
    "household",
    "weight",
    "k",
    "l",
    "t",
    "alpha",
    "delimiter",
    "encoding",
    "missing",
    "population",
)
def audit(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="CSV, TSV or Parquet; - for CSV on stdin.")],
    *,
    spec: o.SpecFile = None,
    policy: o.Policy = None,
    report: o.Report = None,
    force: o.Force = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    sampling_fraction: o.SamplingFraction = None,
    suda_max_size: Annotated[
        int | None,
        typer.Option(
            "--suda-max-size",
            min=1,
            metavar="N",
            help="Look for people who stand alone in sets of up to N columns; as many as are quick if left out.",
        ),
    ] = None,
    given: Mapping[str, Any],
) -> int:
    """Say what a table satisfies as it stands, and how great its risk is. Nothing is changed.

    Exit code 1 if a model that was asked for does not hold, or a check of the policy fails. Without a spec:

    shoal audit people.csv --quasi age,sex,zip --sensitive disease

    Without --quasi, roles are proposed from the names and contents of the columns.
    """
    from shoal.report.audit_terminal import audit_report
    from shoal.workflow.account.files import check_report_path

    if report is not None:
        check_report_path(report, force=force)
    asked: dict[str, Any] = {
        "sampling_fraction": sampling_fraction,
        "policy": policy,
        "suda_max_size": suda_max_size,
    }
    if spec is None and not given["quasi"]:
        from shoal.workflow.audit import audit_unknown

        how = {name: given[name] for name in ("delimiter", "encoding", "missing")}
        rest = {name: value for name, value in given.items() if name not in how and name != "quasi"}
        rest["sensitive"] = names(given["sensitive"])
        found = audit_unknown(source, input=reading(**how), **rest, **asked)
    else:
        from shoal.workflow import audit_file

        found = audit_file(source, spec_from(spec=spec, **given), **asked)
    if report is not None:
        found.to_html(report, force=force)
    if json:
        emit_json("audit", {"result": found.as_dict()})
    elif not quiet:
        show(audit_report(found.as_dict()))
    return 0 if found.satisfied else 1
