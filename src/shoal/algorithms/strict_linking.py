"""Cells that are widened until nobody is linked with a sensitive value more surely than 1/l."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.bucket_rules import Asked
from shoal.algorithms.cell_linking import widened_wholly
from shoal.core.buckets import Buckets
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError
from shoal.models import LDiversity
from shoal.risk.bucket_links import links_above

__all__ = ["TOLERANCE", "check_counts_records", "strict_problem", "weakly_linked"]

TOLERANCE = 1e-9
"""Probabilities that exceed 1/l by less are equal to it."""


def strict_problem(table: FrequencyTable, problem: Problem, asked: Asked) -> Problem:
    """Return the problem whose buckets can be widened until no link exceeds 1/l.

    In a bucket where no value has more than 1/l of the rows no link does, once every cell beside the sensitive
    column covers all values of the bucket; nor does a mean over such buckets.

    Raises
    ------
    InfeasibleError
        If a value has more than 1/l of all records.
    SpecError
        If people are counted.
    """
    check_counts_records(table, "strict = true")
    frequency = LDiversity(sensitive=asked.sensitive, l=asked.model.l, kind="frequency")
    n_values = table.sensitive_hierarchies[asked.column].n_values
    totals = np.bincount(table.sensitive[:, asked.column], table.counts, n_values)
    most, n_rows = int(totals.max()), table.n_rows
    if asked.model.threshold * most > n_rows:
        choices = [f"lower l to {n_rows // most}"] if n_rows // most > 1 else []
        raise InfeasibleError(
            f"links of at most 1/l are out of reach: a value of {asked.sensitive} is too frequent",
            where=f"the most frequent value has {most} of {n_rows} records",
            choices=[*choices, "set strict = false: each person keeps l values, not equally likely ones"],
        )
    return replace(problem, models=(*problem.models, frequency))


def weakly_linked(
    narrow: Buckets, table: FrequencyTable, asked: Asked, finish: Callable[[Buckets], Buckets]
) -> Buckets:
    """Widen all cells beside the sensitive column in buckets that link somebody too surely, until none does.

    Parameters
    ----------
    narrow : Buckets
        Buckets of :func:`strict_problem`.
    table : FrequencyTable
    asked : Asked
    finish : callable
        What else is done to the cells before they are published.
    """
    limit = 1 / float(asked.model.threshold) + TOLERANCE
    wide: NDArray[np.bool_] = np.zeros(narrow.n_buckets, np.bool_)
    while True:
        found = finish(widened_wholly(narrow, table, wide))
        _, blamed = links_above(table, found, limit)
        if not (blamed & ~wide).any():
            return found
        wide |= blamed


def check_counts_records(table: FrequencyTable, what: str) -> None:
    """Refuse a table that counts people.

    Raises
    ------
    SpecError
        If it has a unit column.
    """
    if table.unit is not None:
        raise SpecError(
            f"{what} counts records, and a unit column asks for people",
            where="[method]",
            fix='use algorithm "merging" without strict, or drop the role unit',
        )
