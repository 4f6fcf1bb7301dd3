"""What survey weights and households say of the risk, and what a sampling fraction says of the population."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.rational import Exact, exact
from shoal.core.table import FrequencyTable
from shoal.engines.encode import encode
from shoal.errors import ShoalWarning
from shoal.kernels.grouping import group_columns, sum_by_group
from shoal.risk.household import HouseholdRisk, measure_households
from shoal.risk.survey import SurveyRisk, individual_risk, survey_risk
from shoal.risk.uniqueness import PopulationEstimate, poisson_uniqueness, population_uniqueness
from shoal.workflow.prepare import Prepared, text_expressions

__all__ = ["estimate_population", "measure_survey"]


def measure_survey(prepared: Prepared, kept: NDArray[np.bool_]) -> tuple[SurveyRisk | None, HouseholdRisk | None]:
    """Return the risk by survey weights and that of households.

    Parameters
    ----------
    prepared : Prepared
    kept : bool [n_points]
        Points that are looked at.

    Returns
    -------
    survey : SurveyRisk or None
        None without a weight, or where one cannot be used.
    households : HouseholdRisk or None
        By the risk of the weights, or where there is none by one over the size of a class. Where people are
        counted, weights are given and no households, the rows of one person are what belongs together. None
        otherwise.

    Notes
    -----
    Where people are counted, the weight of a person is the mean over their rows of a class, and a person is a
    member of the household of the first of these rows.
    """
    table = prepared.table
    weights, households = _weights(prepared), _households(prepared)
    if weights is None and households is None:
        return None, None
    point = table.point_of_item[prepared.item_of_row]
    inside, n = kept[point], int(kept.sum())
    point = (np.cumsum(kept) - 1)[point[inside]]
    weights = None if weights is None else weights[inside]
    belongs, grouped_by = None if households is None else households[inside], "household"
    if prepared.unit_of_row is not None:
        person = prepared.unit_of_row[inside]
        pair, first = group_columns([point, person], [n, table.n_units])
        if weights is not None:
            weights = sum_by_group(pair, weights, first.shape[0]) / np.bincount(pair, minlength=first.shape[0])
        point = point[first]
        if belongs is None:
            belongs, grouped_by = person[first].astype(np.int64), "unit"
        else:
            belongs = belongs[first]
    sample = np.bincount(point, minlength=n).astype(np.int64)
    if weights is None:
        survey, risk = None, 1 / np.maximum(sample, 1)
    else:
        population = sum_by_group(point, weights, n)
        survey, risk = survey_risk(sample, population), individual_risk(sample, population)
    if belongs is None:
        return survey, None
    by = "groups" if weights is None else "weights"
    return survey, measure_households(risk[point], belongs, grouped_by=grouped_by, by=by)


def _weights(prepared: Prepared) -> NDArray[np.float64] | None:
    name = prepared.schema.weight
    if name is None:
        return None
    read = prepared.source.scan().select(pl.col(name).cast(pl.String).cast(pl.Float64, strict=False))
    weights = read.collect(engine="streaming")[name]
    unusable = int((weights.is_null() | ~weights.is_finite() | (weights <= 0)).fill_null(value=True).sum())
    if unusable:
        warnings.warn(
            f"column {name!r}, the weight, is no number above 0 in {unusable} row(s): no risk by weights",
            ShoalWarning,
            stacklevel=2,
        )
        return None
    found: NDArray[np.float64] = weights.to_numpy()
    return found


def _households(prepared: Prepared) -> NDArray[np.int64] | None:
    """Return the number of each row's household; whoever has none named is a household of their own."""
    name = prepared.schema.household
    if name is None:
        return None
    frame = prepared.source.scan()
    column = encode(frame, [name], text_expressions(frame, [name]))[name]
    numbers: NDArray[np.int64] = column.codes.astype(np.int64)
    if None in column.texts:
        missing = np.flatnonzero(numbers == len(column.texts) - 1)
        numbers[missing] = len(column.texts) + np.arange(missing.shape[0])
        warnings.warn(
            f"column {name!r}, the household, is missing in {missing.shape[0]} row(s); each counts as a household",
            ShoalWarning,
            stacklevel=2,
        )
    return numbers


def estimate_population(
    table: FrequencyTable, sizes: NDArray[np.int64], given: Exact | None, survey: SurveyRisk | None
) -> tuple[Fraction | None, PopulationEstimate | None]:
    """Return the sampling fraction, given or by the weights, and how many of the population are alone."""
    fraction = None if given is None else exact(given, "sampling_fraction")
    if fraction is None and survey is not None and survey.population > survey.members > 0:
        fraction = Fraction(survey.members / survey.population).limit_denominator(10**9)
    if fraction is None:
        return None, None
    poisson = None if table.unit is not None else poisson_uniqueness(table, sampling_fraction=fraction)
    return fraction, population_uniqueness(sizes, sampling_fraction=fraction, poisson=poisson)
