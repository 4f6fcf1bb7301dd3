"""What a run or a verification found, for a terminal of 80 columns.

Each function takes the ``as_dict()`` of a result, so nothing below the report knows how it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from shoal.report.console import (
    LOOK_ALIKES,
    heading,
    headline,
    indented,
    indented_line,
    members_word,
    models_part,
    notes_part,
    plain_table,
    policy_part,
    risks_part,
)
from shoal.report.population import population_changes
from shoal.report.words import (
    certificate_sentences,
    count,
    link_sentence,
    measure,
    percent,
    printable,
    treatment,
)

__all__ = ["release_report", "verification_report"]

LOSSES = {
    "ncp": "share of detail lost in the quasi-identifiers, 0 to 1",
    "ncp-value": "share of the span of values that cells now cover, 0 to 1",
    "distortion": "share of the levels climbed, 0 to 1",
    "precision": "mean share of the levels climbed per cell, 0 to 1",
    "stars": "cells that are *",
    "discernibility": "records each record cannot be told from, summed",
    "average-class-size": "mean group size; over k where the loss was given one",
    "non-uniform-entropy": "bits of detail lost",
}
BUCKETS = "The groups are the buckets here, without their fake rows."
PROVEN = {
    "boxes": "Every model holds in the published table",
    "buckets": "Every model holds in every bucket of the published table",
    "noise": "The published table holds the numbers that were drawn",
}


def release_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what was asked and reached, the risk before and after, and what happened to each column.

    Parameters
    ----------
    data : mapping
        ``Release.as_dict()``.
    """
    members, boxes = members_word(data["risk_before"]), data["kind"] == "boxes"
    risks = {"before": data["risk_before"], "after": data["risk_after"]}
    parts = [
        headline(f"{PROVEN[data['kind']]}; its rows were counted again to prove it."),
        *notes_part("What is protected, and what is not", data["promises"], style="bold"),
        *_link(data["link"]),
        *_budget(data.get("perturbation")),
        *models_part(data["verdicts"], members=members, about=LOOK_ALIKES if boxes else BUCKETS),
        *(risks_part(risks, members) if boxes else []),
        *_population(data.get("population") or {}),
        *_loss(data),
        *_certificate(data.get("certificate")),
        *notes_part("Decided by the search", data.get("notes", ()), style="bold"),
        *_columns(data["columns"]),
        *_suppressed(data),
        *_explained(data.get("explanation")),
        *policy_part(data.get("policy")),
        *_written(data.get("out")),
        *notes_part("Warnings", data.get("warnings", ())),
    ]
    return Group(*parts)


