"""The cuts that Mondrian may make in a box, ranked.

Records lie sorted by box: ``codes [n, d]`` holds their leaf codes, ``rows [n]`` how many rows each stands for, and
box *b* holds the records ``starts[b]:starts[b + 1]``. Every side of a box is an interval ``[lo, hi]`` within a
node of a small tree; a node without children is cut anywhere between two codes, one with children sheds a child.
The arrays ``node_lo``, ``node_hi``, ``kids`` (``kid_offsets[v]:kid_offsets[v + 1]`` are the children of *v*, in
code order) hold the trees of all columns.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

import math
from typing import Any

import numpy as np

from shoal.kernels.jit import kernel

CUT = 0
"""Records up to a code on one side, the others on the other."""

CHILD = 1
"""Records under a child node on one side; the others stay at the node, joined by some of the child's."""

DEAL = 2
"""A cut through the rows of one code, which then lies on both sides."""

CUT_BOX, FIT_BOX, TIGHT_BOX = 0, 1, 2
"""How far the box of a column without a tree shrinks to its records: never, when they agree, always."""


@kernel
def child_at(kids: Any, node_hi: Any, start: int, stop: int, code: int) -> int:  # pragma: no cover - compiled
    """Return the child that covers *code*."""
    while start < stop:
        middle = (start + stop) // 2
        if node_hi[kids[middle]] < code:
            start = middle + 1
        else:
            stop = middle
    kid: int = kids[start]
    return kid


@kernel
def refine(  # pragma: no cover - compiled
    codes: Any,
    starts: Any,
    lo: Any,
    hi: Any,
    node: Any,
    low: Any,
    high: Any,
    node_lo: Any,
    node_hi: Any,
    kid_offsets: Any,
    kids: Any,
    fit: Any,
) -> None:
    """Find the extent of the records of each box and move its sides to the lowest nodes that cover it."""
    for b in range(lo.shape[0]):
        first = starts[b]
        for j in range(codes.shape[1]):
            low[b, j] = codes[first, j]
            high[b, j] = codes[first, j]
        for i in range(first + 1, starts[b + 1]):
            for j in range(codes.shape[1]):
                code = codes[i, j]
                low[b, j] = min(low[b, j], code)
                high[b, j] = max(high[b, j], code)
        for j in range(codes.shape[1]):
            at = node[b, j]
            while kid_offsets[at] < kid_offsets[at + 1]:
                kid = child_at(kids, node_hi, kid_offsets[at], kid_offsets[at + 1], low[b, j])
                if node_hi[kid] < high[b, j]:
                    break
                at = kid
                lo[b, j] = node_lo[kid]
                hi[b, j] = node_hi[kid]
            node[b, j] = at
            childless = kid_offsets[at] == kid_offsets[at + 1]
            if childless and (fit[j] == TIGHT_BOX or (fit[j] == FIT_BOX and low[b, j] == high[b, j])):
                lo[b, j] = low[b, j]
                hi[b, j] = high[b, j]


@kernel
def count_codes(  # pragma: no cover - compiled
    codes: Any, rows: Any, first: int, last: int, j: int, low: int, high: int, dense: Any, values: Any, counts: Any
) -> int:
    """Count the codes of one column in one box, in code order; return how many there are."""
    n = 0
    width = high - low + 1
    if width <= dense.shape[0] and width <= 4 * (last - first) + 64:
        dense[:width] = 0
        for i in range(first, last):
            dense[codes[i, j] - low] += rows[i]
        for v in range(width):
            if dense[v] > 0:
                values[n] = low + v
                counts[n] = dense[v]
                n += 1
        return n
    column = codes[first:last, j].copy()
    for at in np.argsort(column, kind="mergesort"):
        if n > 0 and values[n - 1] == column[at]:
            counts[n - 1] += rows[first + at]
        else:
            values[n] = column[at]
            counts[n] = rows[first + at]
            n += 1
    return n


@kernel
def _thrift(part: int, total: int, least: int) -> float:  # pragma: no cover - compiled
    """Return 1 where a cut leaves no more rows over than the box had, beyond multiples of the least class."""
    waste = part % least + (total - part) % least - total % least
    return 1.0 / (1.0 + 3.0 * waste / total)


@kernel
def _cut_score(gain: float, part: int, total: int, least: int) -> float:  # pragma: no cover - compiled
    """Rank a cut between two codes by what it gains; uneven parts rank higher, since one of them is pure."""
    share = 4.0 * part * (total - part) / (float(total) * total)
    return gain / math.sqrt(share) * _thrift(part, total, least)


@kernel
def _child_score(gain: float, width: float, part: int, total: int, least: int) -> float:  # pragma: no cover
    """Rank a child by what it gains; children of wide nodes rank higher, since the others stay that wide."""
    return math.sqrt(gain * width) * _thrift(part, total, least)


