"""shoal list: the models, losses and algorithms that are there, plug-ins too."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.say import emit_json, show

__all__ = ["list_kind"]


class Kind(StrEnum):
    """What can be listed."""

    MODELS = "models"
    ALGORITHMS = "algorithms"
    LOSSES = "losses"


def list_kind(
    kind: Annotated[Kind, typer.Argument(help="What to list.", show_default=False)], json: o.Json = False
) -> int:
    """List models, algorithms or losses, one line each."""
    from shoal.report.terminal import list_report
    from shoal.workflow.spec_build import registry, settings_of

    found = registry({Kind.MODELS: "model", Kind.LOSSES: "loss"}.get(kind, "algorithm"))
    entries = [
        {"name": name, "about": found.first_line(name), "settings": settings_of(found[name])}
        for name in sorted(found)
    ]
    if json:
        emit_json("list", {"kind": str(kind), "result": entries})
    else:
        show(list_report(entries))
    return 0
