"""Which record of which class would cost less in another class of its neighbourhood.

Records ``order[starts[c]:starts[c + 1]]`` make up class *c*; its sides are those of :mod:`shoal.kernels.mondrian`.
Classes ``hood_classes[hoods[h]:hoods[h + 1]]`` are neighbours.
"""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.mondrian import TIGHT_BOX

MOST_RECORDS = 256
"""Records of the largest class that others may leave; its sides are found anew for each of them."""

GAIN = 1e-9
"""What a move must save at the least, so that sums of the same cells in another order do not count."""


@kernel
def _width_without(  # pragma: no cover - compiled
    codes: Any, leaf: Any, order: Any, first: int, last: int, left_out: int, lo: Any, hi: Any, node: Any,
    parents: Any, node_lo: Any, node_hi: Any, kid_offsets: Any, fit: Any, scale: Any,
) -> float:  # fmt: skip
    """Return the width of a class without one of its records, weighted by column."""
    width = 0.0
    for j in range(codes.shape[1]):
        low = high = start = -1
        for at in range(first, last):
            i = order[at]
            if i == left_out:
                continue
            code = codes[i, j]
            if start < 0:
                low = high = code
                start = leaf[i, j]
            low = min(low, code)
            high = max(high, code)
        at_node = start
        while node_lo[at_node] > low or node_hi[at_node] < high:
            at_node = parents[at_node]
        if kid_offsets[at_node] < kid_offsets[at_node + 1]:
            low, high = node_lo[at_node], node_hi[at_node]
        elif low < high and fit[j] != TIGHT_BOX and kid_offsets[node[j]] == kid_offsets[node[j] + 1]:
            low, high = lo[j], hi[j]
        width += scale[j] * (high - low)
    return width


@kernel
def _width_with(  # pragma: no cover - compiled
    code: Any, lo: Any, hi: Any, node: Any,
    parents: Any, node_lo: Any, node_hi: Any, kid_offsets: Any, fit: Any, scale: Any, most: float,
) -> float:  # fmt: skip
    """Return the width of a class that takes a record, or something above *most* where it is more or forbidden.

    A side that was cut does not follow a record, lest it tell where the record lies.
    """
    width = 0.0
    for j in range(code.shape[0]):
        at = node[j]
        while code[j] < node_lo[at] or code[j] > node_hi[at]:
            at = parents[at]
        if kid_offsets[at] < kid_offsets[at + 1]:
            width += scale[j] * (node_hi[at] - node_lo[at])
        elif lo[j] <= code[j] <= hi[j]:
            width += scale[j] * (hi[j] - lo[j])
        elif fit[j] == TIGHT_BOX:
            width += scale[j] * (max(hi[j], code[j]) - min(lo[j], code[j]))
        else:
            return np.inf
        if width > most:
            return np.inf
    return width


@kernel
def propose_moves(  # pragma: no cover - compiled
    codes: Any, rows: Any, leaf: Any, order: Any, starts: Any,
    lo: Any, hi: Any, node: Any, width: Any, size: Any, hoods: Any, hood_classes: Any, open_: Any,
    parents: Any, node_lo: Any, node_hi: Any, kid_offsets: Any, fit: Any, scale: Any,
    least: int, tries: Any, busy: Any, moved: Any, target: Any,
) -> int:  # fmt: skip
    """Find moves that save loss; a class takes part in one at most, and each leaves at least *least* rows.

    ``open_`` [n_hoods] says which neighbourhoods are looked at, and afterwards which left a move for later.
    """
    n = 0
    for h in range(hoods.shape[0] - 1):
        if not open_[h]:
            continue
        open_[h] = False
        for q in range(hoods[h], hoods[h + 1]):
            source = hood_classes[q]
            first, last = starts[source], starts[source + 1]
            if last - first < 2 or last - first > MOST_RECORDS:
                continue
            for at in range(first, last):
                i = order[at]
                if size[source] - rows[i] < least or tries[i] == 0:
                    continue
                without = _width_without(
                    codes, leaf, order, first, last, i, lo[source], hi[source], node[source],
                    parents, node_lo, node_hi, kid_offsets, fit, scale,
                )  # fmt: skip
                best = width[source] * size[source] - without * (size[source] - rows[i]) - GAIN
                chosen = -1
                for r in range(hoods[h], hoods[h + 1]):
                    other = hood_classes[r]
                    if other == source or best <= 0.0:
                        continue
                    lost = width[other] * size[other]
                    joined = _width_with(
                        codes[i], lo[other], hi[other], node[other], parents, node_lo, node_hi, kid_offsets, fit,
                        scale, (best + lost) / (size[other] + rows[i]),
                    )  # fmt: skip
                    cost = joined * (size[other] + rows[i]) - lost
                    if cost < best:
                        best = cost
                        chosen = other
                if chosen < 0:
                    continue
                if busy[source] or busy[chosen]:
                    open_[h] = True
                    continue
                busy[source] = busy[chosen] = True
                moved[n] = i
                target[n] = chosen
                n += 1
    return n


@kernel
def fit_sides(  # pragma: no cover - compiled
    codes: Any, rows: Any, leaf: Any, order: Any, starts: Any, classes: Any,
    lo: Any, hi: Any, node: Any, width: Any, size: Any,
    parents: Any, node_lo: Any, node_hi: Any, kid_offsets: Any, fit: Any, scale: Any,
) -> None:  # fmt: skip
    """Find the sides, widths and sizes of *classes* from their records; sides that were cut stay."""
    for c in classes:
        first, last = starts[c], starts[c + 1]
        size[c] = 0
        for at in range(first, last):
            size[c] += rows[order[at]]
        width[c] = 0.0
        for j in range(codes.shape[1]):
            low = high = codes[order[first], j]
            for at in range(first + 1, last):
                low = min(low, codes[order[at], j])
                high = max(high, codes[order[at], j])
            cut = kid_offsets[node[c, j]] == kid_offsets[node[c, j] + 1]
            at_node = leaf[order[first], j]
            while node_lo[at_node] > low or node_hi[at_node] < high:
                at_node = parents[at_node]
            if kid_offsets[at_node] < kid_offsets[at_node + 1]:
                low, high = node_lo[at_node], node_hi[at_node]
            elif low < high and fit[j] != TIGHT_BOX and cut:
                low, high = lo[c, j], hi[c, j]
            node[c, j] = at_node
            lo[c, j], hi[c, j] = low, high
            width[c] += scale[j] * (high - low)
