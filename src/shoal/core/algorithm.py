"""The seam of the search: what an algorithm is, finds and can hold. Each implementation is one file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from shoal.core.certificate import Certificate
from shoal.core.problem import Problem
from shoal.core.protocols import PrivacyModel, scope_of
from shoal.core.recoding import Recoding
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError

__all__ = ["Algorithm", "Solution", "check_support", "needs_models", "refuse_infeasible"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """What an algorithm found.

    Parameters
    ----------
    recoding : Recoding
    optimal : bool or None
        Whether the loss is proven least among the recodings that the algorithm ranges over; False where a budget
        ended the proof, None where the algorithm does not seek one.
    statistics : mapping
        Counts that explain the search (nodes of the lattice, nodes counted, ...), plain numbers and texts.
    certificate : Certificate or None
        A proven bound on the distance to the optimum, where the algorithm gives one.
    notes : tuple of str
        What the algorithm decided by itself and why, in sentences for people, without cell values.
    """

    recoding: Recoding
    optimal: bool | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)
    certificate: Certificate | None = None
    notes: tuple[str, ...] = ()


@runtime_checkable
class Algorithm(Protocol):
    """A search for a recoding that meets every model with little loss.

    An attribute ``supports``, where it is there, names what it can do beyond models of single classes: ``"table"``
    (models of scope table) and ``"population"`` (counts of a population table). An attribute ``publishes`` names
    what it publishes where that is not boxes: ``"buckets"`` or ``"noise"``; ``needs_models`` is False where it has
    a promise of its own. A method ``refuse_infeasible(table, problem)`` raises InfeasibleError where no release of
    its kind exists, with choices that it can follow; it leaves what it does not support to the search.
    """

    name: ClassVar[str]

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return a recoding whose classes meet every model of *problem*.

        Raises
        ------
        InfeasibleError
            If there is none within the suppression limit.
        """
        ...


def check_support(algorithm: Algorithm, models: Iterable[PrivacyModel]) -> None:
    """Refuse models that an algorithm cannot hold.

    Raises
    ------
    SpecError
        If a model is about the whole table or a population and the algorithm tests each class by itself.
    """
    supports: frozenset[str] = getattr(algorithm, "supports", frozenset())
    for model in models:
        lacks = []
        if scope_of(model) == "table" and "table" not in supports:
            lacks.append("is a condition on the whole table")
        if "population" in getattr(model, "reads", ()) and "population" not in supports:
            lacks.append("counts a population")
        if lacks:
            raise SpecError(
                f"{model.name!r} {' and '.join(lacks)}, which algorithm {algorithm.name!r} cannot hold: "
                "it tests each class by itself",
                where="[method]",
                fix='use algorithm = "optimal"',
            )


def needs_models(algorithm: Algorithm) -> bool:
    """Return whether an algorithm has nothing to hold without a model."""
    needs: bool = getattr(algorithm, "needs_models", True)
    return needs


def refuse_infeasible(algorithm: Algorithm, table: FrequencyTable, problem: Problem) -> None:
    """Let an algorithm refuse a table that no release of its kind can save, before the general check does.

    Raises
    ------
    InfeasibleError
        With choices that the algorithm can follow.
    """
    own = getattr(algorithm, "refuse_infeasible", None)
    if own is not None:
        own(table, problem)
