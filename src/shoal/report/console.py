"""Pieces of a report for a terminal of 80 columns: headings, lines, tables, models, risks, a policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shoal.report.words import (
    count,
    measure,
    model_sentence,
    percent,
    printable,
)

__all__ = [
    "LOOK_ALIKES",
    "heading",
    "headline",
    "indented",
    "indented_line",
    "members_word",
    "models_part",
    "notes_part",
    "plain_table",
    "policy_part",
    "risks_part",
]

LOOK_ALIKES = (
    "Look-alikes are records with the same text in every quasi-identifier; quasi-identifiers are the columns "
    "that somebody outside may know of a person."
)

RISKS = (
    ("highest", "highest over all {members}", percent),
    ("average", "average over all {members}", percent),
    ("share_above", "share of {members} above {threshold}", percent),
    ("uniques", "{alone}", count),
    ("smallest", "{members} in the smallest group", count),
    ("n_classes", "groups of look-alikes", count),
)


def headline(text: str, *, good: bool = True) -> RenderableType:
    """Return the first line of a report."""
    return Text(text, style="bold green" if good else "bold red")


def heading(text: str, *, style: str = "bold") -> RenderableType:
    """Return the heading of a part."""
    return Text("\n" + text, style=style)


def indented_line(text: str) -> RenderableType:
    """Return a line below a heading."""
    return indented(Text(text))


def indented(renderable: RenderableType) -> RenderableType:
    """Move something below a heading."""
    return Padding(renderable, (0, 0, 0, 2), expand=False)


def plain_table(*headings: str) -> Table:
    """Return a table without lines, which reads as well in a file; a heading with ``>`` is aligned right."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=any(headings), header_style="dim")
    for heading in headings:
        right = heading.startswith(">")
        table.add_column(
            heading.removeprefix(">"),
            justify="right" if right else "left",
            no_wrap=right,
        )
    return table


def notes_part(title: str, notes: Iterable[str], *, style: str = "bold yellow") -> list[RenderableType]:
    """List notes under a heading; nothing where there are none."""
    lines = [indented_line(f"- {printable(note)}") for note in notes]
    return [heading(title, style=style), *lines] if lines else []


def members_word(risk: Mapping[str, Any] | None) -> str:
    """Return what was counted: people where a column says whose each row is."""
    return "people" if risk and risk["by_people"] else "records"


def models_part(
    verdicts: Iterable[Mapping[str, Any]], *, members: str, about: str | None = LOOK_ALIKES
) -> list[RenderableType]:
    """Tell what must hold and whether it does, and *about* what groups."""
    table = plain_table("what must hold", ">required", ">reached", "")
    for verdict in verdicts:
        satisfied = verdict["satisfied"]
        answer = Text("holds" if satisfied else "FAILS", style="green" if satisfied else "bold red")
        if not satisfied:
            classes = count(verdict["violating_classes"], "group")
            answer.append(f" in {classes}, {count(verdict['violating_rows'], 'record')}")
        sentence = Text(printable(model_sentence(verdict, members=members)))
        name = f"\n{verdict['model']}"
        sentence.append(printable(name), style="dim")
        table.add_row(sentence, measure(verdict["required"]), measure(verdict["achieved"]), answer)
    if not table.row_count:
        return []
    return [heading("Models"), indented(table), *([indented_line(about)] if about else [])]


def risks_part(readings: Mapping[str, Mapping[str, Any]], members: str) -> list[RenderableType]:
    """Compare risks, one column each."""
    table = plain_table("", *(f">{name}" for name in readings))
    threshold = next((percent(risk["threshold"]) for risk in readings.values() if "threshold" in risk), "")
    # Somebody can be alone in several groups, so people and groups of one are two numbers.
    alone = "records that stand alone" if members == "records" else "groups with one person alone in them"
    for key, words, write in RISKS:
        if all(key in risk for risk in readings.values()):
            table.add_row(
                words.format(members=members, threshold=threshold, alone=alone),
                *(write(risk[key]) for risk in readings.values()),
            )
    if not table.row_count:
        return []
    return [heading("Risk of being found, by somebody who knows the quasi-identifiers"), indented(table)]


def policy_part(found: Mapping[str, Any] | None) -> list[RenderableType]:
    """Tell what a policy says of a table."""
    if found is None:
        return []
    styles = {"pass": "green", "warn": "yellow", "fail": "bold red"}
    table = plain_table("check", "", "evidence")
    for check in found["checks"]:
        answer = Text(check["status"], style=styles.get(check["status"], "dim"))
        table.add_row(Text(printable(check["title"])), answer, Text(printable(check["evidence"])))
    about = f"{found['citation']}, {found['dated']}. Nothing here is legal advice."
    parts = [heading(f"Policy: {printable(found['title'])}"), indented(table), indented_line(printable(about))]
    if found["because"]:
        parts.append(indented_line(f"Less was asked because: {printable(found['because'])}"))
    return parts
