"""Classes as linked lists of atoms, each some rows of one item, and their boxes.

Sides that are ``fixed`` never widen and shrink to a single value alone, lest they tell where records lie; others
are the hull of their records.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any, NamedTuple

from shoal.kernels.improving.asked import passes
from shoal.kernels.improving.prices import side_price
from shoal.kernels.jit import kernel

GAIN = 1e-9
"""What a change must save at the least, so that sums of the same cells in another order do not count."""


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
def passes_changed(s: Any, asked: Any, c: int, out: int, into: int) -> bool:  # pragma: no cover - compiled
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
def keep_cheapest(classes: Any, costs: Any, c: int, cost: float) -> None:  # pragma: no cover - compiled
    """Put a class in its place among the cheapest ones, by rising *costs*; the dearest of them goes."""
    at = costs.shape[0] - 1
    while at > 0 and costs[at - 1] > cost:
        costs[at], classes[at] = costs[at - 1], classes[at - 1]
        at -= 1
    costs[at], classes[at] = cost, c
