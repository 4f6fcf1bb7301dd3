"""How far to generalize whole columns before cells are suppressed: a search over level vectors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.bounds import Bounds
from shoal.algorithms.lattice import Lattice
from shoal.algorithms.optimal import Optimal
from shoal.algorithms.search import IN_MEMORY, TIE
from shoal.core.problem import Problem
from shoal.core.recoding import Generalization
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError

__all__ = ["Coarsening", "best_levels"]

START_NODES = 100
"""Nodes that the full-domain search for a first level vector may count."""

FEWEST, MOST, QUICK_POINTS = 60, 400, 20_000
"""Level vectors that are tried at least, and at most for tables of so many points."""

HOPELESS = 3
"""Open level vectors per one that may still be tried from which on no proof is tried."""

Node = tuple[int, ...]
Levels = tuple[int, ...]
Try = Callable[[Levels, Callable[[int], bool]], float]
"""``(levels, may it win with so many starred records at least?) -> loss``, infinite where it may not."""


@dataclass(frozen=True, slots=True)
class Coarsening:
    """What the search over level vectors found.

    Parameters
    ----------
    levels : tuple of int
    loss, loss_without : float
        Loss of the release at these levels, and without coarsening.
    tried, ruled_out, n_nodes : int
        Level vectors whose release was made, whose bound alone was too large, and that there are.
    proven : bool
        Whether no other level vector has less loss.
    """

    levels: Levels
    loss: float
    loss_without: float
    tried: int
    ruled_out: int
    n_nodes: int
    proven: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the search as statistics."""
        return {
            "levels": list(self.levels),
            "loss without coarsening": self.loss_without,
            "level vectors": self.n_nodes,
            "level vectors tried": self.tried,
            "level vectors proven best": self.proven,
        }

    def sentence(self, names: Sequence[str], heights: Sequence[int], loss: str) -> str:
        """Say what was coarsened and why."""
        columns = [
            f"{name} to level {level} of {height}"
            for name, level, height in zip(names, self.levels, heights, strict=True)
            if level
        ]
        how = "no other choice of levels loses less" if self.proven else "of the levels tried it loses least"
        if not columns:
            return f"No column was generalized before suppression: {how} ({loss} {self.loss:.4g})."
        return (
            f"Before any cell was suppressed, whole columns were generalized: {', '.join(columns)}; {how} "
            f"({loss} {self.loss:.4g}, and {self.loss_without:.4g} without)."
        )


def best_levels(
    table: FrequencyTable, problem: Problem, attempt: Try, *, dense: bool, max_nodes: int | None, deadline: float
) -> Coarsening:
    """Search the level vector whose release loses least.

    The finest vector, the one that full-domain generalization would take, and then neighbours of the best are
    tried; after that, where they are not far too many, the open vectors in the order of their lower bounds, until
    none can win or the budget is spent.
    A vector's bound is what its cells lose anyway, and for published stars the records that TP must star there,
    which finer vectors must as well, at the price of the cheapest star.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
    attempt : callable
    dense : bool
        Whether cells that differ are published as less than a star, so that their price is not known.
    max_nodes : int or None
        Level vectors that may be tried; None: as many as are quick.
    deadline : float
        When to stop, by :func:`time.monotonic`.

    Returns
    -------
    Coarsening
    """
    search = _Search(table, problem, attempt, dense=dense, max_nodes=max_nodes, deadline=deadline)
    return search.run()


