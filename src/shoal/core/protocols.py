"""The seams: what a model, a loss and an algorithm are. Each implementation is one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.core.certificate import Certificate
from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.hierarchy import Hierarchy
from shoal.core.recoding import Recoding
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError

__all__ = [
    "Algorithm",
    "CellLoss",
    "ClassLoss",
    "Closure",
    "LossMetric",
    "PrivacyModel",
    "Problem",
    "ReleaseLoss",
    "Solution",
    "check_support",
    "needs_models",
    "scope_of",
]


class Closure(Enum):
    """What a model promises when classes grow; a law test holds it to that.

    ``SUPERSET``: a class that contains a passing class passes. ``UNION``: the union of two passing classes
    passes. ``NONE``: neither.
    """

    SUPERSET = "superset"
    UNION = "union"
    NONE = "none"


@runtime_checkable
class PrivacyModel(Protocol):
    """A condition on every equivalence class, tested on all classes at once.

    Implementations are frozen, keyword-only dataclasses whose fields are the parameters of the model. Two further
    attributes are read where they are there:

    * ``scope``: ``"class"``, or ``"table"`` where whether a class violates depends on the other classes. Then
      ``violating`` names classes of the table that have to go, so that what is left passes, or is asked again.
      Closure says what coarser classes of the whole table promise, and only the sum of ``must_suppress`` counts.
    * ``reads``: what ``Classes`` must hold beside sizes and histograms, of ``"population"`` and ``"cells"``.
    """

    name: ClassVar[str]

    @property
    def columns(self) -> tuple[str, ...]:
        """Sensitive columns whose histograms the model reads."""
        ...

    @property
    def required(self) -> float:
        """The threshold, for the verdict."""
        ...

    def closure(self, *, by_people: bool) -> Closure:
        """Return what holds when classes grow, if classes count rows or, *by_people*, people."""
        ...

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which classes violate the model, bool [n_classes]."""
        ...

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the strictest threshold that every class meets; None where there is no class."""
        ...

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return a lower bound on the rows of each class that violate in *any* refinement of it.

        int64 [n_classes]. Refining splits classes; the bound lets a search rule out every node below one that
        it has counted. 0 is always right.
        """
        ...


def scope_of(model: PrivacyModel) -> str:
    """Return ``"class"`` or ``"table"``, see :class:`PrivacyModel`."""
    scope: str = getattr(model, "scope", "class")
    return scope


@runtime_checkable
class CellLoss(Protocol):
    """A loss that is a sum over cells, each judged by its leaf and its published interval."""

    name: ClassVar[str]
    normalized: ClassVar[bool]
    """Whether the sum is divided by the sum of :meth:`full`; else the loss is the sum itself."""

    def costs(
        self,
        hierarchy: Hierarchy,
        marginal: NDArray[np.int64],
        leaf: NDArray[np.int32],
        lo: NDArray[np.int32],
        hi: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return the cost of publishing each *leaf* as ``[lo, hi]``, float64 [n]; never less for a wider one.

        *marginal* is the column's count of each leaf in the input, int64 [n_values].
        """
        ...

    def full(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> float:
        """Return the column's part of the denominator."""
        ...


@runtime_checkable
class ClassLoss(Protocol):
    """A loss that depends on the sizes of the classes alone; never less for coarser classes."""

    name: ClassVar[str]

    def of_sizes(self, rows: NDArray[np.int64], suppressed: int) -> float:
        """Return the loss of classes with these *rows* [n_classes] and *suppressed* further rows."""
        ...


@runtime_checkable
class ReleaseLoss(Protocol):
    """A loss that needs the whole release; it is measured at the end and steers no search."""

    name: ClassVar[str]

    def of_release(self, table: FrequencyTable, regions: Regions) -> float:
        """Return the loss of normalized *regions*."""
        ...


LossMetric = CellLoss | ClassLoss


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """Everything that an algorithm is asked for, beside the table.

    Parameters
    ----------
    models : tuple of PrivacyModel
    loss : LossMetric
        The objective.
    context : Context
        The input's sensitive distributions.
    suppression_limit : Fraction, default 0
        Largest share of rows that may be suppressed, in [0, 1].
    weights : mapping of str to float
        Weight of quasi-identifiers in the objective, 1 where not named.
    max_levels : mapping of str to int
        Highest allowed level of quasi-identifiers, the root where not named.
    budget_s : float or None
        Wall-clock seconds after which the best so far is returned.
    progress : callable, optional
        Called with (share done in [0, 1] or None, what is being done) now and then.
    """

    models: tuple[PrivacyModel, ...]
    loss: LossMetric
    context: Context
    suppression_limit: Fraction = Fraction(0)
    weights: Mapping[str, float] = field(default_factory=dict)
    max_levels: Mapping[str, int] = field(default_factory=dict)
    budget_s: float | None = None
    progress: Callable[[float | None, str], None] = lambda _share, _text: None

    @property
    def columns(self) -> tuple[str, ...]:
        """Sensitive columns that some model reads."""
        return tuple(dict.fromkeys(name for model in self.models for name in model.columns))

    @property
    def allowed(self) -> int:
        """Largest number of rows that may be suppressed."""
        return int(self.suppression_limit * self.context.n_rows)

    @property
    def reads(self) -> frozenset[str]:
        """What models read of classes beside sizes and histograms."""
        return frozenset().union(*(getattr(model, "reads", ()) for model in self.models))

    @property
    def of_tables(self) -> tuple[PrivacyModel, ...]:
        """Models of scope table."""
        return tuple(model for model in self.models if scope_of(model) == "table")

    def violating(self, classes: Classes) -> NDArray[np.bool_]:
        """Return which classes have to go so that the others meet every model, bool [n_classes].

        Those that violate a model of scope class, and then whatever models of scope table name of the rest, until
        they name nothing.
        """
        violating = np.zeros(len(classes), bool)
        of_tables = self.of_tables
        for model in self.models:
            if model not in of_tables:
                violating |= model.violating(classes, self.context)
        changed = bool(of_tables)
        while changed:
            changed = False
            for model in of_tables:
                kept = np.flatnonzero(~violating)
                gone = kept[model.violating(classes.only(~violating), self.context)]
                violating[gone] = True
                changed |= gone.size > 0
        return violating

    def must_suppress(self, classes: Classes) -> NDArray[np.int64]:
        """Return lower bounds on the rows that violate in any refinement of *classes*, int64 [n_classes].

        The sum is a bound. What a model of scope table must suppress need not lie in the classes that it names, so
        its bound replaces that of the others where it is greater.
        """
        most = np.zeros(len(classes), np.int64)
        of_tables = self.of_tables
        for model in self.models:
            if model not in of_tables:
                np.maximum(most, model.must_suppress(classes, self.context), out=most)
        for model in of_tables:
            rows = model.must_suppress(classes, self.context)
            if rows.sum() > most.sum():
                most = rows
        return most

    def closed_under(self, closure: Closure) -> bool:
        """Whether every model has at least this closure (``SUPERSET`` implies ``UNION``)."""
        found = {model.closure(by_people=self.context.by_people) for model in self.models}
        enough = {Closure.SUPERSET} if closure is Closure.SUPERSET else {Closure.SUPERSET, Closure.UNION}
        return found <= enough


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
