"""Classes that exchange records as long as that saves loss.

A class is a linked list of atoms (``head``, ``after``), each some rows of one item. What a class costs is its rows
times the price of its box, see :class:`Prices`. Sides that are ``fixed`` never widen and shrink to a single value
alone, lest they tell where records lie; others are the hull of their records.
"""
# ruff: noqa: PLR0917, FBT001 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shoal.kernels.jit import kernel

GAIN = 1e-9
"""What a change must save at the least, so that sums of the same cells in another order do not count."""

MOST_ATOMS = 128
"""Atoms of the largest class that others leave one by one."""

MOST_GIVING = 24
"""Atoms of the largest class that gives one to a third class."""

TOLERANCE = 1e-12


class Prices(NamedTuple):
    """What a row costs on each side ``[lo, hi]`` of a box, never negative and never less for a wider one.

    Parameters
    ----------
    table : float64 [n]
        Price of each side of the columns with few values, ``table[start + lo * n_values + hi]``.
    start, n_values : int64 [n_qi]
        Where a column begins in *table*, or -1 where it has too many values.
    root, slope : float64 [n_qi]
        Price of the root, and for columns without a table that of one code of width.
    null : int64 [n_qi]
        Code of the missing value, which a side wider than it does not name; -1 where there is none.
    node_lo, node_hi, parents : int32 [n_nodes]
        Trees of the columns without a table whose sides are nodes.
    node_price : float64 [n_nodes]
    first : int64 [n_qi]
        Where a column's nodes begin; -1 where its sides are intervals.
    group : int32 [n_groups]
        For columns without a table: highest allowed node around each code, at ``group[group_start + code]``.
    group_start : int64 [n_qi]
    fixed : bool [n_qi]
    """

    table: Any
    start: Any
    n_values: Any
    slope: Any
    root: Any
    null: Any
    node_lo: Any
    node_hi: Any
    parents: Any
    node_price: Any
    first: Any
    group: Any
    group_start: Any
    fixed: Any


class Asked(NamedTuple):
    """What every class needs, as far as it can be said by counts of one sensitive column.

    Parameters
    ----------
    least : int
        Rows.
    distinct : int
        Different values, of those that count.
    counting : bool [n_values]
    numerators, denominators : int64 [n_values]
        Largest share of each value.
    shares : float64 [n_values]
        Shares in the whole table.
    t : float
        Largest distance to them, half the sum of differences; 1 or more where it does not matter.
    most : int
        Rows of the largest class that others may join.
    """

    least: Any
    distinct: Any
    counting: Any
    numerators: Any
    denominators: Any
    shares: Any
    t: Any
    most: Any = 1 << 62


class State(NamedTuple):
    """Atoms and classes as they are now.

    Parameters
    ----------
    codes : int32 [n_atoms, n_qi]
    rows : int64 [n_atoms]
    value : int32 [n_atoms]
        Sensitive value, 0 where none is counted.
    owner, after : int32 [n_atoms]
        Class of each atom, and the next atom of that class or -1.
    head : int32 [n_classes]
        First atom of each class, -1 for a class that is empty.
    atoms, size : int64 [n_classes]
    lo, hi : int32 [n_classes, n_qi]
    price : float64 [n_classes]
        Price of each box.
    counts : int64 [n_classes, n_values]
        Rows of each sensitive value.
    change : int64 [n_classes]
        Number of the change that the class took part in, -1 where there is none.
    """

    codes: Any
    rows: Any
    value: Any
    owner: Any
    after: Any
    head: Any
    atoms: Any
    size: Any
    lo: Any
    hi: Any
    price: Any
    counts: Any
    change: Any


