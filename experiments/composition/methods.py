"""The methods that are compared, and what each publishes: as attackers see it, and as analysts do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from strict_mondrian import StrictMondrian
from tables import Private

from shoal.algorithms import Anatomy, DiffGen, DPCounts, Hybrid, Merging, Mondrian, Sampled, Slicing
from shoal.algorithms.sampled import sample_of
from shoal.core.bucket_entries import GroupEntries
from shoal.core.buckets import Buckets
from shoal.core.perturbation import Perturbation
from shoal.core.problem import Problem
from shoal.core.published import LeafSets, PublishedBuckets, PublishedClasses
from shoal.core.recoding import Recoding, regions_of
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError
from shoal.kernels.grouping import rank_columns
from shoal.loss import NCP
from shoal.models import AlphaKAnonymity, DAlphaLinkable, KAnonymity, LDiversity
from shoal.utility.released import ReleasedRows


@dataclass(frozen=True)
class Method:
    """An algorithm and the models that it is asked for, given the sensitive column and k = l."""

    algorithm: Any
    models: Callable[[str, int], tuple[Any, ...]]


def k_anonymous(_sensitive: str, k: int) -> tuple[Any, ...]:
    return (KAnonymity(k=k),)


def l_diverse(sensitive: str, l: int) -> tuple[Any, ...]:
    return (LDiversity(sensitive=sensitive, l=l, kind="distinct"),)


def linkable(sensitive: str, k: int) -> tuple[Any, ...]:
    return (KAnonymity(k=k), DAlphaLinkable(sensitive=sensitive, d=2, alpha="0.9"))


def half(sensitive: str, k: int) -> tuple[Any, ...]:
    return (KAnonymity(k=k), AlphaKAnonymity(sensitive=sensitive, alpha="1/2"))


def methods_on(mondrian: Any) -> dict[str, Method]:
    """Return the methods of the paper, those that need classes on a Mondrian of one's choice."""
    return {
        "DP": Method(DPCounts(epsilon="0.3", inner=mondrian), k_anonymous),
        "Hybrid": Method(Hybrid(beta="0.9", epsilon=1, inner=mondrian), k_anonymous),
        "Merging": Method(Merging(), l_diverse),
        "Probabilistic": Method(mondrian, linkable),
        "Composition": Method(Sampled(inner=mondrian, rate="0.9"), half),
        "Mondrian": Method(mondrian, k_anonymous),
    }


STRICT = StrictMondrian()
OWN = Mondrian(labels="ranges", boxes="fit", cuts="widest")
"""The library's Mondrian in the form that is nearest to it."""

METHODS = methods_on(STRICT)
"""Those of the paper."""

BESIDE = {
    "Anatomy": Method(Anatomy(), l_diverse),
    "Slicing": Method(Slicing(), l_diverse),
    "DiffGen": Method(DiffGen(epsilon=1, public_domain=True), lambda _sensitive, _k: ()),
}
"""Others, for comparison."""


@dataclass(frozen=True, eq=False)
class Release:
    """What was published, and what only its publisher knows.

    Parameters
    ----------
    seen : PublishedClasses or PublishedBuckets
        As the attack reads it.
    rows : ReleasedRows
        As an analyst does, with the rows of a bucket shuffled.
    genuine : int32 [n_rows, n_qi]
        Labels of the rows that are not invented, where that is known.
    own : int32 [n_rows of the private table]
        Class in which each was published, -1 for none.
    classes : int
    cpu_s : float
        Processor seconds of the search.
    """

    seen: PublishedClasses | PublishedBuckets
    rows: ReleasedRows
    genuine: NDArray[np.int32]
    own: NDArray[np.int32]
    classes: int
    cpu_s: float


def searched(
    method: Method, table: FrequencyTable, sensitive: str, k: int, *, seed: int
) -> tuple[Recoding, float] | None:
    """Run the search alone, and return what it found and its processor seconds."""
    problem = Problem(models=method.models(sensitive, k), loss=NCP(), context=table.context())
    started = time.process_time()
    try:
        recoding = method.algorithm.search(table, problem, np.random.default_rng(seed)).recoding
    except InfeasibleError:
        return None
    return recoding, time.process_time() - started


