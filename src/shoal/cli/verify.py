"""shoal verify: whether a finished table holds what it promises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from shoal.cli import options as o
from shoal.cli.say import emit_json, show
from shoal.cli.shared import takes

__all__ = ["verify"]


@takes(
    "quasi",
    "sensitive",
    "k",
    "l",
    "t",
    "alpha",
    "suppression_limit",
    "delimiter",
    "encoding",
    "missing",
    "population",
)
def verify(
    published: Annotated[str, typer.Argument(metavar="PUBLISHED", help="The published table.")],
    *,
    spec: o.SpecFile = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
    given: Mapping[str, Any],
) -> int:
    """Count a finished table by itself and say which model fails, in how many groups and records.

    Exit code 1 if one fails. The table may come from any tool.
    """
    wanted = o.with_models(o.spec_from(spec=spec, **given))
    from shoal.report.terminal import verification_report
    from shoal.workflow import verify_file

    found = verify_file(published, wanted)
    if json:
        emit_json("verify", {"result": found.as_dict()})
    elif not quiet:
        show(verification_report(found.as_dict()))
    return 0 if found.satisfied else 1
