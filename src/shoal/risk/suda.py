"""Special uniques: the smallest sets of columns in which a record stands alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, nearest_name
from shoal.kernels.subsets import Subsets
from shoal.risk.members import members_of_table, subsets_of

__all__ = ["SCORES", "Suda", "affordable_m", "suda"]

SCORES = ("elliot", "ihsn")

WORK = 250_000_000
"""Records times sets of columns that are looked at where no size is asked for: about two seconds."""

SMALL, QUICKER = 200_000, 3
"""Records up to which a look is that much quicker, since what is counted stays close to the processor."""

MOST_SETS = 20_000
"""Sets of columns that are looked at where no size is asked for."""

LISTED = 10
"""Sets of columns that are listed, those in which most records stand alone first."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Suda:
    """Minimal sample uniques of a table, and what each column contributes to them.

    A minimal sample unique (MSU) of a record is a set of columns in which it stands alone, while it does not in
    any smaller set of these. The fewer columns, the higher its score.

    Parameters
    ----------
    m : int
        Largest set of columns that was looked at.
    complete : bool
        Whether that is all there are.
    by_size : tuple of int
        Number of MSUs of 1, 2, ... columns.
    records : int
        Records, or people, with at least one MSU.
    uniques, pairs : int
        Records that stand alone in all columns, and that share them with one other.
    contributions : mapping of str to float
        Share of the total score that is of MSUs with the column, in [0, 1]; MSUs count for each of their columns,
        so the shares add up to more than 1.
    column_sets : tuple of dict
        ``columns`` and ``records``: the sets that are an MSU of the most records, or people.
    highest_dis : float or None
        Highest DIS-SUDA score, in [0, 1].
    dis : float or None
        DIS: chance that a match with a record that stands alone is right, in [0, 1].
    score, dis_score : float64 [n_entries]
        SUDA and DIS-SUDA score of each point, or of each pair of point and person; 0 where there is no MSU.
    point : int64 [n_entries]
        The point of each entry.
    """

    m: int
    complete: bool
    by_size: tuple[int, ...]
    records: int
    uniques: int
    pairs: int
    contributions: dict[str, float]
    column_sets: tuple[dict[str, Any], ...]
    highest_dis: float | None
    dis: float | None
    score: NDArray[np.float64]
    dis_score: NDArray[np.float64]
    point: NDArray[np.int64]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data, without the scores of single records."""
        return {
            "m": self.m,
            "complete": self.complete,
            "minimal_uniques_by_size": list(self.by_size),
            "records": self.records,
            "dis": self.dis,
            "highest_dis": self.highest_dis,
            "contributions": dict(self.contributions),
            "column_sets": [dict(found) for found in self.column_sets],
        }


def affordable_m(n_records: int, n_columns: int) -> int:
    """Return the largest size of column sets that are looked at where none is asked for; at least 1.

    Examples
    --------
    >>> affordable_m(1_000, 5), affordable_m(1_000_000, 20), affordable_m(50, 141)
    (5, 2, 2)
    """
    sets, m, work = n_columns, 1, WORK * (QUICKER if n_records <= SMALL else 1)
    while m < n_columns:
        sets += math.comb(n_columns, m + 1)
        if sets > MOST_SETS or sets * n_records > work:
            break
        m += 1
    return m


def suda(
    table: FrequencyTable,
    *,
    m: int | None = None,
    sampling_fraction: float = 0.01,
    scores: str = "elliot",
    subsets: Subsets | None = None,
) -> Suda:
    """Find the minimal sample uniques of up to *m* columns and score them.

    Parameters
    ----------
    table : FrequencyTable
        Where it has a unit, a combination that one person alone has is unique, however many rows they have.
    m : int, optional
        Largest set of columns; as large as is quick where left out, see :func:`affordable_m`.
    sampling_fraction : float, default 0.01
        Of the DIS score, in (0, 1].
    scores : {"elliot", "ihsn"}, default "elliot"
        What an MSU of k of n columns counts: the product of (n - i) for i from k to m, at most n - 1; or
        (2^(n-k) - 1) k! (n-k)!/n!, as the implementation of the IHSN had it.
    subsets : Subsets, optional
        Of :func:`shoal.risk.members.subsets_of`, where it was made already.

    Raises
    ------
    SpecError
        If a setting is out of range.

    Notes
    -----
    Nulls: a missing cell is a value like any other.
    Cost: O(n_points) for each set of up to *m* columns.
    With sets of all sizes the result is that of SUDA2, which finds the same by recursion.

    References
    ----------
    .. [1] Elliot, M. et al. (2005), SUDA: a program for detecting special uniques. Joint UNECE/Eurostat work
       session on statistical data confidentiality.
    .. [2] Manning, A., Haglin, D., Keane, J. (2008), A recursive search algorithm for statistical disclosure
       assessment. doi:10.1007/s10618-007-0078-6
    .. [3] Skinner, C., Elliot, M. (2002), A measure of disclosure risk for microdata.
       doi:10.1111/1467-9868.00365

    Examples
    --------
    >>> from shoal.core.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    >>> columns = {"q": (tree, np.array([0, 0, 1])), "r": (tree, np.array([0, 1, 1]))}
    >>> found = suda(FrequencyTable.from_columns(columns)[0])
    >>> found.by_size, found.records
    ((2, 1), 3)
    """
    if scores not in SCORES:
        raise SpecError("unknown scores", fix=nearest_name(scores, SCORES))
    if not 0 < sampling_fraction <= 1:
        raise SpecError("sampling_fraction must be above 0 and at most 1")
    members, n = members_of_table(table), table.n_qi
    n_entries = members.point.shape[0]
    m = affordable_m(n_entries, n) if m is None else min(m, n)
    if m < 1:
        raise SpecError("m must be at least 1")
    looked = subsets_of(table, members) if subsets is None else subsets
    score = np.zeros(n_entries)
    shares = np.zeros(n)
    by_size: list[int] = []
    holders = members.person if table.unit is not None else members.point
    listed: list[tuple[int, tuple[int, ...], NDArray[np.int64]]] = []
    finer: dict[tuple[int, ...], NDArray[np.int64]] = {(): np.empty(0, np.int64)}
    marked = np.zeros(n_entries, bool)
    for k in range(1, m + 1):
        worth, found, total = _worth(k, m, n, scores), {}, 0
        for chosen in combinations(range(n), k):
            alone = looked.alone(chosen)
            found[chosen] = alone
            below = [finer[chosen[:i] + chosen[i + 1 :]] for i in range(k)]
            for already in below:
                marked[already] = True
            minimal = alone[~marked[alone]]
            for already in below:
                marked[already] = False
            if minimal.size:
                total += minimal.size
                score[minimal] += worth
                shares[list(chosen)] += worth * minimal.size
                listed = _listed([*listed, (minimal.size, chosen, minimal)])
        by_size.append(total)
        finer = found
    # Somebody who is alone in two classes is one, so people are counted at last.
    told = [(np.unique(holders[entries]).shape[0], chosen, entries) for _, chosen, entries in listed]
    whole = score.sum()
    uniques, pairs = _uniques_and_pairs(table)
    dis = _dis(uniques, pairs, sampling_fraction)
    dis_score = _dis_scores(score, uniques, dis, n)
    return Suda(
        m=m,
        complete=m == n,
        by_size=tuple(by_size),
        records=int(np.unique(holders[score > 0]).shape[0]),
        uniques=uniques,
        pairs=pairs,
        contributions={
            name: float(share / whole) if whole else 0.0 for name, share in zip(table.names, shares, strict=True)
        },
        column_sets=tuple(
            {"columns": [table.names[j] for j in chosen], "records": records}
            for records, chosen, _ in _listed(told)
        ),
        highest_dis=float(dis_score.max()) if n_entries else None,
        dis=dis,
        score=score,
        dis_score=dis_score,
        point=members.point,
    )


def _listed(
    sets: list[tuple[int, tuple[int, ...], NDArray[np.int64]]],
) -> list[tuple[int, tuple[int, ...], NDArray[np.int64]]]:
    """Return the sets that most stand alone in, fewer columns first among equals."""
    return sorted(sets, key=lambda found: (-found[0], len(found[1]), found[1]))[:LISTED]


def _worth(k: int, m: int, n: int, scores: str) -> float:
    if scores == "ihsn":
        return (2.0 ** (n - k) - 1) / math.comb(n, k)
    return float(math.prod(float(n - i) for i in range(k, min(m, n - 1) + 1)))


def _uniques_and_pairs(table: FrequencyTable) -> tuple[int, int]:
    classes = table.classes(table.point_of_item.astype(np.int32), table.n_points)
    return int((classes.size == 1).sum()), 2 * int((classes.size == 2).sum())


def _dis(uniques: int, pairs: int, fraction: float) -> float | None:
    """Return the chance that a match with a unique is right: U f/(U f + P (1 - f))."""
    both = uniques * fraction + pairs * (1 - fraction)
    return uniques * fraction / both if both else None


def _dis_scores(score: NDArray[np.float64], uniques: int, dis: float | None, n: int) -> NDArray[np.float64]:
    """Spread DIS over the records by their scores, as sdcMicro does."""
    result = np.zeros(score.shape)
    has = score > 0
    if not dis or not has.any():
        return result
    power = 1 + (8 - n) / 20
    # Scores of many columns are too large to be raised to a power; only their ratios matter.
    part = (score[has] / score[has].max()) ** power
    result[has] = 1 / (1 + uniques * (1 / dis - 1) / (part * (1 / part).sum()))
    return result
