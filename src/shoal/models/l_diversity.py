"""l-diversity: every class leaves several sensitive values open."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes, Histogram
from shoal.core.context import Context
from shoal.core.protocols import Closure
from shoal.core.rational import Exact, exact
from shoal.errors import SpecError, nearest_name
from shoal.kernels.eligible import largest_recursive, largest_within

__all__ = ["LDiversity"]

KINDS = ("distinct", "frequency", "entropy", "recursive")

TOLERANCE = 1e-12
"""Real numbers that differ by less than this are equal."""

LARGEST = 10**9


@dataclass(frozen=True, kw_only=True)
class LDiversity:
    """Every class has at least *l* well-represented sensitive values.

    With r_1 >= r_2 >= ... the counts of a class's values in descending order, n its size and H the entropy of
    its distribution (natural logarithm), a class passes when

    * ``distinct``: it has at least l different values;
    * ``frequency``: l * r_1 <= n, so no value has more than the share 1/l (called l-eligible, too);
    * ``entropy``: exp(H) >= l;
    * ``recursive``: it has at least l values and r_1 < c * (r_l + r_(l+1) + ...).

    Parameters
    ----------
    sensitive : str
        A sensitive column.
    l : int, float, str or Fraction
        At least 1; a whole number for ``distinct`` and ``recursive``.
    kind : {"distinct", "frequency", "entropy", "recursive"}, default "distinct"
    c : int, float, str or Fraction, optional
        Above 0, read exactly; for ``recursive`` alone, which needs it.
    count_nulls : bool, default False
        Whether the missing value counts as one of the l values of ``distinct``.

    Raises
    ------
    SpecError
        If a setting is out of range, missing, or of another kind.

    Notes
    -----
    Nulls: not counted by ``distinct`` unless asked; a value like any other for the other kinds.
    Weights: not used; sample counts only.
    Monotone: ``distinct`` yes (closure SUPERSET, also for people); the others under generalization (UNION), not
    under suppression, and not where people are counted (NONE), since people with a value do not add up.
    People: ``distinct`` counts values, however many people bear them; k-anonymity counts the people.
    Cost: O(entries of the histograms), for ``recursive`` with a sort.

    References
    ----------
    .. [1] Machanavajjhala, A. et al. (2006), l-diversity: privacy beyond k-anonymity. doi:10.1109/ICDE.2006.1
    .. [2] Xiao, X., Yi, K., Tao, Y. (2010), The hardness and approximation algorithms for l-diversity.
       doi:10.1145/1739041.1739060

    Examples
    --------
    >>> classes = Classes.from_counts([4, 4], {"disease": [[2, 1, 1], [4, 0, 0]]})
    >>> LDiversity(sensitive="disease", l=2).violating(classes, Context()).tolist()
    [False, True]
    >>> round(LDiversity(sensitive="disease", l=2, kind="entropy").achieved(classes, Context()), 12)
    1.0
    """

    name: ClassVar[str] = "l-diversity"
    sensitive: str
    l: Exact
    kind: str = "distinct"
    c: Exact | None = None
    count_nulls: bool = False

    def __post_init__(self) -> None:
        problems = []
        if self.kind not in KINDS:
            problems.append(f"unknown kind of l-diversity, {nearest_name(str(self.kind), KINDS)}")
        if not 1 <= self.threshold <= LARGEST:
            problems.append("l must be at least 1 and at most 10^9")
        elif self.kind in ("distinct", "recursive") and self.threshold.denominator != 1:
            problems.append(f"l must be a whole number for kind {self.kind}")
        if self.kind == "recursive" and self.c is None:
            problems.append("kind recursive needs c")
        elif self.kind != "recursive" and self.c is not None:
            problems.append("c belongs to kind recursive alone")
        elif self.c is not None and not 0 < self.factor <= LARGEST:
            problems.append("c must be above 0 and at most 10^9")
        if self.count_nulls and self.kind != "distinct":
            problems.append("count_nulls belongs to kind distinct alone")
        if problems:
            raise SpecError(
                "; ".join(problems), where=self.name, fix='l = 3, kind = "distinct" is a common choice'
            )

    @cached_property
    def threshold(self) -> Fraction:
        """The exact threshold l."""
        return exact(self.l, "l")

    @cached_property
    def factor(self) -> Fraction:
        """The exact factor c of the recursive kind, 0 for the others."""
        return Fraction(0) if self.c is None else exact(self.c, "c")

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.sensitive,)

    @property
    def required(self) -> float:
        """The threshold l."""
        return float(self.threshold)

    def closure(self, *, by_people: bool) -> Closure:
        """Return SUPERSET for distinct; for the others UNION on rows and NONE on people."""
        if self.kind == "distinct":
            return Closure.SUPERSET
        return Closure.NONE if by_people else Closure.UNION

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which classes have fewer than l well-represented values."""
        histogram = classes.histograms[self.sensitive]
        if self.kind == "frequency":
            # r_1 > n/l for whole r_1; the quotient keeps the products small.
            allowed = classes.size * self.threshold.denominator // self.threshold.numerator
            return _most(histogram) > allowed
        if self.kind == "entropy":
            goal = float(np.log(float(self.threshold))) - TOLERANCE
            return _entropy(histogram) < goal
        return self._whole_l(histogram) < int(self.threshold)

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the largest l that every class meets, for this kind and c.

        A whole number for distinct and recursive (0: not even l = 1), exp(H) for entropy and n / r_1 for
        frequency.
        """
        if not len(classes):
            return None
        histogram = classes.histograms[self.sensitive]
        if self.kind == "frequency":
            return float((classes.size / np.maximum(_most(histogram), 1)).min())
        if self.kind == "entropy":
            return float(np.exp(_entropy(histogram).min()))
        return int(self._whole_l(histogram).min())

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return the rows beyond the largest part that could pass.

        For entropy by concavity: if x of n rows lie in parts that fail, (n - x)/n * ln(l) <= H.
        """
        if self.kind == "distinct":
            return np.where(self.violating(classes, context), classes.rows, 0)
        if context.by_people:
            return np.zeros(len(classes), np.int64)
        histogram = classes.histograms[self.sensitive]
        if self.kind == "frequency":
            share = 1 / self.threshold
            if share.denominator > LARGEST:
                # A slightly larger share gives a slightly weaker bound, with products that stay exact.
                share = Fraction(-(-LARGEST * share.numerator // share.denominator), LARGEST)
            numerators = np.full(histogram.counts.shape[0], share.numerator, np.int64)
            denominators = np.full_like(numerators, share.denominator)
            kept = largest_within(histogram.offsets, histogram.counts, numerators, denominators, classes.size)
            return classes.rows - kept
        if self.kind == "recursive":
            kept = largest_recursive(
                histogram.offsets,
                _descending(histogram),
                l=int(self.threshold),
                numerator=self.factor.numerator,
                denominator=self.factor.denominator,
            )
            return classes.rows - kept
        goal = float(np.log(float(self.threshold))) - TOLERANCE
        if goal <= TOLERANCE:
            return np.zeros(len(classes), np.int64)
        share_failing = 1 - (_entropy(histogram) + TOLERANCE) / goal
        rows = np.ceil(classes.rows * (share_failing - TOLERANCE) - TOLERANCE)
        return np.clip(rows, 0, classes.rows).astype(np.int64)

    def _whole_l(self, histogram: Histogram) -> NDArray[np.int64]:
        """Return the largest whole l of each class, int64 [n_classes]."""
        if self.kind == "recursive":
            return _recursive_l(histogram, self.factor)
        distinct = np.diff(histogram.offsets)
        if self.count_nulls or histogram.null is None:
            return distinct
        # The missing value has the highest code, so it can only be a class's last entry.
        last = histogram.offsets[1:] - 1
        null = np.zeros(distinct.shape[0], bool)
        filled = distinct > 0
        null[filled] = histogram.values[last[filled]] == histogram.null
        return distinct - null


def _most(histogram: Histogram) -> NDArray[np.int64]:
    return histogram.per_class(np.maximum, histogram.counts)


def _entropy(histogram: Histogram) -> NDArray[np.float64]:
    """Return the entropy of each class in nats, float64 [n_classes]."""
    counts = histogram.counts.astype(np.float64)
    total = np.maximum(histogram.totals, 1)
    entropy: NDArray[np.float64] = np.log(total) - histogram.per_class(np.add, counts * np.log(counts)) / total
    return entropy


def _descending(histogram: Histogram) -> NDArray[np.int64]:
    """Return the counts with each class's in descending order."""
    if not histogram.counts.size:
        return histogram.counts
    room = int(histogram.counts.max()) + 1
    return room - 1 - np.sort(histogram.owner * room + (room - 1 - histogram.counts)) % room


def _recursive_l(histogram: Histogram, factor: Fraction) -> NDArray[np.int64]:
    """Return the largest l with r_1 < c * (r_l + ...) of each class: the tails only shrink with l."""
    counts = _descending(histogram)
    before = np.concatenate([[0], np.cumsum(counts)])
    tails = before[histogram.offsets[1:]][histogram.owner] - before[:-1]
    largest = counts[histogram.offsets[:-1][histogram.owner]]
    passes = largest * factor.denominator // factor.numerator < tails
    return histogram.per_class(np.add, passes.astype(np.int64))
