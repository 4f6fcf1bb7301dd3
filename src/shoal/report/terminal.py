"""What a run, an audit or a verification found, for a terminal of 80 columns.

Each function takes the ``as_dict()`` of a result, so nothing below the report knows how it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from shoal.report.words import (
    certificate_sentences,
    count,
    link_sentence,
    measure,
    model_sentence,
    percent,
    plain_text,
    printable,
    treatment,
)

__all__ = [
    "audit_report",
    "hierarchy_report",
    "list_report",
    "release_report",
    "sweep_report",
    "tree_report",
    "verification_report",
]

LOOK_ALIKES = (
    "Look-alikes are records with the same text in every quasi-identifier; quasi-identifiers are the columns "
    "that somebody outside may know of a person."
)
LOSSES = {
    "ncp": "share of detail lost in the quasi-identifiers, 0 to 1",
    "ncp-value": "share of the span of values that cells now cover, 0 to 1",
    "distortion": "share of the levels climbed, 0 to 1",
    "precision": "mean share of the levels climbed per cell, 0 to 1",
    "stars": "cells that are *",
    "discernibility": "records each record cannot be told from, summed",
    "average-class-size": "mean group size, in units of k",
    "non-uniform-entropy": "bits of detail lost",
}
BUCKETS = "The groups are the buckets here, without their fake rows."
PROVEN = {
    "boxes": "Every model holds in the published table",
    "buckets": "Every model holds in every bucket of the published table",
    "noise": "The published table holds the numbers that were drawn",
}
SHOWN = 6
"""Sets of columns that a report shows."""

RISKS = (
    ("highest", "highest, over all records", percent),
    ("average", "average over all records", percent),
    ("share_above", "share of {members} above {threshold}", percent),
    ("uniques", "{members} that stand alone", count),
    ("smallest", "{members} in the smallest group", count),
    ("n_classes", "groups of look-alikes", count),
)


def release_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what was asked and reached, the risk before and after, and what happened to each column.

    Parameters
    ----------
    data : mapping
        ``Release.as_dict()``.
    """
    members, boxes = _members(data["risk_before"]), data["kind"] == "boxes"
    parts = [
        _title(f"{PROVEN[data['kind']]}; its rows were counted again to prove it."),
        *_notes("What is protected, and what is not", data["promises"], style="bold"),
        *_link(data["link"]),
        *_budget(data.get("perturbation")),
        *_verdicts(data["verdicts"], members=members, about=LOOK_ALIKES if boxes else BUCKETS),
        *(_risks({"before": data["risk_before"], "after": data["risk_after"]}, members) if boxes else []),
        *_loss(data),
        *_certificate(data.get("certificate")),
        *_notes("Decided by the search", data.get("notes", ()), style="bold"),
        *_columns(data["columns"]),
        *_suppressed(data),
        *_explained(data.get("explanation")),
        *_policy(data.get("policy")),
        *_written(data.get("out")),
        *_notes("Warnings", data.get("warnings", ())),
    ]
    return Group(*parts)


def audit_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what a table satisfies as it stands.

    Parameters
    ----------
    data : mapping
        ``Audit.as_dict()``.
    """
    readings = {"as it stands": data["risk"]} if data["risk"] else {}
    parts: list[RenderableType] = [Text(printable(sentence)) for sentence in data["sentences"]]
    parts += _verdicts(data["verdicts"], members=_members(data["risk"]))
    parts += _risks(readings, _members(data["risk"]))
    if data["suppressed"]:
        parts.append(
            _line(f"{count(data['suppressed'], 'record')} with * in every quasi-identifier left out here.")
        )
    parts += _population(data)
    parts += _audited(data["columns"], _members(data["risk"]))
    parts += _column_sets(data, _members(data["risk"]))
    parts += _learned(data["sensitive"], _members(data["risk"]))
    parts += _direct_identifiers(data["direct_identifiers"])
    parts += _readings(data)
    parts += _policy(data.get("policy"))
    parts += _notes("Warnings", data.get("warnings", ()))
    return Group(*parts)


def verification_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell whether a finished table holds what it promises, and where it does not.

    Parameters
    ----------
    data : mapping
        ``Verification.as_dict()``.
    """
    good = "The table meets every model." if data["satisfied"] else "The table does NOT meet what was asked."
    about = LOOK_ALIKES if data["risk"] else None
    parts = [
        _title(good, good=data["satisfied"]),
        *_verdicts(data["verdicts"], members=_members(data["risk"]), about=about),
    ]
    residue = data["residue"]
    if residue["rows"]:
        told = (residue["as_class"], residue["as_suppressed"])
        parts += [
            _heading("Suppressed records"),
            _line(f"{count(residue['rows'], 'record')} with * in every quasi-identifier."),
            _line(f"As a group of their own they {'meet' if told[0] else 'do not meet'} every model."),
            _line(f"They are {'within' if told[1] else 'more than'} the suppression limit."),
            _line(f"One of the two must hold, {'and one does' if any(told) else 'and none does'}."),
        ]
    if data["risk"]:
        parts += _risks({"published": data["risk"]}, _members(data["risk"]))
    parts += _notes("Notes", data.get("notes", ()))
    return Group(*parts)