@kernel
def side_price(p: Any, j: int, lo: int, hi: int) -> Any:  # pragma: no cover - compiled
    """Return the price of one side; infinite where it is above the highest allowed level."""
    at = p.start[j]
    if at >= 0:
        return p.table[at + lo * p.n_values[j] + hi]
    if p.group[p.group_start[j] + lo] != p.group[p.group_start[j] + hi]:
        return np.inf
    if p.first[j] >= 0:
        node = p.first[j] + lo
        while p.node_hi[node] < hi:
            node = p.parents[node]
        return p.node_price[node]
    if lo < hi and hi == p.null[j]:
        return p.root[j]
    return p.slope[j] * (hi - lo)


@kernel
def passes(asked: Any, counts: Any, size: int) -> bool:  # pragma: no cover - compiled
    """Tell whether a class with these rows of each sensitive value has what is asked."""
    if size < asked.least:
        return False
    n = counts.shape[0]
    if n < 2:
        return True
    if asked.distinct > 1:
        seen = 0
        for v in range(n):
            if counts[v] > 0 and asked.counting[v]:
                seen += 1
        if seen < asked.distinct:
            return False
    for v in range(n):
        if counts[v] * asked.denominators[v] > asked.numerators[v] * size:
            return False
    if asked.t < 1.0:
        apart = 0.0
        for v in range(n):
            apart += abs(counts[v] / size - asked.shares[v])
        if apart > 2.0 * (asked.t + TOLERANCE):
            return False
    return True


@kernel
def _passes_changed(s: Any, asked: Any, c: int, out: int, into: int) -> bool:  # pragma: no cover - compiled
    """Tell whether class *c* passes without atom *out* and with atom *into*, each -1 for none."""
    size = s.size[c]
    counts = s.counts[c]
    if out >= 0:
        size -= s.rows[out]
        counts[s.value[out]] -= s.rows[out]
    if into >= 0:
        size += s.rows[into]
        counts[s.value[into]] += s.rows[into]
    grows = size > asked.most and size > s.size[c]
    still = size == 0 or (not grows and passes(asked, counts, size))
    if out >= 0:
        counts[s.value[out]] += s.rows[out]
    if into >= 0:
        counts[s.value[into]] -= s.rows[into]
    return still


@kernel
def hull_without(  # pragma: no cover - compiled
    s: Any, p: Any, c: int, out: int, low: Any, high: Any
) -> float:
    """Write the box of class *c* without an atom and return its price."""
    price = 0.0
    for j in range(low.shape[0]):
        first = True
        for_one = s.codes[out, j]
        if for_one > s.lo[c, j] and for_one < s.hi[c, j]:
            low[j], high[j] = s.lo[c, j], s.hi[c, j]
            price += side_price(p, j, low[j], high[j])
            continue
        i = s.head[c]
        while i >= 0:
            if i != out:
                code = s.codes[i, j]
                if first:
                    low[j] = high[j] = code
                    first = False
                else:
                    low[j] = min(low[j], code)
                    high[j] = max(high[j], code)
            i = s.after[i]
        if first:
            return 0.0
        if p.fixed[j] and low[j] < high[j]:
            low[j], high[j] = s.lo[c, j], s.hi[c, j]
        price += side_price(p, j, low[j], high[j])
    return price


@kernel
def price_with(p: Any, low: Any, high: Any, code: Any, most: float) -> float:  # pragma: no cover - compiled
    """Return the price of a box that takes a record; infinite where it is more than *most* or forbidden."""
    price = 0.0
    for j in range(code.shape[0]):
        x = code[j]
        lo, hi = low[j], high[j]
        if x < lo or x > hi:
            if p.fixed[j]:
                return np.inf
            lo = min(lo, x)
            hi = max(hi, x)
        price += side_price(p, j, lo, hi)
        if price > most:
            return np.inf
    return price


@kernel
def take(s: Any, i: int, c: int) -> None:  # pragma: no cover - compiled
    """Move an atom to a class; boxes are left as they are."""
    old = s.owner[i]
    if s.head[old] == i:
        s.head[old] = s.after[i]
    else:
        at = s.head[old]
        while s.after[at] != i:
            at = s.after[at]
        s.after[at] = s.after[i]
    s.after[i] = s.head[c]
    s.head[c] = i
    s.owner[i] = c
    s.atoms[old] -= 1
    s.atoms[c] += 1
    s.size[old] -= s.rows[i]
    s.size[c] += s.rows[i]
    s.counts[old, s.value[i]] -= s.rows[i]
    s.counts[c, s.value[i]] += s.rows[i]


