"""Anatomy: every bucket holds each sensitive value at most once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.bucket_rules import Asked, asked_of, check_buckets
from shoal.algorithms.strict_linking import check_counts_records
from shoal.core.algorithm import Solution
from shoal.core.buckets import Buckets, Fakes
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError
from shoal.kernels.grouping import rank_columns
from shoal.kernels.stacks import deal_stacks

__all__ = ["Anatomy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy:
    """Buckets of l or a few more records with different sensitive values, which are shuffled apart from the rest.

    Records are stacked by their sensitive value. While l stacks are left, one record from each of the l tallest
    makes a bucket; each record left over joins a bucket that lacks its value. All quasi-identifiers are published
    as they are and stay together. Which record of a stack is taken is drawn at random.

    Notes
    -----
    Optimality: least number of records per bucket; it does not seek records with similar quasi-identifiers.
    Deterministic: given the seed, whatever the order of rows.
    Cost: O(n_rows * log n_values).
    Models: one l-diversity on the one sensitive column: distinct, frequency and entropy hold in every bucket, and
    the probability of each value is at most 1/l; others are tested. Missing values that do not count are spread
    over the buckets. Records are counted, not people.
    Suppression: none; the suppression limit is not used.

    References
    ----------
    .. [1] Xiao, X., Tao, Y. (2006), Anatomy: simple and effective privacy preservation, VLDB.

    Examples
    --------
    >>> Anatomy().name
    'anatomy'
    """

    name: ClassVar[str] = "anatomy"
    publishes: ClassVar[str] = "buckets"

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return buckets in which no sensitive value occurs twice.

        Raises
        ------
        InfeasibleError
            If a value has more than 1/l of the records, or the buckets violate a model.
        SpecError
            If the models are none for buckets, or people are counted.
        """
        asked = asked_of(table, problem, self)
        check_counts_records(table, f"algorithm {self.name!r}")
        value = table.sensitive[:, asked.column]
        heights = np.bincount(value, table.counts, table.sensitive_hierarchies[asked.column].n_values)
        heights = heights.astype(np.int64)
        if asked.uncounted >= 0:
            heights[asked.uncounted] = 0
        _check_eligible(heights, asked)
        stack, left = deal_stacks(heights, asked.l)
        bucket_of_row = _dealt(value, table, stack, left, rng)
        found = _buckets(table, bucket_of_row, len(stack), asked)
        check_buckets(found, table, problem)
        return Solution(
            recoding=found,
            statistics={"buckets": found.n_buckets, "records beyond l in their bucket": int(left.sum())},
        )


def _check_eligible(heights: NDArray[np.int64], asked: Asked) -> None:
    n_rows, most = int(heights.sum()), int(heights.max())
    if n_rows >= asked.l * most:
        return
    largest = n_rows // most
    choices = [f"lower l to {largest}"] if largest > 1 else []
    raise InfeasibleError(
        f"a value of {asked.sensitive} is too frequent to be in every bucket once at most, for l = {asked.l}",
        where=f"the most frequent value has {most} of {n_rows} records, and 1/{asked.l} of them is allowed",
        choices=[*choices, 'use algorithm "merging", whose buckets may hold a value twice'],
    )


def _dealt(
    value: NDArray[np.int32],
    table: FrequencyTable,
    stack: NDArray[np.int64],
    left: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Return the bucket of each row, the rows in the order of their items."""
    of_row = np.repeat(value, table.counts)
    # A random order of the rows, sorted by stack: each bucket takes the next row of a stack.
    shuffled = rng.permutation(len(of_row))
    by_stack = shuffled[np.argsort(of_row[shuffled], kind="stable")]
    starts = np.searchsorted(of_row[by_stack], np.arange(len(left) + 1))
    bucket = np.full(len(of_row), -1, np.int32)
    asking = np.argsort(stack.ravel(), kind="stable")
    asked_stack = stack.ravel()[asking]
    place = starts[asked_stack] + np.arange(len(asking)) - np.searchsorted(asked_stack, asked_stack)
    bucket[by_stack[place]] = asking // stack.shape[1]
    for number in np.flatnonzero(left).tolist():
        lacking = np.flatnonzero((stack != number).all(axis=1))
        row = by_stack[starts[number + 1] - 1]
        bucket[row] = lacking[rng.integers(len(lacking))]
    # Missing values count for nothing, so they may lie anywhere: evenly, in random order.
    rest = shuffled[bucket[shuffled] < 0]
    bucket[rest] = np.arange(len(rest)) % len(stack)
    return bucket


def _buckets(table: FrequencyTable, bucket_of_row: NDArray[np.int32], n_buckets: int, asked: Asked) -> Buckets:
    """Return rows of one item in one bucket as one share."""
    item_of_row = np.repeat(np.arange(table.n_items), table.counts)
    share, at = rank_columns([item_of_row, bucket_of_row], [table.n_items, n_buckets])
    item = item_of_row[at]
    codes = table.codes[table.point_of_item[item]]
    return Buckets(
        groups=(table.names, (asked.sensitive,)),
        offsets=np.searchsorted(item, np.arange(table.n_items + 1)),
        bucket=bucket_of_row[at],
        rows=np.bincount(share, minlength=len(at)),
        lo=codes,
        hi=codes,
        n_buckets=n_buckets,
        fakes=Fakes.none(2),
        linked=asked.l,
    )