def sweep_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what each choice costs and the risk that it leaves.

    Parameters
    ----------
    data : mapping
        ``Sweep.as_dict()``.
    """
    best = data["recommended"]
    reasons: dict[str, list[str]] = {}
    table = _table(">k", "algorithm", ">average risk", ">highest risk", f">{data['loss']}", ">suppressed", "")
    for point in data["points"]:
        name = Text(printable(point["algorithm"]))
        if not point["feasible"]:
            table.add_row(str(point["k"]), name, "", "", "", "", Text("not feasible", style="dim"))
            reasons.setdefault(f"{point['algorithm']}: {point['why']}", []).append(str(point["k"]))
            continue
        chosen = best is not None and (point["k"], point["algorithm"]) == (best["k"], best["algorithm"])
        mark = Text("recommended", style="bold green") if chosen else Text("")
        if point["dominated"]:
            mark = Text("beaten by another", style="dim")
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
    parts = [_title(what, good=best is not None), _indented(table), Text(""), _line(data["reason"])]
    return Group(*parts, *_notes("Not feasible", failed))


def list_report(entries: Sequence[Mapping[str, Any]]) -> RenderableType:
    """List names with one line and the settings of each."""
    table = _table("name", "what it is")
    for entry in entries:
        settings = ", ".join(entry["settings"])
        about = Text(printable(plain_text(entry["about"])))
        if settings:
            about.append(f"\nsettings: {settings}", style="dim")
        table.add_row(Text(printable(entry["name"]), style="bold"), about)
    return table


def hierarchy_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what a hierarchy is like, level by level."""
    table = _table(">level", ">groups")
    for level, groups in enumerate(data["groups"]):
        table.add_row(str(level), count(groups))
    what = f"A tree over {count(data['values'], 'value')}, read as {data['type']}"
    what += ", in order." if data["ordered"] else ", without an order."
    return Group(_title(what), _indented(table))


def tree_report(tree: Mapping[str, Any]) -> RenderableType:
    """Draw a hierarchy from its root down."""

    def label(node: Mapping[str, Any]) -> Text:
        text = Text(printable(node["label"]) or "(missing)")
        return text if node["values"] == 1 else text.append(f"  {count(node['values'], 'value')}", style="dim")

    def grow(node: Mapping[str, Any], branch: Tree) -> Tree:
        for child in node["children"]:
            grow(child, branch.add(label(child)))
        return branch

    return grow(tree, Tree(label(tree)))


def _members(risk: Mapping[str, Any] | None) -> str:
    """Return what was counted: people where a column says whose each row is."""
    return "people" if risk and risk["by_people"] else "records"


def _link(link: Mapping[str, Any] | None) -> list[RenderableType]:
    if link is None:
        return []
    words = f"Risk that {printable(link['sensitive'])} of a person becomes known"
    return [_heading(words), _line(printable(link_sentence(link)))]


def _budget(noise: Mapping[str, Any] | None) -> list[RenderableType]:
    if noise is None:
        return []
    table = _table("spent on", ">epsilon")
    for spent in noise["ledger"]:
        table.add_row(Text(printable(spent["what"])), measure(spent["epsilon"]))
    table.add_row(Text("in all", style="bold"), Text(measure(noise["epsilon"]), style="bold"))
    return [_heading("Where the privacy budget went"), _indented(table)]


def _verdicts(
    verdicts: Iterable[Mapping[str, Any]], *, members: str, about: str | None = LOOK_ALIKES
) -> list[RenderableType]:
    table = _table("what must hold", ">required", ">reached", "")
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
    return [_heading("Models"), _indented(table), *([_line(about)] if about else [])]