@kernel
def fit_class(s: Any, p: Any, c: int) -> None:  # pragma: no cover - compiled
    """Find the box of a class from its records; a fixed side keeps its ends unless one value is left."""
    s.price[c] = 0.0
    if s.head[c] < 0:
        return
    for j in range(s.codes.shape[1]):
        i = s.head[c]
        lo = hi = s.codes[i, j]
        while i >= 0:
            lo = min(lo, s.codes[i, j])
            hi = max(hi, s.codes[i, j])
            i = s.after[i]
        if not p.fixed[j] or lo == hi:
            s.lo[c, j], s.hi[c, j] = lo, hi
        s.price[c] += side_price(p, j, s.lo[c, j], s.hi[c, j])


@kernel
def _leave(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, hood: Any, b: int, once: bool, number: int, boxes: Any
) -> int:
    """Let atom *b* leave its class for another; return 1 if that was done.

    Where its class fails without it, an atom of a third class, or of the one that it goes to, takes its place.
    """
    source = s.owner[b]
    low, high, low_d, high_d = boxes[0], boxes[1], boxes[2], boxes[3]
    rows = s.rows[b]
    left = s.size[source] - rows
    cost = s.price[source] * s.size[source]
    without = hull_without(s, p, source, b, low, high)
    room = cost - without * left - GAIN
    if room <= 0.0:
        return 0
    # The cheapest class that passes with b, and the four cheapest that need not.
    target, least = -1, room
    near = np.full(4, -1, np.int64)
    added = np.full(4, room)
    for q in range(hood.shape[0]):
        u = hood[q]
        if u == source or s.head[u] < 0 or (once and s.change[u] >= 0):
            continue
        own = s.price[u] * s.size[u]
        more = price_with(p, s.lo[u], s.hi[u], s.codes[b], (added[3] + own) / (s.size[u] + rows))
        more = more * (s.size[u] + rows) - own
        if more < least and _passes_changed(s, asked, u, -1, b):
            least, target = more, u
        if more < added[3]:
            at = 3
            while at > 0 and added[at - 1] > more:
                added[at], near[at] = added[at - 1], near[at - 1]
                at -= 1
            added[at], near[at] = more, u
    if target >= 0 and (left == 0 or _passes_changed(s, asked, source, b, -1)):
        take(s, b, target)
        fit_class(s, p, source)
        fit_class(s, p, target)
        s.change[source] = s.change[target] = number
        return 1
    if left == 0:
        return 0
    best, filler, goal = GAIN, -1, -1
    # Some atom of the class that b goes to comes in exchange.
    for r in range(4):
        u = near[r]
        if u < 0 or s.atoms[u] > MOST_ATOMS:
            continue
        a = s.head[u]
        while a >= 0:
            mine = left + s.rows[a]
            theirs = s.size[u] - s.rows[a] + rows
            total = cost + s.price[u] * s.size[u] - best
            joined = price_with(p, low, high, s.codes[a], total / mine) * mine
            if joined < total:
                after = 0.0
                if s.atoms[u] > 1:
                    hull_without(s, p, u, a, low_d, high_d)
                    after = price_with(p, low_d, high_d, s.codes[b], (total - joined) / theirs) * theirs
                else:
                    after = price_with(p, s.codes[b], s.codes[b], s.codes[b], np.inf) * theirs
                if (
                    joined + after < total
                    and _passes_changed(s, asked, source, b, a)
                    and _passes_changed(s, asked, u, a, b)
                ):
                    best = cost + s.price[u] * s.size[u] - joined - after
                    filler, goal = a, u
            a = s.after[a]
    # Some atom of a class that can spare it comes, and b goes to another. Where classes are like the table few can
    # spare any.
    if target >= 0 and asked.t >= 1.0:
        for q in range(hood.shape[0]):
            d = hood[q]
            if d in {source, target} or s.head[d] < 0 or s.atoms[d] > MOST_GIVING or (once and s.change[d] >= 0):
                continue
            if s.size[d] <= asked.least:
                continue
            a = s.head[d]
            while a >= 0:
                spare = s.size[d] - s.rows[a]
                mine = left + s.rows[a]
                if spare >= asked.least and mine >= asked.least:
                    own = s.price[d] * s.size[d]
                    total = cost + own - least - best
                    joined = price_with(p, low, high, s.codes[a], total / mine) * mine
                    if joined < total:
                        rest = hull_without(s, p, d, a, low_d, high_d) * spare
                        if (
                            joined + rest < total
                            and _passes_changed(s, asked, d, a, -1)
                            and _passes_changed(s, asked, source, b, a)
                        ):
                            best = cost + own - least - joined - rest
                            filler, goal = a, target
                a = s.after[a]
    if filler < 0:
        return 0
    giver = s.owner[filler]
    take(s, b, goal)
    take(s, filler, source)
    fit_class(s, p, source)
    fit_class(s, p, goal)
    fit_class(s, p, giver)
    s.change[source] = s.change[goal] = s.change[giver] = number
    return 1


