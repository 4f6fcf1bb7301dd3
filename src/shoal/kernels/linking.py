"""Widening cells of a bucket until every record is linked with enough sensitive values.

Entries are the distinct (bucket, leaf codes, sensitive value) of the columns that stay with the sensitive one,
sorted by these. A cell is a node; leaf *c* of a column is its node *c*. The nodes of all columns are in one
numbering: node *v* of column *j* is ``first_node[j] + v`` in ``node_lo``, ``node_hi``, ``parent`` (numbered within
the column, -1 above a root) and ``height``.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel

__all__ = ["link"]


@kernel
def _joined(  # pragma: no cover - compiled
    node: int, leaf: int, base: int, node_lo: Any, node_hi: Any, parent: Any
) -> int:
    """Return the lowest node above both, within a column whose nodes begin at *base*."""
    while leaf < node_lo[base + node] or leaf > node_hi[base + node]:
        node = parent[base + node]
    return node


@kernel
def _before(  # pragma: no cover - compiled
    nodes: Any, value: int, origin: int, others: Any, other: int, origin_2: int, first_node: Any, lo: Any, hi: Any
) -> bool:
    """Whether one row comes before another of equal cost: by the codes of its cells, its value, its origin."""
    for c in range(nodes.shape[0]):
        a, b = first_node[c] + nodes[c], first_node[c] + others[c]
        if lo[a] != lo[b]:
            return bool(lo[a] < lo[b])
        if hi[a] != hi[b]:
            return bool(hi[a] < hi[b])
    if value != other:
        return value < other
    return origin < origin_2


@kernel
def link(  # pragma: no cover - compiled
    starts: Any,
    leaf: Any,
    value: Any,
    rows: Any,
    uncounted: int,
    l: int,
    n_values: int,
    first_node: Any,
    node_lo: Any,
    node_hi: Any,
    parent: Any,
    height: Any,
    weight: Any,
    widened: Any,
    nodes: Any,
) -> int:
    """Widen the cells of single rows, as few and as little as a greedy choice finds; return how many rows.

    ``widened[i]`` gets the entry that the i-th widened row is of and ``nodes[i]`` its cells. For each leaf vector
    of a bucket, in code order, rows of values that it is not yet linked with are widened until they cover it:
    each time the row whose cells climb least, ``height`` times ``weight`` added up over the columns.
    """
    d = leaf.shape[1]
    mark = np.full(n_values, -1, np.int64)
    left = rows.copy()
    own = np.empty(d, np.int64)
    best_nodes = np.empty(d, np.int64)
    stamp = -1
    n_widened = 0
    for b in range(starts.shape[0] - 1):
        begin = n_widened
        first = starts[b]
        while first < starts[b + 1]:
            last = first
            stamp += 1
            linked = 0
            while last < starts[b + 1]:
                same = True
                for c in range(d):
                    same = same and leaf[last, c] == leaf[first, c]
                if not same:
                    break
                if value[last] != uncounted and mark[value[last]] != stamp:
                    mark[value[last]] = stamp
                    linked += 1
                last += 1
            if linked < l:
                for w in range(begin, n_widened):
                    covers = True
                    for c in range(d):
                        at = first_node[c] + nodes[w, c]
                        covers = covers and node_lo[at] <= leaf[first, c] <= node_hi[at]
                    s = value[widened[w]]
                    if covers and s != uncounted and mark[s] != stamp:
                        mark[s] = stamp
                        linked += 1
            while linked < l:
                best: Any = np.int64(-1)
                best_cost: Any = np.int64(0)
                n_entries = starts[b + 1] - starts[b]
                for candidate in range(n_entries + n_widened - begin):
                    fresh = candidate < n_entries
                    w = begin + candidate - n_entries
                    entry = starts[b] + candidate if fresh else widened[w]
                    s = value[entry]
                    if s == uncounted or mark[s] == stamp or (fresh and left[entry] == 0):
                        continue
                    cost = np.int64(0)
                    for c in range(d):
                        own[c] = leaf[entry, c] if fresh else nodes[w, c]
                        base = first_node[c]
                        top = _joined(own[c], leaf[first, c], base, node_lo, node_hi, parent)
                        cost += weight[c] * (height[base + top] - height[base + own[c]])
                    if best >= 0:
                        if cost > best_cost:
                            continue
                        other = starts[b] + best if best < n_entries else widened[begin + best - n_entries]
                        if cost == best_cost and not _before(
                            own, s, entry, best_nodes, value[other], other, first_node, node_lo, node_hi
                        ):
                            continue
                    best, best_cost = candidate, cost
                    for c in range(d):
                        best_nodes[c] = own[c]
                if best < 0:
                    break
                w = begin + best - n_entries
                if best < n_entries:
                    w = n_widened
                    n_widened += 1
                    widened[w] = starts[b] + best
                    left[starts[b] + best] -= 1
                for c in range(d):
                    nodes[w, c] = _joined(best_nodes[c], leaf[first, c], first_node[c], node_lo, node_hi, parent)
                mark[value[widened[w]]] = stamp
                linked += 1
            first = last
    return n_widened
