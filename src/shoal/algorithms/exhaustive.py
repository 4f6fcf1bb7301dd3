"""The best full-domain generalization by trying every node: the oracle for cleverer searches."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np

from shoal.algorithms.infeasible import no_node_is_feasible
from shoal.algorithms.lattice import allowed_levels
from shoal.core.algorithm import Solution
from shoal.core.classes import Classes
from shoal.core.population import classes_at
from shoal.core.problem import Problem
from shoal.core.recoding import Generalization, regions_of
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError
from shoal.loss.measure import measure

__all__ = ["Exhaustive"]

TIE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhaustive:
    """Every level vector is tried; classes that violate a model are suppressed.

    A node is feasible if the suppressed rows are within the limit and not all rows are suppressed. The least
    loss wins; losses within one part in 10^12 are ties, and of these the lexicographically smallest level
    vector wins.

    Parameters
    ----------
    max_nodes : int, default 100000
        Largest lattice that is accepted.

    Notes
    -----
    Optimality: optimal among full-domain generalizations.
    Deterministic: yes, no randomness.
    Cost: O(nodes * (points + items)).
    Models: any.
    """

    name: ClassVar[str] = "exhaustive"
    supports: ClassVar[frozenset[str]] = frozenset({"table", "population"})
    max_nodes: int = 100_000

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return the best node.

        Raises
        ------
        SpecError
            If the lattice has more than ``max_nodes`` nodes.
        InfeasibleError
            If no node is feasible.
        """
        choices = allowed_levels(table, problem)
        n_nodes = prod(len(levels) for levels in choices)
        if n_nodes > self.max_nodes:
            raise SpecError(
                f"the lattice has {n_nodes} nodes and 'exhaustive' accepts {self.max_nodes}",
                fix="use algorithm 'optimal', which gives the same answer",
            )
        found: list[tuple[float, Generalization]] = []
        fewest, attempt = table.n_rows + 1, (0,) * table.n_qi
        for levels in product(*choices):
            class_of_point, classes = _count(table, problem, levels)
            violating = problem.violating(classes)
            suppressed = int(classes.rows[violating].sum())
            if suppressed < fewest:
                fewest, attempt = suppressed, levels
            if suppressed <= problem.allowed and (suppressed < table.n_rows or table.n_rows == 0):
                recoding = Generalization(levels, violating[class_of_point])
                loss = measure(problem.loss, table, regions_of(recoding, table), problem.weights)
                found.append((loss, recoding))
        if not found:
            top = _count(table, problem, [levels[-1] for levels in choices])[1]
            raise no_node_is_feasible(problem, fewest=fewest, levels=attempt, names=table.names, top=top)
        least = min(loss for loss, _ in found)
        best = next(recoding for loss, recoding in found if loss <= least + TIE * max(1.0, abs(least)))
        return Solution(recoding=best, optimal=True, statistics={"nodes": n_nodes, "counted": n_nodes})


def _count(
    table: FrequencyTable, problem: Problem, levels: list[int] | tuple[int, ...]
) -> tuple[np.ndarray, Classes]:
    class_of_point, _, classes = classes_at(
        table, levels, problem.columns, reads=problem.reads, population=problem.context.population
    )
    return class_of_point, classes