@kernel
def _cut(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, c: int, empty: int, number: int, boxes: Any
) -> int:
    """Cut a class in two along a column where that saves most and both parts pass; the second becomes *empty*."""
    cost = s.price[c] * s.size[c]
    best, column, place = GAIN, -1, 0
    n_qi = s.codes.shape[1]
    below = np.empty(s.counts.shape[1], np.int64)
    for j in range(n_qi):
        if s.lo[c, j] == s.hi[c, j]:
            continue
        at = s.head[c]
        while at >= 0:
            where = s.codes[at, j]
            at = s.after[at]
            n_below = 0
            below[:] = 0
            first = np.ones(2, np.bool_)
            i = s.head[c]
            while i >= 0:
                side = 1 if s.codes[i, j] > where else 0
                if side == 0:
                    n_below += s.rows[i]
                    below[s.value[i]] += s.rows[i]
                for x in range(n_qi):
                    code = s.codes[i, x]
                    if first[side]:
                        boxes[2 * side, x] = boxes[2 * side + 1, x] = code
                    else:
                        boxes[2 * side, x] = min(boxes[2 * side, x], code)
                        boxes[2 * side + 1, x] = max(boxes[2 * side + 1, x], code)
                first[side] = False
                i = s.after[i]
            n_above = s.size[c] - n_below
            if n_below < asked.least or n_above < asked.least or n_above == 0:
                continue
            total = 0.0
            for side in range(2):
                price = 0.0
                for x in range(n_qi):
                    lo, hi = boxes[2 * side, x], boxes[2 * side + 1, x]
                    if p.fixed[x] and lo < hi:
                        lo, hi = s.lo[c, x], s.hi[c, x]
                        if x == j and side == 0:
                            hi = where
                        elif x == j:
                            lo = where + 1
                    price += side_price(p, x, lo, hi)
                total += price * (n_below if side == 0 else n_above)
            if cost - total > best and passes(asked, below, n_below):
                for v in range(below.shape[0]):
                    below[v] = s.counts[c, v] - below[v]
                if passes(asked, below, n_above):
                    best, column, place = cost - total, j, where
    if column < 0:
        return 0
    s.lo[empty], s.hi[empty] = s.lo[c], s.hi[c]
    if p.fixed[column]:
        s.hi[c, column] = place
        s.lo[empty, column] = place + 1
    i = s.head[c]
    while i >= 0:
        following = s.after[i]
        if s.codes[i, column] > place:
            take(s, i, empty)
        i = following
    fit_class(s, p, c)
    fit_class(s, p, empty)
    s.change[c] = s.change[empty] = number
    return 1