class _Search:
    """One run: what is known of the lattice, and the best so far."""

    def __init__(
        self,
        table: FrequencyTable,
        problem: Problem,
        attempt: Try,
        *,
        dense: bool,
        max_nodes: int | None,
        deadline: float,
    ) -> None:
        self.table = table
        self.problem = problem
        self.attempt = attempt
        self.max_nodes = max_nodes or FEWEST + (MOST - FEWEST) * QUICK_POINTS // max(QUICK_POINTS, table.n_points)
        self.deadline = deadline
        self.lattice = Lattice.of(table, problem)
        self.star = [
            np.zeros(n) if dense else _star_price(self.lattice, j) for j, n in enumerate(self.lattice.shape)
        ]
        self.bounds: Bounds | None = None
        if self.lattice.n_nodes <= IN_MEMORY:
            self.bounds = Bounds(self.lattice, table.n_rows)
            self.bounds.least = _cheapest(self.lattice.shape, self.star)
        self.losses: dict[Node, float] = {}
        self.best: Node | None = None
        self.loss = inf

    def run(self) -> Coarsening:
        """Try, improve, prove."""
        bottom = (0,) * self.table.n_qi
        self.visit(bottom)
        self.visit(self.full_domain())
        self.improve()
        proven = self.prove()
        assert self.best is not None  # noqa: S101 (the bottom always has a release)
        tried = [loss for loss in self.losses.values() if loss < inf]
        return Coarsening(
            self.lattice.levels_of(self.best), self.loss, self.losses[bottom],
            len(tried), len(self.losses) - len(tried), self.lattice.n_nodes, proven,
        )  # fmt: skip

    @property
    def tolerance(self) -> float:
        return TIE * max(1.0, abs(self.loss)) if self.loss < inf else 0.0

    def spent(self) -> bool:
        """Whether the budget is used up."""
        return len(self.losses) >= self.max_nodes or time.monotonic() >= self.deadline

    def visit(self, node: Node) -> float:
        """Make the release of a node, unless its bound rules it out, and learn from it."""
        if node in self.losses:
            return self.losses[node]
        if (
            self.best is not None
            and self.bounds is not None
            and self.bounds.lower[node] > self.loss + self.tolerance
        ):
            return inf

        def is_open(records: int) -> bool:
            if self.bounds is not None:
                self.bounds.learn_must(node, records)
            low = self.lattice.base_of(node) + records * self.price(node)
            return self.best is None or low <= self.loss + self.tolerance

        loss = self.attempt(self.lattice.levels_of(node), is_open)
        self.losses[node] = loss
        if self.bounds is not None:
            self.bounds.close(node)
        ties = self.best is not None and abs(loss - self.loss) <= self.tolerance and node < self.best
        if loss < self.loss - self.tolerance or self.best is None or ties:
            self.best, self.loss = node, min(loss, self.loss)
        self.problem.progress(None, f"{len(self.losses)} level vectors tried")
        return loss

    def price(self, node: Node) -> float:
        """Return what a starred record costs more at least."""
        least = min(float(star[i]) for star, i in zip(self.star, node, strict=True))
        return least if least < inf else 0.0

    def full_domain(self) -> Node:
        """Return the node that full-domain generalization with free suppression would take."""
        free = replace(self.problem, suppression_limit=Fraction(1), budget_s=self.left())
        try:
            found = Optimal(max_nodes=START_NODES).search(self.table, free, np.random.default_rng(0)).recoding
        except InfeasibleError:
            return self.lattice.top
        assert isinstance(found, Generalization)  # noqa: S101 (what it searches)
        return tuple(
            column.levels.index(level) for column, level in zip(self.lattice.columns, found.levels, strict=True)
        )

    def left(self) -> float | None:
        return None if self.deadline == inf else max(0.0, self.deadline - time.monotonic()) / 4

    def improve(self) -> None:
        """Move to the best neighbour as long as there is a better one."""
        here = None
        while here != self.best and self.best is not None:
            here = self.best
            for neighbour in self.neighbours(here):
                if self.spent():
                    return
                self.visit(neighbour)

    def neighbours(self, node: Node) -> Iterator[Node]:
        """Yield the nodes that differ by one level in one column, coarser ones first: they are quicker."""
        for step in (1, -1):
            for j, top in enumerate(self.lattice.top):
                if 0 <= node[j] + step <= top:
                    yield (*node[:j], node[j] + step, *node[j + 1 :])

    def prove(self) -> bool:
        """Take open nodes by their bounds until none can win; return whether that was reached.

        Where far more are open than may be tried, there is no proof to be had and little to be found.
        """
        while self.bounds is not None and not self.spent():
            n_open = np.count_nonzero(self.bounds.lower <= self.loss + self.tolerance)
            if n_open > HOPELESS * (self.max_nodes - len(self.losses)):
                break
            found = self.bounds.next(self.best, self.loss, self.tolerance)
            if found is None:
                return True
            self.visit(found)
        return False


def _star_price(lattice: Lattice, j: int) -> NDArray[np.float64]:
    """Return what a star costs more at least at each level of a column; infinite where cells never differ."""
    column = lattice.columns[j]
    return np.where(np.array(column.n_groups) > 1, column.least_gain, inf)


def _cheapest(shape: tuple[int, ...], prices: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the price of the cheapest star at every node, float64 [shape]."""
    least = np.full(shape, inf)
    for j, price in enumerate(prices):
        least = np.minimum(least, price.reshape([-1 if i == j else 1 for i in range(len(shape))]))
    return np.where(least < inf, least, 0.0)
