"""What releases told together, as figures and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.attacks.composition import Meetings
from shoal.report.words import count, percent
from shoal.risk.composition import CompositionRisk

__all__ = ["CompositionAttack", "Finding", "Target"]


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is left of one person.

    Parameters
    ----------
    person : str or None
        His name, where a column names people.
    row : int
        His row, from 0.
    alone : tuple of tuple of str or None
        The candidate values by each release alone.
    candidates : tuple of str or None
        Those that every release leaves.
    """

    person: str | None
    row: int
    alone: tuple[tuple[str | None, ...], ...]
    candidates: tuple[str | None, ...]

    @property
    def disclosed(self) -> bool:
        """Whether one value is left."""
        return len(self.candidates) == 1

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "person": self.person,
            "row": self.row,
            "alone": [list(values) for values in self.alone],
            "candidates": list(self.candidates),
            "disclosed": self.disclosed,
        }


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What the releases tell of one sensitive column.

    Parameters
    ----------
    sensitive : str
    people : int
        People who were attacked: the targets, or else those who are in every private table.
    excluded : int
        Those of whom no value is left: they are not in every release, or what is known of them is wrong.
    disclosed : int
        Those of whom one value is left.
    disclosed_alone : int
        Those of whom some release by itself leaves one value.
    newly : int
        Those who are disclosed, and by no release alone.
    correct : int or None
        Those whose one value is the true one, where the truth is known.
    mean_candidates : float or None
        Values that are left per person, over those who are not excluded.
    targets : tuple of Target
        Where targets were given.
    risk : CompositionRisk or None
        Where the truth is known.
    meetings : Meetings or None
        How the classes of two releases meet, whoever is in them.
    """

    sensitive: str
    people: int
    excluded: int
    disclosed: int
    disclosed_alone: int
    newly: int
    correct: int | None = None
    mean_candidates: float | None = None
    targets: tuple[Target, ...] = ()
    risk: CompositionRisk | None = None
    meetings: Meetings | None = None

    @property
    def disclosure_rate(self) -> float | None:
        """Share of the people who are disclosed, in [0, 1]; None without people."""
        return self.disclosed / self.people if self.people else None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        met = self.meetings
        names = ("meeting", "matching", "disclosing", "triples")
        return {
            "sensitive": self.sensitive,
            "people": self.people,
            "excluded": self.excluded,
            "disclosed": self.disclosed,
            "disclosed_alone": self.disclosed_alone,
            "newly_disclosed": self.newly,
            "disclosure_rate": self.disclosure_rate,
            "correct": self.correct,
            "mean_candidates": self.mean_candidates,
            "risk": None if self.risk is None else self.risk.as_dict(),
            "classes": None if met is None else {name: getattr(met, name) for name in names},
            "targets": [target.as_dict() for target in self.targets],
            "sentences": list(self.sentences),
        }

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same in words, without a value of a cell."""
        said = []
        if self.people:
            said.append(
                f"{self.sensitive}: for {count(self.disclosed)} of {count(self.people, 'person', 'people')} "
                f"({percent(self.disclosure_rate)}) one value is left, so whoever knows that they are in all "
                "the releases knows it."
            )
            said.append(
                f"{count(self.newly)} of them are given away by the releases together only; one release by itself "
                f"gives away {count(self.disclosed_alone, 'person', 'people')}."
            )
        if self.excluded:
            said.append(
                f"For {count(self.excluded, 'person', 'people')} no value is left: they are not in every release, "
                "or what is known of them is not what was published."
            )
        if self.correct is not None and self.disclosed:
            said.append(f"The one value is the true one for {count(self.correct)} of the {count(self.disclosed)}.")
        if self.risk is not None and self.risk.risk_all is not None:
            said.append(
                f"Privacy risk: {percent(float(self.risk.risk_all))} of all matches are true for somebody who "
                "does not know who is in every table (risk_all)"
                + (
                    f", {percent(float(self.risk.risk_overlap))} for somebody who does (risk_overlap)."
                    if self.risk.risk_overlap is not None
                    else "."
                )
            )
        if self.risk is not None and self.risk.risk_class is not None:
            said.append(
                f"Counted over pairs of classes it is {percent(float(self.risk.risk_class))} (risk_class)."
            )
        if self.meetings is not None:
            said.append(
                f"{count(self.meetings.meeting, 'pair')} of classes fit a common person; "
                f"{count(self.meetings.disclosing)} share exactly one value of {self.sensitive}: whoever is in "
                "both classes of such a pair is disclosed."
            )
        return tuple(said)


@dataclass(frozen=True, kw_only=True)
class CompositionAttack:
    """What somebody learns from several releases together.

    Parameters
    ----------
    releases : tuple of str
        What the releases are called.
    columns : tuple of str
        Quasi-identifiers that people were matched by.
    findings : tuple of Finding
        One per sensitive column.
    notes : tuple of str
        How tables were read, and what could not be used.
    """

    releases: tuple[str, ...]
    columns: tuple[str, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def disclosed(self) -> int:
        """People who are disclosed in the column where most are."""
        return max((finding.disclosed for finding in self.findings), default=0)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values. With targets, it holds what is left of them: keep it private."""
        return {
            "releases": list(self.releases),
            "columns": list(self.columns),
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": list(self.notes),
            "sentences": [sentence for finding in self.findings for sentence in finding.sentences],
        }
