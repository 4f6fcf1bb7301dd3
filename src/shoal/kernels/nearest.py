"""How far a record's box must reach until the records around it are enough."""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.improving.prices import side_price
from shoal.kernels.jit import kernel


@kernel
def least_reach(  # pragma: no cover - compiled
    codes: Any, offsets: Any, value: Any, rows: Any, p: Any, asked: Any, some: Any, reach: Any
) -> None:
    """Write for *some* points the least price of a box that could pass, float64 [n_some].

    A box that holds a point and others costs no less than the dearest pair of the point and one of these. So the
    records that lie within a price must have enough rows, enough different values, values that may fill a whole
    class by their largest shares, and values that make up 1 - t of the table. A class of which a value has one row
    has at least as many rows as keep that within its largest share.
    """
    n, n_qi = codes.shape
    n_values = asked.shares.shape[0]
    distance = np.empty(n)
    seen = np.empty(n_values, np.bool_)
    for at in range(some.shape[0]):
        q = some[at]
        for i in range(n):
            total = 0.0
            for j in range(n_qi):
                a, b = codes[q, j], codes[i, j]
                total += side_price(p, j, min(a, b), max(a, b))
            distance[i] = total
        order = np.argsort(distance, kind="mergesort")
        n_rows, different, share, filled = 0, 0, 0.0, 0.0
        least = np.int64(2**62)
        for item in range(offsets[q], offsets[q + 1]):
            v = value[item]
            least = min(least, -(-asked.denominators[v] // max(1, asked.numerators[v])))
        least = max(least, asked.least)
        seen[:] = False
        reach[at] = np.inf
        for i in order:
            for item in range(offsets[i], offsets[i + 1]):
                n_rows += rows[item]
                v = value[item]
                if not seen[v]:
                    seen[v] = True
                    share += asked.shares[v]
                    filled += asked.numerators[v] / asked.denominators[v]
                    if asked.counting[v]:
                        different += 1
            enough = n_rows >= least and different >= asked.distinct
            if enough and share >= 1.0 - asked.t - 1e-9 and filled >= 1.0 - 1e-9:
                reach[at] = distance[i]
                break
