"""What suppression of cells can promise: frequency l-diversity on one column, and what follows from it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.trimming import different_values
from shoal.core.problem import Problem
from shoal.core.protocols import PrivacyModel
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError
from shoal.models import KAnonymity, LDiversity

__all__ = ["Eligibility", "eligibility_of", "implied_eligibility", "refuse_infeasible"]

SUPPORTED = (
    'l-diversity of kind "frequency" with a whole l on one sensitive column, and what follows from it: '
    "k-anonymity with k up to l, and distinct l-diversity of that column up to the same l"
)


@dataclass(frozen=True, slots=True)
class Eligibility:
    """A set of rows is eligible where no value of one sensitive column has more than the share 1/l of them.

    Parameters
    ----------
    sensitive : str
        The sensitive column.
    l : int
    k : int, default 1
        Rows of a class at least.
    """

    sensitive: str
    l: int
    k: int = 1

    @property
    def models(self) -> tuple[PrivacyModel, ...]:
        """The same as models."""
        diverse = LDiversity(sensitive=self.sensitive, l=self.l, kind="frequency")
        return (diverse, KAnonymity(k=self.k)) if self.k > self.l else (diverse,)


def eligibility_of(table: FrequencyTable, problem: Problem, *, name: str) -> Eligibility:
    """Return the one condition that implies all models of a problem.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
    name : str
        The algorithm, for errors.

    Raises
    ------
    SpecError
        If a model does not follow from frequency l-diversity, people are counted, or levels are limited.
    InfeasibleError
        If the whole table is not l-eligible; it names the largest l that is.
    """
    if table.unit is not None:
        raise SpecError(
            f"algorithm {name!r} counts records, and a unit column asks for people",
            fix='use algorithm "mondrian", or drop the role unit',
        )
    asked = [model for model in problem.models if isinstance(model, LDiversity) and model.kind == "frequency"]
    columns = {model.sensitive for model in asked}
    if len(columns) != 1:
        raise SpecError(
            f"algorithm {name!r} needs l-diversity of kind 'frequency' on one sensitive column, "
            f"and the models ask for it on {len(columns)}",
            fix=f"it supports {SUPPORTED}",
        )
    goal = max(model.threshold for model in asked)
    if goal.denominator != 1:
        raise SpecError(
            f"algorithm {name!r} needs a whole l", fix=f"l = {-(-goal.numerator // goal.denominator)} implies it"
        )
    found = Eligibility(columns.pop(), int(goal))
    problem.context.column(found.sensitive)
    beyond = [model for model in problem.models if not _follows(model, found, table)]
    if beyond:
        raise SpecError(
            f"algorithm {name!r} cannot promise {_listed(beyond)} with l = {found.l}",
            fix=f'it supports {SUPPORTED}; algorithm "mondrian" takes any models',
        )
    limited = _limited(table, problem)
    if limited:
        raise SpecError(
            f"algorithm {name!r} suppresses cells, so it cannot keep a column below its highest level",
            where="max_levels of " + ", ".join(limited),
            fix='leave max_levels out, or use algorithm "mondrian"',
        )
    _check_feasible(table, found)
    return found


def refuse_infeasible(table: FrequencyTable, problem: Problem, *, name: str) -> None:
    """Refuse a table that is not l-eligible; what *name* does not support is left to its search.

    Raises
    ------
    InfeasibleError
        If the whole table is not l-eligible; it names the largest l that is.
    """
    with suppress(SpecError):
        eligibility_of(table, problem, name=name)


def implied_eligibility(table: FrequencyTable, problem: Problem) -> Eligibility | None:
    """Return what implies all models and the whole table meets, or None where there is none.

    Unlike :func:`eligibility_of` it takes (α, k)-anonymity and any k, for which TP proves nothing.
    """
    asked = different_values(problem)
    if asked is None or table.unit is not None or _limited(table, problem):
        return None
    most = int(_totals(table, asked.name).max(initial=0))
    is_met = asked.l * most <= table.n_rows and table.n_rows >= asked.k
    return Eligibility(asked.name, asked.l, asked.k) if is_met else None


def _limited(table: FrequencyTable, problem: Problem) -> list[str]:
    return [
        column
        for column, hierarchy in zip(table.names, table.hierarchies, strict=True)
        if problem.max_levels.get(column, hierarchy.height) < hierarchy.height
    ]


def _totals(table: FrequencyTable, column: str) -> NDArray[np.int64]:
    j = table.sensitive_names.index(column)
    n_values = table.sensitive_hierarchies[j].n_values
    return np.bincount(table.sensitive[:, j], table.counts, n_values).astype(np.int64)


def _follows(model: PrivacyModel, found: Eligibility, table: FrequencyTable) -> bool:
    """Whether every l-eligible class passes a model: it has l rows and l values at least."""
    if type(model) is KAnonymity:
        return model.k <= found.l
    if type(model) is not LDiversity or model.sensitive != found.sensitive:
        return False
    if model.kind == "frequency":
        return True
    hierarchy = table.sensitive_hierarchies[table.sensitive_names.index(found.sensitive)]
    # A missing value that does not count may be one of the l values.
    values = found.l - (hierarchy.has_null and not model.count_nulls)
    return model.kind == "distinct" and model.threshold <= values


def _listed(models: list[PrivacyModel]) -> str:
    return " and ".join(dict.fromkeys(model.name for model in models))


def _check_feasible(table: FrequencyTable, asked: Eligibility) -> None:
    n_rows, most = table.n_rows, int(_totals(table, asked.sensitive).max(initial=0))
    if n_rows >= asked.l * most:
        return
    largest = n_rows // most
    choice = f"lower l to {largest}" if largest > 1 else "choose another sensitive column: one value has most rows"
    raise InfeasibleError(
        f"no release can be {asked.l}-diverse by frequency in {asked.sensitive}: the whole table is not",
        where=f"the most frequent value has {most} of {n_rows} records, and 1/{asked.l} of them is allowed",
        choices=[choice],
    )