@kernel
def _keep(  # pragma: no cover - compiled
    scores: Any, table: Any, used: int, room: int, score: float, kind: int, j: int, at: int, amount: int
) -> int:
    """Insert a cut into a list that is sorted by falling score; earlier cuts win ties."""
    place = used
    while place > 0 and scores[place - 1] < score:
        place -= 1
    if place >= room:
        return used
    used = min(used + 1, room)
    for r in range(used - 1, place, -1):
        scores[r] = scores[r - 1]
        for c in range(4):
            table[r, c] = table[r - 1, c]
    scores[place] = score
    table[place, 0] = kind
    table[place, 1] = j
    table[place, 2] = at
    table[place, 3] = amount
    return used


@kernel
def propose(  # pragma: no cover - compiled
    codes: Any,
    rows: Any,
    starts: Any,
    lo: Any,
    hi: Any,
    node: Any,
    low: Any,
    high: Any,
    node_lo: Any,
    node_hi: Any,
    kid_offsets: Any,
    kids: Any,
    scale: Any,
    fit: Any,
    least: int,
    lend: bool,  # noqa: FBT001
    deal: bool,  # noqa: FBT001
    per_column: int,
    dense: Any,
    scores: Any,
    cuts: Any,
    n_cuts: Any,
) -> None:
    """Rank the cuts of each box whose parts hold at least *least* rows.

    ``cuts [n_boxes, room, 4]`` receives (kind, column, code or node, rows lent or dealt), best first, and at most
    *per_column* of each column; *lend* allows a child to leave rows to the others, *deal* to cut through a code.
    """
    room = scores.shape[1]
    longest = 0
    for b in range(lo.shape[0]):
        longest = max(longest, starts[b + 1] - starts[b])
    values = np.empty(longest, np.int64)
    counts = np.empty(longest, np.int64)
    best = np.empty(per_column, np.float64)
    mine = np.empty((per_column, 4), np.int64)
    for b in range(lo.shape[0]):
        n_cuts[b] = 0
        total = 0
        for i in range(starts[b], starts[b + 1]):
            total += rows[i]
        if total < 2 * least:
            continue
        for j in range(codes.shape[1]):
            if low[b, j] == high[b, j]:
                continue
            left, right, at = lo[b, j], hi[b, j], node[b, j]
            width = scale[j] * (right - left)
            if width <= 0.0:
                width = 1e-9
            n = count_codes(codes, rows, starts[b], starts[b + 1], j, low[b, j], high[b, j], dense, values, counts)
            used = 0
            part = 0
            if kid_offsets[at] == kid_offsets[at + 1]:
                for v in range(n):
                    before = part
                    part += counts[v]
                    rest = total - part
                    if deal and before < total // 2 < part and counts[v] > 1:
                        half = total // 2
                        gain = (
                            width
                            - scale[j] * (half * (values[v] - left) + (total - half) * (right - values[v])) / total
                        )
                        score = _cut_score(max(gain, 0.0), half, total, least)
                        used = _keep(best, mine, used, per_column, score, DEAL, j, values[v], half - before)
                    if v == n - 1 or part < least or rest < least:
                        continue
                    # The gap between two codes goes to the side with fewer rows, where width costs less.
                    tight = fit[j] == TIGHT_BOX
                    end = values[v] if tight or part > rest else values[v + 1] - 1
                    begin = values[v + 1] if tight else end + 1
                    gain = width - scale[j] * (part * (end - left) + rest * (right - begin)) / total
                    score = _cut_score(gain, part, total, least)
                    used = _keep(best, mine, used, per_column, score, CUT, j, end, 0)
            else:
                v = 0
                while v < n:
                    kid = child_at(kids, node_hi, kid_offsets[at], kid_offsets[at + 1], values[v])
                    part = 0
                    while v < n and values[v] <= node_hi[kid]:
                        part += counts[v]
                        v += 1
                    lent = max(0, least - (total - part))
                    part -= lent
                    if part < least or (lent > 0 and not lend):
                        continue
                    narrow = scale[j] * (node_hi[kid] - node_lo[kid])
                    if kid_offsets[kid] == kid_offsets[kid + 1]:
                        # Present values, still to be cut anywhere: what matters is to part them from missing ones.
                        narrow = 0.0
                    gain = part * (width - narrow) / total
                    score = _child_score(gain, width, part, total, least)
                    used = _keep(best, mine, used, per_column, score, CHILD, j, kid, lent)
            for r in range(used):
                n_cuts[b] = _keep(
                    scores[b], cuts[b], n_cuts[b], room, best[r], mine[r, 0], mine[r, 1], mine[r, 2], mine[r, 3]
                )
