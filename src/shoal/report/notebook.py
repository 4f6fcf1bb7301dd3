"""A result in a notebook: its verdicts and figures, never a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from shoal.report.words import count, link_sentence, measure, model_sentence, percent, treatment

__all__ = ["audit_html", "release_html", "sweep_html"]


def release_html(data: Mapping[str, Any]) -> str:
    """Return what a notebook shows of a release, from ``Release.as_dict()``."""
    before, after = data["risk_before"], data["risk_after"]
    risks = (
        [
            ("highest", percent(before["highest"]), percent(after["highest"])),
            ("average", percent(before["average"]), percent(after["average"])),
        ]
        if after
        else []
    )
    lost = [
        (column["name"], treatment(column), percent(column["loss"]) if "loss" in column else "")
        for column in data["columns"]
    ]
    return _card(
        f"Published: {count(data['published'], 'row')} of {count(data['rows'], 'record')}, "
        f"{count(data['suppressed'])} suppressed",
        [
            _list([*data["promises"], *([link_sentence(data["link"])] if data["link"] else [])]),
            _verdicts(data["verdicts"], before),
            _table(("risk of being found", "before", "after"), risks),
            _table(("column", "what happened", "detail lost"), lost),
            _list(data["warnings"]),
        ],
    )


def audit_html(data: Mapping[str, Any]) -> str:
    """Return what a notebook shows of an audit, from ``Audit.as_dict()``."""
    columns = [
        (c["name"], count(c["distinct"]), count(c["missing"]), count(c.get("alone_because_of_it")))
        for c in data["columns"]
    ]
    return _card(
        f"Audit of {count(data['rows'], 'record')}",
        [
            _list(data["sentences"]),
            _verdicts(data["verdicts"], data["risk"]),
            _table(("quasi-identifier", "distinct values", "missing", "alone only because of it"), columns),
        ],
    )


def sweep_html(data: Mapping[str, Any]) -> str:
    """Return what a notebook shows of a sweep, from ``Sweep.as_dict()``."""
    best = data["recommended"]
    rows = []
    for point in data["points"]:
        figures = ("not feasible", "", "", "")
        mark = ""
        if point["feasible"]:
            risks = percent(point["risk"]), percent(point["highest_risk"])
            figures = (*risks, measure(point["loss"]), count(point["suppressed"]))
            mark = "beaten" if point["dominated"] else ""
            if best and (point["k"], point["algorithm"]) == (best["k"], best["algorithm"]):
                mark = "recommended"
        rows.append((str(point["k"]), point["algorithm"], *figures, mark))
    headers = ("k", "algorithm", "average risk", "highest risk", data["loss"], "suppressed", "")
    return _card(
        f"What each choice costs, on {count(data['rows'], 'record')}",
        [_table(headers, rows), _list([data["reason"]])],
    )


def _verdicts(verdicts: Iterable[Mapping[str, Any]], risk: Mapping[str, Any] | None) -> str:
    members = "people" if risk and risk["by_people"] else "records"
    return _table(
        ("what must hold", "required", "reached", ""),
        [
            (
                model_sentence(v, members=members),
                measure(v["required"]),
                measure(v["achieved"]),
                "holds" if v["satisfied"] else "FAILS",
            )
            for v in verdicts
        ],
    )


def _card(title: str, parts: Iterable[str]) -> str:
    return f'<div style="max-width:60em"><strong>{escape(title)}</strong>{"".join(parts)}</div>'


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f'<th scope="col" style="text-align:left">{escape(text)}</th>' for text in headers)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{escape(str(cell))}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""
