"""Average risk: how likely, on average, an attacker picks the right record."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.protocols import Closure
from shoal.core.rational import Exact, exact
from shoal.errors import SpecError

__all__ = ["AverageRisk"]


@dataclass(frozen=True, kw_only=True)
class AverageRisk:
    """The mean over all records of 1/(size of the record's class) is at most *risk*.

    That is the number of classes divided by that of records; people where a unit is given.

    Parameters
    ----------
    risk : int, float, str or Fraction
        Largest allowed mean, in (0, 1], read exactly.

    Raises
    ------
    SpecError
        If *risk* is out of range.

    Notes
    -----
    Nulls: a missing quasi-identifier is a value of its own.
    Weights: not used; sample counts only.
    Monotone: under generalization yes where nothing is suppressed (closure UNION, of the whole table): classes
    merge and records stay. Where people are counted no (NONE), since somebody in two classes counts twice before
    these merge.
    Scope: table. Where the mean is too high the smallest classes fail, all of one size together, until it is not.
    Cost: O(n_classes log n_classes).

    References
    ----------
    .. [1] El Emam, K. (2013), Guide to the de-identification of personal health information.
       doi:10.1201/b14764

    Examples
    --------
    Two classes among five records are a mean of 0.4; without the smaller one it is 1/3.

    >>> classes = Classes.from_counts([2, 3])
    >>> AverageRisk(risk="0.35").violating(classes, Context()).tolist()
    [True, False]
    """

    name: ClassVar[str] = "average-risk"
    scope: ClassVar[str] = "table"
    risk: Exact

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise SpecError("risk must be above 0 and at most 1", where=self.name, fix="risk = 0.05 is a choice")

    @cached_property
    def threshold(self) -> Fraction:
        """The exact threshold."""
        return exact(self.risk, "risk")

    @property
    def columns(self) -> tuple[str, ...]:
        """No sensitive column is read."""
        return ()

    @property
    def required(self) -> float:
        """The threshold."""
        return float(self.threshold)

    def closure(self, *, by_people: bool) -> Closure:
        """Return UNION, of the whole table, on rows and NONE on people."""
        return Closure.NONE if by_people else Closure.UNION

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return the smallest classes without which the mean is low enough."""
        sizes = np.unique(classes.size)
        order = np.sort(classes.size)
        # What is left without the classes of at most each size, and with all.
        below = np.concatenate([[0], np.searchsorted(order, sizes, side="right")])
        members = np.concatenate([[0], np.cumsum(order)])
        passes = self._passes(len(order) - below, members[-1] - members[below])
        first = int(passes.argmax())
        return np.zeros(len(classes), bool) if first == 0 else classes.size <= sizes[first - 1]

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the mean risk."""
        return len(classes) / int(classes.size.sum()) if len(classes) else None

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return the rows of the fewest smallest classes without which the mean is low enough.

        Refining makes more classes and keeps the records, and of all sets of classes the smallest lower the mean
        most and cost the fewest rows.
        """
        must = np.zeros(len(classes), np.int64)
        if context.by_people:
            return must
        order = np.argsort(classes.size, kind="stable")
        gone = np.concatenate([[0], np.cumsum(classes.size[order])])
        passes = self._passes(len(order) - np.arange(len(order) + 1), gone[-1] - gone)
        lost = order[: int(passes.argmax())]
        must[lost] = classes.rows[lost]
        return must

    def _passes(self, n_classes: NDArray[np.int64], members: NDArray[np.int64]) -> NDArray[np.bool_]:
        passes: NDArray[np.bool_] = n_classes * self.threshold.denominator <= members * self.threshold.numerator
        return passes