def publish(
    method: Method,
    private: Private,
    sensitive: str,
    k: int,
    *,
    seed: int,
    change: Callable[[Any, Private], Any] = lambda recoding, _private: recoding,
) -> Release | None:
    """Run a method and read what it publishes; None where it says that it cannot be done.

    *change* makes another recoding of what was found, for ablations.
    """
    table = private.table
    done = searched(method, table, sensitive, k, seed=seed)
    if done is None:
        return None
    recoding, cpu_s = change(done[0], private), done[1]
    if isinstance(recoding, Perturbation):
        taken = None
        if isinstance(method.algorithm, Hybrid):
            # The first thing that it draws from its generator is the sample.
            taken = sample_of(table, method.algorithm.sampling_rate, np.random.default_rng(seed))
        found = of_noise(recoding, private, taken)
    elif isinstance(recoding, Buckets):
        found = of_buckets(recoding, private, np.random.default_rng([seed, 1]))
    else:
        found = of_regions(regions_of(recoding, table), private)
    return replace(found, cpu_s=cpu_s)


def labels_of(lo: NDArray[np.int32], hi: NDArray[np.int32], n: int) -> tuple[NDArray[np.int32], LeafSets]:
    """Number the different sides of a column."""
    cell, first = rank_columns([lo, hi], [n, n])
    return cell, LeafSets(np.arange(len(first) + 1), lo[first], hi[first])


def boxes(
    private: Private, lo: NDArray[np.int32], hi: NDArray[np.int32]
) -> tuple[NDArray[np.int32], tuple[LeafSets, ...]]:
    found = [labels_of(lo[:, j], hi[:, j], h.n_values) for j, h in enumerate(private.table.hierarchies)]
    return np.stack([cell for cell, _ in found], axis=1), tuple(side for _, side in found)


