"""What a release is still good for, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shoal.report.words import count, percent, printable

__all__ = ["utility_report"]

SHOWN = 8
"""Pairs of columns that a report shows, those that moved most; --json has all."""


def utility_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what a published table still tells.

    Parameters
    ----------
    data : mapping
        ``Utility.as_dict()``.
    """
    parts: list[RenderableType] = [Text("What the published table still tells", "bold")]
    parts += [Padding(Text(printable(sentence)), (0, 0, 0, 2)) for sentence in data["sentences"]]
    if data["queries"]:
        parts.append(Padding(_queries(data), (1, 0, 0, 2)))
    parts.append(Padding(_distances(data), (1, 0, 0, 2)))
    parts += [Padding(Text(printable(f"note: {note}"), "yellow"), (0, 0, 0, 2)) for note in data["notes"]]
    return Group(*parts)


def _queries(data: Mapping[str, Any]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("COUNT queries over", "estimator", "mean error", "median", "queries", "empty"):
        table.add_column(heading, justify="right" if heading != "estimator" else "left")
    for error in data["queries"]:
        size = "your own" if error["dimension"] is None else count(error["dimension"], "column")
        shares = (percent(error["mean"]), percent(error["median"]))
        table.add_row(size, error["estimator"], *shares, str(error["queries"]), str(error["empty"]))
    return table


def _distances(data: Mapping[str, Any]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("records that moved")
    table.add_column("share", justify="right")
    single = [d for d in data["distances"] if len(d["columns"]) == 1]
    pairs = [d for d in data["distances"] if len(d["columns"]) == 2]
    pairs.sort(key=lambda d: -(d["distance"] or 0.0))
    for found in (*single, *pairs[:SHOWN]):
        table.add_row(Text(printable(" and ".join(found["columns"]))), percent(found["distance"]))
    if len(pairs) > SHOWN:
        table.add_row(f"and {len(pairs) - SHOWN} pairs more; --json has all", "")
    return table