@kernel
def _dissolve(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, hood: Any, c: int, once: bool, number: int, atoms: Any, before: Any
) -> int:
    """Let all atoms of a class go to others, each where it adds least, if that saves loss and all pass."""
    n = 0
    i = s.head[c]
    while i >= 0:
        atoms[n] = i
        n += 1
        i = s.after[i]
    # The boxes of the classes that take atoms come back if the whole does not pay.
    spent = 0.0
    limit = s.price[c] * s.size[c] - GAIN
    done = 0
    for at in range(n):
        i = atoms[at]
        target, least = -1, limit - spent
        for q in range(hood.shape[0]):
            u = hood[q]
            if u == c or s.head[u] < 0 or (once and s.change[u] >= 0 and s.change[u] != number):
                continue
            own = s.price[u] * s.size[u]
            total = s.size[u] + s.rows[i]
            more = price_with(p, s.lo[u], s.hi[u], s.codes[i], (least + own) / total) * total - own
            if more < least and _passes_changed(s, asked, u, -1, i):
                least, target = more, u
        if target < 0:
            break
        spent += least
        before[at] = s.change[target]
        take(s, i, target)
        s.change[target] = number
        fit_class(s, p, target)
        done += 1
    if done == n:
        s.change[c] = number
        return 1
    for at in range(done - 1, -1, -1):
        i = atoms[at]
        u = s.owner[i]
        take(s, i, c)
        s.change[u] = before[at]
        fit_class(s, p, u)
    fit_class(s, p, c)
    return 0


@kernel
def _part(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, b: int, empty: int, number: int, atoms: Any
) -> int:
    """Let a part of a class grow around atom *b* until it passes; return 1 if that saves loss and the rest passes.

    Rows of one record may lie in both parts, which no cut along a column can do.
    """
    c = s.owner[b]
    low, high = s.codes[b].copy(), s.codes[b].copy()
    price, n, i = 0.0, 0, b
    while i >= 0:
        atoms[n] = i
        n += 1
        take(s, i, empty)
        price = 0.0
        for j in range(low.shape[0]):
            low[j] = min(low[j], s.codes[i, j])
            high[j] = max(high[j], s.codes[i, j])
            price += side_price(p, j, low[j], high[j])
        if passes(asked, s.counts[empty], s.size[empty]):
            break
        least, i = np.inf, -1
        a = s.head[c]
        while a >= 0:
            joined = price_with(p, low, high, s.codes[a], least)
            if joined < least and s.size[c] - s.rows[a] >= asked.least:
                least, i = joined, a
            a = s.after[a]
    saves = (s.price[c] - price) * s.size[empty] > GAIN
    if saves and passes(asked, s.counts[empty], s.size[empty]) and passes(asked, s.counts[c], s.size[c]):
        fit_class(s, p, c)
        s.lo[empty], s.hi[empty] = low, high
        fit_class(s, p, empty)
        s.change[c] = s.change[empty] = number
        return 1
    for at in range(n - 1, -1, -1):
        take(s, atoms[at], c)
    return 0