def _risks(readings: Mapping[str, Mapping[str, Any]], members: str) -> list[RenderableType]:
    table = _table("", *(f">{name}" for name in readings))
    threshold = next((percent(risk["threshold"]) for risk in readings.values() if "threshold" in risk), "")
    for key, words, write in RISKS:
        if all(key in risk for risk in readings.values()):
            table.add_row(
                words.format(members=members, threshold=threshold),
                *(write(risk[key]) for risk in readings.values()),
            )
    if not table.row_count:
        return []
    return [_heading("Risk of being found, by somebody who knows the quasi-identifiers"), _indented(table)]


def _loss(data: Mapping[str, Any]) -> list[RenderableType]:
    table = _table("loss", ">value", "what it is")
    losses = data["losses"]
    if not losses:
        return [_heading("Information lost"), _line("Not measured: no published row stands for a record.")]
    for name, value in losses.items():
        table.add_row(printable(name), measure(value), LOSSES.get(name, "0 where nothing is lost"))
    kept_small = printable(next(iter(losses)))
    how = f"The search ({printable(data['algorithm'])}) kept {kept_small} small"
    how += {
        True: ": it is proven that it can reach no less.",
        False: "; its budget ended before it was proven that it can reach no less.",
        None: "; it need not be the least possible.",
    }[data["optimal"]]
    return [_heading("Information lost"), _indented(table), _line(how)]


def _certificate(certificate: Mapping[str, Any] | None) -> list[RenderableType]:
    lines = [_line(printable(sentence)) for sentence in certificate_sentences(certificate)]
    return [_heading("Distance from the optimum, proven"), *lines] if lines else []


def _columns(columns: Iterable[Mapping[str, Any]]) -> list[RenderableType]:
    table = _table("column", "role", "what happened", ">lost")
    for column in columns:
        loss = column.get("loss")
        table.add_row(
            Text(printable(column["name"]), style="bold"),
            column["role"] or "none",
            treatment(column),
            "" if loss is None else percent(loss),
        )
    return [_heading("Columns"), _indented(table)]


def _population(data: Mapping[str, Any]) -> list[RenderableType]:
    table = _table("", ">value")
    people, survey, estimate = (data[key] for key in ("population_risk", "survey_risk", "population_uniqueness"))
    if people:
        table.add_row("highest, over all who look alike in the population", percent(people["highest"]))
        table.add_row("average: found by linking the whole table", percent(people["average"]))
        table.add_row("fewest people of the population in a group", count(people["smallest"]))
        table.add_row("the only ones of their kind in the population", count(people["uniques"]))
    if survey:
        table.add_row("highest individual risk by survey weights", percent(survey["highest"]))
        table.add_row("global risk by survey weights", percent(survey["global_risk"]))
        table.add_row("expected re-identifications", measure(survey["expected"]))
    if estimate:
        for name in ("pitman", "zayatz", "snb", "poisson"):
            chosen = " (chosen)" if name == estimate["method"] else ""
            table.add_row(f"population alone, by {name}{chosen}", percent(estimate[name]))
    if not table.row_count:
        return []
    return [_heading("Risk of being found, by somebody who knows the population"), _indented(table)]


def _audited(columns: Iterable[Mapping[str, Any]], members: str) -> list[RenderableType]:
    table = _table("quasi-identifier", ">values", ">missing", ">alone by it", ">SUDA", ">tells apart")
    for column in columns:
        name = Text(printable(column["name"]), style="bold")
        figures = (column["distinct"], column["missing"], column.get("alone_because_of_it"))
        shares = (column["suda_contribution"], column["separation"])
        table.add_row(name, *map(count, figures), *map(percent, shares))
    words = (
        f"Alone by it: {members} that would not stand alone without the column. SUDA: its part in the smallest "
        "sets of columns that single somebody out. Tells apart: share of pairs with different values."
    )
    return [_heading("Columns"), _indented(table), _line(words)] if table.row_count else []


def _column_sets(data: Mapping[str, Any], members: str) -> list[RenderableType]:
    special = data["special_uniques"]
    table = _table("columns", ">stand alone by these")
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
    return [_heading("Smallest sets of columns in which most stand alone"), _indented(table), _line(words)]


def _learned(columns: Iterable[Mapping[str, Any]], members: str) -> list[RenderableType]:
    table = _table("sensitive column", f">{members} known", ">guessed right", ">without")
    for column in columns:
        name = Text(printable(column["name"]), style="bold")
        shares = percent(column["guessed"]), percent(column["guessed_without"])
        table.add_row(name, f"{count(column['known'])} ({percent(column['known_share'])})", *shares)
    if not table.row_count:
        return []
    words = "Without: by the most frequent value of the whole table, not knowing the quasi-identifiers."
    return [_heading("What somebody who knows the quasi-identifiers learns"), _indented(table), _line(words)]


