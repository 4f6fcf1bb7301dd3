"""What releases tell together, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shoal.report.words import printable

__all__ = ["attack_report"]

SHOWN = 20
"""Targets that a report shows; --json has all."""


def attack_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what is left of people who are in all releases.

    Parameters
    ----------
    data : mapping
        ``CompositionAttack.as_dict()``.
    """
    parts: list[RenderableType] = [
        Text(
            printable(f"{len(data['releases'])} releases, people matched by {', '.join(data['columns'])}"), "bold"
        )
    ]
    for finding in data["findings"]:
        parts += [Padding(Text(printable(sentence)), (0, 0, 0, 2)) for sentence in finding["sentences"]]
        if finding["targets"]:
            parts.append(Padding(_targets(finding["targets"], len(data["releases"])), (0, 0, 0, 2)))
        more = len(finding["targets"]) - SHOWN
        if more > 0:
            parts.append(Padding(Text(f"and {more} more; --json has all"), (0, 0, 0, 2)))
    parts += [Padding(Text(printable(f"note: {note}"), "yellow"), (0, 0, 0, 2)) for note in data["notes"]]
    return Group(*parts)


def _targets(targets: Sequence[Mapping[str, Any]], n_releases: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("person", *(f"release {i}" for i in range(1, n_releases + 1)), "together"):
        table.add_column(heading, overflow="fold")
    for target in targets[:SHOWN]:
        name = f"row {target['row'] + 1}" if target["person"] is None else target["person"]
        cells = [name, *map(_values, target["alone"]), _values(target["candidates"])]
        table.add_row(*(Text(printable(cell)) for cell in cells), style="bold red" if target["disclosed"] else "")
    return table


def _values(values: Sequence[str | None]) -> str:
    return ", ".join("(missing)" if value is None else value for value in values) or "none"
