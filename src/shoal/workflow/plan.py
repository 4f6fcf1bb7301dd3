"""What is asked for, with every name resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from numbers import Integral, Real
from typing import Any

from shoal.algorithms import ALGORITHMS
from shoal.core.algorithm import Algorithm, needs_models
from shoal.core.protocols import LossMetric, PrivacyModel
from shoal.core.rational import Exact, exact
from shoal.errors import SpecError, nearest_name
from shoal.workflow.default import default_algorithm
from shoal.workflow.objective import objective_of

__all__ = ["INSENSITIVE_FORMS", "SUPPRESSED_FORMS", "Plan"]

SUPPRESSED_FORMS = ("star", "drop", "blank-sensitive")
INSENSITIVE_FORMS = ("refuse", "copy")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Models, method and limits of one run.

    Parameters
    ----------
    models : tuple of PrivacyModel
        What the release must meet; at least one, unless the algorithm promises something else.
    algorithm : Algorithm
    loss : LossMetric
        The objective.
    suppression_limit : Fraction
        Largest share of suppressed records, in [0, 1].
    suppressed : {"star", "drop", "blank-sensitive"}
        What becomes of suppressed records: ``*`` in every quasi-identifier, left out, or ``*`` with their
        sensitive cells emptied too.
    insensitive : {"refuse", "copy"}
        What becomes of insensitive columns in fake rows: such rows are refused, or copy one genuine row of their
        bucket.
    weights : mapping of str to float
        Weight of quasi-identifiers in the objective, positive.
    max_levels : mapping of str to int
        Highest allowed level of quasi-identifiers.
    budget_s : float or None
        Seconds after which the best so far is taken.
    """

    models: tuple[PrivacyModel, ...]
    algorithm: Algorithm
    loss: LossMetric
    suppression_limit: Fraction = Fraction(0)
    suppressed: str = "star"
    insensitive: str = "refuse"
    weights: Mapping[str, float] = field(default_factory=dict)
    max_levels: Mapping[str, int] = field(default_factory=dict)
    budget_s: float | None = None

    @classmethod
    def resolve(
        cls,
        *,
        models: Iterable[PrivacyModel] | PrivacyModel,
        algorithm: str | Algorithm | None = None,
        loss: str | LossMetric = "ncp",
        suppression_limit: Exact = 0,
        suppressed: str = "star",
        insensitive: str = "refuse",
        weights: Mapping[str, float] | None = None,
        max_levels: Mapping[str, int] | None = None,
        budget_s: float | None = None,
    ) -> Plan:
        """Look names up and check ranges; without an algorithm it is that of :func:`default_algorithm`.

        Raises
        ------
        SpecError
            If a name is unknown, a number is out of range, no model is given, or the objective measures finished
            releases alone.
        """
        given: tuple[Any, ...] = tuple(models) if isinstance(models, Iterable) else (models,)
        chosen = default_algorithm(given) if algorithm is None else algorithm
        search: Algorithm = ALGORITHMS.make(chosen) if isinstance(chosen, str) else chosen
        if isinstance(search, type) or not hasattr(search, "search"):
            raise SpecError(
                "the algorithm is not one", fix='pass its name or an object, such as "mondrian" or Mondrian()'
            )
        if not given and needs_models(search):
            raise SpecError("no privacy model is given", fix="add a model, for example KAnonymity(k=5)")
        for model in given:
            # A class has the methods of its objects too.
            if isinstance(model, type) or not isinstance(model, PrivacyModel):
                raise SpecError("a model is not a privacy model", fix="pass objects such as KAnonymity(k=5)")
        limit = exact(suppression_limit, "suppression_limit")
        if not 0 <= limit <= 1:
            raise SpecError("suppression_limit must be between 0 and 1", fix="it is a share: 0.04 is 4 %")
        if suppressed not in SUPPRESSED_FORMS:
            raise SpecError(
                f"unknown form {suppressed!r} of suppressed records",
                fix=nearest_name(suppressed, SUPPRESSED_FORMS),
            )
        if insensitive not in INSENSITIVE_FORMS:
            raise SpecError(
                f"unknown form {insensitive!r} of insensitive columns in fake rows",
                fix=nearest_name(insensitive, INSENSITIVE_FORMS),
            )
        if not all(isinstance(weight, Real) and 0 < weight < inf for weight in (weights or {}).values()):
            raise SpecError("attribute weights must be positive", fix="give each a finite number above 0")
        if not all(isinstance(level, Integral) and level >= 0 for level in (max_levels or {}).values()):
            raise SpecError(
                "highest levels must not be negative, and must be whole numbers", fix="0 keeps a column as it is"
            )
        return cls(
            models=given,
            algorithm=search,
            loss=objective_of(loss),
            suppression_limit=limit,
            suppressed=suppressed,
            insensitive=insensitive,
            weights=dict(weights or {}),
            max_levels=dict(max_levels or {}),
            budget_s=budget_s,
        )

    @property
    def reads(self) -> frozenset[str]:
        """What models read of classes beside sizes and histograms."""
        return frozenset().union(*(getattr(model, "reads", ()) for model in self.models))

    @property
    def columns(self) -> tuple[str, ...]:
        """Sensitive columns that some model reads."""
        return tuple(dict.fromkeys(name for model in self.models for name in model.columns))
