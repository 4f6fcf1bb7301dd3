"""Hybrid: a sample, generalized, with noisy counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.algorithms.dp_counts import budget_of, nominally_private
from shoal.algorithms.inner import Inner, inner_of, search_regions
from shoal.algorithms.noisy_counts import check_one_sensitive
from shoal.algorithms.sampled import sample_of, share_kept
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.rational import Exact, exact
from shoal.core.table import FrequencyTable

__all__ = ["Hybrid", "amplified"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid:
    """A random part of the rows, generalized by another algorithm, with noisy counts of the sensitive values.

    :class:`~shoal.algorithms.Sampled` and then :class:`~shoal.algorithms.DPCounts`: three small uncertainties
    instead of one large one. As with the latter, epsilon is nominal.

    Parameters
    ----------
    beta : int, float, str or Fraction, default 0.9
        Probability with which a row is taken, in (0, 1].
    epsilon : int, float, str or Fraction, default 1
        The nominal budget of the counts, above 0.
    inner : str, mapping or Algorithm, default "mondrian"
        The algorithm that makes the classes: its name, a mapping with its name under ``algorithm`` and its
        settings, or the algorithm itself.
    labels : str, optional
        What a cell may be published as; where left out the inner algorithm decides.

    Raises
    ------
    SpecError
        If a number is out of range, or the inner algorithm unknown.

    Notes
    -----
    Optimality: as the inner algorithm, on the sample; noise comes after it.
    Deterministic: given the seed, whatever the order of rows.
    Cost: as dp-counts.
    Models: as the inner algorithm. They hold on the sampled records of each class before noise; what is published
    need not meet them.
    Nulls: a missing sensitive value is a value of the domain, where any is missing.
    Suppression: suppressed rows are in no class and are not published.
    Estimates of the whole table divide counts by beta.

    References
    ----------
    .. [1] Li, J., Baig, M., Sattar, S., Ding, X., Liu, J., Vincent, M. (2016), A hybrid approach to prevent
       composition attacks for independent data releases. Information Sciences 367-368, 324-336.
    .. [2] Balle, B., Barthe, G., Gaboardi, M. (2018), Privacy amplification by subsampling. arXiv:1807.01647

    Examples
    --------
    >>> Hybrid().sampling_rate
    0.9
    """

    name: ClassVar[str] = "hybrid"
    publishes: ClassVar[str] = "noise"
    beta: Exact = "0.9"
    epsilon: Exact = 1
    inner: Inner = "mondrian"
    labels: str | None = None

    def __post_init__(self) -> None:
        share_kept(self.beta, "beta", self.name)
        budget_of(self.epsilon, self.name)
        inner_of(self.inner, self.labels, outer=self.name)

    @property
    def sampling_rate(self) -> float:
        """Probability with which a row is taken."""
        return float(exact(self.beta, "beta"))

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes with noisy counts of a sample, and what the noise promises.

        Raises
        ------
        InfeasibleError
            If the inner algorithm finds nothing that meets the models, or no noisy count is positive.
        SpecError
            If the table has not exactly one sensitive column, or the noise would invent too many entries.
        """
        check_one_sensitive(table, name=self.name)
        inner = inner_of(self.inner, self.labels, outer=self.name)
        sample, _ = sample_of(table, self.sampling_rate, rng)
        within = replace(problem, context=replace(problem.context, n_rows=sample.n_rows))
        solution, regions = search_regions(inner, sample, within, rng)
        epsilon = budget_of(self.epsilon, self.name)
        less = (
            f"Taking each record with probability {self.sampling_rate:.6g} would lower epsilon from "
            f"{float(epsilon):.6g} to {amplified(float(epsilon), self.sampling_rate):.4f}, if the classes did not "
            "depend on the records."
        )
        solution = replace(solution, statistics={**solution.statistics, "sampled rows": sample.n_rows})
        return nominally_private(
            solution, sample, regions, epsilon=epsilon, rng=rng, limits=(less,), sampling_rate=self.sampling_rate
        )


def amplified(epsilon: float, beta: float) -> float:
    """Return what a budget comes down to where each record is taken with probability *beta* only.

    Examples
    --------
    >>> round(amplified(1, 0.9), 4)
    0.9347
    """
    # The same as log(1 + beta * (exp(epsilon) - 1)), without overflow.
    return epsilon + math.log(beta + (1 - beta) * math.exp(-epsilon))
