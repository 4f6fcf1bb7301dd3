"""Checks of policies that hold figures against thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

from shoal.core.rational import exact
from shoal.kernels.grouping import group_columns, sum_by_group
from shoal.workflow.policy import NOT_APPLICABLE, WARN
from shoal.workflow.policy_evidence import Answer, Evidence

__all__ = ["FIGURES"]

MOST_SUBSETS = 2_000


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


def _global_risk(evidence: Evidence, settings: Mapping[str, Any]) -> Answer:
    """The mean individual risk by survey weights; without weights it is the average risk."""
    risks = evidence.individual_risks()
    if risks is None:
        return _average_risk(evidence, settings)
    risk, sizes = risks
    total = int(sizes.sum())
    value = Fraction(float((risk * sizes).sum() / total)) if total else None
    return _at_most(evidence, value, settings, "the global risk by survey weights")


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


def _unit(evidence: Evidence, _: Mapping[str, Any]) -> Answer:
    if evidence.schema.unit:
        return True, f"people are counted by {evidence.schema.unit}"
    if evidence.schema.household:
        return True, f"rows are counted, and households told by {evidence.schema.household}"
    return (
        False,
        "rows are counted: if a person can have several, name the column that says whose they are (the unit)",
    )


FIGURES: Mapping[str, Callable[[Evidence, Mapping[str, Any]], Answer]] = {
    "average-risk": _average_risk,
    "global-risk": _global_risk,
    "highest-risk": _highest_risk,
    "share-at-risk": _share_at_risk,
    "smallest-class": _smallest_class,
    "subsets": _subsets,
    "suppression": _suppression,
    "uniques": _uniques,
    "unit": _unit,
}