def verification_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell whether a finished table holds what it promises, and where it does not.

    Parameters
    ----------
    data : mapping
        ``Verification.as_dict()``.
    """
    good = "The table meets every model." if data["satisfied"] else "The table does NOT meet what was asked."
    if data["satisfied"] and not data["verdicts"]:
        # Said of any table, the private one too, the other sentence would be true and mislead.
        good = "No model was asked for: a count of the table shows nothing of what it promises."
    about = LOOK_ALIKES if data["risk"] else None
    parts = [
        headline(good, good=data["satisfied"] and bool(data["verdicts"])),
        *models_part(data["verdicts"], members=members_word(data["risk"]), about=about),
    ]
    residue = data["residue"]
    if residue["rows"]:
        told = (residue["as_class"], residue["as_suppressed"])
        parts += [
            heading("Suppressed records"),
            indented_line(f"{count(residue['rows'], 'record')} with * in every quasi-identifier."),
            indented_line(f"As a group of their own they {'meet' if told[0] else 'do not meet'} every model."),
            indented_line(f"They are {'within' if told[1] else 'more than'} the suppression limit."),
            indented_line(f"One of the two must hold, {'and one does' if any(told) else 'and none does'}."),
        ]
    if data["risk"]:
        parts += risks_part({"published": data["risk"]}, members_word(data["risk"]))
    parts += notes_part("Notes", data.get("notes", ()))
    return Group(*parts)


def _link(link: Mapping[str, Any] | None) -> list[RenderableType]:
    if link is None:
        return []
    words = f"Risk that {printable(link['sensitive'])} of a person becomes known"
    return [heading(words), indented_line(printable(link_sentence(link)))]


def _budget(noise: Mapping[str, Any] | None) -> list[RenderableType]:
    if noise is None:
        return []
    table = plain_table("spent on", ">epsilon")
    for spent in noise["ledger"]:
        table.add_row(Text(printable(spent["what"])), measure(spent["epsilon"]))
    table.add_row(Text("in all", style="bold"), Text(measure(noise["epsilon"]), style="bold"))
    return [heading("Where the privacy budget went"), indented(table)]


def _population(population: Mapping[str, Any]) -> list[RenderableType]:
    table = plain_table("", ">before", ">after")
    for row in population_changes(population):
        table.add_row(*row)
    if not table.row_count:
        return []
    return [heading("Risk of being found, by somebody who knows the population"), indented(table)]


def _loss(data: Mapping[str, Any]) -> list[RenderableType]:
    table = plain_table("loss", ">value", "what it is")
    losses = data["losses"]
    if not losses:
        return [heading("Information lost"), indented_line("Not measured: no published row stands for a record.")]
    for name, value in losses.items():
        table.add_row(printable(name), measure(value), LOSSES.get(name, "0 where nothing is lost"))
    kept_small = printable(next(iter(losses)))
    how = f"The search ({printable(data['algorithm'])}) kept {kept_small} small"
    how += {
        True: ": it is proven that it can reach no less.",
        False: "; its budget ended before it was proven that it can reach no less.",
        None: "; it need not be the least possible.",
    }[data["optimal"]]
    return [heading("Information lost"), indented(table), indented_line(how)]


def _certificate(certificate: Mapping[str, Any] | None) -> list[RenderableType]:
    lines = [indented_line(printable(sentence)) for sentence in certificate_sentences(certificate)]
    return [heading("Distance from the optimum, proven"), *lines] if lines else []


def _columns(columns: Iterable[Mapping[str, Any]]) -> list[RenderableType]:
    table = plain_table("column", "role", "what happened", ">lost")
    for column in columns:
        loss = column.get("loss")
        table.add_row(
            Text(printable(column["name"]), style="bold"),
            column["role"] or "none",
            treatment(column),
            "" if loss is None else percent(loss),
        )
    return [heading("Columns"), indented(table)]


def _suppressed(data: Mapping[str, Any]) -> list[RenderableType]:
    rows, suppressed = data["rows"], data["suppressed"]
    if data["kind"] == "noise":
        return []
    if not suppressed:
        text = f"None of {count(rows, 'record')} is suppressed."
    else:
        text = f"{count(suppressed)} of {count(rows, 'record')} ({percent(suppressed / rows)}) suppressed: "
        text += "they are left out." if data["kind"] == "buckets" else "their quasi-identifiers are not told."
    parts = [heading("Suppressed records"), indented_line(text)]
    if data["withheld"]:
        parts.append(indented_line(f"{count(data['withheld'], 'record')} more were left out by the sample."))
    return parts


def _explained(explanation: Mapping[str, Any] | None) -> list[RenderableType]:
    if explanation is None:
        return []
    return [heading("Why"), *(indented_line(f"- {printable(sentence)}") for sentence in explanation["sentences"])]


def _written(out: str | None) -> list[RenderableType]:
    if out is None:
        return []
    table = plain_table("", "")
    table.add_row(Text(printable(out), overflow="fold"), "the published table")
    table.add_row(Text(printable(f"{out}.manifest.json"), overflow="fold"), "what was done; safe to publish")
    table.add_row(Text(printable(f"{out}.private.json"), overflow="fold"), "keep private: it holds the seed")
    return [heading("Written"), indented(table)]
