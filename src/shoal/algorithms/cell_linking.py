"""Cells of a bucket that are widened so that everybody is linked with l sensitive values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.bucket_rules import Asked
from shoal.core.buckets import Buckets
from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import rank_columns, sum_by_group
from shoal.kernels.hulls import hulls
from shoal.kernels.linking import link

__all__ = ["heights", "linked", "widened_wholly"]

MOST_COST = 1 << 40
"""Costs stay exact up to here, and are rounded to this many parts beyond."""


def linked(buckets: Buckets, table: FrequencyTable, asked: Asked) -> Buckets:
    """Widen cells beside the sensitive column until each of their values is linked with l sensitive values.

    Parameters
    ----------
    buckets : Buckets
        Whole cells, one share per item.
    table : FrequencyTable
    asked : Asked

    Returns
    -------
    Buckets
        For the quasi-identifiers that stay with the sensitive column: whatever values of theirs a record of a
        bucket has, the rows of the bucket whose cells cover them have l sensitive values. Rows of one item may
        get different cells. Nothing is widened where no quasi-identifier stays with it.
    """
    columns = [table.names.index(name) for name in buckets.groups[-1][:-1]]
    if not columns:
        return buckets
    trees = [table.hierarchies[j] for j in columns]
    leaf = buckets.lo[:, columns]
    value = table.sensitive[:, asked.column]
    n_values = table.sensitive_hierarchies[asked.column].n_values
    entry, at = rank_columns(
        [buckets.bucket, *leaf.T, value], [buckets.n_buckets, *(h.n_values for h in trees), n_values]
    )
    bucket, leaf, value = buckets.bucket[at], np.ascontiguousarray(leaf[at]), value[at]
    rows = sum_by_group(entry, buckets.rows, len(at))
    room = _room(bucket, leaf, value, buckets.bucket_rows, asked)
    nodes = _Nodes.of(trees)
    of_entry, cells = np.empty(room, np.int64), np.empty((room, len(columns)), np.int32)
    n = link(
        np.searchsorted(bucket, np.arange(buckets.n_buckets + 1)), leaf, value, rows,
        asked.uncounted, asked.l, n_values, nodes.first, nodes.lo, nodes.hi, nodes.parent, nodes.height,
        nodes.weight, of_entry, cells,
    )  # fmt: skip
    if not n:
        return buckets
    item = _items(entry, buckets.rows, of_entry[:n])
    return _with_widened(buckets, columns, trees, item, cells[:n])


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The trees of some columns in one numbering, as the kernel wants them."""

    first: NDArray[np.int64]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    parent: NDArray[np.int32]
    height: NDArray[np.int64]
    weight: NDArray[np.int64]

    @classmethod
    def of(cls, trees: Sequence[Hierarchy]) -> _Nodes:
        tops = [max(1, h.height) for h in trees]
        whole = math.lcm(*tops)
        weight = [whole // top if whole < MOST_COST else round(MOST_COST / top) for top in tops]
        return cls(
            np.cumsum([0, *(len(h.lo) for h in trees)]),
            np.concatenate([h.lo for h in trees]),
            np.concatenate([h.hi for h in trees]),
            np.concatenate([h.parents for h in trees]),
            np.concatenate([heights(h) for h in trees]),
            np.array(weight, np.int64),
        )


def heights(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the lowest level at which each node stands, int64 [n_nodes]; 0 for a leaf."""
    found = np.full(len(hierarchy.lo), hierarchy.height, np.int64)
    for level in range(hierarchy.height, -1, -1):
        found[hierarchy.levels[level]] = level
    return found


def _room(
    bucket: NDArray[np.int32],
    leaf: NDArray[np.int32],
    value: NDArray[np.int32],
    bucket_rows: NDArray[np.int64],
    asked: Asked,
) -> int:
    """Return how many rows may be widened at most."""
    new = np.ones(len(bucket), bool)
    new[1:] = (bucket[1:] != bucket[:-1]) | (leaf[1:] != leaf[:-1]).any(axis=1)
    starts = np.flatnonzero(new)
    lacking = np.maximum(0, asked.l - np.add.reduceat((value != asked.uncounted).astype(np.int64), starts))
    return int(np.minimum(sum_by_group(bucket[starts], lacking, len(bucket_rows)), bucket_rows).sum())


def _items(entry: NDArray[np.int32], rows: NDArray[np.int64], of_entry: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the item that each widened row is of: the rows of an entry go in the order of its items."""
    order = np.argsort(entry, kind="stable")
    ends = np.cumsum(rows[order])
    begins = ends - rows[order]
    start_of_entry = begins[np.searchsorted(entry[order], of_entry)]
    by_entry = np.argsort(of_entry, kind="stable")
    sorted_ = of_entry[by_entry]
    place = np.empty(len(of_entry), np.int64)
    place[by_entry] = np.arange(len(of_entry)) - np.searchsorted(sorted_, sorted_)
    return order[np.searchsorted(ends, start_of_entry + place, side="right")]


def _with_widened(
    buckets: Buckets,
    columns: Sequence[int],
    trees: Sequence[Hierarchy],
    item: NDArray[np.int64],
    cells: NDArray[np.int32],
) -> Buckets:
    """Return the buckets with single rows of some items widened."""
    n_items = len(buckets.rows)
    share, at = rank_columns([item, *cells.T], [n_items, *(len(h.lo) for h in trees)])
    wide_item, wide_rows = item[at], np.bincount(share, minlength=len(at))
    left = buckets.rows - np.bincount(item, minlength=n_items)
    kept = np.flatnonzero(left)
    of_item = np.concatenate([kept, wide_item])
    order = np.argsort(of_item, kind="stable")
    of_item = of_item[order]
    lo, hi = buckets.lo[of_item], buckets.hi[of_item]
    wide = np.flatnonzero(order >= len(kept))
    chosen = cells[at][order[wide] - len(kept)]
    for c, (j, hierarchy) in enumerate(zip(columns, trees, strict=True)):
        lo[wide, j], hi[wide, j] = hierarchy.lo[chosen[:, c]], hierarchy.hi[chosen[:, c]]
    return replace(
        buckets,
        offsets=np.concatenate([[0], np.cumsum(np.bincount(of_item, minlength=n_items))]).astype(np.int64),
        bucket=buckets.bucket[of_item],
        rows=np.concatenate([left[kept], wide_rows])[order],
        lo=lo,
        hi=hi,
    )


def widened_wholly(buckets: Buckets, table: FrequencyTable, some: NDArray[np.bool_]) -> Buckets:
    """Widen the cells beside the sensitive column of *some* buckets until each covers all values of its bucket."""
    if not some.any():
        return buckets
    lo, hi = buckets.lo.copy(), buckets.hi.copy()
    mine = np.flatnonzero(some[buckets.bucket])
    owner = buckets.bucket[mine]
    low, high = hulls(lo, hi, cell=mine, group=owner, n_groups=buckets.n_buckets)
    for name in buckets.groups[-1][:-1]:
        j = table.names.index(name)
        hierarchy = table.hierarchies[j]
        node = hierarchy.covering(low[some, j], high[some, j])
        low[some, j], high[some, j] = hierarchy.lo[node], hierarchy.hi[node]
        lo[mine, j], hi[mine, j] = low[owner, j], high[owner, j]
    return replace(buckets, lo=lo, hi=hi)
