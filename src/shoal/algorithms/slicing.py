"""Slicing: buckets in which groups of columns are shuffled apart, with no value linked too surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.algorithms.bucket_partition import boxes_of_records
from shoal.algorithms.bucket_rules import Asked, asked_of, check_buckets
from shoal.algorithms.column_groups import check_grouping, column_groups
from shoal.algorithms.cuts import check_cuts
from shoal.algorithms.slicing_repair import joined_until_weak
from shoal.algorithms.slicing_state import SlicingState
from shoal.algorithms.strict_linking import TOLERANCE, check_counts_records
from shoal.core.algorithm import Solution
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError

__all__ = ["Slicing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slicing:
    """Buckets in which groups of columns are shuffled apart; nobody is linked with a value more surely than 1/l.

    The table is split again and again, as Mondrian does, while the parts pass the models and the probability with
    which a record's quasi-identifiers are linked with any one sensitive value, over all buckets that the record
    may lie in, stays at or below 1/l. No cell is widened and no record is invented.

    Parameters
    ----------
    grouping : {"anchored", "pam"} or sequence of sequences of str, default "anchored"
        Which columns stay together. ``"anchored"``: the sensitive column with the *m_s* quasi-identifiers that go
        with it most, the others in c - 1 clusters. ``"pam"``: c clusters of all columns. Or the groups.
    c : int, default 2
        Number of groups.
    m_s : int, default 1
        Quasi-identifiers that stay with the sensitive column.
    local_check : bool, default True
        Whether a split is judged by the records that it parts. Others may become linked more surely by it, since
        a bucket that they may lie in has changed; buckets of such records are joined again at the end. Where not,
        all records are looked at after each split, which takes time in proportion to the square of their number.
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
    Deterministic: yes, whatever the order of rows; it draws nothing at random.
    Cost: O(levels * n_points * b), with b the buckets that a record may lie in; without *local_check* that many
    times the number of splits.
    Models: one l-diversity of any kind on the one sensitive column, and others that read that column; besides,
    links of at most 1/l, a condition on shares that distinct l-diversity alone does not ask for. Records are
    counted, not people.
    Suppression: none; the suppression limit is not used.

    References
    ----------
    .. [1] Li, T., Li, N., Zhang, J., Molloy, I. (2012), Slicing: a new approach for privacy preserving data
       publishing, TKDE 24(3). doi:10.1109/TKDE.2010.236

    Examples
    --------
    >>> Slicing(c=3).local_check
    True
    """

    name: ClassVar[str] = "slicing"
    publishes: ClassVar[str] = "buckets"
    grouping: str | Sequence[Sequence[str]] = "anchored"
    c: int = 2
    m_s: int = 1
    local_check: bool = True
    cuts: str = "widest"
    cuts_per_column: int = 64

    def __post_init__(self) -> None:
        check_grouping(self.grouping, self.c, self.m_s)
        check_cuts(self.cuts, self.cuts_per_column)

    def search(self, table: FrequencyTable, problem: Problem, rng: np.random.Generator) -> Solution:
        """Return buckets that pass every model of *problem*, with links of at most 1/l.

        Raises
        ------
        InfeasibleError
            If the table violates a model or has a stronger link even as one single bucket.
        SpecError
            If the models are none for buckets, *grouping* names no column, or people are counted.
        """
        asked = asked_of(table, problem, self)
        check_counts_records(table, f"algorithm {self.name!r}")
        groups = column_groups(table, asked.sensitive, grouping=self.grouping, c=self.c, m_s=self.m_s)
        most = 1 / float(asked.model.threshold) + TOLERANCE
        state = SlicingState(table, asked, groups, most=most, local=self.local_check)
        worst = state.worst()
        if worst > most:
            raise _link_too_strong(worst, asked, groups)
        bucket, out_of_time = boxes_of_records(
            table, problem, cuts=self.cuts, cuts_per_column=self.cuts_per_column, also=state.tester
        )
        found, n_joined = joined_until_weak(bucket, table, problem, groups=groups, most=most)
        check_buckets(found, table, problem)
        return Solution(
            recoding=replace(found, surest=most),
            statistics={
                "buckets": found.n_buckets,
                "buckets joined again": n_joined,
                "groups of columns": len(groups),
                "out of time": out_of_time,
            },
            notes=("columns that stay together: " + "; ".join(", ".join(group) for group in groups),),
        )


def _link_too_strong(worst: float, asked: Asked, groups: tuple[tuple[str, ...], ...]) -> InfeasibleError:
    beside = ", ".join(groups[-1][:-1])
    largest = int(1 / worst + TOLERANCE)
    choices = [f"lower l to {largest}"] if largest > 1 else []
    if beside:
        choices.append("set m_s = 0, so that no quasi-identifier stays with the sensitive column")
    return InfeasibleError(
        f"a value of {asked.sensitive} is linked too surely even in one single bucket",
        where=f"the strongest link is {worst:.4f}, and {1 / float(asked.model.threshold):.4f} is allowed"
        + (f"; beside the sensitive column stays {beside}" if beside else ""),
        choices=[*choices, 'use algorithm "merging", which asks for l values and not for shares'],
    )
