"""Closed-form measures of risk."""

from shoal.risk.household import HouseholdRisk, household_risk, measure_households
from shoal.risk.journalist import PopulationRisk, population_risk
from shoal.risk.missing_cells import class_sizes
from shoal.risk.reidentification import Risk, risk_of
from shoal.risk.separation import ColumnSet, column_sets, measure_columns
from shoal.risk.suda import Suda, suda
from shoal.risk.survey import SurveyRisk, individual_risk, survey_risk
from shoal.risk.uniqueness import PopulationEstimate, poisson_uniqueness, population_uniqueness

__all__ = [
    "ColumnSet",
    "HouseholdRisk",
    "PopulationEstimate",
    "PopulationRisk",
    "Risk",
    "Suda",
    "SurveyRisk",
    "class_sizes",
    "column_sets",
    "household_risk",
    "individual_risk",
    "measure_columns",
    "measure_households",
    "poisson_uniqueness",
    "population_risk",
    "population_uniqueness",
    "risk_of",
    "suda",
    "survey_risk",
]