def values_of(owner: NDArray[Any], values: NDArray[Any], n: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the distinct values of each class."""
    width = int(values.max(initial=0)) + 1
    distinct = np.unique(owner.astype(np.int64) * width + values)
    offsets = np.searchsorted(distinct // width, np.arange(n + 1)).astype(np.int64)
    return offsets, (distinct % width).astype(np.int32)


def released(
    private: Private,
    cells: NDArray[np.int32],
    sides: tuple[LeafSets, ...],
    values: NDArray[np.int32],
    **options: Any,
) -> ReleasedRows:
    table = private.table
    names = (*table.names, *table.sensitive_names)
    hierarchies = (*table.hierarchies, *table.sensitive_hierarchies)
    single = LeafSets.single(hierarchies[-1].n_values)
    return ReleasedRows(
        names, hierarchies, (*sides, single), np.column_stack([cells, values]).astype(np.int32), **options
    )


def dealt(
    item_of_row: NDArray[np.int32], item_of_share: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a share of each row; rows of one item are alike, so they are dealt in their order."""
    share = np.empty(len(item_of_row), np.int64)
    order = np.argsort(item_of_row, kind="stable")
    of_item = np.argsort(item_of_share, kind="stable")
    share[order] = np.repeat(of_item, rows[of_item])
    return share


def of_regions(regions: Regions, private: Private) -> Release:
    share = dealt(private.item_of_row, regions.item_of_share, regions.rows)
    own = regions.region[share]
    cells, sides = boxes(private, regions.lo, regions.hi)
    there = own >= 0
    values = private.codes[:, -1]
    offsets, codes = values_of(own[there], values[there], regions.n_regions)
    rows = released(private, cells[own[there]], sides, values[there], sampling_rate=regions.sampling_rate)
    return Release(
        PublishedClasses(cells, sides, offsets, codes),
        rows,
        rows.cells[:, :-1],
        np.maximum(own, -1).astype(np.int32),
        regions.n_regions,
        0.0,
    )


def of_noise(found: Perturbation, private: Private, taken: Any) -> Release:
    """Read noisy counts; somebody's own class is the box that he lies in, if he was taken at all."""
    cells, sides = boxes(private, found.lo, found.hi)
    offsets, codes = values_of(found.region, found.values, found.n_regions)
    codes_of = private.codes[:, :-1]
    own = np.full(len(codes_of), -1, np.int32)
    for start in range(0, len(codes_of), 512):
        part = codes_of[start : start + 512, None]
        inside = ((found.lo <= part) & (part <= found.hi)).all(axis=2)
        own[start : start + 512] = np.where(inside.any(axis=1), inside.argmax(axis=1), -1)
    if taken is not None:
        sample, item = taken
        kept = np.zeros(private.table.n_items, np.int64)
        kept[item] = sample.counts
        rank = np.empty(len(own), np.int64)
        order = np.argsort(private.item_of_row, kind="stable")
        starts = np.searchsorted(private.item_of_row[order], private.item_of_row[order])
        rank[order] = np.arange(len(own)) - starts
        own = np.where(rank < kept[private.item_of_row], own, -1).astype(np.int32)
    region, values = np.repeat(found.region, found.counts), np.repeat(found.values, found.counts)
    rows = released(private, cells[region], sides, values, sampling_rate=found.sampling_rate)
    seen = PublishedClasses(cells, sides, offsets, codes)
    return Release(seen, rows, rows.cells[:, :-1], own, found.n_regions, 0.0)


def of_buckets(found: Buckets, private: Private, rng: np.random.Generator) -> Release:
    """Read buckets: the entries of each group, and rows in which each group is shuffled by itself."""
    share = dealt(private.item_of_row, found.item_of_share, found.rows)
    own = found.bucket[share]
    cells, sides = boxes(private, found.lo, found.hi)
    names = [*private.table.names, found.sensitive]
    groups = tuple(tuple(names.index(name) for name in group) for group in found.groups)
    there = np.flatnonzero(own >= 0)
    genuine = np.column_stack([cells[share[there]], private.codes[there, -1]])
    invented = np.empty((len(found.fakes), len(names)), np.int32)
    for g, columns in enumerate(groups):
        copied = np.column_stack([cells[found.fakes.source[:, g]], found.fakes.sensitive])
        invented[:, columns] = copied[:, columns]
    rows = np.concatenate([genuine, invented]).astype(np.int32)
    bucket = np.concatenate([own[there], found.fakes.bucket]).astype(np.int64)
    # Rows are sorted by bucket; each group is put into an order of its own within them.
    shuffled = np.empty_like(rows)
    for columns in groups:
        order = np.lexsort((rng.random(len(rows)), bucket))
        shuffled[:, columns] = rows[order][:, columns]
    offsets, codes = values_of(bucket, rows[:, -1], found.n_buckets)
    entries = tuple(
        entries_of(rows, bucket, [j for j in columns if j < len(names) - 1], sides) for columns in groups
    )
    seen = PublishedBuckets(tuple(e for e in entries if e.columns), sides, offsets, codes)
    in_order = released(private, shuffled[:, :-1], sides, shuffled[:, -1], bucket=np.sort(bucket), groups=groups)
    return Release(seen, in_order, genuine[:, :-1].astype(np.int32), own.astype(np.int32), found.n_buckets, 0.0)


def entries_of(
    rows: NDArray[np.int32], bucket: NDArray[np.int64], columns: list[int], sides: tuple[LeafSets, ...]
) -> GroupEntries:
    n = int(bucket.max(initial=0)) + 1
    if not columns:
        return GroupEntries((), np.empty((0, 0), np.int32), np.zeros(1, np.int64), np.empty(0, np.int32))
    entry, first = rank_columns([rows[:, j] for j in columns], [len(sides[j]) for j in columns])
    held = np.unique(entry.astype(np.int64) * n + bucket)
    offsets = np.searchsorted(held // n, np.arange(len(first) + 1)).astype(np.int64)
    return GroupEntries(tuple(columns), rows[first][:, columns], offsets, (held % n).astype(np.int32))
