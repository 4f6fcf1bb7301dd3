"""(d, α)-linkability: another release, drawn by chance, would share several values with the class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes, Histogram
from shoal.core.context import Context
from shoal.core.protocols import Closure
from shoal.core.rational import Exact, exact
from shoal.errors import SpecError
from shoal.kernels.hits import at_least

__all__ = ["DAlphaLinkable"]

TOLERANCE = 1e-12
"""Real numbers that differ by less than this are equal."""

LARGEST = 10**4


@dataclass(frozen=True, kw_only=True)
class DAlphaLinkable:
    """Of the sensitive values of every class, *d* would recur by chance in another release with probability α.

    Take as many members as a class has, each with a sensitive value drawn at random from the whole table. A value
    *s* of the class is among theirs with probability ``q_s = 1 - (1 - p_s)^n``, where ``p_s`` is its share in the
    table and *n* the size of the class. The class passes when the probability that at least *d* of its values are
    is at least α, values taken as independent of each other. Somebody who lays the release over another one of
    similar people then finds at least *d* values in common, whoever is in both.

    Parameters
    ----------
    sensitive : str
        A sensitive column.
    d : int, default 2
        How many values have to recur, at least 1.
    alpha : int, float, str or Fraction, default 0.9
        With which probability, in (0, 1], read exactly.
    count_nulls : bool, default False
        Whether the missing value is one of the values that may recur.

    Raises
    ------
    SpecError
        If a setting is out of range.

    Notes
    -----
    Nulls: a missing sensitive value counts in the size and the shares, and is no value that recurs, unless asked.
    Weights: not used; sample counts only.
    Monotone: yes (closure SUPERSET, also for people): larger classes raise every chance and add values.
    Source: the test is a reconstruction from the idea of the paper, and the defaults are ours.
    People: where a unit is given, *n* counts people, and ``p_s`` is the share of pairs of a person and a value.
    Cost: O(entries of the histograms * d).

    References
    ----------
    .. [1] Sattar, S., Li, J., Liu, J., Heatherly, R., Malin, B. (2014), A probabilistic approach to mitigate
       composition attacks on privacy in non-coordinated environments. Knowledge-Based Systems 67, 361-372.

    Examples
    --------
    Four members with two values whose shares in the table are 0.3 and 0.2:

    >>> from shoal.core.context import SensitiveColumn
    >>> from shoal.core.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths(["flu", "cold", "other"], [["*"]] * 3)
    >>> context = Context({"disease": SensitiveColumn(tree, np.array([3, 2, 5]))}, n_rows=10)
    >>> classes = Classes.from_counts([4], {"disease": [[2, 2, 0]]})
    >>> for d in (1, 2):
    ...     model = DAlphaLinkable(sensitive="disease", d=d)
    ...     print(round(model.achieved(classes, context), 6), model.violating(classes, context).tolist())
    0.901655 [False]
    0.448645 [True]
    """

    name: ClassVar[str] = "d-alpha-linkable"
    sensitive: str
    d: int = 2
    alpha: Exact = "0.9"
    count_nulls: bool = False

    def __post_init__(self) -> None:
        problems = []
        if isinstance(self.d, bool) or not isinstance(self.d, int) or not 1 <= self.d <= LARGEST:
            problems.append(f"d must be a whole number from 1 to {LARGEST}")
        if not 0 < exact(self.alpha, "alpha") <= 1:
            problems.append("alpha must be above 0 and at most 1")
        if problems:
            raise SpecError("; ".join(problems), where=self.name, fix='d = 2, alpha = "0.9" is a common choice')

    @cached_property
    def required(self) -> float:
        """The threshold α."""
        return float(exact(self.alpha, "alpha"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.sensitive,)

    def closure(self, *, by_people: bool) -> Closure:
        """Return SUPERSET."""
        return Closure.SUPERSET

    def chances(self, classes: Classes, context: Context) -> NDArray[np.float64]:
        """Return the probability that at least d values of each class recur, float64 [n_classes], in [0, 1]."""
        histogram = classes.histograms[self.sensitive]
        if not self.count_nulls:
            histogram = _without_null(histogram)
        shares = context.column(self.sensitive).frequencies[histogram.values]
        with np.errstate(divide="ignore"):
            misses = classes.size[histogram.owner] * np.log1p(-shares)
        return at_least(histogram.offsets, -np.expm1(misses), self.d)

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which classes share d values by chance too rarely."""
        violating: NDArray[np.bool_] = self.chances(classes, context) < self.required - TOLERANCE
        return violating

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the largest α that every class meets, for this d."""
        return float(self.chances(classes, context).min()) if len(classes) else None

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return all rows of the classes that fail: their parts fail, too."""
        return np.where(self.violating(classes, context), classes.rows, 0)


def _without_null(histogram: Histogram) -> Histogram:
    if histogram.null is None:
        return histogram
    kept = histogram.values != histogram.null
    counted = np.bincount(histogram.owner[kept], minlength=histogram.n_classes)
    offsets = np.concatenate([[0], np.cumsum(counted)]).astype(np.int64)
    return Histogram(offsets, histogram.values[kept], histogram.counts[kept])
