"""Capping: classes that are larger than wished are cut further as long as all parts pass."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.boxes import Boxes, Partition
from shoal.algorithms.cuts import Trees
from shoal.algorithms.from_root import least_rows, scale_of
from shoal.algorithms.partition import Rules, partition
from shoal.algorithms.testing import asks_size_alone, tester_of
from shoal.algorithms.trimming import with_one_residue
from shoal.core.problem import Problem
from shoal.core.protocols import Closure
from shoal.core.regions import SUPPRESSED, Regions
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError

__all__ = ["capped", "check_most", "larger_than", "say_larger"]

MOST_ROUNDS = 10
"""Parts that come to equal another class join it, so that it may have to be cut again."""

SINGLE_ROWS = 300_000
"""Rows up to which rows of one record may part."""

PER_COLUMN = 64


def check_most(most: int, problem: Problem) -> None:
    """Refuse a size that no class can have.

    Raises
    ------
    SpecError
        If the models need classes of more than *most*.
    """
    least = least_rows(problem)
    if most < least:
        raise SpecError(
            f"max_class_size is {most}, and the models need classes of {least} or more",
            where="[method]",
            fix=f"allow {2 * least - 1} at least, so that larger classes can be cut in two",
        )


def larger_than(most: int, regions: Regions, table: FrequencyTable) -> NDArray[np.int64]:
    """Return the classes with more than *most* rows, or people where these are counted."""
    return np.flatnonzero(regions.classes(table).size > most)


def say_larger(most: int | None, regions: Regions, table: FrequencyTable) -> tuple[str, ...]:
    """Say how many classes of normalized *regions* are larger than *most*, and why; nothing where none is."""
    large = np.empty(0, np.int64) if most is None else larger_than(most, regions, table)
    if not large.size:
        return ()
    alike = int((regions.lo[large] == regions.hi[large]).all(axis=1).sum())
    who = "rows" if table.unit is None else "people"
    told = (
        f"{len(large)} class(es) have more than {most} {who}: {alike} of equal records, and "
        f"{len(large) - alike} of which no cut was found that leaves parts that pass."
    )
    return (told,)


def capped(regions: Regions, table: FrequencyTable, problem: Problem, most: int, *, boxes: str) -> Regions:
    """Cut the classes with more than *most* rows, or people, in parts that pass, whether or not that saves loss.

    A class all of whose records are published alike cannot be cut, since equal boxes are one class; nor can one of
    which every cut leaves a part that fails. Such classes stay as they are.

    Parameters
    ----------
    regions : Regions
        Normalized boxes whose classes pass.
    table : FrequencyTable
    problem : Problem
    most : int
    boxes : {"cut", "fit", "tight"}
        How far ranges and sets shrink to their records, as in :class:`shoal.algorithms.mondrian.Mondrian`.

    Returns
    -------
    Regions
        Normalized boxes whose classes pass; no cell is wider than before.
    """
    trees = Trees.of(table.hierarchies, regions.labels, boxes)
    joins = problem.closed_under(Closure.UNION)
    rules = Rules(
        trees=trees,
        scale=scale_of(table, problem),
        least=least_rows(problem),
        lend=joins,
        deal=joins,
        per_column=PER_COLUMN,
        lookahead=0,
        fails=None if asks_size_alone(table, problem) else tester_of(table, problem, by_item=True),
        deadline=math.inf,
        progress=lambda _share, _text: None,
    )
    large = larger_than(most, regions, table)
    for _ in range(MOST_ROUNDS):
        if not large.size:
            break
        found = partition(_boxes_of(regions, table, trees, large), rules)
        if found.n_boxes == len(large):
            break
        cut = with_one_residue(_put_back(regions, table, large, found), table, problem)
        if cut is None or problem.violating(cut.classes(table, problem.columns)).any():
            break
        regions, before = cut, int(regions.region_rows[large].sum())
        large = larger_than(most, regions, table)
        if int(regions.region_rows[large].sum()) >= before:
            break
    return regions


def _boxes_of(regions: Regions, table: FrequencyTable, trees: Trees, some: NDArray[np.int64]) -> Boxes:
    """Return some classes as boxes of items, their rows one by one where these are not too many."""
    place = np.full(regions.n_regions + 1, -1, np.int64)
    place[some] = np.arange(len(some))
    share = np.flatnonzero(place[np.maximum(regions.region, SUPPRESSED)] >= 0)
    share = share[np.argsort(place[regions.region[share]], kind="stable")]
    record, rows, owner = regions.item_of_share[share], regions.rows[share], place[regions.region[share]]
    if int(rows.sum()) <= SINGLE_ROWS:
        record, owner = np.repeat(record, rows), np.repeat(owner, rows)
        rows = np.ones(len(record), np.int64)
    lo, hi = regions.lo[some], regions.hi[some]
    node = trees.leaves(lo)
    while True:
        narrow = (trees.hi[node] < hi) | (trees.lo[node] > lo)
        if not narrow.any():
            break
        node = np.where(narrow, trees.parents[node], node)
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(some)))])
    codes = np.ascontiguousarray(table.codes[table.point_of_item[record]], np.int32)
    return Boxes(lo.copy(), hi.copy(), node.astype(np.int32), starts, codes, rows, record)


def _put_back(regions: Regions, table: FrequencyTable, some: NDArray[np.int64], found: Partition) -> Regions:
    """Return the classes with *some* of them replaced by their parts."""
    kept = ~np.isin(regions.region, some)
    record = np.concatenate([regions.item_of_share[kept], *found.record])
    box = np.concatenate([regions.region[kept], *(box + regions.n_regions for box in found.box)])
    rows = np.concatenate([regions.rows[kept], *found.rows])
    order = np.lexsort((box, record))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(record, minlength=table.n_items))]).astype(np.int64)
    return replace(
        regions,
        lo=np.concatenate([regions.lo, *found.lo]),
        hi=np.concatenate([regions.hi, *found.hi]),
        offsets=offsets,
        region=box[order].astype(np.int32),
        rows=rows[order].astype(np.int64),
        is_normalized=False,
    ).normalized(table.hierarchies)
