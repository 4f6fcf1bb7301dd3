"""Carrying out the cuts of Mondrian: which side each record takes, and the partition.

The arrays are those of :mod:`shoal.kernels.mondrian`; ``cuts [n, 4]`` holds its (kind, column, code or node,
amount) for each of *boxes*.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.mondrian import CUT, DEAL


@kernel
def _lend(  # pragma: no cover - compiled
    codes: Any,
    rows: Any,
    first: int,
    last: int,
    j: int,
    lent: int,
    spare: int,
    price: float,
    scale: Any,
    side: Any,
    low: Any,
    high: Any,
) -> bool:
    """Move records from side 0 to side 1 until *lent* rows have gone, those first that widen side 1 least."""
    d = codes.shape[1]
    others = 0
    for i in range(first, last):
        if side[i] == 1:
            for c in range(d):
                code = codes[i, c]
                if others == 0:
                    low[c] = code
                    high[c] = code
                low[c] = min(low[c], code)
                high[c] = max(high[c], code)
            others += rows[i]
    while lent > 0:
        best = -1
        least = 0.0
        for i in range(first, last):
            if side[i] == 1 or rows[i] > spare:
                continue
            wider = 0.0
            for c in range(d):
                if c != j:
                    wider += scale[c] * (max(0, low[c] - codes[i, c]) + max(0, codes[i, c] - high[c]))
            cost = wider * (others + lent) + price * max(lent, rows[i])
            if best < 0 or cost < least:
                best = i
                least = cost
        if best < 0:
            return False
        side[best] = 1
        for c in range(d):
            low[c] = min(low[c], codes[best, c])
            high[c] = max(high[c], codes[best, c])
        lent -= rows[best]
        spare -= rows[best]
        others += rows[best]
    return True


@kernel
def take_sides(  # pragma: no cover - compiled
    codes: Any,
    rows: Any,
    starts: Any,
    lo: Any,
    hi: Any,
    node_lo: Any,
    node_hi: Any,
    scale: Any,
    boxes: Any,
    cuts: Any,
    least: int,
    side: Any,
    possible: Any,
) -> None:
    """Write the side of each record of *boxes* under its cut; *possible* says where that can be done."""
    low = np.empty(codes.shape[1], np.int64)
    high = np.empty(codes.shape[1], np.int64)
    for at in range(boxes.shape[0]):
        b = boxes[at]
        kind, j, where, amount = cuts[at, 0], cuts[at, 1], cuts[at, 2], cuts[at, 3]
        possible[at] = True
        if kind == CUT:
            for i in range(starts[b], starts[b + 1]):
                side[i] = 1 if codes[i, j] > where else 0
        elif kind == DEAL:
            for i in range(starts[b], starts[b + 1]):
                code = codes[i, j]
                side[i] = 1 if code > where or (code == where and amount <= 0) else 0
                if code == where:
                    amount -= rows[i]
        else:
            part = 0
            for i in range(starts[b], starts[b + 1]):
                inside = node_lo[where] <= codes[i, j] <= node_hi[where]
                side[i] = 0 if inside else 1
                if inside:
                    part += rows[i]
            if amount > 0:
                price = scale[j] * ((hi[b, j] - lo[b, j]) - (node_hi[where] - node_lo[where]))
                possible[at] = _lend(
                    codes, rows, starts[b], starts[b + 1], j, amount, part - least, price, scale, side, low, high
                )


@kernel
def divide(  # pragma: no cover - compiled
    codes: Any,
    rows: Any,
    record: Any,
    starts: Any,
    boxes: Any,
    side: Any,
    new: Any,
    new_rows: Any,
    new_record: Any,
    ends: Any,
) -> None:
    """Copy the records of *boxes*, side 0 before side 1 and else in their order; ``ends`` gets where each ends."""
    at = 0
    for n in range(boxes.shape[0]):
        b = boxes[n]
        for half in range(2):
            for i in range(starts[b], starts[b + 1]):
                if side[i] == half:
                    for j in range(codes.shape[1]):
                        new[at, j] = codes[i, j]
                    new_rows[at] = rows[i]
                    new_record[at] = record[i]
                    at += 1
            ends[2 * n + half] = at


@kernel
def deal_places(  # pragma: no cover - compiled
    codes: Any, rows: Any, starts: Any, boxes: Any, cuts: Any, places: Any, kept: Any
) -> None:
    """Find the record that each dealing cut goes through and its rows on the left; -1 where it splits none."""
    for at in range(boxes.shape[0]):
        places[at] = -1
        kept[at] = 0
        kind, j, where, amount = cuts[at, 0], cuts[at, 1], cuts[at, 2], cuts[at, 3]
        if kind != DEAL:
            continue
        for i in range(starts[boxes[at]], starts[boxes[at] + 1]):
            if codes[i, j] == where and amount > 0:
                if rows[i] > amount:
                    places[at] = i
                    kept[at] = amount
                amount -= rows[i]


@kernel
def lacking(  # pragma: no cover - compiled
    record: Any,
    rows: Any,
    starts: Any,
    boxes: Any,
    side: Any,
    offsets: Any,
    sensitive: Any,
    unit: Any,
    column: Any,
    needed: Any,
    skipped: Any,
    mark: Any,
    stamp: Any,
    failing: Any,
) -> None:
    """Find the parts of *boxes* with fewer different values than are needed in some column.

    Items ``offsets[r]`` up to ``offsets[r + 1]`` are of record *r*. Column -1 is the unit, -2 counts rows. A part
    is left as soon as enough have been seen.
    """
    for at in range(boxes.shape[0]):
        b = boxes[at]
        for half in range(2):
            failing[at, half] = False
            for need in range(column.shape[0]):
                stamp[0] += 1
                seen = 0
                for i in range(starts[b], starts[b + 1]):
                    if side[i] != half:
                        continue
                    if column[need] == -2:
                        seen += rows[i]
                    else:
                        for item in range(offsets[record[i]], offsets[record[i] + 1]):
                            value = unit[item] if column[need] == -1 else np.int64(sensitive[item, column[need]])
                            if value != skipped[need] and mark[value] != stamp[0]:
                                mark[value] = stamp[0]
                                seen += 1
                    if seen >= needed[need]:
                        break
                if seen < needed[need]:
                    failing[at, half] = True
                    break
