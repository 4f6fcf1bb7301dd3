"""What a table satisfies as it stands, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from shoal.report.console import (
    heading,
    indented,
    indented_line,
    members_word,
    models_part,
    notes_part,
    plain_table,
    policy_part,
    risks_part,
)
from shoal.report.population import population_figures
from shoal.report.words import (
    count,
    percent,
    printable,
)

__all__ = ["audit_report"]

SHOWN = 6
"""Sets of columns that a report shows."""


def audit_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what a table satisfies as it stands.

    Parameters
    ----------
    data : mapping
        ``Audit.as_dict()``.
    """
    readings = {"as it stands": data["risk"]} if data["risk"] else {}
    parts: list[RenderableType] = [Text(printable(sentence)) for sentence in data["sentences"]]
    parts += models_part(data["verdicts"], members=members_word(data["risk"]))
    parts += risks_part(readings, members_word(data["risk"]))
    if data["suppressed"]:
        parts.append(
            indented_line(f"{count(data['suppressed'], 'record')} with * in every quasi-identifier left out here.")
        )
    parts += _population(data)
    parts += _audited(data["columns"], members_word(data["risk"]))
    parts += _column_sets(data, members_word(data["risk"]))
    parts += _learned(data["sensitive"], members_word(data["risk"]))
    parts += _direct_identifiers(data["direct_identifiers"])
    parts += _readings(data)
    parts += policy_part(data.get("policy"))
    parts += notes_part("Warnings", data.get("warnings", ()))
    return Group(*parts)


def _population(data: Mapping[str, Any]) -> list[RenderableType]:
    table = plain_table("", ">value")
    for words, figure in population_figures(data):
        table.add_row(words, figure)
    if not table.row_count:
        return []
    return [heading("Risk of being found, by somebody who knows the population"), indented(table)]


def _audited(columns: Iterable[Mapping[str, Any]], members: str) -> list[RenderableType]:
    table = plain_table("quasi-identifier", ">values", ">missing", ">alone by it", ">SUDA", ">tells apart")
    for column in columns:
        name = Text(printable(column["name"]), style="bold")
        figures = (column["distinct"], column["missing"], column.get("alone_because_of_it"))
        shares = (column["suda_contribution"], column["separation"])
        table.add_row(name, *map(count, figures), *map(percent, shares))
    words = (
        f"Alone by it: {members} that would not stand alone without the column. SUDA: its part in the smallest "
        "sets of columns that single somebody out. Tells apart: share of pairs with different values."
    )
    return [heading("Columns"), indented(table), indented_line(words)] if table.row_count else []


def _column_sets(data: Mapping[str, Any], members: str) -> list[RenderableType]:
    special = data["special_uniques"]
    table = plain_table("columns", ">stand alone by these")
    for found in special["column_sets"][:SHOWN]:
        table.add_row(Text(printable(", ".join(found["columns"])), style="bold"), count(found["records"]))
    if not table.row_count:
        return []
    words = f"{count(special['records'])} {members} stand alone in sets of at most {count(special['m'], 'column')}"
    words += "." if special["complete"] else "; larger sets were not looked at."
    if data["column_sets"]:
        most = data["column_sets"][0]
        words += (
            f" Of the sets that were compared, {printable(', '.join(most['columns']))} tell most apart: "
            f"{percent(most['separation'])} of all pairs."
        )
    return [heading("Smallest sets of columns in which most stand alone"), indented(table), indented_line(words)]


def _learned(columns: Iterable[Mapping[str, Any]], members: str) -> list[RenderableType]:
    table = plain_table("sensitive column", f">{members} known", ">guessed right", ">without")
    for column in columns:
        name = Text(printable(column["name"]), style="bold")
        shares = percent(column["guessed"]), percent(column["guessed_without"])
        table.add_row(name, f"{count(column['known'])} ({percent(column['known_share'])})", *shares)
    if not table.row_count:
        return []
    words = "Without: by the most frequent value of the whole table, not knowing the quasi-identifiers."
    return [heading("What somebody who knows the quasi-identifiers learns"), indented(table), indented_line(words)]


def _direct_identifiers(found: Iterable[Mapping[str, Any]]) -> list[RenderableType]:
    table = plain_table("column", "what it seems to hold", "told by", "HIPAA", "role")
    for one in found:
        role = Text(one["role"] or "none: left out", style="bold red" if one["published"] else "")
        what = printable(one["what"])
        table.add_row(Text(printable(one["column"]), style="bold"), what, one["by"], one["hipaa"], role)
    if not table.row_count:
        return []
    words = "HIPAA: the letter in 45 CFR 164.514(b)(2)(i). A guess from names and cells; it can miss columns."
    return [heading("Columns that may name people by themselves"), indented(table), indented_line(words)]


def _readings(data: Mapping[str, Any]) -> list[RenderableType]:
    smallest = data["smallest_class_by_reading_of_missing_cells"]
    alone = data["alone_by_reading_of_missing_cells"]
    if len({smallest[reading] for reading in smallest} | {None}) <= 2 and len(set(alone.values())) == 1:
        return []
    table = plain_table("a missing cell is", ">smallest group", ">records alone")
    words = {
        "own": "a value of its own",
        "wildcard": "anything",
        "conservative": "anything, in one's own record",
    }
    for reading, told in words.items():
        table.add_row(told, count(smallest[reading]), count(alone[reading]))
    return [heading("Missing and suppressed cells"), indented(table)]
