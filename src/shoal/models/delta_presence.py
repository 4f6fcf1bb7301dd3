"""δ-presence: nobody outside can tell with confidence whether a person is in the table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.population import counted_population
from shoal.core.protocols import Closure
from shoal.core.rational import Exact, exact
from shoal.errors import SpecError

__all__ = ["DeltaPresence"]


@dataclass(frozen=True, kw_only=True)
class DeltaPresence:
    """The share of every class of the population that is in the table lies between two bounds.

    Parameters
    ----------
    delta_max : int, float, str or Fraction
        Largest share of a class of the population that may be in the table, in (0, 1], read exactly.
    delta_min : int, float, str or Fraction, default 0
        Smallest share, in [0, delta_max]. Above 0 it is about absence, too: a class of the population of which
        nobody is in the table breaks it, and suppressing rows makes it no better.

    Raises
    ------
    SpecError
        If a bound is out of range; when classes are tested, if no population is given.

    Notes
    -----
    Nulls: a missing quasi-identifier is a value of its own, in the table and in the population.
    Weights: not used; the population table has one row per person.
    Monotone: under generalization yes (closure UNION: the share of a union lies between those of its parts), under
    suppression no. Where people are counted only without delta_min: people in several classes are fewer together.
    The population holds the people of the table; a class that it does not know fails.
    Cost: O(n_classes), and counting the population once for each recoding.

    References
    ----------
    .. [1] Nergiz, M., Atzori, M., Clifton, C. (2007), Hiding the presence of individuals from shared databases.
       doi:10.1145/1247480.1247554

    Examples
    --------
    >>> classes = Classes.from_counts([2, 1], population=[4, 1])
    >>> DeltaPresence(delta_max="1/2").violating(classes, Context()).tolist()
    [False, True]
    """

    name: ClassVar[str] = "delta-presence"
    reads: ClassVar[frozenset[str]] = frozenset({"population"})
    delta_max: Exact
    delta_min: Exact = 0

    def __post_init__(self) -> None:
        low, high = self.bounds
        if not 0 <= low <= high or not 0 < high <= 1:
            raise SpecError(
                "delta_max must be above 0 and at most 1, and delta_min between 0 and delta_max",
                where=self.name,
                fix='delta_max = "1/2" is a choice',
            )

    @cached_property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The exact bounds (delta_min, delta_max)."""
        return exact(self.delta_min, "delta_min"), exact(self.delta_max, "delta_max")

    @property
    def scope(self) -> str:
        """``"table"`` with a delta_min above 0, since people outside every class count then; else ``"class"``."""
        return "table" if self.bounds[0] else "class"

    @property
    def columns(self) -> tuple[str, ...]:
        """No sensitive column is read."""
        return ()

    @property
    def required(self) -> float:
        """The threshold delta_max."""
        return float(self.bounds[1])

    def closure(self, *, by_people: bool) -> Closure:
        """Return UNION; NONE on people with a delta_min."""
        return Closure.NONE if by_people and self.bounds[0] else Closure.UNION

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which classes are outside the bounds; all where part of the population is in none of them."""
        people, (low, high) = counted_population(classes), self.bounds
        over = classes.size * high.denominator > people * high.numerator
        under = classes.size * low.denominator < people * low.numerator
        violating: NDArray[np.bool_] = over | under | (low > 0 and classes.outside > 0)
        return violating

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the largest share of a class of the population that is in the table; infinite: an unknown one."""
        if not len(classes):
            return None
        with np.errstate(divide="ignore"):
            return float((classes.size / counted_population(classes)).max())

    def figures(self, classes: Classes, context: Context) -> dict[str, float | None]:
        """Return the smallest share of a class of the population that is in the table."""
        if not len(classes):
            return {"delta_min": None}
        people = np.maximum(counted_population(classes), 1)
        return {"delta_min": 0.0 if classes.outside else float((classes.size / people).min())}

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return the rows beyond delta_max of the population: parts that pass hold no more together."""
        if context.by_people:
            return np.zeros(len(classes), np.int64)
        high = self.bounds[1]
        allowed = counted_population(classes) * high.numerator // high.denominator
        must: NDArray[np.int64] = np.maximum(classes.rows - allowed, 0)
        return must
