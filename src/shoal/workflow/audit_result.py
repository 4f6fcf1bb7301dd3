"""What an audit found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shoal.core.verdict import Verdict
from shoal.report.notebook import audit_html
from shoal.report.page import audit_page
from shoal.risk.household import HouseholdRisk
from shoal.risk.journalist import PopulationRisk
from shoal.risk.reidentification import Risk
from shoal.risk.separation import ColumnSet
from shoal.risk.suda import Suda
from shoal.risk.survey import SurveyRisk
from shoal.risk.uniqueness import PopulationEstimate
from shoal.workflow.account.files import save, text_of
from shoal.workflow.direct_identifiers import DirectIdentifier
from shoal.workflow.policy import PolicyVerdict

__all__ = ["Audit"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """What a table says of itself.

    Parameters
    ----------
    rows, classes : int
        Records, and groups of equal quasi-identifiers (without the suppressed records).
    people : int or None
        Number of people where a unit is given.
    alone : int
        Records, or people, that share all quasi-identifiers with nobody; of people those to whom it happens in at
        least one of their records.
    suppressed : int
        Records with ``*`` in every quasi-identifier.
    verdicts : tuple of Verdict
        One per model, suppressed records left out.
    verdicts_with_suppressed : tuple of Verdict
        The same with the suppressed records as a class of their own.
    risk, risk_with_suppressed : Risk
        Re-identification risk in both readings.
    population_risk : PopulationRisk or None
        The same for an attacker who knows the population, where one is given.
    survey_risk : SurveyRisk or None
        Individual risk by survey weights, where there is a weight.
    household_risk : HouseholdRisk or None
        That somebody of a household is found, where there are households.
    population_uniqueness : PopulationEstimate or None
        How many of the population are alone, where a sampling fraction or a weight is given.
    special_uniques : Suda
        The smallest sets of columns in which records stand alone.
    column_sets : tuple of ColumnSet
        Sets of more than one column that tell the most apart.
    missing : mapping of str to int
        Smallest class in each reading of missing cells (``own``, ``wildcard``, ``conservative``), in rows; None
        where there is no record or the reading would take too long.
    alone_by_missing : mapping of str to int
        Rows that stand alone in each reading.
    columns : tuple of dict
        Per quasi-identifier: distinct values, missing cells, how many stand alone only because of it, its part in
        special uniques, distinction and separation.
    sensitive : tuple of dict
        Per sensitive column: of how many records, or people, the quasi-identifiers tell the value (``known``,
        ``known_share``), and for which share a guess by the most frequent value is right with them (``guessed``)
        and without (``guessed_without``).
    direct_identifiers : tuple of DirectIdentifier
        Columns that may name people, by name or content.
    roles : mapping of str to tuple of str
        Columns by their role.
    proposed : bool
        Whether the roles are a proposal, since none were given.
    sentences : tuple of str
        The same in plain words.
    policy : PolicyVerdict or None
        What a policy says of the table as it stands.
    """

    rows: int
    classes: int
    people: int | None
    alone: int
    suppressed: int
    verdicts: tuple[Verdict, ...]
    verdicts_with_suppressed: tuple[Verdict, ...]
    risk: Risk
    risk_with_suppressed: Risk
    population_risk: PopulationRisk | None
    survey_risk: SurveyRisk | None
    household_risk: HouseholdRisk | None
    population_uniqueness: PopulationEstimate | None
    special_uniques: Suda
    column_sets: tuple[ColumnSet, ...]
    missing: dict[str, int | None]
    alone_by_missing: dict[str, int | None]
    columns: tuple[dict[str, Any], ...]
    sensitive: tuple[dict[str, Any], ...]
    direct_identifiers: tuple[DirectIdentifier, ...]
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    proposed: bool = False
    sentences: tuple[str, ...] = ()
    policy: PolicyVerdict | None = None

    @property
    def satisfied(self) -> bool:
        """Whether every model is met, suppressed records left out, and no check of the policy fails."""
        met = self.policy is None or self.policy.satisfied
        return met and all(verdict.satisfied for verdict in self.verdicts)

    def to_html(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the audit as one page that needs no network, or as JSON where the name ends so.

        Not for publication: it tells the risk of the table.
        """
        account = {"shoal": version("shoal"), **self.as_dict()}
        return save(text_of(account, path, audit_page), path, private=True, force=force)

    def _repr_html_(self) -> str:
        return audit_html(self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as plain values."""

        def plain(
            figures: PopulationRisk | SurveyRisk | HouseholdRisk | PopulationEstimate | None,
        ) -> dict[str, Any] | None:
            return None if figures is None else figures.as_dict()

        return {
            "satisfied": self.satisfied,
            "rows": self.rows,
            "people": self.people,
            "classes": self.classes,
            "alone": self.alone,
            "suppressed": self.suppressed,
            "proposed": self.proposed,
            "roles": {role: list(names) for role, names in self.roles.items()},
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "verdicts_with_suppressed": [verdict.as_dict() for verdict in self.verdicts_with_suppressed],
            "risk": self.risk.as_dict(),
            "risk_with_suppressed": self.risk_with_suppressed.as_dict(),
            "population_risk": plain(self.population_risk),
            "survey_risk": plain(self.survey_risk),
            "household_risk": plain(self.household_risk),
            "population_uniqueness": plain(self.population_uniqueness),
            "special_uniques": self.special_uniques.as_dict(),
            "column_sets": [found.as_dict() for found in self.column_sets],
            "sensitive": [dict(column) for column in self.sensitive],
            "direct_identifiers": [found.as_dict() for found in self.direct_identifiers],
            "smallest_class_by_reading_of_missing_cells": dict(self.missing),
            "alone_by_reading_of_missing_cells": dict(self.alone_by_missing),
            "columns": [dict(column) for column in self.columns],
            "sentences": list(self.sentences),
            "policy": None if self.policy is None else self.policy.as_dict(),
        }
