"""Climbing level by level: one column goes up by a node in all failing classes at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes, Partition
from shoal.algorithms.cuts import Trees
from shoal.algorithms.testing import ClassTester
from shoal.kernels.grouping import rank_columns, sum_by_group

__all__ = ["Climb", "climb"]


@dataclass(frozen=True, eq=False)
class Climb:
    """How classes climb.

    Parameters
    ----------
    trees : Trees
    prices : float64 [n_nodes]
        What a row costs at each node.
    fails : ClassTester
        The models, on points.
    progress : callable
        Called with (share of rows that are safe, text) after each round.
    """

    trees: Trees
    prices: NDArray[np.float64]
    fails: ClassTester
    progress: Callable[[float | None, str], None]


@dataclass(frozen=True, eq=False)
class _Classes:
    """Classes by their nodes [n_classes, n_qi] and the top that each may climb to.

    ``of`` [n_points] is the class of each point, ``rows`` and ``failing`` [n_classes] what it holds and whether it
    fails. Classes are sorted by their intervals.
    """

    nodes: NDArray[np.int32]
    top: NDArray[np.int64]
    of: NDArray[np.int64]
    rows: NDArray[np.int64]
    failing: NDArray[np.bool_]


def climb(points: Boxes, rules: Climb) -> Partition | None:
    """Climb from the leaves until every class passes; None where that is impossible.

    *points* are the boxes that the points may climb to.
    """
    nodes = rules.trees.leaves(points.codes)
    each = np.arange(len(points.record))
    state = _merged(points, rules, nodes, _Classes(nodes, points.owner, each, points.rows, each < 0))
    done = Partition()
    n_rows = max(1, int(points.rows.sum()))
    while state.failing.any():
        done.n_rounds += 1
        step = _best_step(points, rules, state) or _pulled(points, rules, state)
        if step is None:
            return None
        state = step
        rules.progress(1 - int(state.rows[state.failing].sum()) / n_rows, "climbing")
    order = np.argsort(state.of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(state.of))])
    trees = rules.trees
    done.add(
        Boxes(
            trees.lo[state.nodes],
            trees.hi[state.nodes],
            state.nodes,
            starts,
            points.codes[order],
            points.rows[order],
            points.record[order],
        )
    )
    return done


def _merged(points: Boxes, rules: Climb, nodes: NDArray[np.int32], finer: _Classes) -> _Classes:
    """Give the classes of *finer* other *nodes*, join those of equal nodes and test all of them."""
    trees = rules.trees
    columns: list[NDArray[np.int32]] = []
    sizes: list[int] = []
    for j in range(nodes.shape[1]):
        width = int(trees.hi[trees.first[j] : trees.first[j + 1]].max()) + 1
        columns += [trees.lo[nodes[:, j]], trees.hi[nodes[:, j]]]
        sizes += [width, width]
    group, first = rank_columns(columns, sizes)
    of = group[finer.of].astype(np.int64)
    failing = rules.fails(points.record, of, points.rows, len(first))
    rows = sum_by_group(group, finer.rows, len(first))
    return _Classes(nodes[first], finer.top[first], of, rows, failing)


def _best_step(points: Boxes, rules: Climb, state: _Classes) -> _Classes | None:
    """Let failing classes climb in the column that leaves fewest rows failing; None where all are at the top."""
    best: tuple[int, float] | None = None
    found = None
    failing = np.flatnonzero(state.failing)
    for j in range(state.nodes.shape[1]):
        now = state.nodes[failing, j]
        above = np.where(now == points.node[state.top[failing], j], now, rules.trees.parents[now])
        if np.array_equal(now, above):
            continue
        nodes = state.nodes.copy()
        nodes[failing, j] = above
        tried = _merged(points, rules, nodes, state)
        added = float(state.rows[failing] @ (rules.prices[above] - rules.prices[now]))
        rank = int(tried.rows[tried.failing].sum()), added
        if best is None or rank < best:
            best, found = rank, tried
    return found


def _pulled(points: Boxes, rules: Climb, state: _Classes) -> _Classes | None:
    """Pull the class that loses least up to the first failing one, at the top; None where none is left."""
    target = int(np.flatnonzero(state.failing)[0])
    top = state.top[target]
    others = np.flatnonzero((state.top == top) & (np.arange(len(state.rows)) != target))
    if not others.size:
        return None
    price = rules.prices[state.nodes].sum(axis=1)
    cost = state.rows[others] * (price[target] - price[others])
    nodes = state.nodes.copy()
    nodes[others[np.argmin(cost)]] = nodes[target]
    return _merged(points, rules, nodes, state)
