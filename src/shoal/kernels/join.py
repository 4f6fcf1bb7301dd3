"""The next join of each block: its smallest failing class and the class, or a part of one, that costs least.

Classes ``first[b]:first[b + 1]`` are of block *b*; dead ones have no rows. Class *c* has a node of every column,
``nodes [n_classes, d]``, and ``counts [n_classes, n_groups]`` rows by group of sensitive values, whose sum is its
size. Its shares are a chain that starts at ``head[c]``: share *s* is ``rows[s]`` rows of item ``item[s]``, and
``after[s]`` is the next one.
"""
# ruff: noqa: PLR0917, FBT001, SIM110, SIM102 - compiled functions take arrays one by one and loop plainly

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel


@kernel
def passes(counts: Any, size: int, k: int, numerators: Any, denominators: Any) -> bool:  # pragma: no cover
    """Tell whether a class has enough rows and of no group too many."""
    if size < k:
        return False
    for g in range(1, counts.shape[0]):
        if counts[g] * denominators[g] > numerators[g] * size:
            return False
    return True


@kernel
def _before(one: Any, other: Any, node_lo: Any, node_hi: Any) -> int:  # pragma: no cover - compiled
    """Compare two vectors of nodes by their intervals: negative where the first comes before."""
    for j in range(one.shape[0]):
        if node_lo[one[j]] != node_lo[other[j]]:
            return int(node_lo[one[j]] - node_lo[other[j]])
        if node_hi[one[j]] != node_hi[other[j]]:
            return int(node_hi[one[j]] - node_hi[other[j]])
    return 0


@kernel
def _hash(nodes: Any) -> Any:  # pragma: no cover - compiled
    key = np.uint64(1469598103934665603)
    for node in nodes:
        key = (key ^ np.uint64(node)) * np.uint64(1099511628211)
    return key ^ (key >> np.uint64(29))


@kernel
def _class_at(slots: Any, nodes: Any, at: Any) -> int:  # pragma: no cover - compiled
    """Return the place in the table of the class at a vector, or of the free slot where it would be."""
    mask = np.uint64(slots.shape[0] - 1)
    place = _hash(at) & mask
    while slots[place] >= 0:
        same = True
        for j in range(at.shape[0]):
            if nodes[slots[place], j] != at[j]:
                same = False
                break
        if same:
            break
        place = (place + np.uint64(1)) & mask
    return int(place)


