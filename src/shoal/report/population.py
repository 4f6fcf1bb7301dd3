"""What an audit tells of the population behind a table, as pairs of words and figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.report.words import count, measure, percent

__all__ = ["population_changes", "population_figures"]

ESTIMATORS = ("pitman", "zayatz", "snb", "poisson")


def population_figures(audit: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what is known of a population, of survey weights and of households; nothing where none is given.

    Parameters
    ----------
    audit : mapping
        ``Audit.as_dict()``.

    Examples
    --------
    >>> survey = {"highest": 0.25, "global_risk": 0.125, "expected": 12.5, "population": 4_000.4,
    ...           "threshold": 0.2, "share_above": 0.01}
    >>> for words, figure in population_figures({"survey_risk": survey}):
    ...     print(words, "|", figure)
    people that the survey weights stand for | 4,000
    highest individual risk by survey weights | 25.0 %
    global risk by survey weights (the average) | 12.5 %
    expected re-identifications by survey weights | 12.5000
    share with an individual risk above 20.0 % | 1.0 %
    """
    people, survey = audit.get("population_risk"), audit.get("survey_risk")
    together, estimate = audit.get("household_risk"), audit.get("population_uniqueness")
    told: list[tuple[str, str]] = []
    if people:
        told += [
            ("highest, over all who look alike in the population", percent(people["highest"])),
            ("average: found by linking the whole table", percent(people["average"])),
            ("expected re-identifications by linking the whole table", measure(people["expected"])),
            ("fewest people of the population in a group", count(people["smallest"])),
            ("the only ones of their kind in the population", count(people["uniques"])),
        ]
    if survey:
        told += [
            ("people that the survey weights stand for", count(round(survey["population"]))),
            ("highest individual risk by survey weights", percent(survey["highest"])),
            ("global risk by survey weights (the average)", percent(survey["global_risk"])),
            ("expected re-identifications by survey weights", measure(survey["expected"])),
            (
                f"share with an individual risk above {percent(survey['threshold'])}",
                percent(survey["share_above"]),
            ),
        ]
    if together:
        told += _households(together)
    if estimate:
        for name in ESTIMATORS:
            chosen = " (chosen)" if name == estimate["method"] else ""
            told.append((f"population alone, by {name}{chosen}", percent(estimate[name])))
    return told


def population_changes(population: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """Return the words with the figures before and after; nothing without weights and households.

    Parameters
    ----------
    population : mapping
        ``population`` of ``Release.as_dict()``.
    """
    if not population:
        return []
    before, after = (population_figures(population[when]) for when in ("before", "after"))
    return [(words, old, new) for (words, old), (_, new) in zip(before, after, strict=True)]


def _households(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    group = "household" if found["grouped_by"] == "household" else "person, by all their rows"
    source = "survey weights" if found["by"] == "weights" else "one over the group size"
    return [
        (f"highest risk of a {group}, by {source}", percent(found["highest"])),
        (f"average risk of a {group}, over members", percent(found["average"])),
        ("expected re-identifications with the rest of the household", measure(found["expected"]))
        if found["grouped_by"] == "household"
        else ("expected re-identifications by any of their rows", measure(found["expected"])),
        (f"share of members with such a risk above {percent(found['threshold'])}", percent(found["share_above"])),
    ]
