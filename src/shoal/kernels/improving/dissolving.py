"""All atoms of a class go to others, and the class is gone."""
# ruff: noqa: PLR0917, FBT001 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

from shoal.kernels.improving.linked import GAIN, fit_class, passes_changed, take
from shoal.kernels.improving.prices import price_with
from shoal.kernels.jit import kernel


@kernel
def dissolve(  # pragma: no cover - compiled
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
            if more < least and passes_changed(s, asked, u, -1, i):
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
