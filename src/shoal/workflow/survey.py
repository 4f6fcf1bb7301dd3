"""What survey weights and households say of the risk, and what a sampling fraction says of the population."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

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

__all__ = ["Survey", "estimate_population"]


@dataclass(frozen=True, eq=False)
class Survey:
    """What a table says of the population that it was drawn from, and of who belongs together.

    Parameters
    ----------
    prepared : Prepared
    weights : float64 [n_rows] or None
        How many people each row stands for.
    households : int64 [n_rows] or None
        Number of the household of each row.
    """

    prepared: Prepared
    weights: NDArray[np.float64] | None
    households: NDArray[np.int64] | None

    @classmethod
    def of(cls, prepared: Prepared) -> Survey:
        """Read the weight and the household of each row, where the schema has such columns."""
        return cls(prepared, _weights(prepared), _households(prepared))

    def measure(
        self, class_of_row: NDArray[Any], n_classes: int
    ) -> tuple[SurveyRisk | None, HouseholdRisk | None]:
        """Return the risk by survey weights and that of households.

        Parameters
        ----------
        class_of_row : integers [n_rows]
            Class of each row; below 0 it is left out.
        n_classes : int
            None of them is empty.

        Returns
        -------
        survey : SurveyRisk or None
            None without weights.
        households : HouseholdRisk or None
            By the risk of the weights, or where there is none by one over the size of a class. Where people are
            counted, weights are given and no households, the rows of one person are what belongs together. None
            otherwise.

        Notes
        -----
        Where people are counted, the weight of a person is the mean over their rows of a class, and a person is a
        member of the household of the first of these rows.
        """
        if self.weights is None and self.households is None:
            return None, None
        inside = class_of_row >= 0
        chosen = class_of_row[inside].astype(np.int64)
        weights = None if self.weights is None else self.weights[inside]
        belongs, grouped_by = None if self.households is None else self.households[inside], "household"
        if self.prepared.unit_of_row is not None:
            person = self.prepared.unit_of_row[inside]
            pair, first = group_columns([chosen, person], [n_classes, self.prepared.table.n_units])
            if weights is not None:
                rows = np.bincount(pair, minlength=first.shape[0])
                weights = sum_by_group(pair, weights, first.shape[0]) / rows
            chosen = chosen[first]
            if belongs is None:
                belongs, grouped_by = person[first].astype(np.int64), "unit"
            else:
                belongs = belongs[first]
        sample = np.bincount(chosen, minlength=n_classes).astype(np.int64)
        if weights is None:
            survey, risk = None, 1 / np.maximum(sample, 1)
        else:
            population = sum_by_group(chosen, weights, n_classes)
            survey, risk = survey_risk(sample, population), individual_risk(sample, population)
        if belongs is None:
            return survey, None
        by = "groups" if weights is None else "weights"
        return survey, measure_households(risk[chosen], belongs, grouped_by=grouped_by, by=by)

    def before_and_after(self, region_of_row: NDArray[np.int32], n_regions: int) -> dict[str, Any]:
        """Return both risks of the input and of a release as plain data, by ``before`` and ``after``.

        Nothing where the table has neither weights nor households.
        """
        if self.weights is None and self.households is None:
            return {}
        table = self.prepared.table
        told = {}
        for when, class_of_row, n_classes in (
            ("before", table.point_of_item[self.prepared.item_of_row], table.n_points),
            ("after", region_of_row, n_regions),
        ):
            survey, households = self.measure(class_of_row, n_classes)
            told[when] = {
                "survey_risk": None if survey is None else survey.as_dict(),
                "household_risk": None if households is None else households.as_dict(),
            }
        return told


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
