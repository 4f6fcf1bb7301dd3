"""k-map: everybody looks like at least k people of the population, in the table or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.population import counted_population
from shoal.core.protocols import Closure
from shoal.errors import SpecError

__all__ = ["KMap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KMap:
    """Every class holds at least *k* people of the population under the same recoding.

    Parameters
    ----------
    k : int
        Smallest allowed number of people of the population, at least 1.

    Raises
    ------
    SpecError
        If *k* is not a whole number of at least 1; when classes are tested, if no population is given.

    Notes
    -----
    Nulls: a missing quasi-identifier is a value of its own, in the table and in the population.
    Weights: not used; the population table has one row per person.
    Monotone: yes (closure SUPERSET): a larger class holds more of the population.
    A class that the population does not know has nobody and fails.
    Cost: O(n_classes), and counting the population once for each recoding.

    References
    ----------
    .. [1] Sweeney, L. (2001), Computational disclosure control: a primer on data privacy protection (k-map).
    .. [2] El Emam, K., Dankar, F. (2008), Protecting privacy using k-anonymity. doi:10.1197/jamia.M2716

    Examples
    --------
    >>> classes = Classes.from_counts([1, 2], population=[7, 2])
    >>> KMap(k=5).violating(classes, Context()).tolist()
    [False, True]
    """

    name: ClassVar[str] = "k-map"
    reads: ClassVar[frozenset[str]] = frozenset({"population"})
    k: int

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise SpecError("k must be a whole number of at least 1", fix="k = 5 is a common choice")

    @property
    def columns(self) -> tuple[str, ...]:
        """No sensitive column is read."""
        return ()

    @property
    def required(self) -> float:
        """The threshold k."""
        return self.k

    def closure(self, *, by_people: bool) -> Closure:
        """Return SUPERSET: a class with k people of the population has them still when it grows."""
        return Closure.SUPERSET

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which classes hold fewer than k people of the population."""
        return counted_population(classes) < self.k

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the fewest people of the population in a class."""
        return int(counted_population(classes).min()) if len(classes) else None

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return all rows of a class that fails: parts hold no more of the population."""
        return np.where(self.violating(classes, context), classes.rows, 0)
