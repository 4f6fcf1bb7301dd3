"""Invented records that hide which sensitive values of a bucket are genuine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.bucket_rules import Asked
from shoal.core.buckets import Buckets, Fakes
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, check_choice, nearest_name
from shoal.kernels.grouping import rank_columns

__all__ = ["FakeRule", "with_fakes"]

SCOPES = ("bucket", "table")

SOURCES = ("domain", "bucket", "none")


@dataclass(frozen=True, slots=True)
class FakeRule:
    """How many records are invented, and what their sensitive values are.

    Parameters
    ----------
    n : int
    scope : {"bucket", "table"}
        Whether *n* are invented in every bucket or in all.
    sensitive : {"domain", "bucket", "none"}
        ``"domain"``: a value of the table that the bucket lacks, or one that it has where it lacks none.
        ``"bucket"``: one that it has. ``"none"``: no record is invented.

    Raises
    ------
    SpecError
        If a setting is unknown or negative.
    """

    n: int
    scope: str
    sensitive: str

    def __post_init__(self) -> None:
        if self.n < 0:
            raise SpecError("n, the number of fake records, must not be negative", fix="1 is the default")
        check_choice("fake_scope", self.scope, SCOPES)
        if self.sensitive not in SOURCES:
            raise SpecError(
                f"unknown fake_sensitive {self.sensitive!r}", fix=nearest_name(self.sensitive, SOURCES)
            )


def with_fakes(
    buckets: Buckets,
    table: FrequencyTable,
    asked: Asked,
    rule: FakeRule,
    rng: np.random.Generator,
    *,
    told_apart: Iterable[tuple[int, int]] = (),
) -> Buckets:
    """Add invented records to the buckets.

    The cells of each group are those of a genuine record of the bucket, drawn anew for each group, so that no new
    combination of quasi-identifiers within a group enters it.

    Parameters
    ----------
    buckets : Buckets
    table : FrequencyTable
    asked : Asked
    rule : FakeRule
    rng : Generator
    told_apart : iterable of (bucket, value)
        Sensitive values that would be seen to be invented in a bucket, and are not drawn there.
    """
    if not rule.n or rule.sensitive == "none":
        return buckets
    if rule.scope == "bucket":
        bucket = np.repeat(np.arange(buckets.n_buckets, dtype=np.int32), rule.n)
    else:
        bucket = rng.integers(0, buckets.n_buckets, rule.n).astype(np.int32)
    n_groups = len(buckets.groups)
    row = rng.integers(0, np.repeat(buckets.bucket_rows[bucket][:, None], n_groups, axis=1))
    order = np.argsort(buckets.bucket, kind="stable")
    ends = np.cumsum(buckets.rows[order])
    begins = np.cumsum(buckets.bucket_rows) - buckets.bucket_rows
    source = order[np.searchsorted(ends, begins[bucket][:, None] + row, side="right")]
    sensitive = _values(buckets, table, asked, rule, bucket=bucket, rng=rng, told_apart=set(told_apart))
    return replace(buckets, fakes=Fakes(bucket, source.astype(np.int64), sensitive))


def _values(
    buckets: Buckets,
    table: FrequencyTable,
    asked: Asked,
    rule: FakeRule,
    *,
    bucket: NDArray[np.int32],
    rng: np.random.Generator,
    told_apart: set[tuple[int, int]],
) -> NDArray[np.int32]:
    """Draw the sensitive value of each invented record; the missing one only where a bucket has no other."""
    hierarchy = table.sensitive_hierarchies[asked.column]
    null = hierarchy.n_values - 1 if hierarchy.has_null else -1
    known = np.unique(table.sensitive[:, asked.column])
    known = known[known != null]
    value = table.sensitive[buckets.item_of_share, asked.column]
    present = np.flatnonzero(value != null)
    _, at = rank_columns([buckets.bucket[present], value[present]], [buckets.n_buckets, hierarchy.n_values])
    owner, value = buckets.bucket[present][at], value[present][at]
    starts = np.searchsorted(owner, np.arange(buckets.n_buckets + 1))
    excluded: dict[int, list[int]] = {}
    for number, code in told_apart:
        excluded.setdefault(number, []).append(code)
    share = rng.random(len(bucket))
    drawn = np.full(len(bucket), null, np.int32)
    for i, number in enumerate(bucket.tolist()):
        own = value[starts[number] : starts[number + 1]]
        choices = own
        if rule.sensitive == "domain":
            absent = _absent(known, own, excluded.get(number, ()))
            choices = absent if len(absent) else own
        if len(choices):
            drawn[i] = choices[int(share[i] * len(choices))]
    return drawn


def _absent(known: NDArray[np.int32], own: NDArray[np.int32], excluded: Sequence[int]) -> NDArray[np.int32]:
    there = np.ones(len(known), np.bool_)
    there[np.searchsorted(known, own)] = False
    return known[there] if not excluded else np.setdiff1d(known[there], np.array(excluded, np.int32))
