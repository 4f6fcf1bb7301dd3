"""What algorithms that publish buckets can hold, and what they refuse."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.algorithm import Algorithm, check_support
from shoal.core.buckets import Buckets
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError
from shoal.models import LDiversity

__all__ = ["Asked", "asked_of", "check_buckets"]


@dataclass(frozen=True, slots=True)
class Asked:
    """How many sensitive values everybody has to be linked with.

    Parameters
    ----------
    model : LDiversity
        The model that asks.
    column : int
        The sensitive column's number among those of the table.
    l : int
        Different values.
    uncounted : int
        Code of the missing value where it is none of them, else -1.
    """

    model: LDiversity
    column: int
    l: int
    uncounted: int

    @property
    def sensitive(self) -> str:
        """The sensitive column."""
        return self.model.sensitive


def asked_of(table: FrequencyTable, problem: Problem, algorithm: Algorithm) -> Asked:
    """Return what the models of a problem ask of buckets.

    Raises
    ------
    SpecError
        If there is not exactly one sensitive column with exactly one l-diversity model, if a model promises that
        nobody can be told by quasi-identifiers, or if levels are limited.
    InfeasibleError
        If the column has fewer than l values.
    """
    name = algorithm.name
    check_support(algorithm, problem.models)
    for model in problem.models:
        if not model.columns or getattr(model, "k", None) is not None:
            raise SpecError(
                f"algorithm {name!r} cannot hold {model.name!r}: it publishes quasi-identifiers as they are",
                where="[method]",
                fix=f'leave {model.name!r} out, or use an algorithm that generalizes, such as "mondrian"',
            )
    columns = dict.fromkeys([*problem.columns, *table.sensitive_names])
    diverse = [model for model in problem.models if isinstance(model, LDiversity)]
    if len(columns) != 1 or len(diverse) != 1:
        raise SpecError(
            f"algorithm {name!r} needs one sensitive column and one l-diversity model on it; there are "
            f"{len(columns)} sensitive column(s) and {len(diverse)} such model(s)",
            where="[[models]]",
            fix='ask for model = "l-diversity" on the one column whose values are to be hidden',
        )
    limited = [
        column
        for column, hierarchy in zip(table.names, table.hierarchies, strict=True)
        if problem.max_levels.get(column, hierarchy.height) < hierarchy.height
    ]
    if limited:
        raise SpecError(
            f"algorithm {name!r} widens few cells, but those as far as they need, so it cannot keep a column "
            "below its highest level",
            where="max_levels of " + ", ".join(limited),
            fix='leave max_levels out, or use algorithm "mondrian"',
        )
    return _asked(table, problem, diverse[0])


def _asked(table: FrequencyTable, problem: Problem, model: LDiversity) -> Asked:
    totals = problem.context.column(model.sensitive).totals
    column = table.sensitive_names.index(model.sensitive)
    hierarchy = table.sensitive_hierarchies[column]
    # The other kinds take the missing value for a value like any other.
    counts_null = model.count_nulls or model.kind != "distinct"
    uncounted = hierarchy.n_values - 1 if hierarchy.has_null and not counts_null else -1
    l = math.ceil(model.threshold)
    there = int(np.count_nonzero(totals)) - int(uncounted >= 0 and totals[uncounted] > 0)
    if there < l:
        choices = [f"lower l to {there}"] if there > 1 else []
        raise InfeasibleError(
            f"no bucket can hold {l} different values of {model.sensitive}",
            where=f"column {model.sensitive!r} has {there} of them",
            choices=[*choices, "choose another sensitive column"],
        )
    return Asked(model, column, l, uncounted)


def check_buckets(buckets: Buckets, table: FrequencyTable, problem: Problem) -> None:
    """Test every model on the genuine records of each bucket.

    Raises
    ------
    InfeasibleError
        If a bucket violates one.
    """
    classes = buckets.as_classes.classes(table, problem.columns)
    failed = [m.name for m in problem.models if m.violating(classes, problem.context).any()]
    if failed:
        violating: NDArray[np.bool_] = problem.violating(classes)
        raise InfeasibleError(
            f"buckets violate {' and '.join(dict.fromkeys(failed))}",
            where=f"{int(violating.sum())} of {len(classes)} buckets",
            choices=['use algorithm "merging", whose buckets are cut only where all parts pass', "lower l"],
        )
