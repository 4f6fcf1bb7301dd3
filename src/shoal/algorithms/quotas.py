"""Classes with the sensitive mix of the table: each value is dealt to all classes, near records together."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from shoal.algorithms.asked import asked_of, is_bounded
from shoal.algorithms.line import line_along_curve, regions_of_shares
from shoal.algorithms.mixing import mixed_classes
from shoal.algorithms.side_prices import side_prices
from shoal.core.problem import Problem
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.improving.asked import Asked
from shoal.kernels.quota import grow_classes
from shoal.loss.measure import measure

__all__ = ["deal_by_quotas"]

COMPARING = ("t-closeness", "beta-likeness", "delta-disclosure")
"""Models that compare classes with the table."""

DEALS = ((8, 0.3), (16, 0.3), (24, 0.3), (24, 0.45))
"""Rows of a class, and the share of its quota of a value by which it may miss it, that are tried."""

FAR = 1e9
"""What a class that is too far from the table costs, by its distance beyond the largest."""

MOST_ROWS = 60_000
"""Rows that are dealt together."""

MOST_MIXED_ROWS = 200_000
"""Rows whose classes are mixed."""


def deal_by_quotas(
    table: FrequencyTable,
    problem: Problem,
    labels: str,
    fallback: Regions,
    *,
    boxes: str,
    deadline: float = math.inf,
) -> Regions | None:
    """Return classes with the sensitive values of the table in proportion, or None where that does not serve.

    One class after another takes a first record and then the nearest ones of each value, as many as are its share
    of what is left, rounded up or down. Where only the distance to the table or shares are bounded, classes of
    near records exchange them instead, see :mod:`shoal.algorithms.mixing`. Classes that fail join the nearest
    others until they pass.
    """
    asked, column, _ = asked_of(table, problem)
    mixing = is_bounded(asked)
    comparing = mixing or any(model.name in COMPARING for model in problem.models)
    unsuited = table.unit is not None or problem.max_levels or fallback.suppressed_rows
    if not comparing or column < 0 or unsuited or table.n_rows > MOST_MIXED_ROWS:
        return None
    if boxes == "fit" and labels in {"ranges", "sets"} and any(h.ordered for h in table.hierarchies):
        # Hulls of records would tell their least and greatest value.
        return None
    prices = side_prices(table, problem, labels, fit=False)
    line = line_along_curve(table, problem, cube="tree", stars=labels == "stars")
    if mixing:
        found = mixed_classes(table, problem, asked, labels=labels, prices=prices, line=line, deadline=deadline)
        return _joined_until_passing(found, table, problem, asked, column)
    if table.n_rows > MOST_ROWS:
        return None
    times = line.rows
    codes = np.repeat(line.codes, times, axis=0).astype(np.int32)
    value = np.repeat(table.sensitive[line.item, column], times).astype(np.int32)
    record = np.repeat(np.arange(len(line)), times)
    one = np.ones(len(record), np.int64)
    best: tuple[float, Regions] | None = None
    for size, slack in DEALS:
        group = np.empty(len(codes), np.int64)
        grow_classes(codes, value, prices.prices, asked.shares, asked.t, max(size, asked.least), slack, group)
        order = np.lexsort((record, group))
        found = regions_of_shares(line, (record[order], group[order], one), labels)
        regions = _joined_until_passing(found, table, problem, asked, column)
        loss = measure(problem.loss, table, regions, problem.weights)
        if best is None or loss < best[0]:
            best = loss, regions
    return None if best is None else best[1]


def _joined_until_passing(
    regions: Regions, table: FrequencyTable, problem: Problem, asked: Asked, column: int
) -> Regions:
    """Join each class that fails with another until all pass.

    It is the one that loses least by it among those with which it comes close enough to the table; where there is
    none, the one with which it comes closest.
    """
    scale = np.array([problem.weights.get(name, 1.0) for name in table.names])
    scale /= np.maximum(1, [h.n_values - 1 for h in table.hierarchies])
    while regions.n_regions > 1:
        failing = np.flatnonzero(problem.violating(regions.classes(table, problem.columns)))
        if not failing.size:
            break
        counts = np.zeros((regions.n_regions, len(asked.shares)))
        value = table.sensitive[regions.item_of_share, column]
        np.add.at(counts, (regions.region, value), regions.rows)
        lo, hi, rows = regions.lo.astype(np.int64), regions.hi.astype(np.int64), counts.sum(axis=1)
        to = np.arange(regions.n_regions)
        used = np.zeros(regions.n_regions, bool)
        for c in failing.tolist():
            if used[c]:
                continue
            wide = (np.maximum(hi, hi[c]) - np.minimum(lo, lo[c])) @ scale
            cost = wide * (rows + rows[c]) - ((hi - lo) @ scale) * rows
            apart = np.abs((counts + counts[c]) / (rows + rows[c])[:, None] - asked.shares).sum(axis=1) / 2
            cost += FAR * np.maximum(0.0, apart - asked.t)
            cost[used] = np.inf
            cost[c] = np.inf
            other = int(np.argmin(cost))
            if np.isinf(cost[other]):
                continue
            to[c] = other
            used[c] = used[other] = True
            lo[other], hi[other] = np.minimum(lo[other], lo[c]), np.maximum(hi[other], hi[c])
        region = to[regions.region].astype(np.int32)
        joined = replace(
            regions, lo=lo.astype(np.int32), hi=hi.astype(np.int32), region=region, is_normalized=False
        )
        regions = joined.normalized(table.hierarchies)
    return regions
