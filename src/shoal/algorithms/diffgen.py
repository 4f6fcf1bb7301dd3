"""DiffGen: top-down specialization whose every choice and count is drawn so that the release is private."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.divisions import SCORES, ColumnRecords, Side, children_of, n_divisions, sensitivity
from shoal.algorithms.dp_counts import budget_of
from shoal.algorithms.noise import DiscreteLaplace, check_cells, noisy_cells
from shoal.algorithms.noisy_counts import check_one_sensitive, perturbation_of, summed
from shoal.core.algorithm import Solution
from shoal.core.hierarchy import Hierarchy
from shoal.core.perturbation import Guarantee, Spent
from shoal.core.problem import Problem
from shoal.core.rational import Exact
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, check_choice

__all__ = ["DiffGen"]

LABELS = ("nodes", "ranges")

PROMISES: tuple[str, ...] = (
    "What is protected is that one record is there or not, so a person with several is protected less.",
    "What is true of many people can be learned, and told of everybody who is like them.",
    "The budgets of all releases of the same people add up.",
    "Counts are drawn exactly; what is divided and where is drawn in double precision.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffGen:
    """ε-differentially private: drawn divisions from the root, then noisy counts of all cells, empty ones too.

    Every column starts at ``*``. Then *h* times a node of some column is divided, for all records alike: which
    one is drawn by the exponential mechanism, those that tell the sensitive values well apart more often. Columns
    follow their trees; with ``labels = "ranges"`` those with an order are cut in two at a point that is drawn by
    the same mechanism. At the end every combination of nodes with every sensitive value gets its number of records
    plus noise of the discrete Laplace distribution, and is published where that is positive.

    Parameters
    ----------
    epsilon : int, float, str or Fraction, default 1
        The budget of the whole release, above 0: half for the divisions, half for the counts.
    h : int, default 10
        Divisions, at least 0; no more are made than the domain has.
    score : {"max", "information-gain"}, default "max"
        What makes a division likely: how many records have the most frequent sensitive value of their part, or the
        drop of entropy.
    labels : {"nodes", "ranges"}, default "nodes"
        Whether columns with an order follow their tree or are cut in two.
    public_domain : bool, default False
        Whether you vouch that the values which each column can have were known to everybody before. Otherwise
        the guarantee holds only if they are all declared: by a tree, a file, an order, or integers with low and
        high.

    Raises
    ------
    SpecError
        If a setting is unknown or out of range.

    Notes
    -----
    Optimality: none is sought.
    Deterministic: given the seed, whatever the order of rows.
    Cost: O(h * n_items * log n_items), and the cells (nodes of all columns times sensitive values) that turn
    positive; up to 4 million cells are drawn one by one.
    Models: none is tested, and none is promised of the output. Differential privacy is a promise of another kind:
    whatever is published would have been about as likely without you.
    Budget: with a columns that have a first cut point to be drawn, each draw spends ε/(2(a + 2h)), or ε/2h where
    no column is cut; the counts spend ε/2. Sensitivity of the counts and of ``max`` is 1 under adding or removing
    a record, that of ``information-gain`` log2 of the number of sensitive values.
    Domain: divisions, boxes and sensitive values range over what the hierarchies hold. Hierarchies that are made
    from the values that occur (``auto``, ``flat``, ``prefix``, ``dates``, intervals without low and high) publish
    which these are, and so does a leaf of missing values; the guarantee does not hold then, and says so.
    Nulls: a missing value is a value of its own, parted from the others by the first division.
    Suppression: none. Levels cannot be limited.

    References
    ----------
    .. [1] Mohammed, N., Chen, R., Fung, B., Yu, P. (2011), Differentially private data release for data mining.
       doi:10.1145/2020408.2020487
    .. [2] McSherry, F., Talwar, K. (2007), Mechanism design via differential privacy. doi:10.1109/FOCS.2007.66
    .. [3] Canonne, C., Kamath, G., Steinke, T. (2020), The discrete Gaussian for differential privacy.
       arXiv:2004.00010

    Examples
    --------
    >>> DiffGen(epsilon="0.5", labels="ranges").h
    10
    """

    name: ClassVar[str] = "diffgen"
    publishes: ClassVar[str] = "noise"
    needs_models: ClassVar[bool] = False
    epsilon: Exact = 1
    h: int = 10
    score: str = "max"
    labels: str = "nodes"
    public_domain: bool = False

    def __post_init__(self) -> None:
        budget_of(self.epsilon, self.name)
        if isinstance(self.h, bool) or not isinstance(self.h, int) or not 0 <= self.h <= 10**6:
            raise SpecError("h must be a whole number from 0 to 10^6", where=self.name, fix="10 is the default")
        for setting, known in (("score", SCORES), ("labels", LABELS)):
            check_choice(setting, getattr(self, setting), known, where=self.name)

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes with noisy counts, and what they promise.

        Raises
        ------
        InfeasibleError
            If no noisy count is positive.
        SpecError
            If the table has not exactly one sensitive column, or people; if levels are limited; or if the noise
            would invent too many entries.
        """
        self._check(table, problem)
        search = _Divisions(table, self.labels, self.score, self.h)
        epsilon = budget_of(self.epsilon, self.name)
        for_counts = epsilon / 2 if search.n_draws else epsilon
        per_draw = (epsilon - for_counts) / max(1, search.n_draws)
        search.run(float(per_draw), problem, rng)
        guarantee = self._guarantee(table, epsilon, search.ledger(per_draw, for_counts))
        noise = DiscreteLaplace(for_counts)
        n_values = table.sensitive_hierarchies[0].n_values
        check_cells(search.n_boxes * n_values, noise)
        cell, counts = summed(search.box_of_item() * n_values + table.sensitive[:, 0], table.counts)
        cell, counts = noisy_cells(cell, counts, n_cells=search.n_boxes * n_values, noise=noise, rng=rng)
        boxes, region = np.unique(cell // n_values, return_inverse=True)
        lo, hi = search.sides(boxes)
        found = perturbation_of(
            lo,
            hi,
            (region.astype(np.int64), cell % n_values, counts),
            sensitive=table.sensitive_names[0],
            guarantee=guarantee,
            labels=self.labels,
        )
        return Solution(
            recoding=found,
            statistics={
                "divisions": search.n_divisions,
                "boxes": search.n_boxes,
                "entries": len(counts),
                **{f"nodes of {name}": len(cut) for name, cut in zip(table.names, search.cuts, strict=True)},
            },
            notes=("Differential privacy is promised by the noise; no model of classes was tested.",),
        )

    def _check(self, table: FrequencyTable, problem: Problem) -> None:
        check_one_sensitive(table, name=self.name)
        if table.unit is not None:
            raise SpecError(
                f"algorithm {self.name!r} protects single records, and a unit column asks for people",
                fix="make one record of each person and drop the role unit",
            )
        if problem.max_levels:
            raise SpecError(
                f"algorithm {self.name!r} begins at the root of every column, so levels cannot be limited",
                where="max_levels of " + ", ".join(sorted(problem.max_levels)),
                fix="leave max_levels out",
            )

    def _guarantee(self, table: FrequencyTable, epsilon: Fraction, ledger: tuple[Spent, ...]) -> Guarantee:
        hierarchies = (*table.hierarchies, table.sensitive_hierarchies[0])
        names = (*table.names, table.sensitive_names[0])
        read = [
            name
            for name, hierarchy in zip(names, hierarchies, strict=True)
            if not hierarchy.declared or hierarchy.has_null
        ]
        limits = PROMISES
        if read and self.public_domain:
            limits = (*limits, f"You vouch that the possible values of {', '.join(read)} were known before.")
        elif read:
            told = f"Which values {', '.join(read)} can have was read off the table, and is told as it is. "
            cure = (
                "The guarantee does not hold for that: declare the values, or vouch for them with public_domain."
            )
            limits = (*limits, told + cure)
        return Guarantee(
            epsilon=float(epsilon), holds=self.public_domain or not read, limits=limits, ledger=ledger
        )


class _Divisions:
    """The sides into which each column is divided so far, and the ways to go on."""

    def __init__(self, table: FrequencyTable, labels: str, score: str, h: int) -> None:
        self.table, self.score = table, score
        self.sensitivity = sensitivity(score, table.sensitive_hierarchies[0].n_values)
        self.is_cut = [labels == "ranges" and hierarchy.ordered for hierarchy in table.hierarchies]
        possible = [n_divisions(tree, cut=cut) for tree, cut in zip(table.hierarchies, self.is_cut, strict=True)]
        self.n_divisions = min(h, sum(possible))
        self.records = [ColumnRecords.of(table, j) for j in range(table.n_qi)]
        self.cuts: list[list[Side]] = [[(0, hierarchy.n_values - 1)] for hierarchy in table.hierarchies]
        self.open: dict[tuple[int, Side], tuple[float, list[Side]]] = {}
        with_points = [cut and n > 0 for cut, n in zip(self.is_cut, possible, strict=True)]
        roots = [children_of(table.hierarchies[j], self.cuts[j][0], cut=True) for j in range(table.n_qi)]
        # What has no point to be drawn at the start, or at all, needs no budget for it.
        self.first_points = sum(p and root is None for p, root in zip(with_points, roots, strict=True))
        self.later_points = self.n_divisions if any(with_points) else 0
        if not self.n_divisions:
            self.first_points = 0
        self.n_draws = self.first_points + self.n_divisions + self.later_points

    def ledger(self, per_draw: Fraction, for_counts: Fraction) -> tuple[Spent, ...]:
        """Return where the budget goes."""
        parts = (
            (f"the first cut points of {self.first_points} column(s)", per_draw * self.first_points),
            (f"{self.n_divisions} choices of what to divide", per_draw * self.n_divisions),
            (f"cut points of the parts, {self.later_points} times", per_draw * self.later_points),
            ("the count of every sensitive value in every box", for_counts),
        )
        return tuple(Spent(what, float(share)) for what, share in parts if share)

    def run(self, epsilon: float, problem: Problem, rng: np.random.Generator) -> None:
        """Divide, with *epsilon* for each draw."""
        if not self.n_divisions:
            return
        for j in range(self.table.n_qi):
            self._open(j, self.cuts[j][0], epsilon, rng)
        for done in range(self.n_divisions):
            sides = sorted(self.open)
            scores = np.array([self.open[side][0] for side in sides])
            j, side = sides[self._drawn(scores, epsilon, rng)]
            _, children = self.open.pop((j, side))
            self.cuts[j].remove(side)
            self.cuts[j] += children
            for child in children:
                self._open(j, child, epsilon, rng)
            problem.progress((done + 1) / self.n_divisions, f"{done + 1} of {self.n_divisions} divisions")
        for cut in self.cuts:
            cut.sort()

    @property
    def n_boxes(self) -> int:
        """How many boxes there are, empty ones included."""
        return math.prod(len(cut) for cut in self.cuts)

    def box_of_item(self) -> NDArray[np.int64]:
        """Return the number of the box of each item, int64 [n_items]."""
        box = np.zeros(self.table.n_points, np.int64)
        for j, cut in enumerate(self.cuts):
            box = box * len(cut) + np.searchsorted([hi for _, hi in cut], self.table.codes[:, j])
        return box[self.table.point_of_item]

    def sides(self, boxes: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the first and last leaf codes of some boxes, int32 [n, n_qi] each."""
        lo = np.empty((len(boxes), self.table.n_qi), np.int32)
        hi = np.empty_like(lo)
        rest = boxes
        for j in range(self.table.n_qi - 1, -1, -1):
            rest, at = np.divmod(rest, len(self.cuts[j]))
            ends = np.array(self.cuts[j], np.int32)
            lo[:, j], hi[:, j] = ends[at, 0], ends[at, 1]
        return lo, hi

    def _open(self, j: int, side: Side, epsilon: float, rng: np.random.Generator) -> None:
        """Find out how a side would be divided, and how well that would be."""
        hierarchy, records = self.table.hierarchies[j], self.records[j]
        children = children_of(hierarchy, side, cut=self.is_cut[j])
        if children is not None:
            if children:
                self.open[j, side] = records.score(side, children, self.score), children
            return
        scores = records.cut_scores(side, self.score)
        lo, hi = side
        at = self._drawn(scores, epsilon, rng, np.log(_lengths(hierarchy, side)))
        self.open[j, side] = float(scores[at]), [(lo, lo + at), (lo + at + 1, hi)]

    def _drawn(
        self,
        scores: NDArray[np.float64],
        epsilon: float,
        rng: np.random.Generator,
        log_weights: NDArray[np.float64] | float = 0.0,
    ) -> int:
        """Draw by the exponential mechanism: the largest of the scaled scores plus Gumbel noise."""
        scaled = scores * (epsilon / (2 * self.sensitivity)) + log_weights
        return int(np.argmax(scaled + rng.gumbel(size=len(scores))))


def _lengths(hierarchy: Hierarchy, side: Side) -> NDArray[np.float64]:
    """Return how far the neighbours among the codes of a side lie apart, float64 [hi - lo], positive."""
    lo, hi = side
    if hierarchy.positions is None:
        return np.ones(hi - lo)
    lengths = np.diff(hierarchy.positions[lo : hi + 1])
    # Two texts of one number, such as 7 and 7.0, lie at one place.
    return np.where(lengths > 0, lengths, 1e-9)
