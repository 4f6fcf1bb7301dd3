"""What models ask of a class, as numbers that a compiled loop can count down."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.protocols import PrivacyModel
from shoal.core.table import FrequencyTable
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity

__all__ = ["Needs", "needs_of"]


@dataclass(frozen=True, eq=False)
class Needs:
    """At least *k* rows, and of each group of sensitive values at most a share.

    Parameters
    ----------
    k : int
    column : int
        The sensitive column, -1 where none is read.
    group_of_value : int64 [n_values]
        Group of each value of the column; group 0 has no limit.
    numerators, denominators : int64 [n_groups]
        Largest share of each group; 1/1 for group 0.
    """

    k: int
    column: int
    group_of_value: NDArray[np.int64]
    numerators: NDArray[np.int64]
    denominators: NDArray[np.int64]

    def groups(self, table: FrequencyTable, items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the group of each of the *items*."""
        if self.column < 0:
            return np.zeros(len(items), np.int64)
        groups: NDArray[np.int64] = self.group_of_value[table.sensitive[items, self.column]]
        return groups


def needs_of(table: FrequencyTable, problem: Problem) -> Needs | None:
    """Return what the models ask for, or None where that cannot be said by one size and the shares of one column.

    k-anonymity, (α, k)-anonymity in ratio form and frequency l-diversity on rows can be said so.
    """
    if table.unit is not None:
        return None
    k = 1
    shares: dict[str, list[tuple[tuple[str | None, ...] | None, Fraction]]] = {}
    for model in problem.models:
        found = _shares(model)
        if found is None or (found[1] and shares):
            return None
        k = max(k, found[0])
        if found[1]:
            shares[model.columns[0]] = found[1]
    if not shares:
        nothing = np.ones(1, np.int64)
        return Needs(k, -1, np.zeros(0, np.int64), nothing, nothing)
    ((name, limits),) = shares.items()
    column = table.sensitive_names.index(name)
    group_of, of_group = _grouped(limits, table.sensitive_hierarchies[column])
    return Needs(
        k,
        column,
        group_of,
        np.array([1, *(share.numerator for share in of_group)], np.int64),
        np.array([1, *(share.denominator for share in of_group)], np.int64),
    )


MOST_GROUPS = 64
"""More groups than this are too many to compare one by one."""


def _shares(model: PrivacyModel) -> tuple[int, list[tuple[tuple[str | None, ...] | None, Fraction]]] | None:
    """Return (k, [(values or None for each of all, largest share)]), or None where the model asks for more."""
    if type(model) is KAnonymity:
        return model.k, []
    if type(model) is LDiversity and model.kind == "frequency":
        return 1, [(None, 1 / model.threshold)]
    if type(model) is AlphaKAnonymity and model.form == "ratio":
        limits = model.limits
        if "" in limits and model.values is None:
            return model.k, [(None, limits[""])]
        if model.reading == "union":
            return model.k, [(tuple(limits), next(iter(limits.values())))]
        return model.k, [((value,), share) for value, share in limits.items()]
    return None


def _grouped(
    limits: list[tuple[tuple[str | None, ...] | None, Fraction]], hierarchy: Hierarchy
) -> tuple[NDArray[np.int64], list[Fraction]]:
    group_of = np.zeros(hierarchy.n_values, np.int64)
    of_group: list[Fraction] = []
    for values, share in limits:
        if values is None:
            group_of[:] = np.arange(1, hierarchy.n_values + 1)
            of_group = [share] * hierarchy.n_values
            continue
        codes = [hierarchy.codes[value] for value in values if value in hierarchy.codes]
        if codes:
            of_group.append(share)
            group_of[codes] = len(of_group)
    return group_of, of_group
