"""The rules that give a column its role: asked in order, the first answer counts.

When in doubt a rule protects: what may name a person is left out, and what others may know of a person is a
quasi-identifier rather than published as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from shoal.core.schema import Role
from shoal.io.facts import ColumnFacts
from shoal.workflow.generalization import looks_coded
from shoal.workflow.naming import is_id_like, names_household, names_person
from shoal.workflow.proposal import ColumnProposal, about
from shoal.workflow.seen_column import Seen

__all__ = ["RULES", "decide"]

NEARLY_UNIQUE = 0.9
ALWAYS_UNIQUE = 0.95
"""Distinct values per cell from which on a key names a row, not a person with several rows."""

FEW_ROWS = 20
"""Below, numbers that do not repeat are no sign of a key."""


Rule = Callable[[Seen], ColumnProposal | None]


def _unreadable(seen: Seen) -> ColumnProposal | None:
    if seen.facts.readable:
        return None
    return seen.simple(Role.DROP, "Its cells are lists, structs or bytes, which no role can publish.")


def _empty(seen: Seen) -> ColumnProposal | None:
    if seen.facts.n_present or not seen.facts.n_rows:
        return None
    return seen.simple(Role.DROP, "No row has a value here.")


def _personal_name(seen: Seen) -> ColumnProposal | None:
    topic = seen.topic("identifier")
    if topic is None or seen.category:
        return None
    number = topic.key in ("official number", "record number", "health plan")
    if number and _repeats(seen.facts):
        return seen.simple(Role.UNIT, f"The name speaks of {topic.means}, and values come back in several rows.")
    return seen.simple(Role.IDENTIFIER, f"The name speaks of {topic.means}, which names a person directly.")


def _personal_content(seen: Seen) -> ColumnProposal | None:
    if seen.content is None or seen.content.role not in ("identifier", "unit") or seen.dated:
        return None
    if seen.content.role == "unit" and _repeats(seen.facts):
        return seen.simple(
            Role.UNIT, f"The cells are {seen.content.kind} that come back in several rows: each may be a person."
        )
    return seen.simple(Role.IDENTIFIER, f"The cells are {seen.content.kind}.")


def _survey_weight(seen: Seen) -> ColumnProposal | None:
    if not seen.numeric:
        return None
    topic = seen.topic("weight")
    # A bare "weight" is a body's as often as a survey's; only the latter is commonly written with decimals.
    bare = seen.words in (("weight",), ("gewicht",), ("poids",), ("peso",)) and not seen.facts.all_are("integer")
    if topic is None and not (bare and not seen.bodies):
        return None
    if topic is not None and seen.words == ("w",) and seen.facts.all_are("integer"):
        return None
    warnings = (
        ("nearly every weight is its own, and a weight is published as it is: round it, or drop it.",)
        if seen.facts.share_distinct > 0.5
        else ()
    )
    return seen.simple(Role.WEIGHT, "The name speaks of a survey weight, and the cells are numbers.", *warnings)


def _household(seen: Seen) -> ColumnProposal | None:
    facts = seen.facts
    if seen.dated or not is_id_like(facts.name) or not names_household(facts.name) or names_person(facts.name):
        return None
    if not _repeats(facts) or (facts.n_distinct < FEW_ROWS and facts.share_distinct < 0.2):
        return None
    return seen.simple(
        Role.HOUSEHOLD,
        "The name is that of a key of households: whoever finds one member has found the others.",
        "rows are counted; to count households instead, make it the unit.",
    )


def _key(seen: Seen) -> ColumnProposal | None:
    facts = seen.facts
    if not is_id_like(facts.name) or seen.dated:
        return None
    if facts.share_distinct >= ALWAYS_UNIQUE:
        return seen.simple(
            Role.IDENTIFIER, "The name is that of a key, and nearly every row has a value of its own."
        )
    many = facts.n_distinct >= FEW_ROWS or facts.share_distinct >= 0.2
    if names_person(facts.name) and many:
        return seen.simple(
            Role.UNIT,
            "The name is that of a key of people, and values come back in several rows: people are counted.",
        )
    if facts.n_distinct >= FEW_ROWS and facts.share_distinct >= 0.05:
        return seen.simple(
            Role.UNIT,
            "The name is that of a key, and values come back in several rows.",
            "a unit is the person a row belongs to; if this is no person, make it an identifier.",
        )
    return None


def _free_text(seen: Seen) -> ColumnProposal | None:
    facts = seen.facts
    if seen.numeric or seen.dated:
        return None
    named = seen.topic("text") is not None
    wordy = facts.mean_words >= 4 or facts.mean_length >= 60 or facts.n_multiline > 0
    varied = facts.share_distinct >= 0.5 or (facts.n_distinct > 1_000 and facts.share_distinct >= 0.1)
    if seen.n_inside and not seen.category:
        return seen.simple(
            Role.DROP,
            "Some texts hold an e-mail address, a telephone number or the like: free text may name people.",
        )
    if (wordy and varied) or (named and (varied or facts.mean_words >= 4) and not seen.category):
        return seen.simple(Role.DROP, "Free text may name people, and no model of this table protects it.")
    return None


def _sensitive(seen: Seen) -> ColumnProposal | None:
    topic = seen.topic("sensitive")
    content = seen.content if seen.content is not None and seen.content.role == "sensitive" else None
    quasi = seen.topic("quasi")
    if content is not None and not (quasi and topic is None) and seen.facts.n_distinct >= 5:
        return seen.simple(Role.SENSITIVE, f"The cells are {content.kind}: what somebody suffers from.")
    # When and at what age something happened is known to others, whatever it was.
    if topic is None or seen.dated or any(other.key == "age" for other in seen.topics):
        return None
    warnings = (
        ("nearly every value is its own; who knows it finds the row. Round it, or make it a quasi-identifier.",)
        if seen.facts.share_distinct >= NEARLY_UNIQUE and seen.facts.n_present >= FEW_ROWS
        else ()
    )
    return seen.simple(
        Role.SENSITIVE, f"The name speaks of {topic.means}, which must not become known of a person.", *warnings
    )


def _constant(seen: Seen) -> ColumnProposal | None:
    facts = seen.facts
    if facts.n_rows < 2 or facts.n_distinct != 1 or facts.n_missing or not facts.distinct_exact:
        return None
    return seen.simple(Role.INSENSITIVE, "Every row holds the same value, which tells nobody apart.")


def _known_to_others(seen: Seen) -> ColumnProposal | None:
    topic = seen.topic("quasi")
    if topic is None:
        return None
    return seen.quasi(f"The name speaks of {topic.means}, which others may know of a person.")


def _some_name(seen: Seen) -> ColumnProposal | None:
    if seen.numeric or seen.facts.n_distinct <= 20 or not any(word.endswith("name") for word in seen.words):
        return None
    return seen.simple(Role.IDENTIFIER, "The column is called a name, and nothing says that it is not a person's.")


def _date(seen: Seen) -> ColumnProposal | None:
    if not seen.facts.all_are("date", "timestamp", markers=True):
        return None
    return seen.quasi("The cells are dates, which others may know of a person.")


def _nearly_unique(seen: Seen) -> ColumnProposal | None:
    facts = seen.facts
    if facts.share_distinct < NEARLY_UNIQUE or facts.n_present < 3:
        return None
    own = "Nearly every row has a value of its own"
    if not seen.numeric:
        if seen.dated:
            return None
        return seen.simple(Role.IDENTIFIER, f"{own}, as a name or a key has.")
    if facts.share_of("digits") == 1 and not facts.all_are("integer") and facts.max_length > 5:
        return seen.simple(Role.IDENTIFIER, f"{own}, and it is a long number or has leading zeros, as a key has.")
    if facts.n_present >= FEW_ROWS and facts.all_are("integer"):
        low, high = facts.extent or (0.0, 0.0)
        if facts.share_distinct > 0.99 and high - low < 1.1 * facts.n_rows:
            return seen.simple(Role.IDENTIFIER, f"{own}, and the values run through like the number of a row.")
        if facts.min_length == facts.max_length >= 5:
            return seen.simple(Role.IDENTIFIER, f"{own}, all with as many digits, as a key has.")
        return seen.quasi(f"{own}, and it is a number: who knows it finds the row, so it is generalized.")
    if not facts.all_are("integer"):
        return seen.quasi(f"{own}, and it is a measure: who knows it finds the row, so it is generalized.")
    return None


def _otherwise(seen: Seen) -> ColumnProposal | None:
    facts = seen.facts
    if looks_coded(facts):
        return seen.quasi("The cells are codes of one length; others may know a person's.")
    if facts.n_distinct <= 20:
        return seen.quasi("Few values that many rows share, and no name that says who knows them: others may.")
    return seen.quasi(
        f"Has {about(facts.n_distinct)} distinct values, and no name that says who knows them: others may."
    )


RULES: tuple[Rule, ...] = (
    _unreadable,
    _empty,
    _personal_name,
    _personal_content,
    _survey_weight,
    _household,
    _key,
    _free_text,
    _sensitive,
    _constant,
    _known_to_others,
    _some_name,
    _date,
    _nearly_unique,
    _otherwise,
)
"""From what names a person to what nobody can tell."""


def decide(seen: Seen) -> ColumnProposal:
    """Return the proposal of the first rule that has one."""
    return next(proposal for rule in RULES if (proposal := rule(seen)) is not None)


def _repeats(facts: ColumnFacts) -> bool:
    return facts.n_present > 0 and facts.share_distinct < ALWAYS_UNIQUE
