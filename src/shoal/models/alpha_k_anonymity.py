"""(α, k)-anonymity: nobody's sensitive value can be guessed with more confidence than α."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes, Histogram
from shoal.core.context import Context, SensitiveColumn
from shoal.core.protocols import Closure
from shoal.core.rational import Exact, exact
from shoal.errors import SpecError
from shoal.kernels.ceiling import ceiling_bound, effective_alpha, largest_under
from shoal.kernels.eligible import largest_within

__all__ = ["AlphaKAnonymity", "effective_alpha"]

FORMS = ("ratio", "ceiling")
READINGS = ("per-value", "union")


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity:
    """Every class has at least *k* records, and no sensitive value has more than the share *alpha* of them.

    Parameters
    ----------
    sensitive : str
        A sensitive column.
    alpha : int, float, str or Fraction, or mapping of str to these
        Largest share of a value in a class, in (0, 1], read exactly. A mapping gives each value its own; values
        that it does not name have no limit.
    k : int, default 1
        Smallest allowed class, at least 1.
    values : iterable of str, optional
        The values that *alpha* bounds; all values of the column, the missing one included, where left out.
        By their texts, whatever the type of the column: ``"1"``, ``"true"``, ``"2024-03-01"``. A value that never
        occurs bounds nothing. ``None`` among them is the missing value.
    form : {"ratio", "ceiling"}, default "ratio"
        ``count <= alpha * size``, or the paper's refined ``count <= ceil(alpha * size)``. The second promises
        less than *alpha* (see :attr:`effective_alpha`).
    reading : {"per-value", "union"}, default "per-value"
        Whether *alpha* bounds each of the *values* or all of them together.

    Raises
    ------
    SpecError
        If a setting is out of range or the settings contradict each other.

    Notes
    -----
    Nulls: a sensitive null is a value like any other.
    Weights: not used; sample counts only.
    Monotone: ratio form yes under generalization (closure UNION, the k part SUPERSET); ceiling form no (NONE).
    Where people are counted no: people with a value do not add up. In the union reading a person with two of
    the values counts once per value, up to the size of the class, so the share is never understated.
    Several columns: one model each; a class has to meet all of them.
    The ceiling form is not what the paper's proofs take it for: unions of passing classes can fail, at every
    alpha below 1 and every k. A search may prune with :meth:`must_suppress` alone and has to test the rest.
    Cost: O(entries of the histograms).

    References
    ----------
    .. [1] Wong, R., Li, J., Fu, A., Wang, K. (2006), (α, k)-anonymity: an enhanced k-anonymity model for
       privacy preserving data publishing. doi:10.1145/1150402.1150499

    Examples
    --------
    >>> classes = Classes.from_counts([4, 3], {"disease": [[2, 1, 1], [2, 1, 0]]})
    >>> AlphaKAnonymity(sensitive="disease", alpha="1/2", k=3).violating(classes, Context()).tolist()
    [False, True]
    >>> AlphaKAnonymity(sensitive="disease", alpha="1/2", form="ceiling").violating(classes, Context()).tolist()
    [False, False]
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    sensitive: str
    alpha: Exact | Mapping[str, Exact]
    k: int = 1
    values: Iterable[str | None] | None = None
    form: str = "ratio"
    reading: str = "per-value"

    def __post_init__(self) -> None:
        problems = []
        if self.values is not None:
            values = (self.values,) if isinstance(self.values, str) else tuple(self.values)
            object.__setattr__(self, "values", values)
            if not values:
                problems.append("values is empty: leave it out for all values")
        named = self.alpha if isinstance(self.alpha, Mapping) else self.values or ()
        if not all(value is None or isinstance(value, str) for value in named):
            # A number among them would be no text of the table, and bound nothing.
            problems.append('values are named by their texts, such as "1", "true" or "2024-03-01"')
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            problems.append("k must be a whole number of at least 1")
        if self.form not in FORMS:
            problems.append(f"form must be one of {', '.join(FORMS)}")
        if self.reading not in READINGS:
            problems.append(f"reading must be one of {', '.join(READINGS)}")
        elif self.reading == "union" and (self.values is None or isinstance(self.alpha, Mapping)):
            problems.append("the union reading needs values and one alpha")
        if isinstance(self.alpha, Mapping):
            if self.values is not None:
                problems.append("values is not used where alpha names them: give one of the two")
            if not self.alpha:
                problems.append("alpha names no value")
        if not all(0 < limit <= 1 for limit in self.limits.values()):
            problems.append("alpha must be above 0 and at most 1")
        if problems:
            raise SpecError("; ".join(problems), where=self.name, fix='alpha = "1/2", k = 5 is a common choice')

    @cached_property
    def limits(self) -> dict[str | None, Fraction]:
        """The exact largest share of each named value; one entry ``""`` where all values are meant."""
        if isinstance(self.alpha, Mapping):
            return {value: exact(alpha, "alpha") for value, alpha in self.alpha.items()}
        return dict.fromkeys(self.values or ("",), exact(self.alpha, "alpha"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.sensitive,)

    @property
    def required(self) -> float:
        """The threshold alpha; 1 for a mapping, whose achieved figure is a share of each value's own alpha."""
        return 1.0 if isinstance(self.alpha, Mapping) else float(next(iter(self.limits.values())))

    @property
    def effective_alpha(self) -> Fraction:
        """The largest share that a passing class can show: above alpha in the ceiling form."""
        alpha = max(self.limits.values())
        return effective_alpha(alpha, self.k) if self.form == "ceiling" else alpha

    def closure(self, *, by_people: bool) -> Closure:
        """Return UNION for the ratio form on rows; NONE for the ceiling form or people."""
        return Closure.NONE if by_people or self.form == "ceiling" else Closure.UNION

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which classes are smaller than k or show a value too often."""
        bounded, numerators, denominators = self._bounded(classes, context)
        if self._all_values:
            # With one alpha for all values the most frequent one decides.
            over = self._over(_most(bounded), classes.size, numerators, denominators)
        else:
            each = self._over(bounded.counts, classes.size[bounded.owner], numerators, denominators)
            over = bounded.per_class(np.logical_or, each)
        return over | (classes.size < self.k)

    def exceeding(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which entries of the histogram are of values that their class shows too often, bool [n_entries].

        In the union reading these are all of the values in a class where they exceed alpha together.
        """
        histogram = classes.histograms[self.sensitive]
        bounded, numerators, denominators = self._bounded(classes, context)
        over = self._over(bounded.counts, classes.size[bounded.owner], numerators, denominators)
        if self.reading == "union":
            named = np.isin(histogram.values, self._codes(context.column(self.sensitive)))
            return over[histogram.owner] & named
        return over

    def _over(self, counts: Any, size: Any, numerators: Any, denominators: Any) -> NDArray[np.bool_]:
        if self.form == "ratio":
            over: NDArray[np.bool_] = counts * denominators > numerators * size
        else:
            over = counts > -(-numerators * size // denominators)
        return over

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the largest share that a bounded value has in a class, in [0, 1].

        For a mapping, the largest ratio of a share to its own alpha. In the ceiling form a class may pass with
        a share above alpha, up to :attr:`effective_alpha`.
        """
        if not len(classes):
            return None
        bounded, numerators, denominators = self._bounded(classes, context)
        if self._all_values:
            return float((_most(bounded) / np.maximum(classes.size, 1)).max())
        shares = bounded.counts / np.maximum(classes.size, 1)[bounded.owner]
        if isinstance(self.alpha, Mapping):
            shares = shares * denominators / numerators
        if self.reading == "per-value":
            shares = shares[np.isin(bounded.values, self._codes(context.column(self.sensitive)))]
        return float(shares.max(initial=0.0))

    def figures(self, classes: Classes, context: Context) -> dict[str, float | None]:
        """Return the size of the smallest class and, in the ceiling form, the effective alpha."""
        figures: dict[str, float | None] = {"k": int(classes.size.min()) if len(classes) else None}
        if self.form == "ceiling":
            figures["effective_alpha"] = float(self.effective_alpha)
        return figures

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return the rows beyond the largest part that could pass; all where that is smaller than k.

        In the ceiling form this is the one condition that a search may prune with: it is 0 exactly where the
        class has at least k rows and no value more often than the most over all splits into classes of at
        least k, F(n) = max of the sums of ceil(alpha * a). Every union of passing classes meets that, so what
        does not can be ruled out with all that is finer. It is necessary and not sufficient.
        """
        if context.by_people:
            return np.where(classes.size < self.k, classes.rows, 0)
        bounded, numerators, denominators = self._bounded(classes, context)
        if self.form == "ceiling":
            limits = sorted(set(self.limits.values()))
            n_rows = max(context.n_rows, int(classes.size.max(initial=0)))
            kept = largest_under(
                bounded.offsets,
                bounded.counts,
                self._which(limits, bounded, context),
                [ceiling_bound(limit, self.k, n_rows) for limit in limits],
                classes.size,
            )
        else:
            full = np.zeros(bounded.counts.shape[0], np.int64)
            kept = largest_within(
                bounded.offsets, bounded.counts, full + numerators, full + denominators, classes.size
            )
        return classes.rows - np.where(kept < self.k, 0, kept)

    def _which(self, limits: list[Fraction], bounded: Histogram, context: Context) -> NDArray[np.int64]:
        """Return which of the *limits* bounds each count, int64 [n_entries]; -1 where none does."""
        if self._all_values or self.reading == "union":
            return np.zeros(bounded.counts.shape[0], np.int64)
        column = context.column(self.sensitive)
        which = np.full(column.hierarchy.n_values, -1, np.int64)
        for value, limit in self.limits.items():
            if value in column.hierarchy.codes:
                which[column.hierarchy.codes[value]] = limits.index(limit)
        return which[bounded.values]

    def _bounded(self, classes: Classes, context: Context) -> tuple[Histogram, Any, Any]:
        """Return the counts that alpha bounds, with the numerator and denominator of each one's alpha."""
        histogram = classes.histograms[self.sensitive]
        if self._all_values:
            return histogram, *self.limits[""].as_integer_ratio()
        column = context.column(self.sensitive)
        if self.reading == "union":
            named = np.isin(histogram.values, self._codes(column))
            sums = histogram.per_class(np.add, np.where(named, histogram.counts, 0))
            everything = np.arange(len(classes) + 1, dtype=np.int64)
            united = Histogram(everything, np.zeros(len(classes), np.int32), np.minimum(sums, classes.size))
            return united, *next(iter(self.limits.values())).as_integer_ratio()
        key = (self.name, tuple(self.limits.items()))
        if key not in column.derived:
            # An alpha of 1 bounds nothing.
            shares = np.ones((2, column.hierarchy.n_values), np.int64)
            for value, limit in self.limits.items():
                if value in column.hierarchy.codes:
                    shares[:, column.hierarchy.codes[value]] = limit.as_integer_ratio()
            column.derived[key] = shares
        shares = column.derived[key]
        return histogram, shares[0][histogram.values], shares[1][histogram.values]

    @property
    def _all_values(self) -> bool:
        return self.values is None and not isinstance(self.alpha, Mapping)

    def _codes(self, column: SensitiveColumn) -> NDArray[np.int32]:
        known = column.hierarchy.codes
        return np.array([known[value] for value in self.limits if value in known], np.int32)


def _most(histogram: Histogram) -> NDArray[np.int64]:
    return histogram.per_class(np.maximum, histogram.counts)
