"""k^m-anonymity: whoever knows any m columns of a person finds at least k records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.protocols import Closure
from shoal.errors import SpecError
from shoal.kernels.grouping import group_columns, sum_by_group

__all__ = ["KmAnonymity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KmAnonymity:
    """Every combination of values in any *m* quasi-identifiers occurs in at least *k* records, or people.

    Statistical offices call it the all-m approach. With all quasi-identifiers it is k-anonymity.

    Parameters
    ----------
    k : int
        Fewest records of a combination, at least 1.
    m : int
        Columns that an attacker knows, at least 1; all where there are fewer.

    Raises
    ------
    SpecError
        If *k* or *m* is not a whole number of at least 1.

    Notes
    -----
    Nulls: a missing quasi-identifier is a value of its own.
    Weights: not used; sample counts only.
    Monotone: yes, as a table and with suppression: coarser combinations hold more records, and there is one
    largest set of classes that passes, since two sets that pass do so together. Classes outside it are suppressed.
    Scope: table. A class fails if one of its combinations is rare among the classes that do not fail.
    Cost: O(n_classes) for each of the (n_qi over m) sets of columns, times the rounds until no class fails.

    References
    ----------
    .. [1] Terrovitis, M., Mamoulis, N., Kalnis, P. (2008), Privacy-preserving anonymization of set-valued data.
       doi:10.14778/1453856.1453874
    .. [2] Hundepool, A. et al. (2012), Statistical disclosure control, on all-m. doi:10.1002/9781118348239

    Examples
    --------
    Each value of either column occurs twice, each pair of values once:

    >>> cells = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> classes = Classes.from_counts([1, 1, 1, 1], cells=cells)
    >>> KmAnonymity(k=2, m=1).violating(classes, Context()).tolist()
    [False, False, False, False]
    >>> KmAnonymity(k=2, m=2).achieved(classes, Context())
    1
    """

    name: ClassVar[str] = "km-anonymity"
    scope: ClassVar[str] = "table"
    reads: ClassVar[frozenset[str]] = frozenset({"cells"})
    k: int
    m: int

    def __post_init__(self) -> None:
        for letter, value in (("k", self.k), ("m", self.m)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SpecError(f"{letter} must be a whole number of at least 1", fix="k = 5, m = 3 is a choice")

    @property
    def columns(self) -> tuple[str, ...]:
        """No sensitive column is read."""
        return ()

    @property
    def required(self) -> float:
        """The threshold k."""
        return self.k

    def closure(self, *, by_people: bool) -> Closure:
        """Return SUPERSET, of the whole table: coarser combinations hold more."""
        return Closure.SUPERSET

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return the classes outside the largest set of classes that passes."""
        violating = np.zeros(len(classes), bool)
        rare = True
        # A combination holds its classes, so it is rare only where all of them are small.
        while rare and (classes.size[~violating] < self.k).any():
            kept = np.flatnonzero(~violating)
            part = classes.only(~violating)
            fails = np.zeros(len(part), bool)
            for group, counts in self._combinations(part):
                fails |= (counts < self.k)[group]
            rare = bool(fails.any())
            violating[kept[fails]] = True
        return violating

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return how often the rarest combination occurs."""
        if not len(classes):
            return None
        return min(int(counts.min()) for _, counts in self._combinations(classes))

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return all rows outside the largest set that passes: no refinement keeps any of them."""
        return np.where(self.violating(classes, context), classes.rows, 0)

    def _combinations(self, classes: Classes) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        """Yield, per set of columns, the combination of each class and how many members each combination has."""
        if classes.cells is None:
            raise SpecError(
                f"{self.name!r} needs the labels of classes, which were not counted",
                fix='use algorithm = "optimal"',
            )
        cells = classes.cells
        highest = cells.max(axis=0, initial=0) + 1
        for chosen in combinations(range(cells.shape[1]), min(self.m, cells.shape[1])):
            group, first = group_columns([cells[:, j] for j in chosen], [int(highest[j]) for j in chosen])
            if classes.members is None:
                yield group, sum_by_group(group, classes.size, first.shape[0])
            else:
                owner, person = classes.members
                n_people = int(person.max(initial=0)) + 1
                _, pair = group_columns([group[owner], person], [first.shape[0], n_people])
                yield group, np.bincount(group[owner[pair]], minlength=first.shape[0]).astype(np.int64)
