"""δ-disclosure privacy: no sensitive value is much likelier or rarer in a class than in the whole table."""

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
from shoal.errors import SpecError
from shoal.kernels.eligible import largest_within

__all__ = ["DeltaDisclosure"]

BASES = {"e": 1.0, "2": float(np.log(2.0))}

TOLERANCE = 1e-12
"""Real numbers that differ by less than this are equal."""

FINEST = 10**9


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure:
    """The share of every sensitive value in a class is within a factor of its share in the whole table.

    With p the share of a value in the whole table and q its share in a class, a class passes when
    ``|log(q/p)| < delta`` for every value that occurs in the table; a value that a class lacks breaks it.

    Parameters
    ----------
    sensitive : str
        A sensitive column.
    delta : int, float, str or Fraction
        Bound that is not reached, above 0.
    present_only : bool, default False
        Test only the values that a class has. Weaker than the paper's definition: a class with one value of two
        equally frequent ones passes with delta above ln 2. ARX and pycanon test this.
    base : {"e", "2"}, default "e"
        Base of the logarithm; ARX takes 2.

    Raises
    ------
    SpecError
        If a setting is out of range.

    Notes
    -----
    Nulls: a sensitive null is a value like any other.
    Weights: not used; sample counts only.
    Monotone: under generalization yes (closure UNION), under suppression no. Present values only: no (NONE), a
    value that one class lacks is too rare in the union. Where people are counted no (NONE), since people with a
    value do not add up.
    The whole table is the input before suppression.
    Cost: O(entries of the histograms).

    References
    ----------
    .. [1] Brickell, J., Shmatikov, V. (2008), The cost of privacy: destruction of data-mining utility in
       anonymized data publishing. doi:10.1145/1401890.1401904

    Examples
    --------
    >>> from shoal.core.context import SensitiveColumn
    >>> from shoal.core.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["*"]] * 3)
    >>> context = Context({"disease": SensitiveColumn(tree, np.array([4, 3, 1]))}, n_rows=8)
    >>> classes = Classes.from_counts([4, 4], {"disease": [[2, 1, 1], [2, 2, 0]]})
    >>> DeltaDisclosure(sensitive="disease", delta=1).violating(classes, context).tolist()
    [False, True]
    >>> DeltaDisclosure(sensitive="disease", delta=1, present_only=True).violating(classes, context).tolist()
    [False, False]
    """

    name: ClassVar[str] = "delta-disclosure"
    sensitive: str
    delta: Exact
    present_only: bool = False
    base: str = "e"

    def __post_init__(self) -> None:
        problems = []
        if not 0 < exact(self.delta, "delta") <= FINEST:
            problems.append("delta must be above 0 and at most 10^9")
        if str(self.base) not in BASES:
            problems.append('base must be "e" or "2"')
        if problems:
            raise SpecError("; ".join(problems), where=self.name, fix="delta = 1 is a choice")
        object.__setattr__(self, "base", str(self.base))

    @cached_property
    def required(self) -> float:
        """The threshold delta."""
        return float(exact(self.delta, "delta"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.sensitive,)

    def closure(self, *, by_people: bool) -> Closure:
        """Return UNION for the strict form on rows; NONE for present values only or people."""
        return Closure.NONE if by_people or self.present_only else Closure.UNION

    def distances(self, classes: Classes, context: Context) -> NDArray[np.float64]:
        """Return the largest |log(q/p)| of each class, float64 [n_classes]; infinite where a value is lacking."""
        histogram = classes.histograms[self.sensitive]
        shares = self._shares(context)
        with np.errstate(divide="ignore"):
            ratio = histogram.counts / classes.size[histogram.owner] / shares[histogram.values]
        far = histogram.per_class(np.maximum, np.abs(np.log(ratio))) / BASES[self.base]
        lacking = np.diff(histogram.offsets) < np.count_nonzero(shares)
        distances: NDArray[np.float64] = np.where(lacking & (not self.present_only), np.inf, far)
        return distances

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return in which classes a value is too frequent or too rare."""
        violating: NDArray[np.bool_] = self.distances(classes, context) >= self.required - TOLERANCE
        return violating

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the bound that delta must exceed; infinite where a class lacks a value of the strict form."""
        return float(self.distances(classes, context).max()) if len(classes) else None

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return the rows beyond the largest part that could pass.

        A part keeps every value to the share p e^delta. In the strict form it needs every value of the table, so a
        class that lacks one goes as a whole, and a part with c rows of a value has fewer than c e^delta/p rows.
        """
        histogram = classes.histograms[self.sensitive]
        shares = self._shares(context)
        lacking = (np.diff(histogram.offsets) < np.count_nonzero(shares)) & (not self.present_only)
        if context.by_people:
            return np.where(lacking, classes.rows, 0)
        factor = float(np.exp(min(self.required * BASES[self.base], 700.0)))
        largest = np.minimum(shares * factor, 1.0)
        # Rounding up gives a weaker bound, which is still one.
        numerators = np.minimum(np.floor(largest * (1 + 1e-9) * FINEST) + 1, FINEST).astype(np.int64)
        of_entries = numerators[histogram.values]
        kept = largest_within(
            histogram.offsets, histogram.counts, of_entries, np.full_like(of_entries, FINEST), classes.size
        )
        if not self.present_only:
            room = histogram.counts * factor / np.maximum(shares[histogram.values], 1e-300)
            least = histogram.per_class(np.minimum, np.minimum(room * (1 + 1e-9), 2.0**62))
            kept = np.where(lacking, 0, np.minimum(kept, least.astype(np.int64)))
        return classes.rows - kept

    def _shares(self, context: Context) -> NDArray[np.float64]:
        """Return the share of each value in the whole table, of rows or people."""
        totals = context.column(self.sensitive).totals
        shares: NDArray[np.float64] = totals / max(
            1, int(totals.sum()) if context.people is None else context.people
        )
        return shares
