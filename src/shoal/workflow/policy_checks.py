"""The checks that policies are made of. Each looks at the rows as they are published, or as they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.rational import exact
from shoal.core.schema import Role, Schema
from shoal.errors import SpecError, nearest_name
from shoal.io.texts import text_expr
from shoal.kernels.grouping import group_columns, sum_by_group
from shoal.risk.reidentification import Risk
from shoal.workflow.naming import topics_of
from shoal.workflow.policy import FAIL, NOT_APPLICABLE, PASS, WARN, Check, CheckResult, Policy, PolicyVerdict
from shoal.workflow.proposal import ColumnProposal
from shoal.workflow.propose import propose

__all__ = ["CHECKS", "Evidence", "check_policy"]

Answer = tuple[bool | str, str]
"""Whether it holds, or a status; and the evidence."""

MOST_SUBSETS = 2_000
MOST_TEXTS = 100_000
"""Distinct texts of a column that are looked at."""

DATED = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|[1-9]\d{3}-\d{2}\b")
AREAS = frozenset(("place", "birth place", "address", "place point"))


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """What checks may look at.

    Parameters
    ----------
    frame : LazyFrame
        The rows as they are published, or as they stand.
    schema : Schema
    risk : Risk
        Of these rows, suppressed ones left out.
    rows, suppressed : int
    cells : list of int32 [n_points]
        Code of each quasi-identifier's text for each distinct combination, suppressed ones left out.
    counts : int64 [n_points]
        Rows of each combination, or people where they are counted.
    """

    frame: pl.LazyFrame
    schema: Schema
    risk: Risk
    rows: int
    suppressed: int
    cells: Sequence[NDArray[np.int32]]
    counts: NDArray[np.int64]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Columns of the rows."""
        return tuple(self.frame.collect_schema())

    @cached_property
    def proposals(self) -> Mapping[str, ColumnProposal]:
        """What each column seems to be, by its name and its cells."""
        return {column.name: column for column in propose(self.frame).columns} if self.rows else {}

    def texts(self, name: str) -> list[str]:
        """Return distinct texts of a column; they never go into evidence."""
        dtype = self.frame.collect_schema()[name]
        found = self.frame.select(text_expr(name, dtype).alias("text")).drop_nulls().unique().head(MOST_TEXTS)
        return found.collect(engine="streaming")["text"].to_list()

    def about(self, *keys: str) -> list[str]:
        """Return the columns whose name speaks of one of these topics."""
        return [name for name in self.columns if any(topic.key in keys for topic in topics_of(name))]


def _at_most(evidence: Evidence, value: Fraction | None, settings: Mapping[str, Any], what: str) -> Answer:
    limit = exact(settings["at_most"], "at_most")
    if value is None:
        return NOT_APPLICABLE, "there is no record in a group"
    holds = value < limit if settings.get("below") else value <= limit
    bound = "below" if settings.get("below") else "at most"
    told = f"{what} is {float(value):.4g}; asked is {bound} {float(limit):.4g}"
    convention = settings.get("convention")
    if not holds and convention and evidence.risk.smallest == convention:
        return WARN, f"{told}; by convention a group of {convention} is taken, which is just above"
    return holds, told


