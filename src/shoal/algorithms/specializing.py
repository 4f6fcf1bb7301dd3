"""Top-down specialization that publishes remainders: all boxes of a level go down one column together."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes, Partition
from shoal.algorithms.cuts import Trees
from shoal.algorithms.needs import Needs
from shoal.algorithms.testing import ClassTester
from shoal.core.hierarchy import Hierarchy
from shoal.kernels.grouping import sum_by_group
from shoal.kernels.mondrian import refine
from shoal.kernels.specialize import give_back, split_column

__all__ = ["Descent", "heights_of", "specialize"]


@dataclass(frozen=True, eq=False)
class Descent:
    """How boxes are specialized.

    Parameters
    ----------
    trees : Trees
    heights : int64 [n_nodes]
        Edges from each node of the trees down to its deepest leaf.
    needs : Needs or None
        What the models ask for in numbers, where that is all; then single tuples return to a remainder, else whole
        children.
    fails : ClassTester
        The models.
    group : int64 [n_items]
        Group of sensitive values of each item, where *needs* is given.
    scale : float64 [n_qi] or None
        Loss of one code of width in each column, where remainders go on along the other columns; None where they
        are published.
    prices : float64 [n_nodes] or None
        What a row costs at each node, where sides are nodes alone; else widths count.
    deadline : float
        When to stop, by :func:`time.monotonic`.
    progress : callable
        Called with (share of rows done, text) after each level.
    """

    trees: Trees
    heights: NDArray[np.int64]
    needs: Needs | None
    fails: ClassTester
    group: NDArray[np.int64]
    scale: NDArray[np.float64] | None
    prices: NDArray[np.float64] | None
    deadline: float
    progress: Callable[[float | None, str], None]


@dataclass(frozen=True, eq=False)
class _Level:
    """The boxes of one level, and what is asked of them in every column.

    ``low`` and ``high`` [n_boxes, n_qi] are the extent of the records, ``owner`` [n] the box of each record and
    ``failing`` [n_boxes] the boxes that fail; ``dense`` is room for counting.
    """

    boxes: Boxes
    rules: Descent
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    dense: NDArray[np.int64]
    owner: NDArray[np.int64]
    failing: NDArray[np.bool_]


@dataclass(eq=False)
class _Step:
    """One level down for every box: what each record does, and how good it is.

    ``rows`` [n_boxes] counts the rows that go down, 0 where none can.
    """

    rows: NDArray[np.int64]
    saved: NDArray[np.float64]
    branches: NDArray[np.int64]
    height: NDArray[np.int64]
    column: NDArray[np.int64]
    part: NDArray[np.int64]
    back: NDArray[np.int64]
    side: NDArray[np.int32]


def heights_of(hierarchies: tuple[Hierarchy, ...], trees: Trees, labels: str) -> NDArray[np.int64]:
    """Return the edges from each node of the trees down to its deepest leaf, int64 [n_nodes].

    A chain of single children counts in full, as the paper's levels do.
    """
    heights = np.zeros(len(trees.lo), np.int64)
    if labels != "nodes":
        heights[trees.offsets[:-1] < trees.offsets[1:]] = 1
        return heights
    for first, hierarchy in zip(trees.first[:-1], hierarchies, strict=True):
        mine = heights[first : first + len(hierarchy.lo)]
        for nodes, steps in zip(hierarchy.levels, hierarchy.node_steps, strict=True):
            np.maximum.at(mine, nodes, steps)
        mine[hierarchy.root] = hierarchy.depths.max(initial=0)
    return heights


def specialize(boxes: Boxes, rules: Descent, *, failing: NDArray[np.bool_]) -> Partition | None:
    """Specialize *boxes* as far as the models allow.

    Boxes that fail, as *failing* [n_boxes] says, must be specialized without a remainder that fails. None is
    returned where that is impossible.
    """
    done = Partition()
    n_rows = max(1, int(boxes.rows.sum()))
    finished = 0
    dense = np.empty(1 << 16, np.int64)
    while len(boxes):
        if time.monotonic() >= rules.deadline and not failing.any():
            done.out_of_time = True
            done.add(boxes)
            break
        low, high = np.empty_like(boxes.lo), np.empty_like(boxes.lo)
        trees = rules.trees
        refine(
            boxes.codes, boxes.starts, boxes.lo, boxes.hi, boxes.node, low, high,
            trees.lo, trees.hi, trees.offsets, trees.kids, trees.fit,
        )  # fmt: skip
        best = _best_step(_Level(boxes, rules, low, high, dense, boxes.owner, failing), done)
        if failing[best.rows == 0].any():
            return None
        leaves, boxes = _taken(boxes, best, go_on=rules.scale is not None)
        done.add(leaves)
        finished += int(leaves.rows.sum())
        done.n_rounds += 1
        failing = np.zeros(len(boxes), bool)
        rules.progress(finished / n_rows, "specializing")
    return done


def _best_step(level: _Level, done: Partition) -> _Step:
    """Give each box the column by which most rows go down, then the one with the fewest branches and so on."""
    boxes, owner = level.boxes, level.owner
    n, n_boxes, none = len(boxes.record), len(boxes), np.zeros(len(boxes), np.int64)
    best = _Step(
        none.copy(), np.zeros(n_boxes), none.copy(), none.copy(), none - 1,
        np.full(n, -1, np.int64), boxes.rows.copy(), np.empty((n, 3), np.int32),
    )  # fmt: skip
    for j in range(boxes.codes.shape[1]):
        step = _step(level, j)
        if step is None:
            continue
        done.n_tested += n_boxes
        better = (step.rows > 0) & (step.saved > best.saved)
        tied = (step.rows > 0) & (step.saved == best.saved)
        better |= tied & (step.branches < best.branches)
        better |= tied & (step.branches == best.branches) & (step.height > best.height)
        for name in ("rows", "saved", "branches", "height", "column"):
            getattr(best, name)[better] = getattr(step, name)[better]
        mine = better[owner]
        for name in ("part", "back", "side"):
            getattr(best, name)[mine] = getattr(step, name)[mine]
    return best


def _step(level: _Level, j: int) -> _Step | None:
    """Go down column *j* in every box; None where no box can."""
    boxes, rules, owner, failing = level.boxes, level.rules, level.owner, level.failing
    trees, n, n_boxes = rules.trees, len(boxes.record), len(boxes)
    part = np.empty(n, np.int64)
    sides, part_box = np.empty((2 * n, 3), np.int32), np.empty(2 * n, np.int64)
    n_parts = split_column(
        boxes.codes, boxes.rows, boxes.starts, boxes.lo, boxes.hi, boxes.node, level.low, level.high, j,
        trees.lo, trees.hi, trees.offsets, trees.kids, level.dense, part, sides, part_box,
    )  # fmt: skip
    if not n_parts:
        return None
    sides, part_box = sides[:n_parts], part_box[:n_parts]
    returned = rules.fails(boxes.record, part, boxes.rows, n_parts)
    back = np.where((part < 0) | returned[part], boxes.rows, 0)
    # Boxes that cannot go down here, or of which all parts fail, keep everything.
    some = np.zeros(n_boxes, bool)
    some[part_box[~returned]] = True
    back[~some[owner]] = boxes.rows[~some[owner]]
    lacking = _lacking(level, back, some)
    lost = lacking & failing
    back[lost[owner]] = boxes.rows[lost[owner]]
    lacking &= ~failing
    if lacking.any():
        if rules.needs is None:
            _return_children(level, part, returned, back, lacking)
        else:
            give_back(
                boxes.rows, boxes.starts, rules.group[boxes.record], part, returned, np.flatnonzero(lacking),
                rules.needs.k, rules.needs.numerators, rules.needs.denominators, back,
            )  # fmt: skip
    down = boxes.rows - back
    in_part = np.bincount(np.maximum(part, 0), down, n_parts) > 0
    node = boxes.node[:, j]
    childless = trees.offsets[node] == trees.offsets[node + 1]
    halvings = np.frexp((boxes.hi[:, j] - boxes.lo[:, j]).astype(np.float64))[1]
    rows = np.bincount(owner, down, n_boxes).astype(np.int64)
    saved = rows.astype(np.float64)
    if rules.scale is not None:
        if rules.prices is None:
            narrower = (boxes.hi[:, j] - boxes.lo[:, j])[owner] - (sides[part, 1] - sides[part, 0])
            less = narrower * rules.scale[j]
        else:
            less = rules.prices[node[owner]] - rules.prices[sides[part, 2]]
        saved = sum_by_group(owner, down * less, n_boxes) * rows / sum_by_group(owner, boxes.rows, n_boxes)
    return _Step(
        rows,
        saved,
        np.bincount(part_box[in_part], minlength=n_boxes),
        np.where(childless, halvings, rules.heights[node]).astype(np.int64),
        np.full(n_boxes, j),
        part,
        back,
        sides[part],
    )


def _lacking(level: _Level, back: NDArray[np.int64], some: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of *some* boxes have a remainder that fails, bool [n_boxes]."""
    boxes, owner = level.boxes, level.owner
    asked = np.zeros(len(boxes), bool)
    asked[owner[back > 0]] = True
    asked &= some
    lacking = np.zeros(len(boxes), bool)
    at = np.flatnonzero(asked)
    if at.size:
        place = np.full(len(boxes), -1, np.int64)
        place[at] = np.arange(len(at))
        class_of = np.where(back > 0, place[owner], -1)
        lacking[at] = level.rules.fails(boxes.record, class_of, back, len(at))
    return lacking


