"""What the rules may look at for one column, and the proposals that they can make of it."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.core.schema import Role
from shoal.io.facts import ColumnFacts
from shoal.workflow.generalization import propose_generalization, propose_type
from shoal.workflow.naming import Topic
from shoal.workflow.patterns import Content
from shoal.workflow.proposal import ColumnProposal

__all__ = ["Seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Everything that the rules may look at for one column.

    Parameters
    ----------
    facts : ColumnFacts
        What was counted in it.
    topics : tuple of Topic
        What its name speaks of, the weightiest first.
    words : tuple of str
        Its name in words.
    content : Content or None
        What its cells are, where they can be recognized.
    n_inside : int
        Sampled values that hold contact data within a text.
    bodies : bool
        Whether the table tells people's height, so that "weight" is that of a body.
    """

    facts: ColumnFacts
    topics: tuple[Topic, ...]
    words: tuple[str, ...]
    content: Content | None = None
    n_inside: int = 0
    bodies: bool = False

    def topic(self, *kinds: str) -> Topic | None:
        """Return the first topic of one of these kinds."""
        return next((topic for topic in self.topics if topic.kind in kinds), None)

    @property
    def category(self) -> bool:
        """Whether many rows share few values, which no personal mark does."""
        return self.facts.n_rows >= 100 and self.facts.n_distinct <= 20

    @property
    def numeric(self) -> bool:
        """Whether nearly all cells are numbers."""
        return self.facts.share_of("decimal") + self.facts.share_of("decimal_comma") >= 0.99

    @property
    def dated(self) -> bool:
        """Whether most cells are dates, however they are written."""
        return sum(map(self.facts.share_of, ("date", "timestamp", "other_date"))) > 0.5

    def quasi(self, reason: str) -> ColumnProposal:
        """Propose a quasi-identifier with the hierarchy that fits."""
        topic = self.topic("quasi", "weight")
        key = topic.key if topic else ""
        type_, hierarchy = propose_generalization(self.facts, topic=key, words=self.words)
        better = propose_generalization(self.facts, topic=key, words=self.words, markers=True)
        if type_ == "text" and "auto" in hierarchy:
            reason += " Its numbers are read as codes; if they have an order, leave the type out."
        warnings: tuple[str, ...] = ()
        if self.facts.markers and better != (type_, hierarchy):
            warnings = (f"once its marks of a missing value are declared, it can be read as {better[0]}.",)
        return ColumnProposal(
            name=self.facts.name,
            role=Role.QUASI_IDENTIFIER,
            reason=reason,
            type=type_,
            hierarchy=hierarchy,
            warnings=warnings,
        )

    def simple(self, role: Role, reason: str, *warnings: str) -> ColumnProposal:
        """Propose a role that needs no hierarchy."""
        published = role in (Role.SENSITIVE, Role.INSENSITIVE, Role.WEIGHT)
        return ColumnProposal(
            name=self.facts.name,
            role=role,
            reason=reason,
            type=propose_type(self.facts) if published else None,
            warnings=warnings,
        )
