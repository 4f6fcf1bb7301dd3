"""Classes with the sensitive mix of the table: near records first, which are exchanged until the mix is right."""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.improving import Improver
from shoal.algorithms.line import Line, regions_of_shares
from shoal.algorithms.side_prices import SidePrices
from shoal.core.problem import Problem
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.improving.asked import Asked
from shoal.kernels.quota import grow_classes

__all__ = ["closest_mix", "mixed_classes", "rows_within"]

ROUNDS = 50
"""Rounds in which excess costs more from one to the next."""

ALIKE_EVERY = 2
"""Rounds from one in which classes exchange records of equal values to the next."""

MIXED = 8
"""How often each class releases any of its records, in each round."""

HOOD = 128

FIRST, LAST = 1.75, 25.0
"""What a row of excess costs in the first round and in the last, in rows that lose everything."""

STRICT = 100.0
"""The same in the rounds after the last, in which no class should stay too far."""

STRICT_ROUNDS = 3

MOST_SIZE = 1000
"""Rows of the largest class whose distance is worked out."""


def closest_mix(shares: NDArray[np.float64], rows: int) -> float:
    """Return the distance to the table of the class of so many rows that is closest to it."""
    whole = np.floor(shares * rows)
    left = rows - int(whole.sum())
    part = np.sort(shares * rows - whole)[::-1]
    # A value that gets a row more than its share is above it by one minus the part that it lacked.
    return float((1.0 - part[:left]).sum()) / rows


def rows_within(shares: NDArray[np.float64], t: float) -> int:
    """Return the least number of rows of a class whose distance to the table is at most *t*."""
    for rows in range(1, MOST_SIZE):
        if closest_mix(shares, rows) <= t + 1e-9:
            return rows
    return MOST_SIZE


def mixed_classes(
    table: FrequencyTable,
    problem: Problem,
    asked: Asked,
    *,
    labels: str,
    prices: SidePrices,
    line: Line,
    deadline: float,
) -> Regions:
    """Return classes of about one size that are nearly as close to the table as *t*, or closer.

    Each class begins as a record and those nearest to it. Then many classes exchange records at once, see
    :mod:`shoal.kernels.improving.exchange`, where a row that is too many costs more and more: what keeps its place
    longest is what costs most to mix. Classes are of the size that can come within half of *t*, so that there is
    room to differ from the table.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
    asked : Asked
        What classes need.
    labels : {"nodes", "ranges", "sets", "stars"}
    prices : SidePrices
    line : Line
        The records, near ones beside each other.
    deadline : float
        By :func:`time.monotonic`.
    """
    largest = float((asked.numerators / asked.denominators).max())
    rows = max(asked.least, rows_within(asked.shares, asked.t / 2), math.ceil(2 / largest) if largest < 1 else 1)
    codes = np.repeat(line.codes, line.rows, axis=0).astype(np.int32)
    record = np.repeat(np.arange(len(line)), line.rows)
    group = np.empty(len(codes), np.int64)
    nothing = np.zeros(len(codes), np.int32)
    grow_classes(codes, nothing, prices.prices, np.ones(1), 1.0, rows, 0.0, group)
    order = np.lexsort((record, group))
    one = np.ones(len(record), np.int64)
    start = regions_of_shares(line, (record[order], group[order], one), labels)
    improver = Improver(table, problem, start, prices, singles=table.n_rows)
    rng = np.random.default_rng(0)
    everything = float(prices.prices.root.sum())
    begun = time.monotonic()
    for at in range(ROUNDS):
        # Where seconds are short the price rises faster, as it must come to its end.
        now = time.monotonic()
        late = now >= deadline
        share = 1.0 if late else max(at / (ROUNDS - 1), (now - begun) / (deadline - begun))
        weight = everything * FIRST * (LAST / FIRST) ** share
        hoods = improver.hoods(rng, HOOD)
        improver.exchange(*hoods, rng, mixed=MIXED, alike=at % ALIKE_EVERY == 0, weight=weight)
        problem.progress(None, f"mixing sensitive values, {at + 1} of {ROUNDS}")
        if late:
            break
    for _ in range(STRICT_ROUNDS):
        improver.exchange(*improver.hoods(rng, HOOD), rng, mixed=MIXED, weight=everything * STRICT)
    return improver.regions(labels)
