"""Figures and terms of a report in plain words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

__all__ = [
    "certificate_sentences",
    "count",
    "link_sentence",
    "measure",
    "model_sentence",
    "percent",
    "plain_text",
    "printable",
    "treatment",
]

SENTENCES = {
    "k-anonymity": "Every group of look-alikes has at least {required} {members}.",
    "alpha-k-anonymity": "No value of {columns} has more than the share {required} of a group.",
    "l-diversity": "Every group leaves at least {required} values of {columns} open.",
    "t-closeness": "Every group's {columns} is at most {required} away from the whole table's.",
    "beta-likeness": "No value of {columns} gains more than {required} times its share in a group.",
    "delta-disclosure": "No value of {columns} is far likelier or rarer in a group than in the whole table.",
    "delta-presence": "At most the share {required} of the people who look alike is in the table.",
    "d-alpha-linkable": "Several values of {columns} recur by chance elsewhere, with probability {required}.",
    "k-map": "Every group looks like at least {required} people of the population.",
    "km-anonymity": "Any few columns taken together are shared by at least {required} {members}.",
    "average-risk": "The chance to pick the right record is at most {required} on average.",
    "sample-uniqueness": "At most the share {required} of all {members} stands alone.",
    "population-uniqueness": "At most the share {required} of the population stands alone, by an estimate.",
}
REASONS = {
    "identifier": "dropped: it names a person",
    "unit": "dropped: it says who a row is of",
    "household": "dropped: it says who belongs together",
    "drop": "dropped as asked",
    None: "dropped: it has no role",
}


def percent(share: float | None) -> str:
    """Write a share in [0, 1] for people.

    Examples
    --------
    >>> percent(0.2), percent(0.00004), percent(1.0), percent(0.99999), percent(None)
    ('20.0 %', '< 0.1 %', '100 %', '> 99.9 %', '–')
    """
    if share is None:
        return "–"
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.001:
        return "< 0.1 %"
    return "> 99.9 %" if share > 0.999 else f"{100 * share:.1f} %"


def count(number: int | None, one: str = "", many: str = "") -> str:
    """Write a whole number, with its noun.

    Examples
    --------
    >>> count(1, "record"), count(12345, "record"), count(2, "class", "classes"), count(None)
    ('1 record', '12,345 records', '2 classes', '–')
    """
    if number is None:
        return "–"
    noun = one if number == 1 else many or (one and f"{one}s")
    return f"{number:,} {noun}".rstrip()


def measure(number: float | None) -> str:
    """Write a threshold or a loss with few digits.

    Examples
    --------
    >>> measure(5), measure(0.125), measure(2.8284271), measure(1e6), measure(None)
    ('5', '0.125', '2.8284', '1,000,000', '–')
    """
    if number is None or not math.isfinite(number):
        return "–"
    if float(number).is_integer():
        return f"{int(number):,}"
    return f"{number:,.4f}" if abs(number) >= 1 else f"{number:.4g}"


def model_sentence(verdict: Mapping[str, Any], *, members: str = "records") -> str:
    """Say what a model asks for.

    Examples
    --------
    >>> model_sentence({"model": "k-anonymity", "columns": [], "required": 5})
    'Every group of look-alikes has at least 5 records.'
    >>> model_sentence({"model": "my-model", "columns": ["disease"], "required": 0.5})
    'my-model of disease holds with 0.5.'

    The ceiling form of (α, k)-anonymity promises less than its alpha, so what it promises is told:

    >>> model_sentence({"model": "alpha-k-anonymity", "columns": ["disease"], "required": 0.5,
    ...                 "figures": {"k": 5, "effective_alpha": 0.6}})
    'No value of disease has more than the share 0.6 of a group, which alpha 0.5 lets through in the ceiling form.'
    >>> model_sentence({"model": "alpha-k-anonymity", "columns": ["disease"], "required": 1,
    ...                 "settings": {"alpha": {"HIV": "1/10", "flu": "1/2"}}})
    'Every value of disease with a limit of its own keeps to it in every group.'
    """
    columns = ", ".join(verdict["columns"])
    required = measure(verdict["required"])
    effective = verdict.get("figures", {}).get("effective_alpha")
    own = isinstance(verdict.get("settings", {}).get("alpha"), Mapping)
    if own:
        up = "" if effective is None else f", rounded up: a share of {measure(effective)} at most"
        return f"Every value of {columns} with a limit of its own keeps to it in every group{up}."
    if effective is not None:
        told = f"No value of {columns} has more than the share {measure(effective)} of a group"
        return f"{told}, which alpha {required} lets through in the ceiling form."
    sentence = SENTENCES.get(verdict["model"])
    if sentence is None:
        return f"{verdict['model']}{' of ' + columns if columns else ''} holds with {required}."
    return sentence.format(required=required, columns=columns, members=members)


def certificate_sentences(certificate: Mapping[str, Any] | None) -> list[str]:
    """Say how far a release is from the unknown optimum at most; nothing where that is not proven.

    Parameters
    ----------
    certificate : mapping or None
        ``Certificate.as_dict()``; counts that are None are not told.

    Examples
    --------
    >>> counts = {"phase": 2, "guarantee": "OPT + 2", "lower_bound": 12, "records": 14, "stars": 40}
    >>> others = {"ratio_records": 1.1666, "ratio_stars": 3.3333, "labels": "stars", "coarsened": {}}
    >>> for sentence in certificate_sentences({**counts, **others}):
    ...     print(sentence)
    14 records have a suppressed cell: at most 1.17 times the unknown optimum.
    40 cells are suppressed: at most 3.34 times the unknown optimum.
    No release by suppression does with less than 12 of either.
    TP ended in phase 2, which promises OPT + 2 records, OPT being the fewest that must have such a cell.
    """
    if certificate is None:
        return []
    done = "suppressed" if certificate["labels"] == "stars" else "generalized"
    sentences = [f"No cell is {done}, which is optimal."]
    if certificate["records"] != 0:
        subjects = [
            (_counted(certificate["records"], "record has", "records have") + f" a {done} cell", "records"),
            (_counted(certificate["stars"], "cell is", "cells are") + f" {done}", "stars"),
        ]
        sentences = []
        for subject, key in subjects:
            ratio = certificate[f"ratio_{key}"]
            optimum = f"at most {_up(ratio)} times the unknown optimum"
            sentences.append(f"{subject}: {'that is optimal' if ratio == 1 else optimum}.")
        if certificate["lower_bound"] is not None:
            least = count(certificate["lower_bound"])
            sentences.append(f"No release by suppression does with less than {least} of either.")
        sentences.append(
            f"TP ended in phase {certificate['phase']}, which promises {certificate['guarantee']} records, OPT "
            "being the fewest that must have such a cell."
        )
    if certificate["coarsened"]:
        levels = ", ".join(f"{name} at level {level}" for name, level in certificate["coarsened"].items())
        # Else a release in which every age is a decade would say that few records have a generalized cell.
        counted = "neither this release nor the optimum is charged for what that generalizes"
        sentences.insert(0, f"What follows is about the table with {levels}: {counted}.")
    return sentences


def _counted(number: int | None, one: str, many: str) -> str:
    return f"A few {many}" if number is None else count(number, one, many)


def _up(ratio: float) -> str:
    """Write a ratio with two digits, rounded up so that it stays a bound."""
    return f"{math.ceil(ratio * 100 - 1e-9) / 100:.4g}"


def treatment(column: Mapping[str, Any]) -> str:
    """Say what happened to a column.

    Examples
    --------
    >>> treatment({"name": "age", "role": "quasi-identifier", "action": "generalized", "level": 2, "levels": 5})
    'generalized to level 2 of 4'
    >>> treatment({"name": "age", "role": "quasi-identifier", "action": "generalized", "unchanged": 0.25})
    'generalized, 25.0 % of cells kept'
    >>> treatment({"name": "note", "role": None, "action": "dropped"})
    'dropped: it has no role'
    >>> treatment({"name": "age", "role": "quasi-identifier", "action": "kept", "group": 1})
    'kept, shuffled in each bucket with group 1'
    """
    if column["action"] == "dropped":
        return REASONS.get(column["role"], "dropped")
    if column["action"] == "pseudonym":
        return "a keyed pseudonym: not anonymous"
    if column["action"] == "drawn":
        return "drawn from noisy counts"
    if column["action"] == "permuted":
        return "kept, in an order of its own in each bucket"
    if "group" in column:
        return _in_group(column)
    if column["action"] != "generalized":
        return "kept as it was"
    level, levels, unchanged = column.get("level"), column.get("levels"), column.get("unchanged")
    if level is not None and levels is not None:
        if level == levels - 1:
            return "suppressed: * everywhere"
        return f"generalized to level {level} of {levels - 1}" if level else "kept, but for suppressed records"
    return "generalized" if not unchanged else f"generalized, {percent(unchanged)} of cells kept"


def _in_group(column: Mapping[str, Any]) -> str:
    share = column.get("unchanged")
    kept = "kept" if column["action"] == "kept" or share is None else f"{percent(share)} of cells kept"
    return f"{kept}, shuffled in each bucket with group {column['group']}"


def link_sentence(link: Mapping[str, Any]) -> str:
    """Say how surely somebody is linked with a sensitive value of a bucket release.

    Examples
    --------
    >>> figures = {"highest": 0.25, "average": 0.2, "highest_in_bucket": 0.5, "fewest_values": 3}
    >>> print(link_sentence({"sensitive": "disease", **figures}))
    Whoever knows a person's quasi-identifiers guesses disease right with a probability of 25.0 % at most, 20.0 %
    on average; whoever knows the bucket too, 50.0 % at most, among at least 3 values. Fake rows are not counted.
    """
    highest, average, in_bucket = (percent(link[key]) for key in ("highest", "average", "highest_in_bucket"))
    return (
        f"Whoever knows a person's quasi-identifiers guesses {link['sensitive']} right with a probability of "
        f"{highest} at most, {average} on average; whoever knows the bucket too, {in_bucket} at most, among at "
        f"least {count(link['fewest_values'], 'value')}. Fake rows are not counted."
    )


def printable(text: str) -> str:
    r"""Return a text without control characters, which could steer a terminal.

    Examples
    --------
    >>> printable("a\x1b[2Jb\tc\nd")
    'a�[2Jb c\nd'
    """
    return "".join(
        c if c.isprintable() or c == "\n" else " " if c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def plain_text(text: str) -> str:
    """Return a docstring's sentence without its marks.

    Examples
    --------
    >>> plain_text("At least *k* ``*`` cells.")
    'At least k * cells.'
    """
    return re.sub(r"``(.+?)``|\*(\w+)\*", lambda match: match[1] or match[2], text)
