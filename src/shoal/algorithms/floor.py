"""A loss that no recoding goes below: what each record costs at the least, whatever becomes of the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.algorithms.asked import asked_of
from shoal.algorithms.mixing import rows_within
from shoal.algorithms.side_prices import side_prices
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.kernels.nearest import least_reach

__all__ = ["Floor", "floor_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """The least loss that is possible, or an estimate of it.

    Parameters
    ----------
    loss : float
        In units of the objective.
    error : float
        Standard error of *loss*, 0 where every record was looked at.
    records : int
        Distinct records that were looked at.
    proven : bool
        Whether no recoding loses less; else *loss* is an estimate of such a bound from a sample.
    """

    loss: float
    error: float
    records: int
    proven: bool

    def as_statistics(self) -> dict[str, Any]:
        """Return the bound as statistics of a search."""
        return {
            "bound": self.loss,
            "bound error": self.error,
            "bound records": self.records,
            "bound proven": self.proven,
        }


def floor_of(
    table: FrequencyTable, problem: Problem, labels: str, *, sample: int | None, rng: np.random.Generator
) -> Floor | None:
    """Return a lower bound on the objective, or None where the loss is no sum over cells that a side decides.

    For each record it is the price of the nearest records that together have enough rows, enough different
    sensitive values and, for t-closeness with the equal distance, values that make up 1 - t of the table. A class
    around the record reaches the farthest of these at least. Enough rows are also those that whole numbers need
    to come as close to the table as t. Records share their neighbours, so the bound is rarely attained.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
    labels : {"nodes", "ranges", "sets", "stars"}
    sample : int or None
        Records to look at, drawn by *rng* in proportion to their rows; None for all.
    rng : numpy.random.Generator
    """
    prices = side_prices(table, problem, labels, fit=False)
    if not prices.exact or not table.n_points:
        return None
    asked, column, _ = asked_of(table, problem)
    if problem.context.by_people:
        one = np.ones_like(asked.numerators)
        asked = asked._replace(distinct=1, t=1.0, numerators=one, denominators=one)
    if asked.t < 1.0:
        asked = asked._replace(least=max(asked.least, rows_within(asked.shares, asked.t)))
    value = table.sensitive[:, column] if column >= 0 else np.zeros(table.n_items, np.int32)
    value = np.ascontiguousarray(value, np.int32)
    whole = sample is None or sample >= table.n_points
    some = np.arange(table.n_points)
    if not whole:
        some = rng.choice(table.n_points, int(sample or 1), p=table.point_rows / table.n_rows)
    reach = np.empty(len(some))
    codes = np.ascontiguousarray(table.codes, np.int32)
    least_reach(codes, table.offsets, value, table.counts, prices.prices, asked, some, reach)
    # Where no box around a record passes it is suppressed, which costs no less than the root.
    root = float(prices.prices.root.sum())
    each = np.minimum(reach, root) + prices.constant[some]
    if whole:
        return Floor(loss=float(each @ table.point_rows) / prices.full, error=0.0, records=len(some), proven=True)
    scale = table.n_rows / prices.full
    error = float(each.std(ddof=1)) / math.sqrt(len(some)) if len(some) > 1 else math.inf
    return Floor(loss=float(each.mean()) * scale, error=error * scale, records=len(some), proven=False)
