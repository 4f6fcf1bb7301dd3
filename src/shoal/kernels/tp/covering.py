"""Phase three of TP: rounds in which the residue grows by one row of each of its pillars."""

from __future__ import annotations

from typing import Any

from shoal.kernels.jit import kernel
from shoal.kernels.tp.pillars import TOP, is_alive, is_done, is_fat, take, take_pillars


@kernel
def _cover(groups: Any, residue: Any, marks: Any, chosen: Any) -> Any:  # pragma: no cover - compiled
    """Choose groups so that every pillar of the residue is no pillar of one of them; how many, -1 if none are.

    All groups are dead here, so each has at most l pillars and shares one with the residue at least.
    """
    n_open, stamp, n_chosen, fewest_possible = 0, 1, 0, 1
    marks[:] = 0
    for v in range(residue.rows.shape[0]):
        if residue.rows[v] == residue.sums[TOP]:
            marks[v] = stamp
            n_open += 1
    while n_open:
        best, fewest = -1, n_open
        for g in range(groups.size.shape[0]):
            if groups.size[g] == 0:
                continue
            start = groups.offsets[g]
            shared = 0
            for at in range(start, start + groups.pillars[g]):
                shared += marks[groups.value[groups.order[at]]] == stamp
            if shared < fewest:
                # A group that was chosen shares all that is open, so it is not chosen again.
                best, fewest = g, shared
                if shared <= fewest_possible:
                    break
        if best < 0:
            return -1
        chosen[n_chosen] = best
        n_chosen += 1
        start = groups.offsets[best]
        for at in range(start, start + groups.pillars[best]):
            v = groups.value[groups.order[at]]
            if marks[v] == stamp:
                marks[v] = stamp + 1
        stamp += 1
        n_open, fewest_possible = fewest, 0
    return n_chosen


@kernel
def one_round(groups: Any, residue: Any, l: Any, marks: Any, chosen: Any) -> Any:  # pragma: no cover - compiled
    """One round of phase three: 1 when the residue became eligible, 0 when not, -1 when it never can."""
    n_chosen = _cover(groups, residue, marks, chosen)
    if n_chosen < 0:
        return -1
    for i in range(n_chosen):
        take_pillars(groups, residue, 3, chosen[i])
        if is_done(residue, l):
            return 1
    for g in range(groups.size.shape[0]):
        first = groups.offsets[g]
        while is_alive(groups, residue, l, g):
            if is_fat(groups, l, g):
                # Pillars of the residue stay pillars and empty cells stay empty while its height stays.
                while groups.left[first] == 0 or residue.rows[groups.value[first]] == residue.sums[TOP]:
                    first += 1
                take(groups, residue, 3, g, first)
            else:
                take_pillars(groups, residue, 3, g)
            if is_done(residue, l):
                return 1
    return 0
