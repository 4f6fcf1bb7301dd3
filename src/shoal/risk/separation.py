"""How well sets of columns tell records apart: distinction and separation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns
from shoal.kernels.subsets import Subsets
from shoal.risk.members import Members, members_of_table, subsets_of

__all__ = ["ColumnSet", "column_sets", "measure_columns"]

WORK = 30_000_000
"""Records times sets of columns that are looked at where no number is asked for: less than a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSet:
    """What a set of columns tells apart.

    Parameters
    ----------
    columns : tuple of str
    distinction : float
        Groups divided by members, in [0, 1]: the mean risk if these columns are known.
    separation : float
        Share of the pairs of members that the columns tell apart, in [0, 1].
    """

    columns: tuple[str, ...]
    distinction: float
    separation: float

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


def measure_columns(table: FrequencyTable, columns: Iterable[str]) -> ColumnSet:
    """Measure one set of quasi-identifiers.

    References
    ----------
    .. [1] Motwani, R., Xu, Y. (2007), Efficient algorithms for masking and finding quasi-identifiers.
       Proceedings of the VLDB conference.

    Examples
    --------
    >>> from shoal.core.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    >>> table, _ = FrequencyTable.from_columns({"q": (tree, np.array([0, 1, 1, 1], np.int32))})
    >>> measure_columns(table, ["q"])
    ColumnSet(columns=('q',), distinction=0.5, separation=0.5)
    """
    chosen = [table.names.index(name) for name in columns]
    members = members_of_table(table)
    return _measured(table, members, subsets_of(table, members), chosen)


def column_sets(
    table: FrequencyTable, *, largest: int = 4, sets: int | None = None, subsets: Subsets | None = None
) -> tuple[ColumnSet, ...]:
    """Measure every column, pairs and larger sets as far as is quick, and a small set that tells most apart.

    Parameters
    ----------
    table : FrequencyTable
    largest : int, default 4
        Columns of the largest set that is grown.
    sets : int, optional
        How many sets may be looked at; as many as is quick where left out. All columns alone are always looked at.
    subsets : Subsets, optional
        Of :func:`shoal.risk.members.subsets_of`, where it was made already.

    Returns
    -------
    tuple of ColumnSet
        Those of one column, in the table's order, then others by falling separation, fewer columns first.

    Notes
    -----
    Pairs are those of the columns that tell most apart, as many as fit. A larger set grows from the best pair by
    the column that adds the most, which need not give the best set of its size.
    """
    members, n = members_of_table(table), table.n_qi
    looked = subsets_of(table, members) if subsets is None else subsets
    room = max(1, WORK // max(1, members.point.shape[0])) if sets is None else sets
    singles = [_measured(table, members, looked, [j]) for j in range(n)]
    order = sorted(range(n), key=lambda j: (-singles[j].separation, j))
    left = room - n
    several: dict[tuple[int, ...], ColumnSet] = {}
    if left > 0 and n > 1 and largest > 1:
        # w columns have w (w - 1)/2 pairs; half of what is left is for growing.
        width = min(n, max(2, int((1 + math.sqrt(1 + 4 * left)) / 2)))
        for pair in combinations(sorted(order[:width]), 2):
            several[pair] = _measured(table, members, looked, pair)
        left -= len(several)
        grown = max(several, key=lambda pair: several[pair].separation)
        while len(grown) < min(largest, n) and left > 0 and several[grown].separation < 1:
            more = [tuple(sorted((*grown, j))) for j in order if j not in grown][:left]
            for chosen in more:
                several[chosen] = _measured(table, members, looked, chosen)
            left -= len(more)
            grown = max(more, key=lambda chosen: several[chosen].separation)
    ranked = sorted(several.values(), key=lambda found: (-found.separation, len(found.columns), found.columns))
    return (*singles, *ranked)


def _measured(table: FrequencyTable, members: Members, looked: Subsets, chosen: Sequence[int]) -> ColumnSet:
    names = tuple(table.names[j] for j in chosen)
    if table.unit is None:
        total = int(members.weight.sum())
        n_groups, together = looked.groups(chosen)
    else:
        # Somebody counts once in each group, so people do not add up.
        columns = [looked.codes[j] for j in chosen]
        group, first = group_columns(columns, [looked.sizes[j] for j in chosen])
        _, pair = group_columns([group, members.person], [first.shape[0], table.n_units])
        sizes = np.bincount(group[pair], minlength=first.shape[0])
        total, n_groups, together = int(sizes.sum()), first.shape[0], int((sizes * (sizes - 1)).sum())
    if not total:
        return ColumnSet(columns=names, distinction=0.0, separation=0.0)
    pairs = total * (total - 1)
    return ColumnSet(
        columns=names,
        distinction=n_groups / total,
        separation=1 - together / pairs if pairs else 0.0,
    )
