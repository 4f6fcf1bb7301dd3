"""shoal verify: whether a finished table holds what it promises."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.say import emit_json, show

__all__ = ["verify"]


def verify(
    published: Annotated[str, typer.Argument(metavar="PUBLISHED", help="The published table.")],
    *,
    spec: o.SpecFile = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
    quasi: o.Quasi = None,
    sensitive: o.Sensitive = None,
    k: o.K = None,
    l: o.L = None,
    t: o.T = None,
    alpha: o.Alpha = None,
    suppression_limit: o.SuppressionLimit = None,
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = None,
    missing: o.Missing = None,
    population: o.Population = None,
) -> int:
    """Count a finished table by itself and say which model fails, in how many groups and records.

    Exit code 1 if one fails. The table may come from any tool.
    """
    wanted = o.with_models(
        o.spec_from(
            spec=spec,
            quasi=quasi,
            sensitive=sensitive,
            k=k,
            l=l,
            t=t,
            alpha=alpha,
            suppression_limit=suppression_limit,
            delimiter=delimiter,
            encoding=encoding,
            missing=missing,
            population=population,
        )
    )
    from shoal.report.terminal import verification_report
    from shoal.workflow import verify_file

    found = verify_file(published, wanted)
    if json:
        emit_json("verify", {"result": found.as_dict()})
    elif not quiet:
        show(verification_report(found.as_dict()))
    return 0 if found.satisfied else 1
