"""What an algorithm is asked for, beside the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.protocols import Closure, LossMetric, PrivacyModel, scope_of

__all__ = ["Problem"]


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
