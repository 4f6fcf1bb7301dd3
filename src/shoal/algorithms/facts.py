"""Pairs that cannot occur in one person, which would tell who has a value although columns are shuffled apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.core.buckets import Buckets
from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, nearest_name
from shoal.kernels.grouping import rank_columns

__all__ = ["Facts"]


@dataclass(frozen=True, eq=False)
class Facts:
    """What cannot be true of one person.

    Parameters
    ----------
    forbidden : mapping of int to bool [n_nodes, n_values]
        By quasi-identifier: which sensitive values nobody below a node can have.
    """

    forbidden: dict[int, NDArray[np.bool_]]

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str, str]], table: FrequencyTable, sensitive: str) -> Facts:
        """Read (column, label, sensitive value) triples.

        Values that do not occur forbid nothing.

        Raises
        ------
        SpecError
            If a column is no quasi-identifier.
        """
        own = table.sensitive_names.index(sensitive)
        values = table.sensitive_hierarchies[own].codes
        of_leaf: dict[int, NDArray[np.bool_]] = {}
        for name, label, value in pairs:
            if name not in table.names:
                raise SpecError(
                    "a forbidden pair names a column that is no quasi-identifier",
                    where=f"forbidden, column {name!r}",
                    fix=nearest_name(name, table.names),
                )
            j = table.names.index(name)
            hierarchy = table.hierarchies[j]
            node = hierarchy.node_of_label.get(label)
            if node is None or value not in values:
                continue
            leaves = of_leaf.setdefault(j, np.zeros((hierarchy.n_values, len(values)), np.bool_))
            leaves[hierarchy.lo[node] : hierarchy.hi[node] + 1, values[value]] = True
        return cls({j: _below_all(table.hierarchies[j], leaves) for j, leaves in of_leaf.items()})

    def hidden(self, buckets: Buckets, table: FrequencyTable) -> Buckets:
        """Widen cells of other groups than the sensitive one until none forbids a value of its bucket."""
        beside = set(buckets.groups[-1])
        lo, hi = buckets.lo.copy(), buckets.hi.copy()
        value = table.sensitive[buckets.item_of_share, table.sensitive_names.index(buckets.sensitive)]
        for j, forbidden in self.forbidden.items():
            if table.names[j] in beside:
                continue
            hierarchy = table.hierarchies[j]
            node = hierarchy.covering(lo[:, j], hi[:, j])
            suspect = np.flatnonzero(_some(forbidden)[node])
            pair, at = rank_columns(
                [buckets.bucket[suspect], node[suspect]], [buckets.n_buckets, len(hierarchy.lo)]
            )
            there = _values_of(buckets.bucket, value, np.unique(buckets.bucket[suspect]))
            wider = node[suspect][at]
            for number, bucket in enumerate(buckets.bucket[suspect][at].tolist()):
                wider[number] = _climbed(int(wider[number]), there[bucket], forbidden, hierarchy)
            lo[suspect, j], hi[suspect, j] = hierarchy.lo[wider][pair], hierarchy.hi[wider][pair]
        return replace(buckets, lo=lo, hi=hi)

    def told_apart(self, buckets: Buckets, table: FrequencyTable) -> list[tuple[int, int]]:
        """Return the (bucket, sensitive value) pairs that some published cell of the bucket forbids."""
        beside, found = set(buckets.groups[-1]), set()
        for j, forbidden in self.forbidden.items():
            if table.names[j] in beside:
                continue
            node = table.hierarchies[j].covering(buckets.lo[:, j], buckets.hi[:, j])
            node[node == table.hierarchies[j].root] = -1
            suspect = np.flatnonzero((node >= 0) & _some(forbidden)[node])
            for bucket, at in set(zip(buckets.bucket[suspect].tolist(), node[suspect].tolist(), strict=True)):
                found |= {(bucket, value) for value in np.flatnonzero(forbidden[at]).tolist()}
        return sorted(found)


def _some(forbidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the nodes that forbid anything, bool [n_nodes]."""
    return np.asarray(forbidden.any(axis=1))


def _below_all(hierarchy: Hierarchy, leaves: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return what all leaves below each node have in common."""
    upto = np.concatenate([np.zeros((1, leaves.shape[1]), np.int64), np.cumsum(leaves, axis=0)])
    width = (hierarchy.hi - hierarchy.lo + 1)[:, None]
    common: NDArray[np.bool_] = upto[hierarchy.hi + 1] - upto[hierarchy.lo] == width
    return common


def _values_of(
    bucket: NDArray[np.int32], value: NDArray[np.int32], some: NDArray[np.int32]
) -> dict[int, NDArray[np.int32]]:
    order = np.argsort(bucket, kind="stable")
    starts = np.searchsorted(bucket[order], some)
    ends = np.searchsorted(bucket[order], some, side="right")
    return {int(b): np.unique(value[order[first:last]]) for b, first, last in zip(some, starts, ends, strict=True)}


def _climbed(node: int, values: NDArray[np.int32], forbidden: NDArray[np.bool_], hierarchy: Hierarchy) -> int:
    while node != hierarchy.root and forbidden[node, values].any():
        node = int(hierarchy.parents[node])
    return node