def _smallest_class(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    if evidence.risk.smallest is None:
        return NOT_APPLICABLE, "there is no group"
    members = "people" if evidence.risk.by_people else "records"
    told = f"the smallest group has {evidence.risk.smallest:,} {members}; asked are {settings['k']:,}"
    return evidence.risk.smallest >= settings["k"], told


def _highest_risk(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    smallest = evidence.risk.smallest
    return _at_most(evidence, Fraction(1, smallest) if smallest else None, settings, "the highest risk")


def _average_risk(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    risk = evidence.risk
    average = Fraction(risk.n_classes, risk.members) if risk.members else None
    return _at_most(evidence, average, settings, "the average risk")


def _uniques(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    share = Fraction(evidence.risk.uniques, evidence.risk.members) if evidence.risk.members else None
    return _at_most(evidence, share, settings, "the share that stands alone")


def _share_at_risk(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    if not evidence.counts.size:
        return NOT_APPLICABLE, "there is no group"
    risk = exact(settings["risk"], "risk")
    above = evidence.counts * risk.numerator < risk.denominator
    share = Fraction(int(evidence.counts[above].sum()), int(evidence.counts.sum()))
    return _at_most(evidence, share, settings, f"the share above a risk of {settings['risk']}")


def _suppression(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    share = Fraction(evidence.suppressed, evidence.rows) if evidence.rows else None
    return _at_most(evidence, share, settings, "the share of suppressed records")


def _subsets(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    k, m = settings["k"], min(settings["m"], len(evidence.cells))
    if evidence.risk.smallest is not None and evidence.risk.smallest >= k:
        return True, f"groups over all quasi-identifiers have at least {k}, so those over fewer have too"
    names = evidence.schema.quasi_identifiers
    worst: tuple[int, tuple[int, ...]] | None = None
    for chosen in islice(combinations(range(len(evidence.cells)), m), MOST_SUBSETS):
        columns = [evidence.cells[j] for j in chosen]
        groups, first = group_columns(columns, [int(column.max(initial=0)) + 1 for column in columns])
        smallest = int(sum_by_group(groups, evidence.counts, first.shape[0]).min(initial=k))
        worst = min(worst or (smallest, chosen), (smallest, chosen))
    if worst is None:
        return NOT_APPLICABLE, "there is no quasi-identifier"
    told = f"over {', '.join(names[j] for j in worst[1])} the smallest group has {worst[0]:,}; asked are {k}"
    return worst[0] >= k, told


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
    restricted = set(settings["restricted"])
    small = [n for n, found in texts.items() if any(re.sub(r"\D", "", t) in restricted for t in found)]
    if small:
        return False, f"areas of too few people ({settings['restricted_of']}) that are not 000: {', '.join(small)}"
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


def _unit(evidence: Evidence, _: Mapping[str, Any]) -> Answer:
    if evidence.schema.unit:
        return True, f"people are counted by {evidence.schema.unit}"
    if evidence.schema.household:
        return True, f"rows are counted, and households told by {evidence.schema.household}"
    return (
        False,
        "rows are counted: if a person can have several, name the column that says whose they are (the unit)",
    )


def _attested(_: Evidence, settings: Mapping[str, Any]) -> Answer:
    return WARN, f"a person must answer: {settings['asks']}"


CHECKS: Mapping[str, Callable[[Evidence, Mapping[str, Any]], Answer]] = {
    "ages-capped": _ages_capped,
    "attested": _attested,
    "average-risk": _average_risk,
    "dates-to-year": _dates_to_year,
    "highest-risk": _highest_risk,
    "no-identifiers": _no_identifiers,
    "postcodes": _postcodes,
    "share-at-risk": _share_at_risk,
    "small-areas": _small_areas,
    "smallest-class": _smallest_class,
    "subsets": _subsets,
    "suppression": _suppression,
    "top-coding": _top_coding,
    "uniques": _uniques,
    "unit": _unit,
}


def check_policy(policy: Policy, evidence: Evidence, *, because: str | None = None) -> PolicyVerdict:
    """Hold rows against a policy.

    Parameters
    ----------
    policy : Policy
    evidence : Evidence
    because : str, optional
        Why checks that fail are accepted; they warn then, and the reason is kept.
    """
    return PolicyVerdict(
        policy=policy,
        results=tuple(_answer(check, evidence, accepted=bool(because)) for check in policy.checks),
        because=because,
    )


def _answer(check: Check, evidence: Evidence, *, accepted: bool) -> CheckResult:
    if check.check not in CHECKS:
        raise SpecError(f"a policy has an unknown check {check.check!r}", fix=nearest_name(check.check, CHECKS))
    holds, told = CHECKS[check.check](evidence, check.settings)
    status = holds if isinstance(holds, str) else PASS if holds else check.severity
    if status == FAIL and accepted:
        status, told = WARN, f"does not hold and was accepted: {told}"
    return CheckResult(check=check, status=status, evidence=told)
