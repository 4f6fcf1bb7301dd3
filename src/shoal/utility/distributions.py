"""How the values of each column are distributed before a release, and as the release tells them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.utility.groups import Grouping, group_values

__all__ = ["Distribution", "distributions", "groupings"]


@dataclass(frozen=True, eq=False)
class Distribution:
    """One quasi-identifier before and after.

    Parameters
    ----------
    name : str
    grouping : Grouping
    before : int64 [n_groups]
        Rows of the input.
    after : float64 [n_groups]
        Rows of the release without the suppressed ones, each spread evenly over what its cell covers.
    members : int64 [n_groups]
        People in each group of the input where a unit is given, else rows.
    leaf_members : int64 [n_values]
        The same of each value.
    suppressed : int64 [n_groups]
        Rows of the input that were suppressed.
    """

    name: str
    grouping: Grouping
    before: NDArray[np.int64]
    after: NDArray[np.float64]
    members: NDArray[np.int64]
    leaf_members: NDArray[np.int64]
    suppressed: NDArray[np.int64]

    @property
    def moved(self) -> float | None:
        """Share of records that the release places in another group, in [0, 1]: the total variation distance.

        None where every row is suppressed.
        """
        if not self.after.sum() or not self.before.sum():
            return None
        difference = self.before / self.before.sum() - self.after / self.after.sum()
        return float(np.abs(difference).sum() / 2)


def groupings(table: FrequencyTable) -> tuple[Grouping, ...]:
    """Return the groups in which each quasi-identifier is shown."""
    return tuple(
        group_values(hierarchy, counts)
        for hierarchy, counts in zip(table.hierarchies, table.marginals, strict=True)
    )


def distributions(table: FrequencyTable, regions: Regions) -> tuple[Distribution, ...]:
    """Return the distribution of every quasi-identifier before and after.

    Parameters
    ----------
    table : FrequencyTable
    regions : Regions
        Normalized boxes.
    """
    result = []
    rows = regions.region_rows
    lost = np.where(regions.region < 0, regions.rows, 0)
    point = table.point_of_item
    lost_of_point = np.bincount(point[regions.item_of_share], lost, table.n_points)
    for j, (name, grouping, counts) in enumerate(zip(table.names, groupings(table), table.marginals, strict=True)):
        group = grouping.of_leaf[table.codes[:, j]]
        before = grouping.count(counts)
        members, leaf_members = before, counts
        if table.unit is not None:
            members = table.classes(group[point], grouping.n_groups).size
            leaf_members = table.classes(table.codes[point, j], counts.shape[0]).size
        after = rows @ grouping.spread(regions.lo[:, j], regions.hi[:, j])
        suppressed = np.bincount(group, lost_of_point, grouping.n_groups).astype(np.int64)
        result.append(Distribution(name, grouping, before, after, members, leaf_members, suppressed))
    return tuple(result)
