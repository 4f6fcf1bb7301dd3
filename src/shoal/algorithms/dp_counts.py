"""DPCounts: classes of another algorithm, with noisy counts of their sensitive values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.algorithms.inner import Inner, inner_of, search_regions
from shoal.algorithms.noise import RoundedLaplace
from shoal.algorithms.noisy_counts import check_one_sensitive, with_noise
from shoal.core.algorithm import Solution
from shoal.core.perturbation import Guarantee, Spent
from shoal.core.problem import Problem
from shoal.core.rational import Exact, exact
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError

__all__ = ["DPCounts", "budget_of", "nominally_private"]

NOMINAL = (
    "epsilon is a label and no promise: the classes themselves depend on the records, and only counts are noisy.",
    "The noise fits adding or removing one record; against exchanging one, epsilon is twice as large.",
    "Noise is drawn in double precision and then rounded, which is not exactly the distribution that was meant.",
)
"""What noise on the counts of classes that depend on the records does not promise."""

BEFORE_NOISE = (
    "The models hold for the records of each class. Published numbers are noisy: a class may show fewer records "
    "than k, values that nobody has, and not show values that somebody has."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DPCounts:
    """Boxes of another algorithm, each with noisy counts of all sensitive values that there are.

    The count of every value of the domain in every class gets Laplace noise of scale 1/ε, is rounded to a whole
    number and published where it is positive. So values appear in classes in which nobody has them, and rare ones
    disappear. **This is not differential privacy**: the boxes are cut by looking at the records, and no noise
    hides that. The guarantee of the result says so; :class:`~shoal.algorithms.DiffGen` is the method that keeps
    its promise.

    Parameters
    ----------
    epsilon : int, float, str or Fraction, default 0.3
        The nominal budget of the counts, above 0.
    inner : str, mapping or Algorithm, default "mondrian"
        The algorithm that makes the classes: its name, a mapping with its name under ``algorithm`` and its
        settings, or the algorithm itself.
    labels : str, optional
        What a cell may be published as; where left out the inner algorithm decides.

    Raises
    ------
    SpecError
        If epsilon is not positive, or the inner algorithm unknown.

    Notes
    -----
    Optimality: as the inner algorithm; noise comes after it.
    Deterministic: given the seed, whatever the order of rows.
    Cost: that of the inner algorithm, and O(classes * sensitive values); more than 4 million of these cost what
    is published alone.
    Models: as the inner algorithm. They hold on the records of each class before noise; what is published need not
    meet them: k is no guarantee of the output.
    Nulls: a missing sensitive value is a value of the domain, where any is missing.
    Suppression: suppressed rows are in no class and are not published.

    References
    ----------
    .. [1] Hasan, A., Jiang, Q., Chen, H., Wang, S. (2018), A new approach to privacy-preserving multiple
       independent data publishing. doi:10.3390/app8050783
    .. [2] Dwork, C., McSherry, F., Nissim, K., Smith, A. (2006), Calibrating noise to sensitivity in private data
       analysis. doi:10.1007/11681878_14

    Examples
    --------
    >>> DPCounts(epsilon="0.5").inner
    'mondrian'
    """

    name: ClassVar[str] = "dp-counts"
    publishes: ClassVar[str] = "noise"
    epsilon: Exact = "0.3"
    inner: Inner = "mondrian"
    labels: str | None = None

    def __post_init__(self) -> None:
        budget_of(self.epsilon, self.name)
        inner_of(self.inner, self.labels, outer=self.name)

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes with noisy counts, and what the noise promises.

        Raises
        ------
        InfeasibleError
            If the inner algorithm finds nothing that meets the models, or no noisy count is positive.
        SpecError
            If the table has not exactly one sensitive column, or the noise would invent too many entries.
        """
        check_one_sensitive(table, name=self.name)
        inner = inner_of(self.inner, self.labels, outer=self.name)
        solution, regions = search_regions(inner, table, problem, rng)
        return nominally_private(solution, table, regions, epsilon=budget_of(self.epsilon, self.name), rng=rng)


def nominally_private(
    solution: Solution,
    table: FrequencyTable,
    regions: Regions,
    *,
    epsilon: Fraction,
    rng: np.random.Generator,
    limits: tuple[str, ...] = (),
    sampling_rate: float = 1.0,
) -> Solution:
    """Return a solution whose boxes have noisy counts of the rows of *table*, and what the noise promises.

    *limits* are further sentences on what it does not; *sampling_rate* is that of the rows of *table*.
    """
    guarantee = Guarantee(
        epsilon=float(epsilon),
        holds=False,
        limits=(*NOMINAL, *limits),
        ledger=(Spent("the count of every sensitive value in every class", float(epsilon)),),
    )
    found = with_noise(table, regions, noise=RoundedLaplace(epsilon), guarantee=guarantee, rng=rng)
    return replace(
        solution,
        recoding=replace(found, sampling_rate=sampling_rate),
        optimal=None,
        certificate=None,
        statistics={**solution.statistics, "classes": regions.n_regions, "entries": len(found.counts)},
        notes=(*solution.notes, BEFORE_NOISE),
    )


def budget_of(epsilon: Exact, name: str) -> Fraction:
    """Read a privacy budget exactly.

    Raises
    ------
    SpecError
        If it is not above 0 and at most 1000.
    """
    found = exact(epsilon, "epsilon")
    if not 0 < found <= 1000:
        raise SpecError(
            "epsilon must be above 0 and at most 1000", where=name, fix="epsilon = 1 is a common choice"
        )
    return found
