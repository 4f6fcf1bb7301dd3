"""Mondrian to the letter of the comparison: a node is split into all its children, numbers beside the median.

The library's own Mondrian cuts one child off a node, which leaves smaller classes and, where cells are nodes,
classes that lie in each other. Here every part is a box of its own, so that whoever lies in the domain lies in one
class at most: what the paper's competitors are built on.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.algorithm import Solution
from shoal.core.classes import Classes, Histogram
from shoal.core.problem import Problem
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError
from shoal.models import KAnonymity

Rows = NDArray[np.int64]
Side = tuple[int, int]
REMEMBERED = 4
"""Partitions that are kept: noise is put on the classes that another method publishes as they are."""


@dataclass(frozen=True, kw_only=True)
class StrictMondrian:
    """Boxes of a strict partition; ties go to the first column."""

    name: ClassVar[str] = "strict mondrian"
    labels: str = "ranges"
    _kept: OrderedDict[tuple[int, str], tuple[FrequencyTable, Solution]] = field(
        default_factory=OrderedDict, repr=False, compare=False
    )

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes whose classes meet every model of *problem*."""
        key = (id(table), repr(problem.models))
        if key not in self._kept:
            found = Solution(recoding=_Partition(table, problem).regions())
            self._kept[key] = (table, found)
            if len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        return self._kept[key][1]


class _Partition:
    """One run: items go down, boxes come out."""

    def __init__(self, table: FrequencyTable, problem: Problem) -> None:
        self.table, self.problem = table, problem
        self.codes = table.codes[table.point_of_item]
        self.least = max([m.k for m in problem.models if isinstance(m, KAnonymity)], default=1)
        self.others = [model for model in problem.models if not isinstance(model, KAnonymity)]
        self.boxes: list[tuple[list[Side], Rows]] = []
        whole = [(0, h.n_values - 1) for h in table.hierarchies]
        everything = np.arange(table.n_items)
        if not self.admissible([everything]):
            raise InfeasibleError("the whole table as one class violates a model")
        self.split(whole, everything)

    def regions(self) -> Regions:
        sides = np.array([box for box, _ in self.boxes], np.int32)
        region = np.empty(self.table.n_items, np.int32)
        for number, (_, items) in enumerate(self.boxes):
            region[items] = number
        offsets = np.arange(self.table.n_items + 1)
        found = Regions(sides[:, :, 0], sides[:, :, 1], offsets, region, self.table.counts, "ranges")
        return found.normalized(self.table.hierarchies)

    def admissible(self, parts: list[Rows]) -> bool:
        counts = self.table.counts
        sizes = np.array([counts[part].sum() for part in parts])
        if (sizes < self.least).any():
            return False
        if not self.others:
            return True
        hierarchy = self.table.sensitive_hierarchies[0]
        dense = np.stack(
            [np.bincount(self.table.sensitive[part, 0], counts[part], hierarchy.n_values) for part in parts]
        ).astype(np.int64)
        owner, value = np.nonzero(dense)
        offsets = np.searchsorted(owner, np.arange(len(parts) + 1)).astype(np.int64)
        histogram = Histogram(offsets, value.astype(np.int32), dense[owner, value], None)
        classes = Classes(sizes, sizes, {self.table.sensitive_names[0]: histogram})
        return not any(model.violating(classes, self.problem.context).any() for model in self.others)

    def split(self, box: list[Side], items: Rows) -> None:
        """Cut a box, or keep it."""
        box = [self.refined(side, items, j) for j, side in enumerate(box)]
        widths = [self.width(side, items, j) for j, side in enumerate(box)]
        for j in sorted(range(len(box)), key=lambda j: (-widths[j], j)):
            if widths[j] == 0:
                continue
            for sides, parts in self.proposals(box[j], items, j):
                if self.admissible(parts):
                    for side, part in zip(sides, parts, strict=True):
                        self.split([*box[:j], side, *box[j + 1 :]], part)
                    return
        self.boxes.append((box, items))

    def children(self, side: Side, j: int) -> list[Side]:
        hierarchy = self.table.hierarchies[j]
        node = hierarchy.node_of(*side)
        kids = [] if node is None or hierarchy.ordered else hierarchy.children(node).tolist()
        return [(int(hierarchy.lo[kid]), int(hierarchy.hi[kid])) for kid in kids]

    def refined(self, side: Side, items: Rows, j: int) -> Side:
        """Go down to the child that holds all items, as long as there is one."""
        values = self.codes[items, j]
        low, high = int(values.min()), int(values.max())
        while True:
            inside = [child for child in self.children(side, j) if child[0] <= low and high <= child[1]]
            if not inside:
                return side
            side = inside[0]

    def width(self, side: Side, items: Rows, j: int) -> float:
        hierarchy = self.table.hierarchies[j]
        if hierarchy.ordered and hierarchy.positions is not None:
            places = hierarchy.positions[self.codes[items, j]]
            span = hierarchy.positions[-1] - hierarchy.positions[0]
            return round(float((places.max() - places.min()) / (span or 1.0)), 12)
        return 0.0 if side[0] == side[1] else round((side[1] - side[0] + 1) / hierarchy.n_values, 12)

    def proposals(self, side: Side, items: Rows, j: int) -> list[tuple[list[Side], list[Rows]]]:
        values = self.codes[items, j]
        kids = self.children(side, j)
        if kids:
            parts = [(kid, items[(kid[0] <= values) & (values <= kid[1])]) for kid in kids]
            full: list[Any] = [(kid, part) for kid, part in parts if len(part)]
            return [([kid for kid, _ in full], [part for _, part in full])]
        rows = np.bincount(values, self.table.counts[items])
        below = np.cumsum(rows)
        total = below[-1]
        middle = int(np.searchsorted(below, (total - 1) // 2, side="right"))
        cuts = [middle, *np.flatnonzero(rows[:middle])[-1:].tolist()]
        cuts = [cut for cut in cuts if 0 < below[cut] < total]
        cuts.sort(key=lambda cut: -min(below[cut], total - below[cut]))
        return [
            ([(side[0], cut), (cut + 1, side[1])], [items[values <= cut], items[values > cut]]) for cut in cuts
        ]
