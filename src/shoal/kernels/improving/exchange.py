"""Many classes exchange records at once: each releases one, and all go where that is cheapest together.

That is a linear assignment: what class *i* costs with the record that class *r* released instead of its own is
``cost[i, r]``, so the cheapest permutation saves at least as much as any single exchange among these records.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.improving.asked import excess, excess_with, passes
from shoal.kernels.improving.assignment import assign
from shoal.kernels.improving.linked import GAIN, fit_class, hull_without, take
from shoal.kernels.improving.prices import side_price
from shoal.kernels.jit import kernel


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
    # Beside each other in memory, as they are read n times.
    codes, rows_of = np.empty((n_qi, n), np.int32), np.empty(n)
    for r in range(n):
        rows_of[r] = s.rows[released[r]]
        for j in range(n_qi):
            codes[j, r] = s.codes[released[r], j]
    price = np.empty(n)
    for i in range(n):
        c, a = classes[i], released[i]
        rows_a, value_a, size_a = s.rows[a], s.value[a], s.size[c]
        counts = s.counts[c]
        counts[value_a] -= rows_a
        known[:] = -1.0
        soft = weight < np.inf and n_values > 1
        if soft:
            excess_with(asked, counts, size_a, rows_a, known)
        for r in range(n):
            b = released[r]
            v, rows = s.value[b], s.rows[b]
            cost[i, r] = 0.0
            if soft and rows == rows_a:
                cost[i, r] = weight * known[v]
            elif soft or (r != i and (v != value_a or rows != rows_a)):
                if rows == rows_a and known[v] >= 0.0:
                    cost[i, r] = known[v]
                    continue
                counts[v] += rows
                size = size_a - rows_a + rows
                if soft:
                    cost[i, r] = weight * excess(asked, counts, size)
                elif not passes(asked, counts, size):
                    cost[i, r] = np.inf
                counts[v] -= rows
                if rows == rows_a:
                    known[v] = cost[i, r]
        counts[value_a] += rows_a
        alone = s.atoms[c] == 1
        if not alone:
            hull_without(s, p, c, a, low, high)
        price[:] = 0.0
        for j in range(n_qi):
            lo, hi = (np.iinfo(np.int32).max, -1) if alone else (low[j], high[j])
            fixed = p.fixed[j] and not alone
            column = codes[j]
            if p.n_values[j] <= n:
                for x in range(p.n_values[j]):
                    inside = not fixed or lo <= x <= hi
                    by_code[x] = side_price(p, j, min(lo, x), max(hi, x)) if inside else np.inf
                for r in range(n):
                    price[r] += by_code[column[r]]
                continue
            for r in range(n):
                x = column[r]
                inside = not fixed or lo <= x <= hi
                price[r] += side_price(p, j, min(lo, x), max(hi, x)) if inside else np.inf
        own = cost[i, i]
        for r in range(n):
            cost[i, r] += price[r] * (size_a - rows_a + rows_of[r])
        # A fixed side may shrink to the one value that is left, which its own record need not have.
        cost[i, i] = own + s.price[c] * size_a


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