@kernel
def _stub(  # pragma: no cover - compiled
    got: Any, size: int, left: Any, left_size: int, k: int, numerators: Any, denominators: Any,
    head: Any, after: Any, item: Any, rows: Any, group: Any, taken_share: Any, taken_rows: Any,
) -> int:  # fmt: skip
    """Take the fewest rows off a class that make *got* pass; return their number, 0 where that is impossible.

    Rows without a limit are taken first, then those with the lowest item. ``taken_share`` and ``taken_rows`` list
    what is taken, and end with the share -1.
    """
    n_taken = 0
    total = 0
    bounded = False
    last = -1
    while not passes(got, size, k, numerators, denominators):
        best = -1
        s = head
        while s >= 0:
            later = last < 0 or item[s] > item[last] or (item[s] == item[last] and s > last)
            if later and rows[s] > 0 and (group[item[s]] > 0) == bounded:
                if best < 0 or item[s] < item[best] or (item[s] == item[best] and s < best):
                    best = s
            s = after[s]
        if best < 0:
            if bounded:
                return 0
            bounded = True
            last = -1
            continue
        last = best
        g = group[item[best]]
        moved = 0
        while moved < rows[best] and not passes(got, size, k, numerators, denominators):
            step = 1
            if g == 0:
                step = k - size
                for u in range(1, got.shape[0]):
                    step = max(step, -(-got[u] * denominators[u] // numerators[u]) - size)
                step = min(max(1, step), rows[best] - moved)
            moved += step
            got[g] += step
            size += step
            left[g] -= step
            left_size -= step
            if not passes(left, left_size, k, numerators, denominators):
                return 0
        if n_taken + 1 >= taken_share.shape[0]:
            return 0
        taken_share[n_taken] = best
        taken_rows[n_taken] = moved
        n_taken += 1
        total += moved
    taken_share[n_taken] = -1
    return total


@kernel
def next_joins(  # pragma: no cover - compiled
    blocks: Any, first: Any, nodes: Any, counts: Any, failing: Any, price: Any,
    head: Any, after: Any, item: Any, rows: Any, group: Any, n_shares: int,
    parents: Any, node_lo: Any, node_hi: Any,
    counted: bool, k: int, aim: int, numerators: Any, denominators: Any, slots: Any, changed: Any,
) -> int:  # fmt: skip
    """Carry out one join in each of *blocks* and return the number of shares there are then.

    *counted* says that sizes and groups are all that the models ask for; then joins come first whose outcome has
    at least *aim* rows and of no group too many. ``changed [n, 2]`` receives the class that grew and the one that
    gave a part, -1 where there is none; both -1 where a block has nothing left to join.
    """
    d, n_groups = nodes.shape[1], counts.shape[1]
    at = np.empty(d, np.int32)
    best_at = np.empty(d, np.int32)
    got = np.empty(n_groups, np.int64)
    left = np.empty(n_groups, np.int64)
    taken_share = np.empty(1024, np.int64)
    taken_rows = np.empty(1024, np.int64)
    for n in range(blocks.shape[0]):
        b = blocks[n]
        changed[n, 0] = changed[n, 1] = -1
        small = -1
        for c in range(first[b], first[b + 1]):
            size = counts[c].sum()
            if size == 0 or not failing[c]:
                continue
            if (
                small < 0
                or size < counts[small].sum()
                or (size == counts[small].sum() and _before(nodes[c], nodes[small], node_lo, node_hi) < 0)
            ):
                small = c
        if small < 0:
            continue
        room = 4
        while room < 2 * (first[b + 1] - first[b]):
            room *= 2
        table = slots[:room]
        table[:] = -1
        for c in range(first[b], first[b + 1]):
            if head[c] >= 0:
                table[_class_at(table, nodes, nodes[c])] = c
        mine = counts[small].sum()
        price_of_mine = 0.0
        for j in range(d):
            price_of_mine += price[nodes[small, j]]
        chosen = -1
        best_invalid = True
        best_added = 0.0
        best_part = 0
        for other in range(first[b], first[b + 1]):
            if other == small or head[other] < 0:
                continue
            price_of_other = 0.0
            price_at = 0.0
            at_other = True
            at_small = True
            for j in range(d):
                v = nodes[small, j]
                w = nodes[other, j]
                while node_lo[v] > node_lo[w] or node_hi[v] < node_hi[w]:
                    v = parents[v]
                at[j] = v
                at_other = at_other and v == w
                at_small = at_small and v == nodes[small, j]
                price_of_other += price[w]
                price_at += price[v]
            theirs = counts[other].sum()
            there = -1
            if counted and not at_other and not at_small:
                there = table[_class_at(table, nodes, at)]
            for part_only in range(2):
                part = theirs
                if part_only == 1 and (not counted or at_other or failing[other]):
                    break
                invalid = False
                if counted:
                    size = mine
                    for g in range(n_groups):
                        got[g] = counts[small, g] + (counts[there, g] if there >= 0 else 0)
                        left[g] = counts[other, g]
                    if there >= 0:
                        size += counts[there].sum()
                    if part_only == 1:
                        part = _stub(
                            got, size, left, theirs, k, numerators, denominators,
                            head[other], after, item, rows, group, taken_share, taken_rows,
                        )  # fmt: skip
                        if part == 0:
                            break
                    else:
                        for g in range(n_groups):
                            got[g] += counts[other, g]
                        invalid = not passes(got, size + theirs, aim, numerators, denominators)
                added = mine * (price_at - price_of_mine) + part * (price_at - price_of_other)
                better = chosen < 0 or invalid < best_invalid
                if not better and invalid == best_invalid:
                    better = added < best_added
                    if added == best_added:
                        order = _before(at, best_at, node_lo, node_hi)
                        if order == 0:
                            order = _before(nodes[other], nodes[chosen], node_lo, node_hi)
                        better = order < 0
                if better:
                    chosen = other
                    best_invalid = invalid
                    best_added = added
                    best_part = part if part_only == 1 else 0
                    best_at[:] = at
        if chosen < 0:
            continue
        there = table[_class_at(table, nodes, best_at)]
        grown = there if there >= 0 else small
        if best_part > 0:
            for g in range(n_groups):
                got[g] = counts[small, g] + (counts[there, g] if there >= 0 and there != small else 0)
                left[g] = counts[chosen, g]
            _stub(
                got, got.sum(), left, left.sum(), k, numerators, denominators,
                head[chosen], after, item, rows, group, taken_share, taken_rows,
            )  # fmt: skip
            t = 0
            while taken_share[t] >= 0:
                s, moved = taken_share[t], taken_rows[t]
                rows[s] -= moved
                counts[chosen, group[item[s]]] -= moved
                item[n_shares] = item[s]
                rows[n_shares] = moved
                after[n_shares] = head[small]
                head[small] = n_shares
                counts[small, group[item[s]]] += moved
                n_shares += 1
                t += 1
            changed[n, 1] = chosen
        elif chosen != grown:
            _append(head, after, counts, chosen, small)
        if small != grown:
            _append(head, after, counts, small, grown)
        nodes[grown, :] = best_at
        changed[n, 0] = grown
    return n_shares


@kernel
def _append(head: Any, after: Any, counts: Any, source: int, target: int) -> None:  # pragma: no cover - compiled
    """Move all shares of one class to another."""
    s = head[source]
    while after[s] >= 0:
        s = after[s]
    after[s] = head[target]
    head[target] = head[source]
    head[source] = -1
    for g in range(counts.shape[1]):
        counts[target, g] += counts[source, g]
        counts[source, g] = 0


@kernel
def gather(  # pragma: no cover - compiled
    classes: Any, head: Any, after: Any, item: Any, rows: Any, items: Any, counts: Any, owner: Any
) -> int:
    """List the shares of *classes*: their items, their rows and the place of their class; return how many."""
    n = 0
    for place in range(classes.shape[0]):
        s = head[classes[place]]
        while s >= 0:
            if rows[s] > 0:
                items[n] = item[s]
                counts[n] = rows[s]
                owner[n] = place
                n += 1
            s = after[s]
    return n


@kernel
def which_fail(  # pragma: no cover - compiled
    classes: Any, counts: Any, k: int, numerators: Any, denominators: Any, failing: Any
) -> None:
    """Write which of *classes* fail."""
    for c in classes:
        failing[c] = not passes(counts[c], counts[c].sum(), k, numerators, denominators)
