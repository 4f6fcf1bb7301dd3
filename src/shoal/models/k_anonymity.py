"""k-anonymity: nobody is in a group smaller than k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.protocols import Closure
from shoal.errors import SpecError

__all__ = ["KAnonymity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KAnonymity:
    """Every class has at least *k* records, or people where a unit is given.

    Parameters
    ----------
    k : int
        Smallest allowed class, at least 1.

    Raises
    ------
    SpecError
        If *k* is not a whole number of at least 1.

    Notes
    -----
    Nulls: a missing quasi-identifier is a value of its own and never makes k look larger.
    Weights: not used; sample counts only.
    Monotone: yes (closure SUPERSET), also when people are counted.
    Cost: O(n_classes).

    References
    ----------
    .. [1] Sweeney, L. (2002), k-anonymity: a model for protecting privacy. doi:10.1142/S0218488502001648

    Examples
    --------
    >>> KAnonymity(k=3).violating(Classes.from_counts([2, 3]), Context()).tolist()
    [True, False]
    """

    name: ClassVar[str] = "k-anonymity"
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
        """Return SUPERSET: a class with k members has them still when others join."""
        return Closure.SUPERSET

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which classes are smaller than k."""
        return classes.size < self.k

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the size of the smallest class."""
        return int(classes.size.min()) if len(classes) else None

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return all rows of violating classes: every part of a small class is small."""
        return np.where(self.violating(classes, context), classes.rows, 0)
