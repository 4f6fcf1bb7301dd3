"""How many people of a population are alone in their class, estimated from a sample of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.rational import Exact, exact
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, nearest_name
from shoal.kernels.grouping import sum_by_group
from shoal.risk.gamma import log_gamma
from shoal.risk.pitman import pitman
from shoal.risk.snb import snb

__all__ = [
    "ESTIMATORS",
    "PopulationEstimate",
    "estimate_uniqueness",
    "poisson_uniqueness",
    "population_uniqueness",
]

FEW = 0.1
"""Sampling fraction up to which Dankar's rule takes Pitman's estimate."""

Estimator = Callable[[NDArray[np.int64], NDArray[np.int64], float], "float | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationEstimate:
    """Share of a population that is alone in its class, by several estimators.

    Parameters
    ----------
    sampling_fraction : float
        Share of the population in the table, in (0, 1].
    population : float
        Size of the population: members of the table divided by the sampling fraction.
    pitman, zayatz, snb, poisson : float or None
        Each estimate, in [0, 1]; None where it does not exist for the table.
    chosen : float
        The estimate that Dankar's rule picks, in [0, 1].
    method : str
        Which one that is.
    """

    sampling_fraction: float
    population: float
    pitman: float | None
    zayatz: float | None
    snb: float | None
    poisson: float | None
    chosen: float
    method: str

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


def population_uniqueness(
    sizes: NDArray[np.int64], *, sampling_fraction: Exact, poisson: float | None = None
) -> PopulationEstimate:
    """Estimate which share of the population is alone in its class.

    Parameters
    ----------
    sizes : int64 [n_classes]
        Members of each class of the table.
    sampling_fraction : int, float, str or Fraction
        Share of the population that is in the table, in (0, 1].
    poisson : float, optional
        The estimate of :func:`poisson_uniqueness`, to be listed.

    Returns
    -------
    PopulationEstimate

    Raises
    ------
    SpecError
        If the sampling fraction is out of range.

    Notes
    -----
    Dankar's rule: Pitman up to a sampling fraction of 0.1; above, the smaller one of Zayatz and SNB. Zayatz stands
    in for an estimate that does not exist.

    References
    ----------
    .. [1] Dankar, F. et al. (2012), Estimating the re-identification risk of clinical data sets.
       doi:10.1186/1472-6947-12-66

    Examples
    --------
    >>> sizes = np.array([1] * 40 + [2] * 12 + [3] * 6 + [10] * 5 + [40] * 2)
    >>> found = population_uniqueness(sizes, sampling_fraction="0.1")
    >>> found.method, round(found.chosen, 3)
    ('pitman', 0.076)
    """
    fraction = exact(sampling_fraction, "sampling_fraction")
    if not 0 < fraction <= 1:
        raise SpecError(
            "sampling_fraction must be above 0 and at most 1", fix="sampling_fraction = 0.1: one in ten"
        )
    share = float(fraction)
    found = {name: estimate_uniqueness(sizes, share, name) for name in ("pitman", "zayatz", "snb")}
    method, chosen = _dankar(found, share)
    return PopulationEstimate(
        sampling_fraction=share,
        population=float(sizes.sum()) / share,
        **found,
        poisson=poisson,
        chosen=chosen,
        method=method,
    )


def estimate_uniqueness(sizes: NDArray[np.int64], sampling_fraction: float, method: str) -> float | None:
    """Return one estimate of the share of the population that is alone, in [0, 1].

    Parameters
    ----------
    sizes : int64 [n_classes]
    sampling_fraction : float
        In (0, 1]. At 1 the table is the population, and its own share is returned.
    method : {"dankar", "pitman", "zayatz", "snb"}

    Returns
    -------
    float or None
        None where the estimate does not exist, such as Pitman's for a table without two alike.

    Raises
    ------
    SpecError
        If the method is unknown.

    Examples
    --------
    >>> estimate_uniqueness(np.array([1, 1, 2]), 1.0, "zayatz")
    0.5
    """
    if method not in ESTIMATORS:
        raise SpecError("unknown method", fix=nearest_name(method, ESTIMATORS))
    sizes = sizes[sizes > 0]
    members, alone = int(sizes.sum()), int((sizes == 1).sum())
    if not alone:
        return 0.0
    if sampling_fraction >= 1:
        return alone / members
    if method == "dankar":
        names = ("pitman",) if sampling_fraction <= FEW else ("zayatz", "snb")
        found = {name: estimate_uniqueness(sizes, sampling_fraction, name) for name in (*names, "zayatz")}
        return _dankar(found, sampling_fraction)[1]
    size, times = np.unique(sizes, return_counts=True)
    uniques = ESTIMATORS[method](size, times.astype(np.int64), sampling_fraction)
    if (
        uniques is None
        or not math.isfinite(uniques)
        or not 0 <= uniques <= members / sampling_fraction * (1 + 1e-9)
    ):
        return None
    return min(1.0, uniques * sampling_fraction / members)


def _dankar(found: Mapping[str, float | None], fraction: float) -> tuple[str, float]:
    names = ("pitman",) if fraction <= FEW else ("zayatz", "snb")
    shares = [(share, name) for name in names if (share := found.get(name)) is not None]
    if not shares:
        shares = [(found["zayatz"] or 0.0, "zayatz")]
    share, name = min(shares, key=lambda pair: pair[0])
    return name, share


def _zayatz(size: NDArray[np.int64], times: NDArray[np.int64], fraction: float) -> float | None:
    """Return the uniques of the population: sample uniques that are so by Bayes' rule, scaled up.

    Classes of the population are taken to have the sizes of the sample's classes; whether one of size i shows up
    as a unique is hypergeometric.

    References: Zayatz, L. (1991), Estimation of the percent of unique population elements on a microdata file
    using the sample, Statistical Research Division Report 91/08.
    """
    n = float((size * times).sum())
    population = n / fraction
    # C(N - i, n - 1) / C(N, n), in logarithms, times i: one of the class is drawn.
    once = np.full(size.shape[0], -np.inf)
    fits = population - size - n + 1 > -1e-9
    i = size[fits].astype(np.float64)
    rest = np.maximum(population - i - n + 1, 0.0)
    once[fits] = np.log(i) + log_gamma(population - i + 1) - log_gamma(n) - log_gamma(rest + 1)
    once -= log_gamma(population + 1) - log_gamma(n + 1) - log_gamma(population - n + 1)
    weights = times * np.exp(once)
    alone = times[size == 1].sum()
    return float(alone * weights[size == 1].sum() / weights.sum() / fraction)


def _none(_size: NDArray[np.int64], _times: NDArray[np.int64], _fraction: float) -> float | None:
    return None


ESTIMATORS: Mapping[str, Estimator] = {"dankar": _none, "pitman": pitman, "zayatz": _zayatz, "snb": snb}
"""Estimators by name, of (class sizes, how often each, sampling fraction); ``"dankar"`` chooses among the
others."""


def poisson_uniqueness(table: FrequencyTable, *, sampling_fraction: Exact) -> float | None:
    """Return the share of the population that is alone, by a Poisson model with independent columns.

    A combination of values is expected ``n * prod(share of the value)`` times in the sample; in the population the
    number beyond the sample is Poisson with that expectation times (1 - f)/f. A sample unique is one in the
    population with the chance that this is 0; the expected number is scaled up by 1/f.

    Parameters
    ----------
    table : FrequencyTable
        Rows are counted, also where a unit is given.
    sampling_fraction : int, float, str or Fraction
        In (0, 1].

    Returns
    -------
    float or None
        In [0, 1]. Columns that depend on each other make it too high or too low: a combination that independent
        columns would make rare may be common. None for a table without rows.

    References
    ----------
    .. [1] Skinner, C., Holmes, D. (1998), Estimating the re-identification risk per record in microdata.
       Journal of Official Statistics 14(4), 361-372.
    .. [2] Skinner, C., Shlomo, N. (2008), Assessing identification risk in survey microdata using log-linear
       models. doi:10.1198/016214507000001328
    """
    fraction = float(exact(sampling_fraction, "sampling_fraction"))
    rows, n = table.point_rows, table.n_rows
    if not n:
        return None
    alone = rows == 1
    expected = np.full(int(alone.sum()), float(n))
    for j, hierarchy in enumerate(table.hierarchies):
        marginal = sum_by_group(table.codes[:, j], rows, hierarchy.n_values)
        expected *= marginal[table.codes[alone, j]] / n
    stays = float(np.exp(-expected * (1 - fraction) / fraction).sum())
    return min(1.0, stays / n)
