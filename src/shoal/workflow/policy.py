"""Policies: what a law, a regulator or a practice asks of a published table, read from a file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any

from shoal.core.protocols import PrivacyModel
from shoal.core.rational import exact
from shoal.errors import SpecError, nearest_name
from shoal.models import KAnonymity

__all__ = ["Check", "CheckResult", "Policy", "PolicyVerdict", "known_policies"]

FAIL, WARN, PASS, NOT_APPLICABLE = "fail", "warn", "pass", "not applicable"
CONFIDENCE = {
    "P": "read in the source",
    "S": "a tool's own documents",
    "K": "not re-checked",
    "O": "shoal's own, not in the source",
}
"""How the figure of a check, or of a whole policy, is known."""
NEEDED = {
    "ages-capped": ("highest",),
    "attested": ("asks",),
    "average-risk": ("at_most",),
    "global-risk": ("at_most",),
    "highest-risk": ("at_most",),
    "postcodes": ("digits", "restricted", "restricted_of"),
    "share-at-risk": ("risk", "at_most"),
    "smallest-class": ("k",),
    "subsets": ("k", "m"),
    "suppression": ("at_most",),
    "uniques": ("at_most",),
}
"""Settings that a check cannot do without."""

HEAD = ("id", "title", "about", "kind", "citation", "url", "dated", "retrieved", "confidence", "licence")


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that a policy asks.

    Parameters
    ----------
    check : str
        Which of :data:`shoal.workflow.policy_checks.CHECKS` looks.
    title : str
        What must hold, in one sentence.
    settings : mapping
        Thresholds of the check.
    severity : {"fail", "warn"}
        What a table gets that does not meet it.
    confidence : {"P", "S", "K", "O"}
        Whether the figure was read in the source, in a tool's documents, was not re-checked, or is our own.
    source : str
        Where the figure is from, if not from the source of the policy.
    """

    check: str
    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    severity: str = FAIL
    confidence: str = "K"
    source: str = ""

    def __post_init__(self) -> None:
        if self.severity not in (FAIL, WARN):
            raise SpecError("a check has an unknown severity", fix=nearest_name(str(self.severity), (FAIL, WARN)))
        if self.confidence not in CONFIDENCE:
            raise SpecError(
                "a check has an unknown confidence", fix=nearest_name(str(self.confidence), CONFIDENCE)
            )


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What a check says of a table.

    Parameters
    ----------
    check : Check
    status : {"pass", "warn", "fail", "not applicable"}
    evidence : str
        Figures and column names, never a cell value.
    """

    check: Check
    status: str
    evidence: str

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "check": self.check.check,
            "title": self.check.title,
            "settings": dict(self.check.settings),
            "confidence": self.check.confidence,
            "source": self.check.source,
            "status": self.status,
            "evidence": self.evidence,
        }


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What is asked of a published table, with its source.

    Parameters
    ----------
    id, title, about : str
    kind : str
        Law, guidance, standard, practice, ...
    citation, url : str
    dated : str
        Date of the source.
    retrieved : str
        Date on which its figures were compiled.
    confidence : {"P", "S", "K"}
        How its figures are known: read in the source, in a tool's documents, or not re-checked.
    licence : str
        Of the file.
    checks : tuple of Check

    Examples
    --------
    >>> policy = Policy.named("cms-cell")
    >>> policy.citation, policy.smallest_class
    ('Centers for Medicare and Medicaid Services: cell size suppression policy', 11)
    """

    id: str
    title: str
    about: str
    kind: str
    citation: str
    url: str
    dated: str
    retrieved: str
    confidence: str
    licence: str
    checks: tuple[Check, ...]

    @classmethod
    def named(cls, name: str | Path) -> Policy:
        """Return a policy by its id, or from a TOML file of the same shape.

        Raises
        ------
        SpecError
            If there is none of that name, or the file is not a policy.
        """
        if str(name).endswith(".toml"):
            try:
                text = Path(name).read_text("utf-8")
            except (OSError, UnicodeDecodeError):
                raise SpecError("the policy cannot be read", where=str(name)) from None
            return cls.from_toml(text, where=str(name))
        known = known_policies()
        if name not in known:
            raise SpecError(f"unknown policy {str(name)!r}", fix=nearest_name(str(name), known))
        return cls.from_toml(_folder().joinpath(f"{name}.toml").read_text("utf-8"), where=str(name))

    @classmethod
    def from_toml(cls, text: str, *, where: str = "") -> Policy:
        """Read a policy.

        Raises
        ------
        SpecError
            If a key is missing, or the text is not TOML.
        """
        try:
            document = tomllib.loads(text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            raise SpecError(f"the policy is not TOML: {error}", where=where) from None
        missing = [key for key in (*HEAD, "checks") if key not in document]
        if missing:
            raise SpecError(f"the policy lacks {', '.join(missing)}", where=where)
        return cls(**{key: document[key] for key in HEAD}, checks=tuple(map(_check, document["checks"])))

    @property
    def smallest_class(self) -> int | None:
        """The largest class size that its checks imply, or None where they imply none."""
        sizes = [size for size in map(_implied_size, self.checks) if size is not None]
        return max(sizes, default=None)

    def models_for(self, models: Iterable[PrivacyModel], *, because: str | None) -> tuple[PrivacyModel, ...]:
        """Return the models of a run under this policy: those given, and k-anonymity where none is among them.

        Parameters
        ----------
        models : iterable of PrivacyModel
        because : str or None
            Why less is asked than the policy does, where that is so.

        Raises
        ------
        SpecError
            If less is asked and no reason is given.
        """
        given, needed = tuple(models), self.smallest_class
        if needed is None:
            return given
        sizes = [model.k for model in given if isinstance(model, KAnonymity)]
        if not sizes:
            return (KAnonymity(k=needed), *given)
        if max(sizes) < needed and not because:
            raise SpecError(
                f"k = {max(sizes)} is less than policy {self.id!r} asks, which is {needed}",
                fix=f"ask for k = {needed}, or say why less is enough (--because)",
            )
        return given

    def as_dict(self) -> dict[str, Any]:
        """Return where it comes from as plain data."""
        keys = ("id", "title", "about", "kind", "citation", "url", "dated", "retrieved", "confidence")
        return {key: getattr(self, key) for key in keys}


@dataclass(frozen=True, kw_only=True)
class PolicyVerdict:
    """What a policy says of a table.

    Parameters
    ----------
    policy : Policy
    results : tuple of CheckResult
        One per check, in the policy's order.
    because : str or None
        Why less is asked than the policy does, where somebody decided so. Not for publication.
    """

    policy: Policy
    results: tuple[CheckResult, ...]
    because: str | None = None

    @property
    def satisfied(self) -> bool:
        """Whether no check fails."""
        return not self.failed

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        """Checks that fail."""
        return tuple(result for result in self.results if result.status == FAIL)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data. Not for publication."""
        return {
            **self.policy.as_dict(),
            "satisfied": self.satisfied,
            "because": self.because,
            "checks": [result.as_dict() for result in self.results],
        }

    def public(self) -> dict[str, Any]:
        """Return what may be published: the answers, without figures and without reasons."""
        keys = ("title", "status", "confidence")
        checks = [{key: result.as_dict()[key] for key in keys} for result in self.results]
        return {**self.policy.as_dict(), "satisfied": self.satisfied, "because": None, "checks": checks}


def known_policies() -> tuple[str, ...]:
    """Return the ids of the policies that shoal ships."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def _folder() -> Any:
    return resources.files("shoal.policies")


def _check(table: Mapping[str, Any]) -> Check:
    needed = ("check", "title", *NEEDED.get(str(table.get("check")), ()))
    missing = [key for key in needed if key not in table]
    if missing:
        raise SpecError(f"a check of the policy lacks {', '.join(missing)}")
    own = {key: table[key] for key in ("check", "title", "severity", "confidence", "source") if key in table}
    settings = {key: value for key, value in table.items() if key not in own}
    return Check(**own, settings=settings)


def _implied_size(check: Check) -> int | None:
    """Return the smallest class that a check demands, or None."""
    if check.check in ("smallest-class", "subsets"):
        return int(check.settings["k"])
    if check.check == "highest-risk":
        most = exact(check.settings["at_most"], "at_most")
        return int(check.settings.get("convention", -(-most.denominator // most.numerator)))
    return None
