"""An audit in plain words: how many stand alone, what makes them so, and what an attacker would learn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from shoal.workflow.audit_result import Audit

PLACES_AND_DATES = "BC"
"""Classes of HIPAA that tell something of a person and do not name one."""

__all__ = ["listed", "sentences_of", "share"]

TOLD = 3
"""Sensitive columns of which sentences tell what would be learned."""

NAMED = 6
"""Columns that a sentence names; of more it tells the number."""


def sentences_of(found: Audit, names: Sequence[str]) -> tuple[str, ...]:
    """Return what the figures say; never a cell value."""
    return tuple(_sentences(found, names))


def _sentences(found: Audit, names: Sequence[str]) -> Iterator[str]:
    if found.proposed:
        yield (
            "No roles were given, so they are a proposal from the names and contents of the columns: "
            f"{_columns(found.roles.get('quasi-identifier', ()))} for what others may know, "
            f"{_columns(found.roles.get('sensitive', ()))} for what must not become known. "
            "`shoal init` writes it down to be corrected."
        )
    yield from _direct(found)
    risk = found.risk
    if risk.highest is None or risk.average is None:
        yield "The table has no records that could be told apart."
        return
    who = "records" if found.people is None else "people"
    yield from _alone(found, who, names)
    yield (
        f"Whoever knows these values of one person picks the right record with a chance of up to "
        f"{share(risk.highest)}, and of {share(risk.average)} on average."
    )
    yield from _causes(found, who)
    yield from _learned(found, who)
    yield from _population(found, who)
    yield from _missing(found)


def _alone(found: Audit, who: str, names: Sequence[str]) -> Iterator[str]:
    total = found.rows - found.suppressed if found.people is None else found.people
    if found.alone:
        verb = "stands" if found.alone == 1 else "stand"
        often = "" if found.people is None else "in at least one record "
        yield (
            f"{found.alone:,} of {total:,} {who} ({share(found.alone / max(1, total))}) {verb} alone: {often}"
            f"nobody else has the same values in {_columns(names)}."
        )
    else:
        others = (found.risk.smallest or 1) - 1
        yield (
            f"Nobody stands alone: everybody shares {_columns(names)} with at least {others:,} "
            f"{'other' if others == 1 else 'others'}."
        )


def _causes(found: Audit, who: str) -> Iterator[str]:
    causes = [column for column in found.columns if column.get("alone_because_of_it")]
    causes.sort(key=lambda column: -column["alone_because_of_it"])
    if causes:
        told = "; ".join(f"{c['name']} ({c['alone_because_of_it']:,})" for c in causes[:3])
        yield f"These columns make most of them stand alone; so many would not without the column: {told}."
    special = found.special_uniques
    few = [one for one in special.column_sets if len(one["columns"]) < len(found.columns)]
    if few and special.records:
        worst = few[0]
        most = f"{worst['records']:,}, with {listed(worst['columns'])}."
        if special.m < len(found.columns):
            yield f"{_some(special.records, who)} can be singled out with {_at_most(special.m)}; the most, {most}"
        else:
            yield f"A few columns are enough to single many of them out; the most, {most}"


def _some(number: int, who: str) -> str:
    one = {"records": "record", "people": "person"}
    return f"{number:,} {one[who] if number == 1 else who}"


def _at_most(m: int) -> str:
    return "a single column" if m == 1 else f"no more than {m} columns"


def _learned(found: Audit, who: str) -> Iterator[str]:
    """Tell what follows for the sensitive columns, or that nothing was declared."""
    if not found.sensitive:
        yield (
            "No column is declared sensitive. Who finds the record of a person learns everything else that stands "
            "in it."
        )
    worst = sorted(found.sensitive, key=lambda column: column["guessed_without"] - column["guessed"])
    for column in worst[:TOLD]:
        name = column["name"]
        if column["known"]:
            yield (
                f"The value of {name} would be known of {_some(column['known'], who)} "
                f"({share(column['known_share'])}): everybody with their quasi-identifiers has the same one."
            )
        yield (
            f"Who guesses {name} by the most frequent value among those who look alike is right for "
            f"{share(column['guessed'])}; without the quasi-identifiers for {share(column['guessed_without'])}."
        )
    if len(worst) > TOLD:
        yield f"The same is told of {len(worst) - TOLD} more sensitive columns in the figures."


def _population(found: Audit, who: str) -> Iterator[str]:
    people, survey, estimate = found.population_risk, found.survey_risk, found.population_uniqueness
    if people is not None and people.average is not None:
        yield (
            f"{_some(people.uniques, who)} would be the only ones of their kind in the population; who links "
            f"the whole table to the population finds about {share(people.average)} of all."
        )
    if survey is not None and survey.global_risk is not None:
        yield (
            f"By the survey weights about {survey.expected:,.1f} {who} ({share(survey.global_risk)}) would be "
            "re-identified."
        )
    together = found.household_risk
    if together is not None and together.average is not None and together.grouped_by == "household":
        yield (
            f"Whoever finds one member of a household has found the others: so seen, a member's risk is "
            f"{share(together.average)} on average and up to {share(together.highest or 0.0)}, and about "
            f"{together.expected_households:,.1f} of {together.households:,} households would be found."
        )
    if estimate is not None:
        yield f"About {share(estimate.chosen)} of the population stand alone, by an estimate ({estimate.method})."


def _missing(found: Audit) -> Iterator[str]:
    own, wildcard = found.missing.get("own"), found.missing.get("wildcard")
    if own is not None and wildcard is not None and own != wildcard:
        yield (
            f"The smallest group has {own:,} if a missing or suppressed cell is a value of its own, and "
            f"{wildcard:,} if it may be anything; count on the first."
        )


def _direct(found: Audit) -> Iterator[str]:
    named: Mapping[str, list[str]] = {"published": [], "generalized": []}
    for one in found.direct_identifiers:
        told = f"{one.column} ({one.what})"
        if one.published:
            named["published"].append(told)
        elif one.role == "quasi-identifier" and one.hipaa not in PLACES_AND_DATES:
            named["generalized"].append(told)
    if named["published"]:
        yield f"{listed(named['published'])} may name people directly, and would be published as it stands."
    if named["generalized"]:
        yield (
            f"{listed(named['generalized'])} may name people directly, and generalizing hides that only where it "
            "goes far."
        )


def _columns(names: Sequence[str]) -> str:
    if not names:
        return "no column"
    if len(names) <= NAMED:
        return ", ".join(names)
    return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more columns"


def listed(words: Sequence[str]) -> str:
    """Join words as a sentence does.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def share(part: float) -> str:
    """Print a share so that neither "nearly all" reads as all nor "a few" as none.

    Examples
    --------
    >>> share(0.25), share(0.9999), share(0.0001)
    ('25 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if 0.9995 <= part < 1:
        return "more than 99.9 %"
    if 0 < part < 0.0005:
        return "less than 0.1 %"
    return f"{part:.1%}".replace(".0%", "%").replace("%", " %")
