"""Publishing boxes with noisy counts of their sensitive values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.noise import Noise, noisy_cells
from shoal.core.perturbation import Guarantee, Perturbation
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError
from shoal.kernels.grouping import group_columns, sum_by_group

__all__ = ["check_one_sensitive", "perturbation_of", "summed", "with_noise"]

BY_PEOPLE = "Counts are of records: a person with several of them is protected less than one with a single record."


def check_one_sensitive(table: FrequencyTable, *, name: str) -> None:
    """Refuse tables that have not exactly one sensitive column.

    Raises
    ------
    SpecError
        With what to do.
    """
    n = len(table.sensitive_names)
    if n != 1:
        raise SpecError(
            f"algorithm {name!r} publishes noisy counts of one sensitive column, and the table has {n}",
            where=", ".join(table.sensitive_names),
            fix="declare one sensitive column; publish others by themselves",
        )


def with_noise(
    table: FrequencyTable, regions: Regions, *, noise: Noise, guarantee: Guarantee, rng: np.random.Generator
) -> Perturbation:
    """Add noise to the count of every sensitive value of the domain in every box, and publish the positive ones.

    Suppressed rows are in no box and are left out.

    Raises
    ------
    InfeasibleError
        If no count is positive.
    SpecError
        If too many would be.
    """
    n_values = table.sensitive_hierarchies[0].n_values
    kept = regions.region >= 0
    region = regions.region[kept].astype(np.int64)
    value = table.sensitive[regions.item_of_share[kept], 0]
    cell, counts = summed(region * n_values + value, regions.rows[kept])
    cell, counts = noisy_cells(cell, counts, n_cells=regions.n_regions * n_values, noise=noise, rng=rng)
    found = perturbation_of(
        regions.lo,
        regions.hi,
        (cell // n_values, cell % n_values, counts),
        sensitive=table.sensitive_names[0],
        guarantee=guarantee,
        labels=regions.labels,
    )
    return found if table.unit is None else _of_records(found)


def summed(cell: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct cells, rising, and the rows of each."""
    if not cell.size:
        return cell, rows
    group, first = group_columns([cell], [int(cell.max()) + 1])
    sums, cells = sum_by_group(group, rows, len(first)), cell[first]
    order = np.argsort(cells)
    return cells[order], sums[order]


def perturbation_of(
    lo: NDArray[np.int32],
    hi: NDArray[np.int32],
    entries: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    *,
    sensitive: str,
    guarantee: Guarantee,
    labels: str,
) -> Perturbation:
    """Put entries, given as box, value and count, together with the boxes that have any.

    Raises
    ------
    InfeasibleError
        If there is no entry.
    """
    region, values, counts = entries
    if not counts.size:
        raise InfeasibleError(
            "no noisy count is positive, so nothing can be published",
            where=f"epsilon is {guarantee.epsilon:.6g}",
            choices=["raise epsilon", "publish more records"],
        )
    used, place = np.unique(region, return_inverse=True)
    return Perturbation(
        lo=lo[used],
        hi=hi[used],
        region=place.astype(np.int32),
        values=values.astype(np.int32),
        counts=counts,
        sensitive=sensitive,
        guarantee=guarantee,
        labels=labels,
    )


def _of_records(found: Perturbation) -> Perturbation:
    limits = (*found.guarantee.limits, BY_PEOPLE)
    return replace(found, guarantee=replace(found.guarantee, limits=limits))
