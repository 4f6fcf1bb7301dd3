"""Sampled: publish a random part of the rows, generalized by another algorithm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.inner import Inner, inner_of, search_regions
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.rational import Exact, exact
from shoal.core.regions import WITHHELD, Regions
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError

__all__ = ["Sampled", "sample_of", "share_kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A random part of the rows, generalized by another algorithm; the others are not published.

    Every row is taken with the same probability, each by itself. Nobody who looks a person up can be sure that she
    is in the release at all. With k-anonymity and a largest share α of every value in a class
    (:class:`~shoal.models.AlphaKAnonymity` with all values, α = 1/2) this is (ρ, α)-anonymization.

    Parameters
    ----------
    inner : str, mapping or Algorithm, default "mondrian"
        The algorithm that generalizes the sample: its name, a mapping with its name under ``algorithm`` and its
        settings, or the algorithm itself.
    rate : int, float, str or Fraction, default 0.9
        Probability with which a row is taken, in (0, 1].
    labels : str, optional
        What a cell may be published as; where left out the inner algorithm decides.

    Raises
    ------
    SpecError
        If the rate is out of range, or the inner algorithm unknown.

    Notes
    -----
    Optimality: as the inner algorithm, on the sample.
    Deterministic: given the seed, whatever the order of rows.
    Cost: that of the inner algorithm, and O(n_items).
    Models: as the inner algorithm. They are tested on the classes of the sample; models that compare a class with
    the whole table compare it with the whole input. A sample that fails as one class is refused, not published.
    Suppression: what the inner algorithm suppresses, as a share of the sample. Withheld rows are not suppressed:
    they count against no limit and lose nothing.
    Estimates of the whole table divide counts by the rate; so does whoever reads the release.
    People: rows are taken, not people; where a unit is given, a person may be in the sample with some of her rows.

    References
    ----------
    .. [1] Baig, M., Li, J., Liu, J., Ding, X., Wang, H. (2012), Data privacy against composition attack. DASFAA.

    Examples
    --------
    >>> Sampled(rate="0.8").sampling_rate
    0.8
    """

    name: ClassVar[str] = "sampled"
    inner: Inner = "mondrian"
    rate: Exact = "0.9"
    labels: str | None = None

    def __post_init__(self) -> None:
        share_kept(self.rate, "rate", self.name)
        inner_of(self.inner, self.labels, outer=self.name)

    @property
    def sampling_rate(self) -> float:
        """Probability with which a row is taken."""
        return float(exact(self.rate, "rate"))

    @property
    def supports(self) -> frozenset[str]:
        """What the inner algorithm supports."""
        supports: frozenset[str] = getattr(
            inner_of(self.inner, self.labels, outer=self.name), "supports", frozenset()
        )
        return supports

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return boxes of the rows that are taken; their classes meet every model of *problem*.

        Raises
        ------
        InfeasibleError
            If the sample is empty, or the inner algorithm finds nothing that meets the models in it.
        """
        inner = inner_of(self.inner, self.labels, outer=self.name)
        sample, item = sample_of(table, self.sampling_rate, rng)
        within = replace(problem, context=replace(problem.context, n_rows=sample.n_rows))
        solution, regions = search_regions(inner, sample, within, rng)
        statistics = {**solution.statistics, "sampled rows": sample.n_rows}
        return replace(
            solution,
            recoding=_in_whole(regions, table, item, self.sampling_rate),
            statistics=statistics,
            certificate=None,
        )


def share_kept(rate: Exact, letter: str, name: str) -> None:
    """Check the probability with which rows are taken.

    Raises
    ------
    SpecError
        If it is not in (0, 1].
    """
    if not 0 < exact(rate, letter) <= 1:
        raise SpecError(
            f"{letter} must be above 0 and at most 1", where=name, fix=f"{letter} = 0.9 is the default"
        )


def sample_of(
    table: FrequencyTable, rate: float, rng: np.random.Generator
) -> tuple[FrequencyTable, NDArray[np.int64]]:
    """Take each row with probability *rate*; return the sample, and which item of *table* each of its items is.

    Raises
    ------
    InfeasibleError
        If no row is taken.
    """
    sample, item = table.with_counts(rng.binomial(table.counts, rate))
    if not sample.n_items:
        raise InfeasibleError(
            "the sample holds no record",
            where=f"each of {table.n_rows} records was taken with probability {rate:.6g}",
            choices=["raise the sampling rate", "publish more records"],
        )
    return sample, item


def _in_whole(regions: Regions, table: FrequencyTable, item: NDArray[np.int64], rate: float) -> Regions:
    """Return normalized boxes of a sample as boxes of the whole table whose other rows are withheld."""
    taken = np.zeros(table.n_items, np.int64)
    of_share = item[regions.item_of_share]
    np.add.at(taken, of_share, regions.rows)
    rest = table.counts - taken
    left = np.flatnonzero(rest)
    owner = np.concatenate([left, of_share])
    # A stable sort keeps the withheld share of an item first and the others in their order.
    order = np.argsort(owner, kind="stable")
    region = np.concatenate([np.full(len(left), WITHHELD, np.int32), regions.region])[order]
    rows = np.concatenate([rest[left], regions.rows])[order]
    offsets = np.searchsorted(owner[order], np.arange(table.n_items + 1)).astype(np.int64)
    return replace(regions, offsets=offsets, region=region, rows=rows, sampling_rate=rate)
