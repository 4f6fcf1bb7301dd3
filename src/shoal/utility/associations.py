"""How strongly columns go together before a release, and as the release tells it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.utility.distributions import groupings
from shoal.utility.groups import group_values

__all__ = ["Association", "associations", "cramers_v"]

MOST_COLUMNS = 24
"""Columns that are compared with each other; the first ones where there are more."""


NOISE = 1e-9
"""What sums of shares may be off by; the square root would make it visible."""


@dataclass(frozen=True, slots=True)
class Association:
    """Cramér's V of two columns before and after, each in [0, 1]; None where a column has one group only."""

    first: str
    second: str
    before: float | None
    after: float | None

    @property
    def lost(self) -> float:
        """What is lost, in [-1, 1]; below 0 where the release shows more than there is."""
        return (self.before or 0.0) - (self.after or 0.0)


def cramers_v(counts: NDArray[np.float64]) -> float | None:
    """Return Cramér's V of a table of counts, corrected for its bias in small samples.

    Parameters
    ----------
    counts : float64 [n_first, n_second]

    Returns
    -------
    float or None
        In [0, 1]; None where fewer than two rows or two columns are filled, or too few records for the groups.

    References
    ----------
    .. [1] Bergsma, W. (2013), A bias-correction for Cramér's V and Tschuprow's T, Journal of the Korean
       Statistical Society 42(3). doi:10.1016/j.jkss.2012.10.002

    Examples
    --------
    >>> cramers_v(np.array([[500.0, 0], [0, 500]]))
    1.0
    >>> cramers_v(np.array([[25.0, 25], [25, 25]]))
    0.0
    """
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    total = counts.sum()
    r, c = counts.shape
    if min(r, c) < 2 or total <= 1:
        return None
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    phi2 = float((counts * counts / expected).sum() / total - 1)
    phi2 = max(0.0, phi2 - (r - 1) * (c - 1) / (total - 1))
    most = min(r - (r - 1) ** 2 / (total - 1), c - (c - 1) ** 2 / (total - 1)) - 1
    if most < NOISE:
        return None
    return min(1.0, float(np.sqrt(phi2 / most))) if phi2 > NOISE else 0.0


def associations(table: FrequencyTable, regions: Regions) -> tuple[Association, ...]:
    """Compare every pair of quasi-identifiers, and each of them with each sensitive column of the table.

    Columns are compared in the groups of :func:`~shoal.utility.groups.group_values`, before and after alike.
    After, each row counts in every group that its cells cover, by the share of the cell that lies there;
    suppressed rows are left out.
    """
    quasi = groupings(table)[:MOST_COLUMNS]
    rows = regions.region_rows
    of_point = [g.of_leaf[table.codes[:, j]] for j, g in enumerate(quasi)]
    spreads = [g.spread(regions.lo[:, j], regions.hi[:, j]) for j, g in enumerate(quasi)]
    found = []
    for i, j in combinations(range(len(quasi)), 2):
        before = _crossed(of_point[i], of_point[j], (quasi[i].n_groups, quasi[j].n_groups), table.point_rows)
        after = spreads[i].T @ (spreads[j] * rows[:, None])
        found.append(Association(table.names[i], table.names[j], cramers_v(before), cramers_v(after)))
    item = regions.item_of_share
    kept = regions.region >= 0
    for s, (name, hierarchy) in enumerate(zip(table.sensitive_names, table.sensitive_hierarchies, strict=True)):
        counts = np.bincount(table.sensitive[:, s], table.counts, hierarchy.n_values).astype(np.int64)
        grouping = group_values(hierarchy, counts)
        values = grouping.of_leaf[table.sensitive[:, s]]
        # Rows of each (box, group of the sensitive value): the sensitive cell itself is published as it was.
        inside = np.stack(
            [
                np.bincount(regions.region[at], regions.rows[at], regions.n_regions)
                for at in (kept & (values[item] == value) for value in range(grouping.n_groups))
            ],
            axis=1,
        )
        for j, spread in enumerate(spreads):
            of_item = of_point[j][table.point_of_item]
            before = _crossed(of_item, values, (quasi[j].n_groups, grouping.n_groups), table.counts)
            found.append(Association(table.names[j], name, cramers_v(before), cramers_v(spread.T @ inside)))
    return tuple(found)


def _crossed(
    first: NDArray[np.int32], second: NDArray[np.int32], shape: tuple[int, int], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sum counts by two groups at once."""
    summed = np.bincount(first.astype(np.int64) * shape[1] + second, counts, shape[0] * shape[1])
    return summed.astype(np.float64).reshape(shape)
