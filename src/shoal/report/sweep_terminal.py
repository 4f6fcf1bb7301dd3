"""What each choice costs, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from shoal.report.console import (
    headline,
    indented,
    indented_line,
    notes_part,
    plain_table,
)
from shoal.report.words import (
    count,
    measure,
    percent,
    printable,
)

__all__ = ["sweep_report"]


def sweep_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what each choice costs and the risk that it leaves.

    Parameters
    ----------
    data : mapping
        ``Sweep.as_dict()``.
    """
    best = data["recommended"]
    reasons: dict[str, list[str]] = {}
    table = plain_table(">k", "algorithm", ">average risk", ">highest risk", f">{data['loss']}", ">suppressed", "")
    for point in data["points"]:
        name = Text(printable(point["algorithm"]))
        if not point["feasible"]:
            table.add_row(str(point["k"]), name, "", "", "", "", Text("not feasible", style="dim"))
            reasons.setdefault(f"{point['algorithm']}: {point['why']}", []).append(str(point["k"]))
            continue
        chosen = best is not None and (point["k"], point["algorithm"]) == (best["k"], best["algorithm"])
        mark = Text("recommended", style="bold green") if chosen else Text("")
        if point["dominated"]:
            mark = Text("beaten", style="dim")
        table.add_row(
            str(point["k"]),
            name,
            percent(point["risk"]),
            percent(point["highest_risk"]),
            measure(point["loss"]),
            count(point["suppressed"]),
            mark,
        )
    what = f"What each choice costs, on {count(data['rows'], 'record')} counted once."
    failed = [f"k = {', '.join(sizes)} with {reason}" for reason, sizes in reasons.items()]
    parts = [headline(what, good=best is not None), indented(table), Text(""), indented_line(data["reason"])]
    return Group(*parts, *notes_part("Not feasible", failed))
