"""How likely an attacker who knows that somebody is in the table finds their record."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.rational import Exact, exact
from shoal.errors import SpecError, nearest_name

__all__ = ["READINGS", "Risk", "risk_of"]

READINGS = ("kept", "class")

MOST_COUNTED = 1 << 20
"""Largest class size up to which sizes are counted in an array; beyond it they are sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """Prosecutor risk of a table: 1/n for each of the n members of a class.

    Figures that need a class are None where there is none, so the whole is plain data for JSON.

    Parameters
    ----------
    members : int
        Rows in classes, or people where a unit is given; somebody in two classes counts in both.
    by_people : bool
        Whether people are counted.
    n_classes : int
    highest : float or None
        Risk of the smallest class, in [0, 1].
    average : float or None
        Mean risk over members, the number of classes divided by that of members, in [0, 1].
    threshold : float
        Risk above which a member counts as at risk, in [0, 1].
    share_above : float or None
        Share of members whose risk is above *threshold*, in [0, 1].
    uniques : int
        Members who are alone in their class.
    smallest : int or None
        Size of the smallest class: the k that the table has.
    mean_class_size, median_class_size : float or None
    suppressed_rows : int
        Suppressed rows of the table.
    reading : {"kept", "class"}
        How suppressed rows were read: left out, or as one class of their own.

    References
    ----------
    .. [1] El Emam, K. (2013), Guide to the de-identification of personal health information.
       doi:10.1201/b14764
    """

    members: int
    by_people: bool
    n_classes: int
    highest: float | None
    average: float | None
    threshold: float
    share_above: float | None
    uniques: int
    smallest: int | None
    mean_class_size: float | None
    median_class_size: float | None
    suppressed_rows: int
    reading: str

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


def risk_of(
    classes: Classes,
    *,
    suppressed_rows: int = 0,
    suppressed_people: int | None = None,
    reading: str = "kept",
    threshold: Exact = "0.2",
    by_people: bool = False,
) -> Risk:
    """Measure the re-identification risk of a table by its classes.

    Parameters
    ----------
    classes : Classes
        Without suppressed rows.
    suppressed_rows : int, default 0
        Rows with ``*`` in every quasi-identifier.
    suppressed_people : int, optional
        People that those rows belong to; needed for the reading "class" where people are counted.
    reading : {"kept", "class"}, default "kept"
        Whether suppressed rows are left out or form one class more. A table with one suppressed row has a
        unique in the second reading.
    threshold : int, float, str or Fraction, default "0.2"
        Risk above which a member counts as at risk, read exactly.
    by_people : bool, default False
        Whether the sizes of *classes* count people.

    Raises
    ------
    SpecError
        If *reading* is unknown, *threshold* is not in [0, 1], or the number of suppressed people is missing.

    Examples
    --------
    >>> risk = risk_of(Classes.from_counts([2, 3]), suppressed_rows=1)
    >>> risk.highest, risk.average, risk.uniques
    (0.5, 0.4, 0)
    >>> risk_of(Classes.from_counts([2, 3]), suppressed_rows=1, reading="class").highest
    1.0
    """
    if reading not in READINGS:
        raise SpecError("unknown reading of suppressed rows", fix=nearest_name(reading, READINGS))
    limit = exact(threshold, "threshold")
    if not 0 <= limit <= 1:
        raise SpecError("threshold must lie in [0, 1]", fix="threshold = 0.2 flags members of classes below 5")
    sizes, often = _sizes(classes.size)
    if reading == "class" and suppressed_rows:
        suppressed = suppressed_people if by_people else suppressed_rows
        if suppressed is None:
            raise SpecError("the reading of suppressed rows as a class needs the number of suppressed people")
        order = np.argsort(np.append(sizes, suppressed), kind="stable")
        sizes, often = np.append(sizes, suppressed)[order], np.append(often, 1)[order]
    members, n_classes = int(sizes @ often), int(often.sum())
    small = sizes < _smallest_safe(limit)
    at_risk = int(sizes[small] @ often[small])
    return Risk(
        members=members,
        by_people=by_people,
        n_classes=n_classes,
        highest=1 / int(sizes[0]) if members else None,
        average=n_classes / members if members else None,
        threshold=float(limit),
        share_above=at_risk / members if members else None,
        uniques=int(often[sizes == 1].sum()),
        smallest=int(sizes[0]) if members else None,
        mean_class_size=members / n_classes if members else None,
        median_class_size=_median(sizes, often) if members else None,
        suppressed_rows=suppressed_rows,
        reading=reading,
    )


def _smallest_safe(limit: Fraction) -> float:
    """Return the smallest class size whose risk 1/n is not above the limit."""
    return -(-limit.denominator // limit.numerator) if limit else np.inf


def _sizes(size: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different sizes of classes, rising, and how many classes have each; empty classes are none."""
    if size.max(initial=0) > MOST_COUNTED:
        found, often = np.unique(size, return_counts=True)
        return found[found > 0], often[found > 0]
    counts = np.bincount(size)
    counts[:1] = 0
    found = np.flatnonzero(counts)
    return found, counts[found]


def _median(sizes: NDArray[np.int64], often: NDArray[np.int64]) -> float:
    upto = np.cumsum(often)
    n_classes = int(upto[-1])
    middle = np.searchsorted(upto, [(n_classes - 1) // 2, n_classes // 2], side="right")
    return float(sizes[middle].mean())
