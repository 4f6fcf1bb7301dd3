"""Many classes exchange records at once: each releases one, and all go where that is cheapest together.

That is a linear assignment: what class *i* costs with the record that class *r* released instead of its own is
``cost[i, r]``, so the cheapest permutation saves at least as much as any single exchange among these records.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.improve import GAIN, TOLERANCE, fit_class, hull_without, passes, side_price, take
from shoal.kernels.jit import kernel


@kernel
def assign(cost: Any, n: int, chosen: Any) -> None:  # pragma: no cover - compiled
    """Write the column of each of the first *n* rows, int64 [n], so that the sum of costs is least.

    Shortest augmenting paths with potentials, after a reduction of columns and rows. Some of the costs may be
    infinite, if there is a finite assignment.

    References
    ----------
    .. [1] Jonker, R., Volgenant, A. (1987), A shortest augmenting path algorithm for dense and sparse linear
       assignment problems. doi:10.1007/BF02278710
    """
    row_of = np.full(n, -1, np.int64)
    u, v = np.empty(n), np.full(n, np.inf)
    for i in range(n):
        for j in range(n):
            v[j] = min(v[j], cost[i, j])
    for i in range(n):
        least, at = np.inf, -1
        for j in range(n):
            reduced = cost[i, j] - v[j]
            if reduced < least or (reduced == least and j == i):
                least, at = reduced, j
        u[i] = least
        chosen[i] = -1
        if row_of[at] < 0:
            row_of[at], chosen[i] = i, at
    distance, before = np.empty(n), np.empty(n, np.int64)
    left, order = np.empty(n, np.int64), np.empty(n, np.int64)
    for start in range(n):
        if chosen[start] >= 0:
            continue
        for j in range(n):
            distance[j], left[j] = np.inf, j
        n_left, i, reached, end = n, start, 0.0, -1
        while end < 0:
            least, at = np.inf, -1
            for q in range(n_left):
                j = left[q]
                through = reached + cost[i, j] - u[i] - v[j]
                if through < distance[j]:
                    distance[j], before[j] = through, i
                if distance[j] < least or (distance[j] == least and row_of[j] < 0):
                    least, at = distance[j], q
            reached = least
            j = left[at]
            n_left -= 1
            left[at] = left[n_left]
            order[n - 1 - n_left] = j
            if row_of[j] < 0:
                end = j
            else:
                i = row_of[j]
        u[start] += reached
        for q in range(n - n_left - 1):
            j = order[q]
            u[row_of[j]] += reached - distance[j]
            v[j] -= reached - distance[j]
        j = end
        while True:
            i = before[j]
            row_of[j] = i
            chosen[i], j = j, chosen[i]
            if i == start:
                break


@kernel
def excess(asked: Any, counts: Any, size: int) -> Any:  # pragma: no cover - compiled
    """Return about how many rows of a class must be exchanged before it passes."""
    rows = 0.0
    n = counts.shape[0]
    if n < 2:
        return rows
    seen = 0
    apart = 0.0
    for v in range(n):
        if counts[v] > 0 and asked.counting[v]:
            seen += 1
        above = counts[v] - asked.numerators[v] * size / asked.denominators[v]
        rows += max(0.0, above)
        apart += abs(counts[v] - asked.shares[v] * size)
    rows += max(0, asked.distinct - seen)
    if asked.t < 1.0:
        far = apart / 2.0 - (asked.t + TOLERANCE) * size
        rows += max(0.0, far)
    return rows


@kernel
def _price_all(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, classes: Any, released: Any, n: int, weight: float, low: Any, high: Any, cost: Any
) -> None:
    """Write what each class costs with each of the records that were released.

    A class may not come to fail; where *weight* is finite it costs that much for each row of excess.
    """
    n_qi, n_values = s.codes.shape[1], s.counts.shape[1]
    known = np.empty(n_values)
    widest = 0
    for j in range(n_qi):
        widest = max(widest, p.n_values[j]) if p.n_values[j] <= n else widest
    by_code = np.empty(widest)
    for i in range(n):
        c, a = classes[i], released[i]
        rows_a, value_a, size_a = s.rows[a], s.value[a], s.size[c]
        counts = s.counts[c]
        counts[value_a] -= rows_a
        known[:] = -1.0
        for r in range(n):
            b = released[r]
            v, rows = s.value[b], s.rows[b]
            more = 0.0
            if weight < np.inf or (r != i and (v != value_a or rows != rows_a)):
                alike = rows == rows_a
                if alike and known[v] >= 0.0:
                    more = known[v]
                else:
                    counts[v] += rows
                    if weight < np.inf:
                        more = weight * excess(asked, counts, size_a - rows_a + rows)
                    elif not passes(asked, counts, size_a - rows_a + rows):
                        more = np.inf
                    counts[v] -= rows
                    if alike:
                        known[v] = more
            cost[i, r] = more
        counts[value_a] += rows_a
        alone = s.atoms[c] == 1
        if not alone:
            hull_without(s, p, c, a, low, high)
        for j in range(n_qi):
            lo, hi = (np.iinfo(np.int32).max, -1) if alone else (low[j], high[j])
            fixed = p.fixed[j] and not alone
            few = p.n_values[j] <= n
            if few:
                for x in range(p.n_values[j]):
                    inside = not fixed or lo <= x <= hi
                    by_code[x] = side_price(p, j, min(lo, x), max(hi, x)) if inside else np.inf
            for r in range(n):
                x = s.codes[released[r], j]
                if few:
                    price = by_code[x]
                elif fixed and not lo <= x <= hi:
                    price = np.inf
                else:
                    price = side_price(p, j, min(lo, x), max(hi, x))
                cost[i, r] += price * (size_a - rows_a + s.rows[released[r]])


@kernel
def _exchange(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, classes: Any, released: Any, n: int, weight: float, moves: int,
    low: Any, high: Any, cost: Any, chosen: Any,
) -> int:  # fmt: skip
    """Carry out the cycles of the cheapest permutation that save something; return how many."""
    _price_all(s, p, asked, classes, released, n, weight, low, high, cost)
    assign(cost, n, chosen)
    done = 0
    for first in range(n):
        if chosen[first] < 0 or chosen[first] == first:
            continue
        saved, i = 0.0, first
        while True:
            saved += cost[i, i] - cost[i, chosen[i]]
            i = chosen[i]
            if i == first:
                break
        saves = saved > GAIN and done < moves
        while chosen[i] >= 0:
            following = chosen[i]
            if saves:
                take(s, released[following], classes[i])
            # Marks classes whose boxes are to be found again; those that stay as they are keep a number.
            chosen[i] = -2 if saves else -1
            i = following
        if saves:
            done += 1
    for i in range(n):
        if chosen[i] == -2:
            fit_class(s, p, classes[i])
    return done


@kernel
def exchange_hoods(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, starts: Any, classes: Any, kind: Any, draws: Any, mixed: int, weight: float,
    moves: int,
) -> int:  # fmt: skip
    """Let the classes of some neighbourhoods exchange records; return how many changes were made.

    First records of one kind after the other, which changes no size and no sensitive value of a class. Then each
    class releases any record, *mixed* times.

    Parameters
    ----------
    starts : int64 [n_hoods + 1]
        Classes ``classes[starts[h]:starts[h + 1]]`` are neighbours.
    classes : int64 [n]
    kind : int32 [n_atoms]
        Atoms of one kind have as many rows and the same sensitive values; empty where that is left out.
    draws : float64 [n_draws]
        Numbers in [0, 1), used in turn, which say what a class releases.
    mixed : int
    weight : float
        What a row of excess costs, see :func:`excess`; infinite where no class may come to fail.
    moves : int
        Changes that may be made at most.
    """
    n_qi = s.codes.shape[1]
    low, high = np.empty(n_qi, np.int32), np.empty(n_qi, np.int32)
    done, used, most = 0, 0, 0
    for h in range(starts.shape[0] - 1):
        most = max(most, starts[h + 1] - starts[h])
    cost, chosen = np.empty((most, most)), np.empty(most, np.int64)
    takers, released = np.empty(most, np.int64), np.empty(most, np.int64)
    for h in range(starts.shape[0] - 1):
        hood = classes[starts[h] : starts[h + 1]]
        n_atoms = 0
        for c in hood:
            n_atoms += s.atoms[c] if kind.shape[0] > 0 else 0
        atoms, keys = np.empty(n_atoms, np.int64), np.empty(n_atoms, np.int64)
        n = 0
        for q in range(hood.shape[0]):
            i = s.head[hood[q]] if n_atoms > 0 else -1
            while i >= 0:
                atoms[n] = i
                keys[n] = np.int64(kind[i]) * hood.shape[0] + q
                n += 1
                i = s.after[i]
        order = np.argsort(keys, kind="mergesort")
        at = 0
        while at < n_atoms and done < moves:
            n, same = 0, keys[order[at]] // hood.shape[0]
            while at < n_atoms and keys[order[at]] // hood.shape[0] == same:
                key, first = keys[order[at]], at
                while at < n_atoms and keys[order[at]] == key:
                    at += 1
                takers[n] = hood[key - same * hood.shape[0]]
                released[n] = atoms[order[first + int(draws[used % draws.shape[0]] * (at - first))]]
                used += 1
                n += 1
            if n > 1:
                done += _exchange(s, p, asked, takers, released, n, weight, moves - done, low, high, cost, chosen)
        for _ in range(mixed):
            if done >= moves:
                break
            n = 0
            for c in hood:
                if s.head[c] < 0:
                    continue
                i = s.head[c]
                for _ in range(int(draws[used % draws.shape[0]] * s.atoms[c])):
                    i = s.after[i]
                used += 1
                takers[n], released[n] = c, i
                n += 1
            if n > 1:
                done += _exchange(s, p, asked, takers, released, n, weight, moves - done, low, high, cost, chosen)
    return done
