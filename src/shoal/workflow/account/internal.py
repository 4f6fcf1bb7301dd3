"""The account for the publisher: everything that decides whether to publish, and everything to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from shoal.workflow.account.codebook import codebook
from shoal.workflow.account.figures import (
    class_sizes,
    lost_associations,
    risks,
    shown_columns,
    singled_out,
    suppressed_cells,
)
from shoal.workflow.outcome import Outcome

__all__ = ["ACCOUNT_FORMAT", "FACTS", "asked_size", "internal_account", "limitations"]

ACCOUNT_FORMAT = 1
"""Version of the shape of an account; it grows when a key changes its meaning or goes away."""

FACTS = ("buckets", "perturbation", "sampling_rate")
"""What an account says of some kinds of release only; None for the others."""

LIMITATIONS = (
    (
        "The models protect against an attacker who knows the quasi-identifiers that were named. A column that is "
        "called insensitive is published as it is."
    ),
    "Two releases about the same people may each be safe and both together not.",
    "What holds for a group is learned of everybody in it, and of people outside of the table too.",
    (
        "Whether a k is enough is a decision about people, recipients and law. Review it when the data, the "
        "recipients or what is known elsewhere change."
    ),
)
PSEUDONYMS = (
    "The table holds pseudonyms. It is not anonymous: whoever has the key, or other data under the same "
    "pseudonyms, can tell people apart, and rows of one person can be joined."
)


def asked_size(release: Outcome) -> int:
    """Return the size of class that was asked for, or that was reached where no size was asked for; at least 1."""
    asked = [int(v.settings["k"]) for v in release.verdicts if v.settings.get("k")]
    smallest = None if release.risk_after is None else release.risk_after.smallest
    return max(asked, default=smallest or 1)


def limitations(release: Outcome) -> list[str]:
    """Return what a reader must know before trusting the table."""
    return [*([PSEUDONYMS] if release.manifest.get("pseudonyms") else []), *LIMITATIONS]


def internal_account(release: Outcome, *, alternatives: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return everything about a release as plain data. Not for publication.

    Parameters
    ----------
    release : Outcome
    alternatives : mapping, optional
        ``Sweep.as_dict()`` of the choices that were looked at.
    """
    k = asked_size(release)
    told = release.as_dict()
    # Where rows are not records under coarser labels, there are no look-alikes to show.
    boxes = release.kind == "boxes"
    return {
        "report": ACCOUNT_FORMAT,
        "kind": "internal",
        "shoal": version("shoal"),
        "created": release.private["created"],
        "sha256": release.sha256,
        "release": release.kind,
        "promises": list(release.promises),
        "link": told["link"],
        **{key: release.facts.get(key) for key in FACTS},
        "anonymous": not release.manifest.get("pseudonyms"),
        "pseudonyms": list(release.manifest.get("pseudonyms", ())),
        "rows": {
            "input": release.table.n_rows,
            "published": release.rows,
            "withheld": told["withheld"],
            "suppressed": release.suppressed,
            "suppressed_form": release.manifest["method"]["suppressed"],
            "people": release.table.n_units or None,
        },
        "members": "people" if release.by_people else "records",
        "verdicts": told["verdicts"],
        "residue": told["residue"],
        "method": dict(release.manifest["method"]),
        "optimal": release.optimal,
        "certificate": told["certificate"],
        "notes": told["notes"],
        "explanation": told.get("explanation"),
        "losses": told["losses"],
        "columns": told["columns"],
        "policy": None if release.policy is None else release.policy.as_dict(),
        "class_sizes": class_sizes(release, k=k) if boxes else None,
        "risk": risks(release, threshold=1 / k) if boxes else None,
        "population": dict(release.population),
        "singled_out": singled_out(release) if boxes else None,
        "distributions": [
            {
                "column": d.name,
                "moved": d.moved,
                "groups": [
                    {"label": label, "before": int(before), "after": float(after), "suppressed": int(lost)}
                    for label, before, after, lost in zip(
                        d.grouping.labels, d.before, d.after, d.suppressed, strict=True
                    )
                ],
            }
            for d in (shown_columns(release) if boxes else ())
        ],
        "associations": lost_associations(release) if boxes else [],
        "suppressed_cells": suppressed_cells(release) if boxes else [],
        "codebook": [_plain(entry) for entry in codebook(release)],
        "alternatives": None if alternatives is None else dict(alternatives),
        "warnings": list(release.warnings),
        "limitations": limitations(release),
        "reproduction": {
            "seed": release.private["seed"],
            "keep_order": release.private["keep_order"],
            "statistics": {
                name: value for name, value in release.private["statistics"].items() if name != "trace"
            },
            "trace": list(release.private["statistics"].get("trace", ())),
            "environment": dict(release.private["environment"]),
        },
    }


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    levels = entry["levels"]
    if levels is not None:
        levels = [{"label": level["label"], "rows": level["rows"]} for level in levels]
    why = "" if levels is not None else "too many values to list" if entry["distinct"] else "not counted"
    return {**entry, "levels": levels, "not_told": None, "why": why}
