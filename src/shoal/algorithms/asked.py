"""What models ask of each class, as counts of one sensitive column."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.algorithms.from_root import least_rows
from shoal.algorithms.needs import needs_of
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.kernels.improving.asked import Asked
from shoal.models import KAnonymity, LDiversity, TCloseness

__all__ = ["asked_of", "is_bounded"]


def asked_of(table: FrequencyTable, problem: Problem) -> tuple[Asked, int, bool]:
    """Return what every class needs in numbers, the sensitive column that is counted, and whether that is all.

    The column is -1 where none is counted.
    """
    whole = table.unit is None
    columns: set[str] = set()
    distinct, t = 1, 1.0
    for model in problem.models:
        if type(model) is KAnonymity:
            continue
        columns.update(model.columns)
        if type(model) is LDiversity and model.kind == "distinct":
            distinct = max(distinct, int(model.threshold))
        elif type(model) is TCloseness and model.ground == "equal":
            t = min(t, model.required)
        elif needs_of(table, _with(problem, model)) is None:
            whole = False
    column = table.sensitive_names.index(next(iter(columns))) if len(columns) == 1 and table.unit is None else -1
    whole = whole and (column >= 0 or not columns)
    n = 1 if column < 0 else table.sensitive_hierarchies[column].n_values
    counting = np.ones(n, np.bool_)
    numerators, denominators = np.ones(n, np.int64), np.ones(n, np.int64)
    shares = np.ones(n)
    if column < 0:
        distinct, t = 1, 1.0
    else:
        name = table.sensitive_names[column]
        shares = np.asarray(problem.context.column(name).frequencies, np.float64)
        for model in problem.models:
            if type(model) is LDiversity and model.kind == "distinct":
                counting[-1:] &= model.count_nulls or not table.sensitive_hierarchies[column].has_null
            needs = needs_of(table, _with(problem, model))
            if needs is None or needs.column < 0:
                continue
            groups = needs.group_of_value
            used = groups[groups > 0]
            # A limit on several values together is left to the models.
            whole = whole and len(np.unique(used)) == len(used)
            if len(np.unique(used)) == len(used):
                for value in np.flatnonzero(groups > 0):
                    mine = Fraction(int(numerators[value]), int(denominators[value]))
                    share = Fraction(int(needs.numerators[groups[value]]), int(needs.denominators[groups[value]]))
                    if share < mine:
                        numerators[value], denominators[value] = share.numerator, share.denominator
    asked = Asked(least_rows(problem), distinct, counting, numerators, denominators, shares, t)
    return asked, column, whole


def is_bounded(asked: Asked) -> bool:
    """Return whether classes must be close to the table, or each value has a largest share."""
    return bool(asked.t < 1.0 or (asked.numerators < asked.denominators).all())


def _with(problem: Problem, model: object) -> Problem:
    return Problem(models=(model,), loss=problem.loss, context=problem.context)  # type: ignore[arg-type]
