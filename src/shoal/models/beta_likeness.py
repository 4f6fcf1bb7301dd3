"""β-likeness: no sensitive value becomes much likelier in a class than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.protocols import Closure
from shoal.core.rational import Exact, exact
from shoal.errors import SpecError, nearest_name
from shoal.kernels.eligible import largest_within

__all__ = ["BetaLikeness"]

KINDS = ("basic", "enhanced")

TOLERANCE = 1e-12
"""Real numbers that differ by less than this, in proportion, are equal."""

FINEST = 10**9


@dataclass(frozen=True, kw_only=True)
class BetaLikeness:
    """No sensitive value gains more than *beta* in a class, relative to its share in the whole table.

    With p the share of a value in the whole table and q its share in a class, the gain is (q - p)/p. A class
    passes when, for every value with q > p,

    * ``basic``: the gain is at most beta;
    * ``enhanced``: the gain is at most beta and at most -ln p, so that frequent values cannot fill a class.

    Parameters
    ----------
    sensitive : str
        A sensitive column.
    beta : int, float, str or Fraction
        Largest allowed gain, above 0, unitless.
    kind : {"basic", "enhanced"}, default "basic"

    Raises
    ------
    SpecError
        If a setting is out of range.

    Notes
    -----
    Nulls: a sensitive null is a value like any other.
    Weights: not used; sample counts only.
    Monotone: under generalization yes (closure UNION: the share in a union is a mean of shares), under
    suppression no; not where people are counted (NONE), since people with a value do not add up.
    The whole table is the input before suppression. Losing a value is no gain, so it is not bounded.
    Cost: O(entries of the histograms).

    References
    ----------
    .. [1] Cao, J., Karras, P. (2012), Publishing microdata with a robust privacy guarantee.
       doi:10.14778/2350229.2350255

    Examples
    --------
    >>> from shoal.core.context import SensitiveColumn
    >>> from shoal.core.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["*"]] * 3)
    >>> context = Context({"disease": SensitiveColumn(tree, np.array([4, 3, 1]))}, n_rows=8)
    >>> classes = Classes.from_counts([4, 4], {"disease": [[2, 1, 1], [2, 2, 0]]})
    >>> BetaLikeness(sensitive="disease", beta=1).violating(classes, context).tolist()
    [False, False]
    >>> BetaLikeness(sensitive="disease", beta="1/2").violating(classes, context).tolist()
    [True, False]
    """

    name: ClassVar[str] = "beta-likeness"
    sensitive: str
    beta: Exact
    kind: str = "basic"

    def __post_init__(self) -> None:
        problems = []
        if not 0 < exact(self.beta, "beta") <= FINEST:
            problems.append("beta must be above 0 and at most 10^9")
        if self.kind not in KINDS:
            problems.append(f"unknown kind of beta-likeness, {nearest_name(str(self.kind), KINDS)}")
        if problems:
            raise SpecError("; ".join(problems), where=self.name, fix='beta = 1, kind = "enhanced" is a choice')

    @cached_property
    def required(self) -> float:
        """The threshold beta."""
        return float(exact(self.beta, "beta"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.sensitive,)

    def closure(self, *, by_people: bool) -> Closure:
        """Return UNION on rows and NONE on people."""
        return Closure.NONE if by_people else Closure.UNION

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return in which classes a value gains too much."""
        histogram = classes.histograms[self.sensitive]
        gains, _, limits = self._gains(classes, context)
        over: NDArray[np.bool_] = histogram.per_class(np.logical_or, gains > limits + TOLERANCE * (1 + limits))
        return over

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the least beta that every class meets; infinite where the bound -ln p is broken."""
        if not len(classes):
            return None
        gains, own, _ = self._gains(classes, context)
        if (gains > own + TOLERANCE * (1 + own)).any():
            return float("inf")
        return float(gains.max(initial=0.0))

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return the rows beyond the largest part in which every value keeps to its largest share."""
        if context.by_people:
            return np.zeros(len(classes), np.int64)
        histogram = classes.histograms[self.sensitive]
        shares = (self._limits(context) + 1) * self._shares(context)
        # Rounding up gives a weaker bound, which is still one.
        numerators = np.minimum(np.floor(np.minimum(shares, 1) * (1 + 1e-9) * FINEST) + 1, FINEST)
        of_entries = numerators.astype(np.int64)[histogram.values]
        kept = largest_within(
            histogram.offsets, histogram.counts, of_entries, np.full_like(of_entries, FINEST), classes.size
        )
        return classes.rows - kept

    def _gains(
        self, classes: Classes, context: Context
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return for each entry its gain, its own bound without beta, and its bound."""
        histogram = classes.histograms[self.sensitive]
        with np.errstate(divide="ignore"):
            gains = histogram.counts / classes.size[histogram.owner] / self._shares(context)[histogram.values] - 1
        return gains, self._own(context)[histogram.values], self._limits(context)[histogram.values]

    def _own(self, context: Context) -> NDArray[np.float64]:
        """Return the bound that a value's own share sets, infinite for the basic kind."""
        shares = self._shares(context)
        if self.kind == "basic":
            return np.full(shares.shape, np.inf)
        with np.errstate(divide="ignore"):
            return -np.log(shares)

    def _limits(self, context: Context) -> NDArray[np.float64]:
        return np.minimum(self._own(context), self.required)

    def _shares(self, context: Context) -> NDArray[np.float64]:
        """Return the share of each value in the whole table, of rows or people."""
        totals = context.column(self.sensitive).totals
        shares: NDArray[np.float64] = totals / max(
            1, int(totals.sum()) if context.people is None else context.people
        )
        return shares
