"""t-closeness: a class tells little about its sensitive values that the whole table does not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes, Histogram
from shoal.core.context import Context, SensitiveColumn
from shoal.core.hierarchy import Hierarchy
from shoal.core.protocols import Closure
from shoal.core.rational import Exact, exact
from shoal.errors import SpecError
from shoal.kernels.eligible import largest_close
from shoal.kernels.transport import equal_distances

__all__ = ["TCloseness"]

GROUNDS = ("equal", "ordered", "hierarchical")

TOLERANCE = 1e-12
"""Real numbers that differ by less than this are equal."""


@dataclass(frozen=True, kw_only=True)
class TCloseness:
    """The sensitive distribution of every class is at most *t* away from that of the whole table.

    The distance is the earth mover's with this ground distance between two values:

    * ``equal``: 1 for any two;
    * ``ordered``: the difference of their ranks among the m values that occur, divided by m - 1;
    * ``hierarchical``: the height of their lowest common ancestor divided by the height of the root.

    Parameters
    ----------
    sensitive : str
        A sensitive column; for ``ordered`` one whose type or order is declared, for ``hierarchical`` one with a
        hierarchy (one without has a root over its values alone, and all distances are 1).
    t : int, float, str or Fraction
        Largest allowed distance, unitless, in [0, 1].
    ground : {"equal", "ordered", "hierarchical"}, default "equal"

    Raises
    ------
    SpecError
        If a setting is out of range; when classes are tested, if the column has no order and *ground* needs one.

    Notes
    -----
    Nulls: a sensitive null is a value like any other: the last one of an order, a child of the root in a tree.
    Weights: not used; sample counts only.
    Monotone: under generalization yes (closure UNION, the distance is convex), under suppression no; not where
    people are counted (NONE), since people with a value do not add up.
    Order: that of the column's type or declaration, so 11000 comes after 3000.
    Heights: that of a node is the lowest level which shows it, so chains of single children and a second root
    on top count once, and a leaf that repeats upward stays at height 0.
    The whole table is the input before suppression.
    Cost: O(entries of the histograms * log(values)), times the levels for ``hierarchical``.

    References
    ----------
    .. [1] Li, N., Li, T., Venkatasubramanian, S. (2007), t-closeness: privacy beyond k-anonymity and
       l-diversity. doi:10.1109/ICDE.2007.367856

    Examples
    --------
    Two classes, each pure, of a table that is half one value and half the other:

    >>> tree = Hierarchy.from_paths(["flu", "HIV"], [["*"], ["*"]])
    >>> context = Context({"disease": SensitiveColumn(tree, np.array([2, 2]))}, n_rows=4)
    >>> classes = Classes.from_counts([2, 2], {"disease": [[2, 0], [0, 2]]})
    >>> TCloseness(sensitive="disease", t=0.2).achieved(classes, context)
    0.5
    """

    name: ClassVar[str] = "t-closeness"
    sensitive: str
    t: Exact
    ground: str = "equal"

    def __post_init__(self) -> None:
        problems = []
        if not 0 <= exact(self.t, "t") <= 1:
            problems.append("t must lie in [0, 1]")
        if self.ground not in GROUNDS:
            problems.append(f"ground must be one of {', '.join(GROUNDS)}")
        if problems:
            raise SpecError(
                "; ".join(problems), where=self.name, fix='t = 0.2, ground = "equal" is a common choice'
            )

    @cached_property
    def required(self) -> float:
        """The threshold t."""
        return float(exact(self.t, "t"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.sensitive,)

    def closure(self, *, by_people: bool) -> Closure:
        """Return UNION on rows and NONE on people."""
        return Closure.NONE if by_people else Closure.UNION

    def distances(self, classes: Classes, context: Context) -> NDArray[np.float64]:
        """Return how far each class is from the whole table, float64 [n_classes], in [0, 1]."""
        return self._transport(context).distances(classes.histograms[self.sensitive])

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which classes are farther away than t."""
        violating: NDArray[np.bool_] = self.distances(classes, context) > self.required + TOLERANCE
        return violating

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the distance of the farthest class."""
        return float(self.distances(classes, context).max()) if len(classes) else None

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return the rows beyond the largest part that could pass.

        For the equal distance by what a part can share with the whole table, in fractions of rows. For the
        others because the distance is convex: if x of n rows lie in parts that fail, the class's distance is at
        most ((n - x) t + x m)/n, where m is the largest that a part can have: that of one of the class's values
        alone.
        """
        if context.by_people:
            return np.zeros(len(classes), np.int64)
        goal = self.required + TOLERANCE
        return self._transport(context).failing(classes.histograms[self.sensitive], classes.rows, goal)

    def _transport(self, context: Context) -> _Transport:
        column = context.column(self.sensitive)
        key = (self.name, self.ground)
        if key not in column.derived:
            if self.ground == "ordered" and not column.hierarchy.ordered:
                raise SpecError(
                    "the ordered distance needs values that have an order",
                    where=f"column {self.sensitive!r}",
                    fix='declare its type ("integer", "decimal", "date") or the order of its values,'
                    ' or use ground = "equal"',
                )
            kinds = {"equal": _Equal, "ordered": _Ordered, "hierarchical": _Hierarchical}
            column.derived[key] = kinds[self.ground](column)
        transport: _Transport = column.derived[key]
        return transport


