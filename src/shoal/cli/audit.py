"""shoal audit: what a table satisfies as it stands."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.say import emit_json, show

__all__ = ["audit"]


def audit(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="CSV, TSV or Parquet; - for CSV on stdin.")],
    *,
    spec: o.SpecFile = None,
    policy: o.Policy = None,
    report: o.Report = None,
    force: o.Force = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    quasi: o.Quasi = None,
    sensitive: o.Sensitive = None,
    unit: o.Unit = None,
    household: o.Household = None,
    weight: o.Weight = None,
    k: o.K = None,
    l: o.L = None,
    t: o.T = None,
    alpha: o.Alpha = None,
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = None,
    missing: o.Missing = None,
    population: o.Population = None,
    sampling_fraction: o.SamplingFraction = None,
) -> int:
    """Say what a table satisfies as it stands, and how great its risk is. Nothing is changed.

    Exit code 1 if a model that was asked for does not hold, or a check of the policy fails. Without a spec:

    shoal audit people.csv --quasi age,sex,zip --sensitive disease

    Without --quasi, roles are proposed from the names and contents of the columns.
    """
    from shoal.report.audit_terminal import audit_report
    from shoal.workflow.account.files import check_report_path

    if report is not None:
        check_report_path(report)
    if spec is None and not quasi:
        from shoal.workflow.audit import audit_unknown

        found = audit_unknown(
            source,
            input=o.reading(delimiter=delimiter, encoding=encoding, missing=missing),
            sensitive=o.names(sensitive),
            unit=unit,
            household=household,
            weight=weight,
            population=population,
            sampling_fraction=sampling_fraction,
            policy=policy,
            k=k,
            l=l,
            t=t,
            alpha=alpha,
        )
    else:
        from shoal.workflow import audit_file

        wanted = o.spec_from(
            spec=spec,
            quasi=quasi,
            sensitive=sensitive,
            unit=unit,
            household=household,
            weight=weight,
            k=k,
            l=l,
            t=t,
            alpha=alpha,
            delimiter=delimiter,
            encoding=encoding,
            missing=missing,
            population=population,
        )
        found = audit_file(source, wanted, sampling_fraction=sampling_fraction, policy=policy)
    if report is not None:
        found.to_html(report, force=force)
    if json:
        emit_json("audit", {"result": found.as_dict()})
    elif not quiet:
        show(audit_report(found.as_dict()))
    return 0 if found.satisfied else 1
