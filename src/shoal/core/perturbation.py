"""Perturbation: classes whose sensitive values are published in numbers that are not the true ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.grouping import sum_by_group

__all__ = ["Guarantee", "Perturbation", "Spent"]


@dataclass(frozen=True, slots=True)
class Spent:
    """A part of a privacy budget.

    Parameters
    ----------
    what : str
        What it was spent on, in words.
    epsilon : float
    """

    what: str
    epsilon: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """What the noise promises.

    Parameters
    ----------
    epsilon : float
        The budget in all, under adding or removing one record.
    holds : bool
        Whether the whole release is epsilon-differentially private. False where only the counts are noisy and the
        classes themselves depend on the records: then epsilon is a label, no promise.
    limits : tuple of str
        What it does not promise, in sentences for people.
    ledger : tuple of Spent
        Where the budget went; adds up to *epsilon*.
    """

    epsilon: float
    holds: bool
    limits: tuple[str, ...]
    ledger: tuple[Spent, ...]


@dataclass(frozen=True, eq=False)
class Perturbation:
    """Boxes, and how many rows are published in each with which sensitive value.

    The rows are made from these numbers, not from the records: no row of the input is behind a published one.

    Parameters
    ----------
    lo, hi : int32 [n_regions, n_qi]
        First and last leaf code of each side, both included.
    region : int32 [n_entries]
        Box of each entry.
    values : int32 [n_entries]
        Code of its sensitive value.
    counts : int64 [n_entries]
        Rows published, positive.
    sensitive : str
        The sensitive column.
    guarantee : Guarantee
    sampling_rate : float, default 1
        Probability with which a record was taken at all; counts speak of the sample, so estimates divide by it.
    labels : {"nodes", "ranges", "sets", "stars"}
        How the boxes are written.
    """

    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    region: NDArray[np.int32]
    values: NDArray[np.int32]
    counts: NDArray[np.int64]
    sensitive: str
    guarantee: Guarantee
    sampling_rate: float = 1.0
    labels: str = "nodes"

    @property
    def n_regions(self) -> int:
        """Number of boxes."""
        return len(self.lo)

    @cached_property
    def region_rows(self) -> NDArray[np.int64]:
        """Published rows of each box, int64 [n_regions]."""
        return sum_by_group(self.region, self.counts, self.n_regions)
