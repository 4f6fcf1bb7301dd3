"""The buckets of a table: boxes that are cut as long as the records of both parts pass the models."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import first_boxes
from shoal.algorithms.cuts import UNPUBLISHED, Places, Trees, start_boxes
from shoal.algorithms.from_root import least_rows, passing_boxes, scale_of
from shoal.algorithms.partition import Rules, partition
from shoal.algorithms.testing import Tester, tester_of
from shoal.core.buckets import Buckets, Fakes
from shoal.core.problem import Problem
from shoal.core.protocols import Closure
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns

__all__ = ["boxes_of_records", "buckets_of_points"]


def boxes_of_records(
    table: FrequencyTable,
    problem: Problem,
    *,
    cuts: str = "widest",
    cuts_per_column: int = 64,
    also: Callable[[Tester], Tester] | None = None,
) -> tuple[NDArray[np.int32], bool]:
    """Cut the table into buckets as Mondrian does.

    Sides of buckets are not published, so ordered columns are cut anywhere.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
        Its models are tested on the records of each part.
    cuts, cuts_per_column
        As in :class:`~shoal.algorithms.mondrian.Mondrian`.
    also : callable, optional
        Given the test of the models, returns the test of parts; it may depend on the parts that passed before.

    Returns
    -------
    bucket : int32 [n_points]
        Bucket of each point, numbered by the first point of each.
    out_of_time : bool
        Whether the budget ended the cutting.

    Raises
    ------
    InfeasibleError
        If the whole table violates a model.
    """
    started = time.monotonic()
    trees = Trees.of(table.hierarchies, UNPUBLISHED, "cut")
    fails = tester_of(table, problem, by_item=False)
    boxes = first_boxes(table, start_boxes(table, trees, UNPUBLISHED, {}), by_item=False)
    widest = cuts == "widest"
    rules = Rules(
        trees=trees,
        scale=scale_of(table, problem),
        least=least_rows(problem),
        lend=problem.closed_under(Closure.UNION) and not widest,
        deal=False,
        per_column=cuts_per_column,
        lookahead=0,
        fails=fails if also is None else also(fails),
        in_turn=also is not None,
        deadline=math.inf if problem.budget_s is None else started + problem.budget_s,
        progress=problem.progress,
        places=Places.of(table) if widest else None,
    )
    found = partition(passing_boxes(boxes, table, problem, fails, by_item=False), rules)
    of_point = np.empty(table.n_points, np.int32)
    of_point[np.concatenate(found.record)] = np.concatenate(found.box)
    return group_columns([of_point], [found.n_boxes])[0], found.out_of_time


def buckets_of_points(
    table: FrequencyTable, bucket: NDArray[np.int32], groups: tuple[tuple[str, ...], ...]
) -> Buckets:
    """Return buckets of whole points, int32 [n_points], with every cell as it is."""
    codes = table.codes[table.point_of_item]
    return Buckets(
        groups=groups,
        offsets=np.arange(table.n_items + 1),
        bucket=bucket[table.point_of_item],
        rows=table.counts,
        lo=codes,
        hi=codes,
        n_buckets=int(bucket.max()) + 1,
        fakes=Fakes.none(len(groups)),
    )
