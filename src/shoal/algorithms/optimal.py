"""The best full-domain generalization, proven, with few nodes counted."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from shoal.algorithms.lattice import allowed_levels
from shoal.algorithms.search import Search
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.recoding import Generalization
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError

__all__ = ["Optimal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimal:
    """Least loss among all level vectors under any models and a suppression limit; equal to ``exhaustive``.

    The open node with the least lower bound is taken. On a path from it to the top, bisection looks for the most
    general node that rules it out: by suppressing more rows in every refinement than are allowed, or than the
    best node so far leaves room for. That node rules out everything below it as well. The search ends when no
    bound is below the best loss. Ties go to the lexicographically smallest level vector.

    Lattices that are too large to keep in memory are searched downwards from the top first, and then from the
    least bound; ``Solution.optimal`` says whether the result is proven.

    Parameters
    ----------
    max_nodes : int, optional
        Nodes that may be counted before the best so far is returned. Where left out, there is no end for
        lattices that fit into memory and about 2000 nodes, fewer for large tables, for all others.

    Raises
    ------
    SpecError
        If *max_nodes* is not at least 1.

    Notes
    -----
    Optimality: optimal among full-domain generalizations unless a budget ended the search.
    Deterministic: yes, no randomness; only ``budget_s`` depends on the clock.
    Cost: O(points) per counted node at most, less where a finer node is remembered; memory O(nodes of the
    lattice) up to two million of them.
    Models: any. Predictive tagging is not used, so models that suppression makes non-monotone are exact too:
    what prunes is ``must_suppress``, which every model proves for refinements of its classes.

    References
    ----------
    .. [1] LeFevre, K. et al. (2005), Incognito. doi:10.1145/1066157.1066164
    .. [2] Kohlmayer, F. et al. (2012), Flash. doi:10.1109/SocialCom-PASSAT.2012.52
    """

    name: ClassVar[str] = "optimal"
    supports: ClassVar[frozenset[str]] = frozenset({"table", "population"})
    max_nodes: int | None = None

    def __post_init__(self) -> None:
        if self.max_nodes is not None and self.max_nodes < 1:
            raise SpecError("max_nodes must be at least 1", fix="leave it out for a proven optimum")

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return the best node.

        Raises
        ------
        InfeasibleError
            If no node is feasible, or none was found before the budget ended.
        """
        start = time.perf_counter()
        search = Search(table, problem, self.max_nodes, start)
        search.run()
        levels = search.lattice.levels_of(search.best_node())
        n_nodes = prod(len(levels) for levels in allowed_levels(table, problem))
        return Solution(
            recoding=Generalization(levels, search.counter.suppressed_points(search.best_node())),
            optimal=search.proven,
            statistics={
                "nodes": n_nodes,
                "counted": search.counter.counted,
                "pruned": n_nodes - search.counter.counted if search.proven else None,
                "seconds": time.perf_counter() - start,
            },
        )
