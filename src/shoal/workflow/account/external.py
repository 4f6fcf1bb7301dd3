"""The account that may be published: written from a list of what may be told, never cut from the internal one.

It holds no seed, no risk, no achieved threshold, no lowest or highest value of a number or date, and no value or
group that fewer records (people, where they are counted) have than *k*. Counts that are told never let one that is
not told be worked out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.utility.distributions import Distribution
from shoal.workflow.account.codebook import codebook
from shoal.workflow.account.figures import lost_associations, shown_columns, suppressed_cells
from shoal.workflow.account.internal import ACCOUNT_FORMAT, FACTS, asked_size, limitations
from shoal.workflow.outcome import Outcome

__all__ = ["external_account", "told_counts"]

LOWEST, HIGHEST = "lowest group", "highest group"


def external_account(release: Outcome) -> dict[str, Any]:
    """Return what may be published about a release, as plain data.

    Parameters
    ----------
    release : Outcome
    """
    k = asked_size(release)
    manifest = release.manifest
    # Where rows are not records under coarser labels, counts of records would tell the invented rows apart.
    boxes = release.kind == "boxes"
    shown = shown_columns(release) if boxes else ()
    leaf_members = {d.name: d.leaf_members for d in shown}
    return {
        "report": ACCOUNT_FORMAT,
        "kind": "external",
        "shoal": version("shoal"),
        "sha256": release.sha256,
        "release": release.kind,
        "promises": list(release.promises),
        **{key: release.facts.get(key) for key in FACTS},
        "anonymous": not manifest.get("pseudonyms"),
        "pseudonyms": list(manifest.get("pseudonyms", ())),
        "smallest_count": k,
        "rows": {
            "published": _at_least(release.rows, k),
            "suppressed": _few(release.suppressed, k),
            "suppressed_form": manifest["method"]["suppressed"],
        },
        "members": "people" if release.by_people else "records",
        "verdicts": [
            {"model": v.model, "settings": dict(v.settings), "columns": list(v.columns), "required": v.required}
            for v in release.verdicts
        ],
        "method": dict(manifest["method"]),
        "certificate": _certificate(manifest.get("certificate"), k),
        "losses": {name: round(value, 4) for name, value in release.losses.items()},
        "columns": [_treatment(column) for column in release.columns if column["role"] is not None],
        "policy": None if release.policy is None else release.policy.public(),
        "distributions": [_distribution(d, k) for d in shown],
        "associations": [
            {"first": a["first"], "second": a["second"], "lost": round(a["lost"], 2)}
            for a in (lost_associations(release) if boxes else ())
        ],
        "suppressed_cells": [
            {"column": cell["column"], "share": None if 0 < cell["rows"] < k else round(cell["share"], 3)}
            for cell in (suppressed_cells(release) if boxes else ())
        ],
        "codebook": [
            _described(release, entry, k, leaf_members) if boxes else _named(entry) for entry in codebook(release)
        ],
        "limitations": limitations(release),
    }


def _certificate(certificate: dict[str, Any] | None, k: int) -> dict[str, Any] | None:
    """Return the proven bound without counts of fewer than *k*; the rest of it is seen in the table itself."""
    if certificate is None:
        return None
    keys = ("sensitive", "l", "phase", "guarantee", "ratio_records", "ratio_stars", "labels", "coarsened")
    counts = {key: certificate[key] for key in ("lower_bound", "records", "stars")}
    return {
        **{key: certificate[key] for key in keys},
        **{key: None if number and number < k else number for key, number in counts.items()},
    }


def told_counts(counts: Sequence[int], members: Sequence[int], k: int) -> list[bool]:
    """Say which counts of a column may be told, so that no other can be worked out from their sum.

    Parameters
    ----------
    counts : sequence of int
        Rows of each group.
    members : sequence of int
        People of each group where they are counted, else rows.
    k : int
        Smallest number of members of a group that is told.

    Examples
    --------
    >>> told_counts([40, 2, 9], [40, 2, 9], 5)
    [True, False, False]
    >>> told_counts([40, 2, 4, 9], [40, 2, 4, 9], 5)
    [True, False, False, True]
    """
    told = [count == 0 or member >= k for count, member in zip(counts, members, strict=True)]
    hidden = [i for i, seen in enumerate(told) if not seen]
    # One hidden count, or several that are few together, would be known from the rows that are left.
    if hidden and (len(hidden) == 1 or sum(counts[i] for i in hidden) < k):
        shown = [i for i, seen in enumerate(told) if seen and counts[i]]
        if shown:
            told[min(shown, key=lambda i: counts[i])] = False
    return told


def _treatment(column: dict[str, Any]) -> dict[str, Any]:
    keys = ("name", "role", "type", "action", "level", "levels", "labels", "group", "pseudonym")
    told = {key: column[key] for key in keys if key in column}
    if "loss" in column:
        told["loss"] = round(column["loss"], 3)
    return told


def _distribution(d: Distribution, k: int) -> dict[str, Any]:
    counts = d.before.tolist()
    told = told_counts(counts, d.members.tolist(), k)
    grouping = d.grouping
    # A suppressed share of a few records would tell how many; all of them of a group, that it was there.
    suppressed = told_counts(d.suppressed.tolist(), d.suppressed.tolist(), k)
    groups = []
    for g, label in enumerate(grouping.labels):
        if not told[g] or not counts[g]:
            continue
        first, last = int(grouping.first[g]), int(grouping.last[g])
        name = safe_label(grouping.hierarchy, label, first, last)
        # A stretch of values bears the texts of its ends, which may be rare ones.
        if first < last and grouping.made_of_ends and min(d.leaf_members[[first, last]]) < k:
            name = f"group {g + 1} of {grouping.n_groups}"
        share = round(float(d.suppressed[g]) / counts[g], 2) if suppressed[g] else None
        groups.append(
            {"label": name, "before": counts[g], "after": round(float(d.after[g])), "suppressed_share": share}
        )
    moved = d.moved
    return {
        "column": d.name,
        "moved": None if moved is None else round(moved, 3),
        "groups": groups,
        "not_told": len(grouping.labels) - len(groups),
    }


def safe_label(hierarchy: Hierarchy, label: str, first: int, last: int) -> str:
    """Return a group's label without the lowest and the highest number or date of the input.

    Parameters
    ----------
    hierarchy : Hierarchy
    label : str
    first, last : int
        Leaves that the group spans; -1 where it is what is left over.
    """
    places = hierarchy.positions
    if places is None or first < 0:
        return label
    highest = hierarchy.n_values - 1 - hierarchy.has_null
    ends = {0: LOWEST, highest: HIGHEST}
    for leaf, name in ends.items():
        text = hierarchy.leaves[leaf]
        if first <= leaf <= last and text is not None and _names(label, text):
            return name
    return label


def _names(label: str, value: str) -> bool:
    """Whether a value stands in a label, not as a part of another."""
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\w)", label) is not None


def _safe_set(label: str, leaf_members: NDArray[np.int64], k: int) -> str:
    """Return a label that lists values, unless one of them is rare."""
    return label if leaf_members.min() >= k else f"a set of {leaf_members.shape[0]:,} values"


def _described(
    release: Outcome, entry: dict[str, Any], k: int, leaf_members: dict[str, NDArray[np.int64]]
) -> dict[str, Any]:
    told: dict[str, Any] = {key: entry.get(key) for key in ("name", "role", "type")}
    table = release.table
    told |= {"levels": None, "not_told": entry["distinct"], "missing": None, "why": ""}
    if entry["name"] in table.names:
        hierarchy = table.hierarchies[table.names.index(entry["name"])]
        rows, members = [level["rows"] for level in entry["levels"] or ()], None
        listing = entry["labels"] == "sets" or (entry["labels"] == "ranges" and not hierarchy.ordered)
        labels = []
        for level in entry["levels"] or ():
            first, last = level["first"], level["last"]
            label = safe_label(hierarchy, level["label"], first, last)
            inside = leaf_members[entry["name"]][first : last + 1]
            labels.append(_safe_set(label, inside, k) if listing and label != ANY else label)
    elif entry["levels"] is None:
        told["why"] = "too many values to list" if entry["distinct"] else "not counted"
        told["not_told"] = None
        return told
    elif entry["measured"] and entry["type"] not in ("text", "ordered"):
        told["why"] = "numbers or dates, whose lowest and highest may single somebody out"
        told["not_told"] = None
        return told
    else:
        rows = [level["rows"] for level in entry["levels"]]
        labels = [level["label"] for level in entry["levels"]]
        members = _people_of(release, entry["name"], labels)
        if release.table.unit is not None and members is None:
            told["why"] = "how many people have a value was not counted"
            told["not_told"] = None
            return told
    # A missing value is a group like any other where the rest of the rows is to be worked out.
    missing = int(entry["missing"] or 0)
    counts = [*rows, missing]
    seen = told_counts(counts, [*(members or rows), missing], k)
    told["levels"] = [
        {"label": label, "rows": n} for label, n, may in zip(labels, rows, seen, strict=False) if may and n
    ]
    told["not_told"] = sum(1 for n, may in zip(rows, seen, strict=False) if n and not may)
    told["missing"] = missing if seen[-1] else f"fewer than {k}" if missing < k else None
    return told


def _named(entry: dict[str, Any]) -> dict[str, Any]:
    told = {key: entry.get(key) for key in ("name", "role", "type")}
    return told | {
        "levels": None,
        "not_told": None,
        "missing": None,
        "why": "its values stand in the table itself",
    }


def _people_of(release: Outcome, name: str, labels: Iterable[str]) -> list[int] | None:
    """Return how many people have each value of a sensitive column that was counted by people, else None."""
    table = release.table
    if table.unit is None or name not in table.sensitive_names:
        return None
    column = table.context().sensitive[name]
    return [int(column.totals[column.hierarchy.codes[label]]) for label in labels]


def _at_least(number: int, k: int) -> int | str:
    return number if number >= k else f"fewer than {k}"


def _few(number: int, k: int) -> int | str:
    return number if number == 0 else _at_least(number, k)
