"""Risk of households: whoever finds one member has found the others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.rational import Exact, exact
from shoal.kernels.grouping import sum_by_group

__all__ = ["HouseholdRisk", "household_risk", "measure_households"]


def household_risk(risk: NDArray[np.float64], household: NDArray[Any]) -> NDArray[np.float64]:
    """Return for each record the risk that somebody of its household is re-identified.

    Parameters
    ----------
    risk : float64 [n_records]
        Individual risk, in [0, 1].
    household : integers [n_records]
        Household of each record, numbered from 0.

    Returns
    -------
    float64 [n_records]
        1 - product of (1 - risk) over the household.

    References
    ----------
    .. [1] Templ, M., Kowarik, A., Meindl, B. (2015), Statistical disclosure control for micro-data using the R
       package sdcMicro. doi:10.18637/jss.v067.i04

    Examples
    --------
    >>> household_risk(np.array([0.02, 0.03, 0.03, 1.0]), np.array([0, 0, 0, 1])).round(6).tolist()
    [0.077918, 0.077918, 0.077918, 1.0]
    """
    n = int(household.max(initial=-1)) + 1
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum(risk, 1.0))
    certain = sum_by_group(household, (risk >= 1).astype(np.int64), n) > 0
    sums = sum_by_group(household, np.where(risk >= 1, 0.0, logs), n)
    of_households: NDArray[np.float64] = np.where(certain, 1.0, -np.expm1(sums))
    of_records: NDArray[np.float64] = of_households[household]
    return of_records


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseholdRisk:
    """Risk that at least one member of a household is found.

    Parameters
    ----------
    grouped_by : {"household", "unit"}
        What belongs together: the rows of a household, or those of one person.
    by : {"weights", "groups"}
        Where the risk of a member comes from: survey weights, or one over the size of its class.
    households : int
    largest : int
        Members of the largest one, as far as they are in the table.
    members : int
        Records, or pairs of a person and a class where people are counted.
    highest, average : float or None
        Highest and mean risk over members, each with the risk of its household, in [0, 1].
    expected : float
        Sum over members: how many would be found, with the rest of their household.
    expected_households : float
        Sum over households: how many would be found.
    threshold, share_above : float or None
        A risk, and the share of members whose household is above it, in [0, 1].
    """

    grouped_by: str
    by: str
    households: int
    largest: int
    members: int
    highest: float | None
    average: float | None
    expected: float
    expected_households: float
    threshold: float
    share_above: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


def measure_households(
    risk: NDArray[np.float64],
    household: NDArray[Any],
    *,
    threshold: Exact = "0.2",
    grouped_by: str = "household",
    by: str = "weights",
) -> HouseholdRisk:
    """Sum up the risks of all households.

    Parameters
    ----------
    risk : float64 [n_members]
        Risk of each member, in [0, 1].
    household : integers [n_members]
        Household of each member, numbered from 0; none is empty.
    threshold : int, float, str or Fraction, default "0.2"
    grouped_by, by : str
        Kept for the reader.

    Returns
    -------
    HouseholdRisk

    Examples
    --------
    >>> found = measure_households(np.array([0.02, 0.03, 0.5]), np.array([0, 0, 1]))
    >>> round(found.highest, 4), round(found.average, 4), round(found.expected_households, 4)
    (0.5, 0.1996, 0.5494)
    """
    members, limit = int(risk.shape[0]), float(exact(threshold, "threshold"))
    together = household_risk(risk, household)
    sizes = np.bincount(household, minlength=1)
    return HouseholdRisk(
        grouped_by=grouped_by,
        by=by,
        households=int((sizes > 0).sum()),
        largest=int(sizes.max()),
        members=members,
        highest=float(together.max()) if members else None,
        average=float(together.mean()) if members else None,
        expected=float(together.sum()),
        expected_households=float((together / sizes[household]).sum()) if members else 0.0,
        threshold=limit,
        share_above=float((together > limit).mean()) if members else None,
    )