class _Transport:
    """Distance of histograms to the whole table; what depends on the table alone is worked out once."""

    def __init__(self, column: SensitiveColumn) -> None:
        self.whole = column.frequencies
        self.prepare(column)
        n_values = self.whole.shape[0]
        ones = np.ones(n_values, np.int64)
        each = Histogram(np.arange(n_values + 1), np.arange(n_values, dtype=np.int32), ones)
        self.alone = self.distances(each)
        """Distance of a class that holds one value only, float64 [n_values]."""

    def prepare(self, column: SensitiveColumn) -> None:
        raise NotImplementedError

    def distances(self, histogram: Histogram) -> NDArray[np.float64]:
        raise NotImplementedError

    def failing(self, histogram: Histogram, rows: NDArray[np.int64], goal: float) -> NDArray[np.int64]:
        """Return a lower bound on the rows of each class that lie farther than *goal* in any refinement."""
        excess = self.distances(histogram) - goal - TOLERANCE
        room = histogram.per_class(np.maximum, self.alone[histogram.values]) - goal
        share = np.divide(excess, room, out=np.zeros_like(excess), where=(excess > 0) & (room > TOLERANCE))
        bound = np.ceil(rows * (share - TOLERANCE) - TOLERANCE)
        return np.clip(bound, 0, rows).astype(np.int64)


def _shares(histogram: Histogram) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = histogram.counts / histogram.totals[histogram.owner]
    return shares


class _Equal(_Transport):
    def prepare(self, column: SensitiveColumn) -> None:
        pass

    def distances(self, histogram: Histogram) -> NDArray[np.float64]:
        return equal_distances(
            histogram.offsets, values=histogram.values, counts=histogram.counts, whole=self.whole
        )

    def failing(self, histogram: Histogram, rows: NDArray[np.int64], goal: float) -> NDArray[np.int64]:
        shares = self.whole[histogram.values]
        return rows - largest_close(histogram.offsets, histogram.counts, shares, rows, goal=goal)


class _Ordered(_Transport):
    """Sum over ranks i of |Q_i - P_i| / (m - 1), Q and P the cumulated shares of class and table.

    Q is constant from one entry of the class to the next, and P never falls, so each stretch splits where P
    passes Q, and both parts are differences of sums of P that are known beforehand.
    """

    def prepare(self, column: SensitiveColumn) -> None:
        occurs = column.totals > 0
        self.rank = np.maximum(np.cumsum(occurs) - 1, 0)
        self.m = int(occurs.sum())
        self.cumulated = np.cumsum(column.totals[occurs]) / max(1, int(column.totals.sum()))
        self.sums = np.concatenate([[0.0], np.cumsum(self.cumulated)])

    def distances(self, histogram: Histogram) -> NDArray[np.float64]:
        offsets = histogram.offsets
        start = self.rank[histogram.values]
        stop = np.append(start[1:], self.m)
        filled = offsets[:-1] < offsets[1:]
        stop[offsets[1:][filled] - 1] = self.m
        running = np.concatenate([[0], np.cumsum(histogram.counts)])
        share = (running[1:] - running[offsets[:-1]][histogram.owner]) / histogram.totals[histogram.owner]
        split = np.clip(np.searchsorted(self.cumulated, share), start, stop)
        work = share * (2 * split - start - stop) + self.sums[start] + self.sums[stop] - 2 * self.sums[split]
        before = np.zeros(histogram.n_classes)
        before[filled] = self.sums[start[offsets[:-1][filled]]]
        distances: NDArray[np.float64] = (histogram.per_class(np.add, work) + before) / max(1, self.m - 1)
        return distances


class _Hierarchical(_Transport):
    """Sum over nodes below the root of |P - Q| times the climb to the parent, half of it, over the root's height.

    That is the paper's sum over inner nodes of height/H * min(surplus, shortage of the children): the smaller
    of the two is half of what the children's differences add up to beyond the node's own.
    """

    def prepare(self, column: SensitiveColumn) -> None:
        hierarchy = column.hierarchy
        self.levels = hierarchy.levels
        height, self.of_nodes = _node_heights(hierarchy), _node_shares(hierarchy, self.whole)
        parents = np.where(hierarchy.parents < 0, hierarchy.root, hierarchy.parents)
        climb = (height[parents] - height) / (2 * max(1, int(height[hierarchy.root])))
        # A node repeats on the levels of a chain, and counts on the first alone.
        self.climb = np.zeros((hierarchy.n_levels, climb.shape[0]))
        self.climb[height, np.arange(climb.shape[0])] = climb
        self.untouched = float((climb * self.of_nodes).sum())

    def distances(self, histogram: Histogram) -> NDArray[np.float64]:
        distances = np.full(histogram.n_classes, self.untouched)
        if not histogram.counts.size:
            return distances
        owner, leaf, shares = histogram.owner, histogram.values, _shares(histogram)
        for level, climb in zip(self.levels, self.climb, strict=True):
            nodes = level[leaf]
            starts = np.ones(nodes.shape[0], bool)
            starts[1:] = (nodes[1:] != nodes[:-1]) | (owner[1:] != owner[:-1])
            at = np.flatnonzero(starts)
            owner, leaf, shares, nodes = owner[at], leaf[at], np.add.reduceat(shares, at), nodes[at]
            whole = self.of_nodes[nodes]
            distances += np.bincount(owner, climb[nodes] * (np.abs(shares - whole) - whole), distances.shape[0])
        return distances.clip(min=0.0)


def _node_heights(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the lowest level that shows each node, int64 [n_nodes]."""
    heights = np.zeros(hierarchy.lo.shape[0], np.int64)
    for level in range(hierarchy.n_levels - 1, -1, -1):
        heights[hierarchy.levels[level]] = level
    return heights


def _node_shares(hierarchy: Hierarchy, whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the whole table under each node, float64 [n_nodes]."""
    running = np.concatenate([[0.0], np.cumsum(whole)])
    shares: NDArray[np.float64] = running[hierarchy.hi + 1] - running[hierarchy.lo]
    return shares
