"""One level down one column in every box, and which tuples return where too few remain.

Records lie sorted by box as in :mod:`shoal.kernels.mondrian`, whose trees these are. A *part* is what a box's
records under one child make up; parts are numbered by box and then by code.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.mondrian import child_at, count_codes

MOST_MOVES = 100_000
"""Tuples of bounded values that return one by one in a box; beyond them whole children do."""


@kernel
def split_column(  # pragma: no cover - compiled
    codes: Any,
    rows: Any,
    starts: Any,
    lo: Any,
    hi: Any,
    node: Any,
    low: Any,
    high: Any,
    j: int,
    node_lo: Any,
    node_hi: Any,
    kid_offsets: Any,
    kids: Any,
    dense: Any,
    part: Any,
    sides: Any,
    part_box: Any,
) -> int:
    """Divide each box by column *j* and return the number of parts.

    ``part [n]`` receives the part of each record, -1 in boxes whose records agree; ``sides [n_parts, 3]`` the
    first code, last code and node of each part's side, ``part_box [n_parts]`` its box. A side without children is
    halved where the numbers of rows are most even.
    """
    longest = 0
    for b in range(lo.shape[0]):
        longest = max(longest, starts[b + 1] - starts[b])
    values = np.empty(longest, np.int64)
    counts = np.empty(longest, np.int64)
    number = np.full(node_lo.shape[0], -1, np.int64)
    n_parts = 0
    for b in range(lo.shape[0]):
        first, last, at = starts[b], starts[b + 1], node[b, j]
        if low[b, j] == high[b, j]:
            for i in range(first, last):
                part[i] = -1
            continue
        begin, end = kid_offsets[at], kid_offsets[at + 1]
        if begin == end:
            n = count_codes(codes, rows, first, last, j, low[b, j], high[b, j], dense, values, counts)
            total = 0
            for v in range(n):
                total += counts[v]
            running = 0
            best = -1
            where = 0
            for v in range(n - 1):
                running += counts[v]
                uneven = abs(2 * running - total)
                if best < 0 or uneven < best:
                    best = uneven
                    where = values[v]
            for i in range(first, last):
                part[i] = n_parts + (1 if codes[i, j] > where else 0)
            for half in range(2):
                sides[n_parts, 0] = lo[b, j] if half == 0 else where + 1
                sides[n_parts, 1] = where if half == 0 else hi[b, j]
                sides[n_parts, 2] = at
                part_box[n_parts] = b
                n_parts += 1
            continue
        for i in range(first, last):
            part[i] = child_at(kids, node_hi, begin, end, codes[i, j])
            number[part[i]] = 0
        for place in range(begin, end):
            kid = kids[place]
            if number[kid] == 0:
                number[kid] = n_parts
                sides[n_parts, 0] = node_lo[kid]
                sides[n_parts, 1] = node_hi[kid]
                sides[n_parts, 2] = kid
                part_box[n_parts] = b
                n_parts += 1
        for i in range(first, last):
            part[i] = number[part[i]]
        for place in range(begin, end):
            number[kids[place]] = -1
    return n_parts


@kernel
def _lacking(
    shown: Any, n: int, k: int, over: Any, numerators: Any, denominators: Any
) -> bool:  # pragma: no cover
    """Tell whether a class fails, and which groups of values it has too many of."""
    fails = n < k
    for g in range(shown.shape[0]):
        over[g] = shown[g] * denominators[g] > numerators[g] * n
        fails = fails or over[g]
    return fails


@kernel
def _stays(  # pragma: no cover - compiled
    counts: Any, size: int, g: int, k: int, numerators: Any, denominators: Any
) -> bool:
    """Tell whether a branch passes without one row of group *g*."""
    if counts[g] == 0 or size - 1 < k:
        return False
    for u in range(counts.shape[0]):
        if (counts[u] - (u == g)) * denominators[u] > numerators[u] * (size - 1):
            return False
    return True


@kernel
def _rows_to_move(  # pragma: no cover - compiled
    shown: Any, n: int, counts: Any, size: int, lead: int, k: int, numerators: Any, denominators: Any
) -> int:
    """Return how many unbounded rows of one branch return before anything else is to be decided."""
    wanted = k - n
    spare = size - k
    for u in range(1, shown.shape[0]):
        wanted = max(wanted, -(-shown[u] * denominators[u] // numerators[u]) - n)
        spare = min(spare, size - -(-counts[u] * denominators[u] // numerators[u]))
    return max(1, min(wanted, spare, lead))


@kernel
def give_back(  # pragma: no cover - compiled
    rows: Any,
    starts: Any,
    group: Any,
    part: Any,
    failing: Any,
    boxes: Any,
    k: int,
    numerators: Any,
    denominators: Any,
    back: Any,
) -> None:
    """Return tuples of passing parts to the remainders of *boxes*, one by one, until these pass.

    ``back [n]`` holds the rows of each record that are in the remainder, at first those of the failing parts.
    Group 0 holds the values without a limit; ``numerators`` and ``denominators [n_groups]`` are the limits.
    """
    n_groups = numerators.shape[0]
    shown = np.empty(n_groups, np.int64)
    over = np.empty(n_groups, np.bool_)
    for b in boxes:
        first, last = starts[b], starts[b + 1]
        base = part[first]
        top = base
        for i in range(first, last):
            base = min(base, part[i])
            top = max(top, part[i])
        n_parts = top - base + 1
        counts = np.zeros((n_parts, n_groups), np.int64)
        sizes = np.zeros(n_parts, np.int64)
        begin = np.full((n_parts, n_groups), last, np.int64)
        shown[:] = 0
        n = 0
        for i in range(first, last):
            p, g = part[i] - base, group[i]
            if failing[part[i]]:
                shown[g] += rows[i]
                n += rows[i]
            else:
                counts[p, g] += rows[i]
                sizes[p] += rows[i]
                begin[p, g] = min(begin[p, g], i)
        moves = 0
        while _lacking(shown, n, k, over, numerators, denominators):
            too_many = over.any()
            chosen = -1
            with_group = 0
            slack = 0.0
            second = 0
            for g in range(n_groups):
                if g > 0 and (moves >= MOST_MOVES or (chosen >= 0 and with_group == 0)):
                    break
                if g > 0 and too_many and (over[g] or (shown[g] + 1) * denominators[g] > numerators[g] * (n + 1)):
                    continue
                room = (numerators[g] * n - shown[g] * denominators[g]) / denominators[g]
                for p in range(n_parts):
                    if not _stays(counts[p], sizes[p], g, k, numerators, denominators):
                        continue
                    while (
                        rows[begin[p, g]] == back[begin[p, g]]
                        or part[begin[p, g]] != p + base
                        or group[begin[p, g]] != g
                    ):
                        begin[p, g] += 1
                    better = chosen < 0 or (g > 0 and room > slack)
                    if not better and (g == 0 or room == slack):
                        size, rival = sizes[p], sizes[chosen]
                        better = size > rival or (size == rival and begin[p, g] < begin[chosen, with_group])
                        second = max(second, min(size, rival))
                    if better:
                        chosen, with_group, slack = p, g, room
            if chosen >= 0:
                at = begin[chosen, with_group]
                amount = 1
                if with_group == 0:
                    amount = _rows_to_move(
                        shown, n, counts[chosen], sizes[chosen], max(1, sizes[chosen] - second), k,
                        numerators, denominators,
                    )  # fmt: skip
                    amount = min(amount, rows[at] - back[at])
                else:
                    moves += 1
                back[at] += amount
                counts[chosen, with_group] -= amount
                sizes[chosen] -= amount
                shown[with_group] += amount
                n += amount
                continue
            for p in range(n_parts):
                if sizes[p] > 0 and (chosen < 0 or sizes[p] < sizes[chosen]):
                    chosen = p
            if chosen < 0:
                break
            for i in range(first, last):
                if part[i] - base == chosen:
                    back[i] = rows[i]
            for g in range(n_groups):
                shown[g] += counts[chosen, g]
                counts[chosen, g] = 0
            n += sizes[chosen]
            sizes[chosen] = 0
