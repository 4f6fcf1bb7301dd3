"""The part of a table that a sample took."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.core.regions import WITHHELD, Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import sum_by_group

__all__ = ["sampled"]


def sampled(table: FrequencyTable, regions: Regions) -> tuple[FrequencyTable, Regions]:
    """Return the records that were not withheld, and the same boxes over them.

    What is measured on these is measured on what was published, as if the others had never been there.

    Parameters
    ----------
    table : FrequencyTable
    regions : Regions
        Of that table; the result has no withheld share.
    """
    taken = regions.region != WITHHELD
    if taken.all():
        return table, regions
    item = regions.item_of_share[taken]
    counts = sum_by_group(item.astype(np.int32), regions.rows[taken], table.n_items)
    kept = np.flatnonzero(counts)
    points, items_of_point = np.unique(table.point_of_item[kept], return_counts=True)
    shares = np.bincount(item, minlength=table.n_items)[kept]
    return (
        replace(
            table,
            codes=table.codes[points],
            offsets=np.concatenate([[0], np.cumsum(items_of_point)]).astype(np.int64),
            sensitive=table.sensitive[kept],
            counts=counts[kept],
            unit=None if table.unit is None else table.unit[kept],
        ),
        replace(
            regions,
            offsets=np.concatenate([[0], np.cumsum(shares)]).astype(np.int64),
            region=regions.region[taken],
            rows=regions.rows[taken],
        ),
    )