def _return_children(
    level: _Level,
    part: NDArray[np.int64],
    returned: NDArray[np.bool_],
    back: NDArray[np.int64],
    lacking: NDArray[np.bool_],
) -> None:
    """Return the smallest child of each *lacking* box as a whole, again and again, until the remainder passes."""
    owner, rows_of = level.owner, level.boxes.rows
    at = np.flatnonzero(lacking[owner] & (part >= 0))
    parts, first = np.unique(part[at], return_index=True)
    rows = np.bincount(np.searchsorted(parts, part[at]), rows_of[at])
    of_box = owner[at][first]
    order = np.lexsort((parts, rows, of_box))
    order = order[~returned[parts[order]]]
    parts, of_box = parts[order], of_box[order]
    turn = np.arange(len(parts)) - np.searchsorted(of_box, of_box)
    going = np.zeros(returned.shape[0], bool)
    for number in range(int(turn.max(initial=-1)) + 1):
        going[:] = False
        going[parts[(turn == number) & lacking[of_box]]] = True
        mine = (part >= 0) & going[part]
        back[mine] = rows_of[mine]
        lacking = _lacking(level, back, lacking)
        if not lacking.any():
            return


def _taken(boxes: Boxes, step: _Step, *, go_on: bool) -> tuple[Boxes, Boxes]:
    """Return what is published of the boxes, and the parts that are specialized further.

    Remainders of boxes that went down are among the latter where they *go on*.
    """
    owner = boxes.owner
    remains = step.back > 0
    going = remains & (step.rows > 0)[owner] if go_on else np.zeros(len(remains), bool)
    stay = np.flatnonzero(remains & ~going)
    at, starts = _runs(owner[stay])
    of_box = owner[stay][at]
    leaves = Boxes(
        boxes.lo[of_box], boxes.hi[of_box], boxes.node[of_box], starts,
        boxes.codes[stay], step.back[stay], boxes.record[stay],
    )  # fmt: skip
    down = np.flatnonzero(boxes.rows > step.back)
    rows, part = boxes.rows[down] - step.back[down], step.part[down]
    if going.any():
        behind = np.flatnonzero(going)
        down = np.concatenate([down, behind])
        rows = np.concatenate([rows, step.back[behind]])
        part = np.concatenate([part, np.full(len(behind), -1)])
    order = np.lexsort((down, part, owner[down]))
    down, rows, part = down[order], rows[order], part[order]
    at, starts = _runs(owner[down], part)
    of_box = owner[down][at]
    lo, hi, node = boxes.lo[of_box], boxes.hi[of_box], boxes.node[of_box]
    each = np.flatnonzero(part[at] >= 0)
    column = step.column[of_box[each]]
    for place, side in enumerate((lo, hi, node)):
        side[each, column] = step.side[down][at[each], place]
    more = Boxes(lo, hi, node, starts, boxes.codes[down], rows, boxes.record[down])
    return leaves, more


def _runs(*columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each run of equal rows begins, and these places with the end behind them."""
    begins = np.ones(len(columns[0]), bool)
    begins[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    at = np.flatnonzero(begins)
    return at, np.append(at, len(columns[0]))
