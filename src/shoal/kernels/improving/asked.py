"""What every class needs, and how far a class is from having it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shoal.kernels.jit import kernel

TOLERANCE = 1e-12


class Asked(NamedTuple):
    """What every class needs, as far as it can be said by counts of one sensitive column.

    Parameters
    ----------
    least : int
        Rows.
    distinct : int
        Different values, of those that count.
    counting : bool [n_values]
    numerators, denominators : int64 [n_values]
        Largest share of each value.
    shares : float64 [n_values]
        Shares in the whole table.
    t : float
        Largest distance to them, half the sum of differences; 1 or more where it does not matter.
    most : int
        Rows of the largest class that others may join.
    """

    least: Any
    distinct: Any
    counting: Any
    numerators: Any
    denominators: Any
    shares: Any
    t: Any
    most: Any = 1 << 62


@kernel
def passes(asked: Any, counts: Any, size: int) -> bool:  # pragma: no cover - compiled
    """Tell whether a class with these rows of each sensitive value has what is asked."""
    if size < asked.least:
        return False
    n = counts.shape[0]
    if n < 2:
        return True
    if asked.distinct > 1:
        seen = 0
        for v in range(n):
            if counts[v] > 0 and asked.counting[v]:
                seen += 1
        if seen < asked.distinct:
            return False
    for v in range(n):
        if counts[v] * asked.denominators[v] > asked.numerators[v] * size:
            return False
    if asked.t < 1.0:
        apart = 0.0
        for v in range(n):
            apart += abs(counts[v] / size - asked.shares[v])
        if apart > 2.0 * (asked.t + TOLERANCE):
            return False
    return True


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
def excess_with(asked: Any, counts: Any, size: int, rows: int, each: Any) -> None:  # pragma: no cover - compiled
    """Write the excess of a class of *size* rows after *rows* of each of the values were added to its counts."""
    n = counts.shape[0]
    above, apart, seen = 0.0, 0.0, 0
    for v in range(n):
        above += max(0.0, counts[v] - asked.numerators[v] * size / asked.denominators[v])
        apart += abs(counts[v] - asked.shares[v] * size)
        seen += 1 if counts[v] > 0 and asked.counting[v] else 0
    most = (asked.t + TOLERANCE) * size if asked.t < 1.0 else np.inf
    for v in range(n):
        limit, share = asked.numerators[v] * size / asked.denominators[v], asked.shares[v] * size
        more = above - max(0.0, counts[v] - limit) + max(0.0, counts[v] + rows - limit)
        far = (apart - abs(counts[v] - share) + abs(counts[v] + rows - share)) / 2.0 - most
        new = 1 if counts[v] == 0 and asked.counting[v] else 0
        each[v] = more + max(0.0, far) + max(0, asked.distinct - seen - new)
