"""Checks of policies that look at what columns hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from shoal.core.schema import Role, Schema
from shoal.workflow.policy import NOT_APPLICABLE, WARN
from shoal.workflow.policy_evidence import Answer, Evidence

__all__ = ["CONTENT_CHECKS"]

DATED = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|[1-9]\d{3}-\d{2}\b")
AREAS = frozenset(("place", "birth place", "address", "place point"))


def _no_identifiers(evidence: Evidence, _: Mapping[str, Any]) -> Answer:
    found = []
    for name in evidence.columns:
        column = _role(evidence.schema, name)
        if column == Role.IDENTIFIER:
            found.append(f"{name} (an identifier in the schema)")
        elif (proposal := evidence.proposals.get(name)) and proposal.role in (
            Role.IDENTIFIER,
            Role.UNIT,
            Role.HOUSEHOLD,
        ):
            found.append(f"{name} ({proposal.reason.rstrip('.')})")
    if found:
        return False, "seem to name a person: " + "; ".join(found)
    return True, f"none of {len(evidence.columns)} columns seems to, by its name or its cells"


def _role(schema: Schema, name: str) -> Role | None:
    return next((column.role for column in schema.columns if column.name == name), None)


def _dates_to_year(evidence: Evidence, _: Mapping[str, Any]) -> Answer:
    named = set(evidence.about("date", "birth", "death", "time"))
    fine, dated = [], []
    for name in evidence.columns:
        texts = evidence.texts(name)
        dates = [text for text in texts if DATED.search(text)]
        if dates and (name in named or len(dates) > len(texts) / 2):
            fine.append(name)
        elif name in named:
            dated.append(name)
    if fine:
        return False, "finer than a year: " + ", ".join(fine)
    if not dated:
        return NOT_APPLICABLE, "no column holds dates"
    return True, "no finer than a year: " + ", ".join(dated)


def _ages_capped(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    columns, highest = evidence.about("age"), settings["highest"]
    if not columns:
        return NOT_APPLICABLE, "no column speaks of age"
    above = [name for name in columns if any(_tells_age_above(text, highest) for text in evidence.texts(name))]
    if above:
        return False, f"tell ages above {highest} apart: {', '.join(above)}"
    return True, f"no age above {highest} is told apart: {', '.join(columns)}"


def _tells_age_above(text: str, highest: int) -> bool:
    """Whether a text speaks only of ages above *highest*, and of some of them only."""
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if not numbers or min(numbers) <= highest:
        return False
    open_end = re.fullmatch(r"\s*(?:>=?|≥)\s*\d+\s*|\s*\d+\s*\+\s*", text) is not None
    return not (open_end and numbers == [highest + 1])


def _postcodes(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    columns = evidence.about("postcode")
    if not columns:
        return NOT_APPLICABLE, "no column speaks of postcodes"
    texts = {name: evidence.texts(name) for name in columns}
    digits = settings["digits"]
    long = [name for name, found in texts.items() if any(len(re.findall(r"\d", t)) > digits for t in found)]
    if long:
        return False, f"more than {digits} digits: {', '.join(long)}"
    parts = {name: {re.sub(r"\D", "", text) for text in found} for name, found in texts.items()}
    small = [name for name, found in parts.items() if not found.isdisjoint(settings["restricted"])]
    if small:
        return False, f"areas of too few people ({settings['restricted_of']}) that are not 000: {', '.join(small)}"
    newer = [name for name, found in parts.items() if not found.isdisjoint(settings.get("newer", ()))]
    if newer:
        return WARN, f"areas that may have too few people by now ({settings['newer_of']}): {', '.join(newer)}"
    return WARN, f"{', '.join(columns)}: held against {settings['restricted_of']} only; use current census data"


def _small_areas(evidence: Evidence, _: Mapping[str, Any]) -> Answer:
    found = [n for n in evidence.about(*AREAS) if n not in evidence.about("postcode")]
    told = [name for name in found if len(evidence.texts(name)) > 1]
    if told:
        return False, "may be smaller than what is asked: " + ", ".join(told)
    return True, "no column speaks of a small place"


def _top_coding(evidence: Evidence, _: Mapping[str, Any]) -> Answer:
    quasi = set(evidence.schema.quasi_identifiers)
    types = evidence.frame.collect_schema()
    raw = [
        name
        for name in evidence.columns
        if name not in quasi
        and (types[name].is_numeric() or evidence.proposals[name].type in ("integer", "decimal"))
    ]
    if not raw:
        return True, "no number is published that was not generalized"
    return False, "the largest and smallest values are published: " + ", ".join(raw)


CONTENT_CHECKS: Mapping[str, Callable[[Evidence, Mapping[str, Any]], Answer]] = {
    "ages-capped": _ages_capped,
    "dates-to-year": _dates_to_year,
    "no-identifiers": _no_identifiers,
    "postcodes": _postcodes,
    "small-areas": _small_areas,
    "top-coding": _top_coding,
}
