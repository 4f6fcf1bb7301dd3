"""Nearest joins: in every block the smallest failing class joins the class, or a part of one, that costs least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes, Partition
from shoal.algorithms.cuts import Trees
from shoal.algorithms.needs import Needs
from shoal.algorithms.testing import ClassTester
from shoal.core.table import FrequencyTable
from shoal.kernels.join import gather, next_joins, which_fail

__all__ = ["Joining", "join_nearest"]

MOST_PARTS = 1024
"""Shares that one join may take off a class."""


@dataclass(frozen=True, eq=False)
class Joining:
    """How classes join.

    Parameters
    ----------
    trees : Trees
    prices : float64 [n_nodes]
        What a row costs at each node.
    needs : Needs or None
        What the models ask for in numbers, where that is all.
    prefer : {"shares", "valid"}
        Which joins come first where *needs* is given.
    fails : ClassTester
        The models, on items.
    progress : callable
        Called with (None, text) after each round.
    """

    trees: Trees
    prices: NDArray[np.float64]
    needs: Needs | None
    prefer: str
    fails: ClassTester
    progress: Callable[[float | None, str], None]


def join_nearest(table: FrequencyTable, blocks: Boxes, rules: Joining) -> Partition | None:
    """Join classes within *blocks* of points until all pass; None where one class is left that fails."""
    trees, needs = rules.trees, rules.needs
    point = blocks.record
    sizes = np.diff(table.offsets)[point]
    n_classes = len(point)
    ends = np.cumsum(sizes)
    item = np.arange(int(ends[-1])) - np.repeat(ends - sizes, sizes) + np.repeat(table.offsets[point], sizes)
    owner = np.repeat(np.arange(n_classes), sizes)
    rows = table.counts[item]
    after = np.arange(1, len(item) + 1)
    after[ends - 1] = -1
    head = ends - sizes
    group = np.zeros(table.n_items, np.int64) if needs is None else needs.groups(table, np.arange(table.n_items))
    one, k = np.ones(1, np.int64), 1 if needs is None else needs.k
    numerators, denominators = (one, one) if needs is None else (needs.numerators, needs.denominators)
    counts = np.zeros((n_classes, len(numerators)), np.int64)
    np.add.at(counts, (owner, group[item]), rows)
    nodes = trees.leaves(blocks.codes)
    failing = rules.fails(item, owner, rows, n_classes)
    block_of = blocks.owner
    n_shares, done = len(item), Partition()
    slots = np.empty(_power_above(4 * int(np.diff(blocks.starts).max())), np.int64)
    open_ = np.unique(block_of[failing])
    while open_.size:
        done.n_rounds += 1
        room = n_shares + len(open_) * MOST_PARTS - len(item)
        if room > 0:
            room += len(item) // 2
            item, rows, after = (np.concatenate([a, np.empty(room, np.int64)]) for a in (item, rows, after))
        changed = np.empty((len(open_), 2), np.int64)
        n_shares = next_joins(
            open_, blocks.starts, nodes, counts, failing, rules.prices, head, after, item, rows, group, n_shares,
            trees.parents, trees.lo, trees.hi,
            needs is not None, k, k if rules.prefer == "valid" else 1, numerators, denominators, slots, changed,
        )  # fmt: skip
        if (changed[:, 0] < 0).any():
            return None
        again = np.unique(changed[changed >= 0])
        failing[head < 0] = False
        if needs is not None:
            which_fail(again, counts, needs.k, numerators, denominators, failing)
        else:
            items, held, owner = _shares(again, head, after, item, rows)
            failing[again] = rules.fails(items, owner, held, len(again))
        open_ = np.unique(block_of[failing])
        rules.progress(None, "joining")
    alive = np.flatnonzero(head >= 0)
    items, held, owner = _shares(alive, head, after, item, rows)
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(alive)))])
    nodes = nodes[alive]
    codes = table.codes[table.point_of_item[items]]
    done.add(Boxes(trees.lo[nodes], trees.hi[nodes], nodes, starts, codes, held, items))
    return done


def _shares(
    classes: NDArray[np.int64],
    head: NDArray[np.int64],
    after: NDArray[np.int64],
    item: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the items in some classes, their rows, and the place of their class."""
    items, held, owner = (np.empty(len(item), np.int64) for _ in range(3))
    n = gather(classes, head, after, item, rows, items, held, owner)
    return items[:n], held[:n], owner[:n]


def _power_above(n: int) -> int:
    return 1 << max(2, n.bit_length())
