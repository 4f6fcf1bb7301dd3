"""Population uniqueness: few people of the population stand alone, by an estimate."""

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
from shoal.errors import SpecError, nearest_name
from shoal.risk.uniqueness import ESTIMATORS, estimate_uniqueness

__all__ = ["PopulationUniqueness"]


@dataclass(frozen=True, kw_only=True)
class PopulationUniqueness:
    """At most the share *share* of the population is alone in its class, as estimated from the sample.

    Parameters
    ----------
    share : int, float, str or Fraction
        Largest allowed share of the population, in [0, 1].
    sampling_fraction : int, float, str or Fraction
        Share of the population that is in the table, in (0, 1].
    method : {"dankar", "pitman", "zayatz", "snb"}, default "dankar"
        How it is estimated, see :mod:`shoal.risk.uniqueness`. An estimate that does not exist for a table is
        replaced by that of Zayatz.

    Raises
    ------
    SpecError
        If a setting is out of range.

    Notes
    -----
    Nulls: a missing quasi-identifier is a value of its own.
    Weights: not used; sample counts and one sampling fraction.
    Monotone: no (closure NONE): it is an estimate.
    Scope: table. Where the estimate is too high, all classes of one fail; without them it is 0.
    Cost: O(n_classes), and some thousand evaluations of the likelihood.

    References
    ----------
    .. [1] Dankar, F. et al. (2012), Estimating the re-identification risk of clinical data sets.
       doi:10.1186/1472-6947-12-66

    Examples
    --------
    >>> classes = Classes.from_counts([1, 1, 2, 6])
    >>> model = PopulationUniqueness(share="0.01", sampling_fraction="0.5", method="zayatz")
    >>> model.violating(classes, Context()).tolist()
    [True, True, False, False]
    """

    name: ClassVar[str] = "population-uniqueness"
    scope: ClassVar[str] = "table"
    share: Exact
    sampling_fraction: Exact
    method: str = "dankar"

    def __post_init__(self) -> None:
        problems = []
        if not 0 <= self.threshold <= 1:
            problems.append("share must lie in [0, 1]")
        if not 0 < exact(self.sampling_fraction, "sampling_fraction") <= 1:
            problems.append("sampling_fraction must be above 0 and at most 1")
        if self.method not in ESTIMATORS:
            problems.append(f"unknown method, {nearest_name(str(self.method), ESTIMATORS)}")
        if problems:
            raise SpecError("; ".join(problems), where=self.name, fix="share = 0.01, sampling_fraction = 0.1")

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
        """Return NONE: an estimate promises nothing."""
        return Closure.NONE

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return the classes of one where the estimate is too high."""
        found = self.achieved(classes, context)
        alone: NDArray[np.bool_] = classes.size == 1
        return alone & (found is not None and found > self.required)

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the estimated share of the population that is alone."""
        if not len(classes):
            return None
        fraction = float(exact(self.sampling_fraction, "sampling_fraction"))
        for method in (self.method, "zayatz"):
            found = estimate_uniqueness(classes.size, fraction, method)
            if found is not None:
                return found
        return 0.0

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return 0: a refinement may be estimated lower."""
        return np.zeros(len(classes), np.int64)
