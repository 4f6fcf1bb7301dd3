"""Risk of records of a survey, whose weights say how many people each stands for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.rational import Exact, exact
from shoal.errors import SpecError, nearest_name

__all__ = ["SurveyRisk", "individual_risk", "survey_risk"]

METHODS = ("approx", "exact")


def individual_risk(
    sample: NDArray[Any], population: NDArray[Any], *, method: str = "approx"
) -> NDArray[np.float64]:
    """Return the risk that a record is re-identified, by Benedetti and Franconi.

    The mean of 1/F over the distribution of the population size F of a class that has f records in the sample: F
    is negative binomial with probability p = f / (sum of the weights of the class).

    Parameters
    ----------
    sample : [n_classes]
        f: records of each class in the sample, at least 1.
    population : [n_classes]
        Sum of their weights, the estimated size in the population.
    method : {"approx", "exact"}, default "approx"
        For three records and more: p/(f - (1 - p)), as sdcMicro has it, or the exact mean. One and two are exact.

    Returns
    -------
    float64 [n_classes]
        In [0, 1]. Where the weights are no more than the records, the sample is all there is: 1/f.

    Raises
    ------
    SpecError
        If the method is unknown.

    Notes
    -----
    The exact mean is p I_f with I_1 = -ln(p)/q, I_f = (1/(f - 1) - p I_(f-1))/q and q = 1 - p.

    References
    ----------
    .. [1] Benedetti, R., Franconi, L. (1998), Statistical and technological solutions for controlled data
       dissemination. Pre-proceedings of New Techniques and Technologies for Statistics 1, 225-232.
    .. [2] Franconi, L., Polettini, S. (2004), Individual risk estimation in µ-Argus: a review.
       doi:10.1007/978-3-540-25955-8_20

    Examples
    --------
    >>> individual_risk(np.array([1, 2, 7]), np.array([215.0, 360.0, 700.0])).round(4).tolist()
    [0.0251, 0.0054, 0.0017]
    """
    if method not in METHODS:
        raise SpecError("unknown method", fix=nearest_name(method, METHODS))
    f = np.asarray(sample, np.float64)
    p = f / np.maximum(np.asarray(population, np.float64), 1e-300)
    risk = np.where(f > 0, 1 / np.maximum(f, 1), 0.0)
    part = (p < 1) & (f > 0)
    f, p = f[part], p[part]
    q = 1 - p
    log = -np.log(p)
    found = np.where(f == 1, p / q * log, p / q - (p / q) ** 2 * log)
    many = f > 2
    if method == "approx":
        found[many] = p[many] / (f[many] - q[many])
    else:
        found[many] = [_mean_of_inverse(int(n), float(share)) for n, share in zip(f[many], p[many], strict=True)]
    # Close to p = 1 the closed forms lose all digits to cancellation; the mean is between p/f and 1/f.
    risk[part] = np.clip(found, p / f, 1 / f)
    return risk


def _mean_of_inverse(f: int, p: float) -> float:
    """Return p times the integral of (1 - t)^(f-1)/(1 - q t) over [0, 1]."""
    q = 1 - p
    if p > 0.5:
        # The recursion doubles its errors here, and the series is quick.
        term, total, k = 1.0 / f, 1.0 / f, 0
        while term > 1e-17 * total:
            k += 1
            term *= q * k / (f + k)
            total += term
        return p * total
    value = -np.log(p) / q
    for i in range(2, f + 1):
        value = (1 / (i - 1) - p * value) / q
    return float(p * value)


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyRisk:
    """Risk of a survey's records to be found in the population that they were drawn from.

    Parameters
    ----------
    members : int
        Records, or people where a unit is given.
    population : float
        Sum of the weights.
    highest, global_risk : float or None
        Highest and mean individual risk, in [0, 1].
    expected : float
        Expected number of re-identifications: the sum of the individual risks.
    threshold, share_above : float or None
        A risk, and the share of members above it, in [0, 1].
    """

    members: int
    population: float
    highest: float | None
    global_risk: float | None
    expected: float
    threshold: float
    share_above: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


def survey_risk(
    sample: NDArray[np.int64],
    population: NDArray[np.float64],
    *,
    threshold: Exact = "0.2",
) -> SurveyRisk:
    """Sum up the individual risks of all classes.

    Parameters
    ----------
    sample : int64 [n_classes]
        Members of each class.
    population : float64 [n_classes]
        Sum of their weights.
    threshold : int, float, str or Fraction, default "0.2"

    Examples
    --------
    >>> found = survey_risk(np.array([1, 2]), np.array([215.0, 360.0]))
    >>> round(found.global_risk, 4), round(found.expected, 4)
    (0.012, 0.0359)
    """
    risk = individual_risk(sample, population)
    members, limit = int(sample.sum()), float(exact(threshold, "threshold"))
    expected = float((risk * sample).sum())
    return SurveyRisk(
        members=members,
        population=float(population.sum()),
        highest=float(risk.max()) if members else None,
        global_risk=expected / members if members else None,
        expected=expected,
        threshold=limit,
        share_above=float(sample[risk > limit].sum() / members) if members else None,
    )
