"""Sample uniqueness: few records stand alone."""

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

__all__ = ["SampleUniqueness"]


@dataclass(frozen=True, kw_only=True)
class SampleUniqueness:
    """At most the share *share* of the records is alone in its class; of people where a unit is given.

    Parameters
    ----------
    share : int, float, str or Fraction
        Largest allowed share, in [0, 1], read exactly.

    Raises
    ------
    SpecError
        If *share* is out of range.

    Notes
    -----
    Nulls: a missing quasi-identifier is a value of its own.
    Weights: not used; sample counts only.
    Monotone: under generalization yes where nothing is suppressed (closure UNION, of the whole table); where
    people are counted no (NONE), since somebody in two classes counts twice before these merge.
    Scope: table. Where too many stand alone, all of them fail.
    Cost: O(n_classes).

    References
    ----------
    .. [1] El Emam, K. (2013), Guide to the de-identification of personal health information.
       doi:10.1201/b14764

    Examples
    --------
    >>> classes = Classes.from_counts([1, 1, 8])
    >>> SampleUniqueness(share="0.2").violating(classes, Context()).tolist()
    [False, False, False]
    >>> SampleUniqueness(share="0.1").violating(classes, Context()).tolist()
    [True, True, False]
    """

    name: ClassVar[str] = "sample-uniqueness"
    scope: ClassVar[str] = "table"
    share: Exact

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise SpecError("share must lie in [0, 1]", where=self.name, fix="share = 0.05 is a choice")

    @cached_property
    def threshold(self) -> Fraction:
        """The exact threshold."""
        return exact(self.share, "share")

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
        """Return the classes of one where there are too many of them."""
        alone: NDArray[np.bool_] = classes.size == 1
        return alone & (self._excess(classes) > 0)

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the share that is alone."""
        return float((classes.size == 1).sum() / classes.size.sum()) if len(classes) else None

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return as many rows that are alone as have to go: they are alone in every refinement."""
        must = np.zeros(len(classes), np.int64)
        excess = self._excess(classes)
        if excess <= 0 or context.by_people:
            return must
        fewest = -(-excess // (self.threshold.denominator - self.threshold.numerator))
        must[np.flatnonzero(classes.size == 1)[:fewest]] = 1
        return must

    def _excess(self, classes: Classes) -> int:
        """Return (alone - share * members), times the denominator of the share."""
        alone, members = int((classes.size == 1).sum()), int(classes.size.sum())
        return alone * self.threshold.denominator - members * self.threshold.numerator
