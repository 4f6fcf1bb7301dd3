"""Merging: exact cells in buckets, groups of columns shuffled apart, few cells widened, some records invented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.algorithms.bucket_partition import boxes_of_records, buckets_of_points
from shoal.algorithms.bucket_rules import asked_of, check_buckets
from shoal.algorithms.cell_linking import linked
from shoal.algorithms.column_groups import check_grouping, column_groups
from shoal.algorithms.cuts import check_cuts
from shoal.algorithms.facts import Facts
from shoal.algorithms.fakes import FakeRule, with_fakes
from shoal.algorithms.strict_linking import TOLERANCE, strict_problem, weakly_linked
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError

__all__ = ["Merging"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """Buckets of records with l sensitive values, groups of columns shuffled apart, few cells widened, some fakes.

    Columns that go together strongly stay together. Records are divided into buckets as Mondrian does, as long as
    each part passes the models. Where a value beside the sensitive column is linked with fewer than l sensitive
    values of its bucket, cells of other rows are widened until they cover it. Then *n* invented records join each
    bucket, and each group of columns is shuffled by itself.

    Parameters
    ----------
    grouping : {"anchored", "pam"} or sequence of sequences of str, default "anchored"
        Which columns stay together. ``"anchored"``: the sensitive column with the *m_s* quasi-identifiers that go
        with it most, the others in c - 1 clusters. ``"pam"``: c clusters of all columns. Or the groups.
    c : int, default 2
        Number of groups.
    m_s : int, default 1
        Quasi-identifiers that stay with the sensitive column.
    n : int, default 1
        Invented records, per bucket or in all.
    fake_scope : {"bucket", "table"}, default "bucket"
        Whether *n* counts per bucket or in all.
    fake_sensitive : {"domain", "bucket", "none"}, default "domain"
        What the invented ones have: a sensitive value that the bucket lacks, or one that it has; or none are made.
    strict : bool, default False
        Whether nobody may be linked with a value with a probability above 1/l, by the genuine records. No value
        has more than 1/l of a bucket then, and where that is not enough all cells beside the sensitive column are
        widened in a bucket.
    forbidden : sequence of (column, label, sensitive value), default ()
        Pairs that cannot occur in one person. Where a bucket holds both sides, cells of the column are widened.
    cuts : {"widest", "gain"}, default "widest"
        Which cut of a bucket is tried first, as in ``Mondrian``.
    cuts_per_column : int, default 64
        How many cuts of each column are tested at most.

    Raises
    ------
    SpecError
        If a setting is unknown or out of range.

    Notes
    -----
    Optimality: heuristic; no bound.
    Deterministic: given the seed, whatever the order of rows; only the invented records are drawn at random.
    Cost: O(levels * n_points * n_qi) for the buckets; for the cells O(v * e * l) per bucket, with v the different
    values beside the sensitive column in it that lack links and e the different rows of that group.
    Models: one l-diversity of any kind on the one sensitive column, and others that read that column; none that
    promises to hide quasi-identifiers.
    Suppression: none; the suppression limit is not used.

    References
    ----------
    .. [1] Hasan, A., Jiang, Q., Chen, H., Wang, S. (2018), A new approach to privacy-preserving multiple
       independent data publishing, Applied Sciences 8(5), 783. doi:10.3390/app8050783

    Examples
    --------
    >>> Merging(n=0).grouping
    'anchored'
    """

    name: ClassVar[str] = "merging"
    publishes: ClassVar[str] = "buckets"
    grouping: str | Sequence[Sequence[str]] = "anchored"
    c: int = 2
    m_s: int = 1
    n: int = 1
    fake_scope: str = "bucket"
    fake_sensitive: str = "domain"
    strict: bool = False
    forbidden: Sequence[tuple[str, str, str]] = ()
    cuts: str = "widest"
    cuts_per_column: int = 64

    def __post_init__(self) -> None:
        check_grouping(self.grouping, self.c, self.m_s)
        _ = self._fakes
        check_cuts(self.cuts, self.cuts_per_column)
        # What is no text is none of the table, and would forbid nothing.
        if not all(_is_a_link(pair) for pair in self.forbidden):
            raise SpecError(
                "a forbidden pair is not (column, label, sensitive value), each as its text",
                where="forbidden",
                fix='forbidden = [["sex", "male", "ovarian cancer"]]',
            )

    @property
    def _fakes(self) -> FakeRule:
        return FakeRule(self.n, self.fake_scope, self.fake_sensitive)

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return buckets that pass every model of *problem*.

        Raises
        ------
        InfeasibleError
            If there are fewer than l sensitive values, the whole table violates a model, or *strict* cannot hold.
        SpecError
            If the models are none for buckets, or *grouping* or *forbidden* names no column.
        """
        asked = asked_of(table, problem, self)
        groups = column_groups(table, asked.sensitive, grouping=self.grouping, c=self.c, m_s=self.m_s)
        facts = Facts.of(self.forbidden, table, asked.sensitive)
        bucket, out_of_time = boxes_of_records(
            table,
            strict_problem(table, problem, asked) if self.strict else problem,
            cuts=self.cuts,
            cuts_per_column=self.cuts_per_column,
        )
        found = linked(buckets_of_points(table, bucket, groups), table, asked)
        if self.strict:
            found = weakly_linked(found, table, asked, lambda buckets: facts.hidden(buckets, table))
        else:
            found = facts.hidden(found, table)
        check_buckets(found, table, problem)
        surest = 1 / float(asked.model.threshold) + TOLERANCE if self.strict else 1.0
        found = replace(found, linked=asked.l, surest=surest)
        told = facts.told_apart(found, table) if facts.forbidden else ()
        found = with_fakes(found, table, asked, self._fakes, rng, told_apart=told)
        wide = (found.lo < found.hi).any(axis=1)
        return Solution(
            recoding=found,
            statistics={
                "buckets": found.n_buckets,
                "groups of columns": len(groups),
                "rows with a widened cell": int(found.rows[wide].sum()),
                "invented records": len(found.fakes),
                "out of time": out_of_time,
            },
            notes=("columns that stay together: " + "; ".join(", ".join(group) for group in groups),),
        )


def _is_a_link(pair: Sequence[str | None]) -> bool:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 3:
        return False
    return all(part is None or isinstance(part, str) for part in pair)