def _direct_identifiers(found: Iterable[Mapping[str, Any]]) -> list[RenderableType]:
    table = _table("column", "what it seems to hold", "told by", "HIPAA", "role")
    for one in found:
        role = Text(one["role"] or "none: left out", style="bold red" if one["published"] else "")
        what = printable(one["what"])
        table.add_row(Text(printable(one["column"]), style="bold"), what, one["by"], one["hipaa"], role)
    if not table.row_count:
        return []
    words = "HIPAA: the letter in 45 CFR 164.514(b)(2)(i). A guess from names and cells; it can miss columns."
    return [_heading("Columns that may name people by themselves"), _indented(table), _line(words)]


def _readings(data: Mapping[str, Any]) -> list[RenderableType]:
    smallest = data["smallest_class_by_reading_of_missing_cells"]
    alone = data["alone_by_reading_of_missing_cells"]
    if len({smallest[reading] for reading in smallest} | {None}) <= 2 and len(set(alone.values())) == 1:
        return []
    table = _table("a missing cell is", ">smallest group", ">records alone")
    words = {
        "own": "a value of its own",
        "wildcard": "anything",
        "conservative": "anything, in one's own record",
    }
    for reading, told in words.items():
        table.add_row(told, count(smallest[reading]), count(alone[reading]))
    return [_heading("Missing and suppressed cells"), _indented(table)]


def _suppressed(data: Mapping[str, Any]) -> list[RenderableType]:
    rows, suppressed = data["rows"], data["suppressed"]
    if data["kind"] == "noise":
        return []
    if not suppressed:
        text = f"None of {count(rows, 'record')} is suppressed."
    else:
        text = f"{count(suppressed)} of {count(rows, 'record')} ({percent(suppressed / rows)}) suppressed: "
        text += "they are left out." if data["kind"] == "buckets" else "their quasi-identifiers are not told."
    parts = [_heading("Suppressed records"), _line(text)]
    if data["withheld"]:
        parts.append(_line(f"{count(data['withheld'], 'record')} more were left out by the sample."))
    return parts


def _explained(explanation: Mapping[str, Any] | None) -> list[RenderableType]:
    if explanation is None:
        return []
    return [_heading("Why"), *(_line(f"- {printable(sentence)}") for sentence in explanation["sentences"])]


def _policy(found: Mapping[str, Any] | None) -> list[RenderableType]:
    if found is None:
        return []
    styles = {"pass": "green", "warn": "yellow", "fail": "bold red"}
    table = _table("check", "", "evidence")
    for check in found["checks"]:
        answer = Text(check["status"], style=styles.get(check["status"], "dim"))
        table.add_row(Text(printable(check["title"])), answer, Text(printable(check["evidence"])))
    about = f"{found['citation']}, {found['dated']}. Nothing here is legal advice."
    parts = [_heading(f"Policy: {printable(found['title'])}"), _indented(table), _line(printable(about))]
    if found["because"]:
        parts.append(_line(f"Less was asked because: {printable(found['because'])}"))
    return parts


def _written(out: str | None) -> list[RenderableType]:
    if out is None:
        return []
    table = _table("", "")
    table.add_row(Text(printable(out), overflow="fold"), "the published table")
    table.add_row(Text(printable(f"{out}.manifest.json"), overflow="fold"), "what was done; safe to publish")
    table.add_row(Text(printable(f"{out}.private.json"), overflow="fold"), "keep private: it holds the seed")
    return [_heading("Written"), _indented(table)]


def _notes(title: str, notes: Iterable[str], *, style: str = "bold yellow") -> list[RenderableType]:
    notes = list(notes)
    return [_heading(title, style=style), *(_line(f"- {printable(note)}") for note in notes)] if notes else []


def _title(text: str, *, good: bool = True) -> RenderableType:
    return Text(text, style="bold green" if good else "bold red")


def _heading(text: str, *, style: str = "bold") -> RenderableType:
    return Text("\n" + text, style=style)


def _line(text: str) -> RenderableType:
    return _indented(Text(text))


def _indented(renderable: RenderableType) -> RenderableType:
    return Padding(renderable, (0, 0, 0, 2), expand=False)


def _table(*headings: str) -> Table:
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