@kernel
def improve_hoods(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, starts: Any, classes: Any, empty: Any, n_empty: int, once: bool, moves: int,
    number: int, atoms: Any, before: Any,
) -> Any:  # fmt: skip
    """Improve the classes of some neighbourhoods; return how many changes were made and empty classes are left.

    Parameters
    ----------
    starts : int64 [n_hoods + 1]
        Classes ``classes[starts[h]:starts[h + 1]]`` are neighbours.
    classes : int64 [n]
    empty : int64 [n_empty_at_most]
        Numbers of classes that are empty, the last of the *n_empty* first ones is taken first.
    once : bool
        Whether a class takes part in one change at most, so that changes can be tested and undone afterwards.
    moves : int
        Changes that may be made at most.
    number : int
        Of the first change.
    atoms, before : int64 [n_atoms]
        Room to work in.
    """
    boxes = np.empty((4, s.codes.shape[1]), np.int32)
    done = 0
    for h in range(starts.shape[0] - 1):
        hood = classes[starts[h] : starts[h + 1]]
        for q in range(hood.shape[0]):
            c = hood[q]
            if s.head[c] < 0 or s.price[c] <= 0.0 or (once and s.change[c] >= 0):
                continue
            if done >= moves:
                return done, n_empty
            large = s.size[c] >= 2 * asked.least and 1 < s.atoms[c] <= MOST_ATOMS and n_empty > 0
            if large and _cut(s, p, asked, c, empty[n_empty - 1], number + done, boxes):
                n_empty -= 1
                done += 1
                if once:
                    continue
            if s.atoms[c] > MOST_ATOMS:
                continue
            # What is undone comes back in another order, so atoms are counted.
            b, left = s.head[c], s.atoms[c]
            while b >= 0 and left > 0 and n_empty > 0 and s.size[c] >= 2 * asked.least and done < moves:
                if asked.t < 1.0:
                    break
                left -= 1
                following = s.after[b]
                if _part(s, p, asked, b, empty[n_empty - 1], number + done, atoms):
                    n_empty -= 1
                    done += 1
                    break
                b = following
            if (once and s.change[c] >= 0) or done >= moves:
                continue
            again = True
            while again and s.head[c] >= 0 and s.atoms[c] > 1:
                again = False
                b = s.head[c]
                while b >= 0 and done < moves:
                    following = s.after[b]
                    if _leave(s, p, asked, hood, b, once, number + done, boxes):
                        done += 1
                        again = not once
                        if once:
                            break
                    b = following
            if (once and s.change[c] >= 0) or done >= moves or s.head[c] < 0:
                continue
            if s.price[c] > 0.0 and _dissolve(s, p, asked, hood, c, once, number + done, atoms, before):
                done += 1
    return done, n_empty


@kernel
def neighbourhoods(  # pragma: no cover - compiled
    s: Any, p: Any, order: Any, most: int, draws: Any, starts: Any
) -> int:
    """Sort the classes in *order* into neighbourhoods of at most *most*, by halving along drawn columns.

    ``starts`` gets where each begins and the end of the last; the number of neighbourhoods is returned. *draws*
    are numbers in [0, 1), used in turn.
    """
    n_qi = s.codes.shape[1]
    n, at, used = 0, 0, 0
    stack = np.empty((128, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, order.shape[0]
    top = 1
    starts[0] = 0
    while top > 0:
        top -= 1
        first, last = stack[top, 0], stack[top, 1]
        if last - first <= most:
            at = last
            n += 1
            starts[n] = at
            continue
        column, widest = 0, -1.0
        for j in range(n_qi):
            lo = hi = s.lo[order[first], j] + s.hi[order[first], j]
            for q in range(first, last):
                centre = s.lo[order[q], j] + s.hi[order[q], j]
                lo = min(lo, centre)
                hi = max(hi, centre)
            draw = draws[used % draws.shape[0]]
            used += 1
            price = side_price(p, j, lo // 2, hi // 2) if lo < hi else 0.0
            if price == np.inf:
                price = 1e300
            if lo < hi and (price + 1e-6) * (0.1 + draw) > widest:
                column, widest = j, (price + 1e-6) * (0.1 + draw)
        part = order[first:last].copy()
        keys = np.empty(last - first, np.float64)
        for q in range(last - first):
            # Equal centres part at random, so that other neighbours meet in the next round.
            keys[q] = s.lo[part[q], column] + s.hi[part[q], column] + 0.5 * draws[used % draws.shape[0]]
            used += 1
        rank = np.argsort(keys, kind="mergesort")
        for q in range(last - first):
            order[first + q] = part[rank[q]]
        middle = (first + last) // 2
        stack[top, 0], stack[top, 1] = middle, last
        stack[top + 1, 0], stack[top + 1, 1] = first, middle
        top += 2
    return n
