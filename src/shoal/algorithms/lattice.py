"""The lattice of level vectors: which nodes there are and what they cost before suppression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.core.problem import Problem
from shoal.core.protocols import CellLoss
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, nearest_name

__all__ = ["ColumnLevels", "Lattice", "allowed_levels"]


def allowed_levels(table: FrequencyTable, problem: Problem) -> list[range]:
    """Return the levels that each quasi-identifier may take.

    Raises
    ------
    SpecError
        If ``max_levels`` names a column that is no quasi-identifier, or a level below 0.
    """
    for name, level in problem.max_levels.items():
        if name not in table.names:
            raise SpecError(
                f"max_levels names column {name!r}, which is no quasi-identifier",
                fix=nearest_name(name, table.names),
            )
        if level < 0:
            raise SpecError("max_levels must be at least 0", where=f"column {name!r}")
    return [
        range(min(h.height, problem.max_levels.get(name, h.height)) + 1)
        for name, h in zip(table.names, table.hierarchies, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class ColumnLevels:
    """The levels of one column that differ on the values that occur, in the table or a population that is read.

    Of levels that group these values alike the lowest stands for all: it makes the same classes at no more loss
    and comes first in the tie rule.

    Parameters
    ----------
    levels : tuple of int
        The levels that are left, ascending.
    groups : int64 [n_left, n_values]
        Group of each value at each of them, numbered from 0; 0 for values that do not occur.
    n_groups : tuple of int
    base : float64 [n_left]
        Part of this column in the loss without suppression.
    gains : float64 [n_left, n_values]
        What one row with that value costs more when it is suppressed; 0 for values that do not occur.
    occurs : bool [n_values]
        Whether each value occurs.
    """

    levels: tuple[int, ...]
    groups: NDArray[np.int64]
    n_groups: tuple[int, ...]
    base: NDArray[np.float64]
    gains: NDArray[np.float64]
    occurs: NDArray[np.bool_]

    @property
    def least_gain(self) -> NDArray[np.float64]:
        """Smallest gain of a row at each level, float64 [n_left]."""
        if not self.occurs.any():
            return np.zeros(len(self.levels))
        least: NDArray[np.float64] = self.gains[:, self.occurs].min(axis=1)
        return least

    @property
    def gains_follow_groups(self) -> bool:
        """Whether values of one group always have one gain, so that a class can be priced by any member."""
        for group, gain in zip(self.groups, self.gains, strict=True):
            least = np.full(group.max() + 1, np.inf)
            most = np.full(group.max() + 1, -np.inf)
            np.minimum.at(least, group[self.occurs], gain[self.occurs])
            np.maximum.at(most, group[self.occurs], gain[self.occurs])
            if (most - least > 1e-15 * max(1.0, float(np.abs(gain).max()))).any():
                return False
        return True


@dataclass(frozen=True, eq=False)
class Lattice:
    """All level vectors of a table, without those that other ones make superfluous.

    A *node* is a vector of indices into the columns' levels; ``levels_of`` turns it into levels.
    """

    columns: tuple[ColumnLevels, ...]

    @classmethod
    def of(cls, table: FrequencyTable, problem: Problem) -> Lattice:
        """Build the lattice of *table* under the limits and the loss of *problem*."""
        counts = table.marginals
        loss = problem.loss if isinstance(problem.loss, CellLoss) else None
        weights = [problem.weights.get(name, 1.0) for name in table.names]
        norm = 1.0
        if loss is not None and loss.normalized:
            parts = zip(table.hierarchies, counts, weights, strict=True)
            norm = sum(w * loss.full(h, m) for h, m, w in parts) or 1.0
        columns = []
        people = problem.context.population if "population" in problem.reads else None
        for j, allowed in enumerate(allowed_levels(table, problem)):
            hierarchy, marginal = table.hierarchies[j], counts[j]
            occurs = marginal > 0
            if people is not None:
                # Levels that are alike on the table may tell its population apart.
                occurs |= np.bincount(people.codes[:, j], minlength=hierarchy.n_values) > 0
            kept, groups = _different(hierarchy.levels[: len(allowed)], occurs)
            base = np.zeros(len(kept))
            gains = np.zeros((len(kept), hierarchy.n_values))
            if loss is not None:
                leaf = np.arange(hierarchy.n_values, dtype=np.int32)
                last = np.full_like(leaf, hierarchy.n_values - 1)
                full = loss.costs(hierarchy, marginal, leaf, np.zeros_like(leaf), last)
                for i, level in enumerate(kept):
                    nodes = hierarchy.levels[level]
                    costs = loss.costs(hierarchy, marginal, leaf, hierarchy.lo[nodes], hierarchy.hi[nodes])
                    base[i] = weights[j] * float((costs * marginal).sum()) / norm
                    gains[i] = np.where(occurs, weights[j] * (full - costs) / norm, 0.0)
            n_groups = tuple(int(group.max()) + 1 for group in groups)
            columns.append(ColumnLevels(tuple(kept), groups, n_groups, base, gains, occurs))
        return cls(tuple(columns))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of levels that are left per column."""
        return tuple(len(column.levels) for column in self.columns)

    @property
    def n_nodes(self) -> int:
        """Number of nodes that are left."""
        size = 1
        for length in self.shape:
            size *= length
        return size

    @property
    def top(self) -> tuple[int, ...]:
        """The most general node."""
        return tuple(length - 1 for length in self.shape)

    def levels_of(self, node: Sequence[int]) -> tuple[int, ...]:
        """Return the level vector of a node."""
        return tuple(column.levels[i] for column, i in zip(self.columns, node, strict=True))

    def base_of(self, node: Sequence[int]) -> float:
        """Return the loss of a node where nothing is suppressed; 0 for losses of sizes."""
        return sum(float(column.base[i]) for column, i in zip(self.columns, node, strict=True))

    def spread(self, parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the sum of one number per column and level for every node, float64 [shape]."""
        total = np.zeros(self.shape)
        for j, part in enumerate(parts):
            total += part.reshape([-1 if i == j else 1 for i in range(len(parts))])
        return total

    @cached_property
    def prices_by_class(self) -> bool:
        """Whether any member of a class tells what suppressing the class costs per row."""
        return all(column.gains_follow_groups for column in self.columns)


def _different(levels: NDArray[np.int32], occurs: NDArray[np.bool_]) -> tuple[list[int], NDArray[np.int64]]:
    kept: list[int] = []
    groups: list[NDArray[np.int64]] = []
    for level in range(levels.shape[0]):
        group = np.zeros(levels.shape[1], np.int64)
        if occurs.any():
            group[occurs] = np.unique(levels[level][occurs], return_inverse=True)[1]
        if not groups or (group != groups[-1]).any():
            kept.append(level)
            groups.append(group)
    return kept, np.stack(groups)
