"""Who stands alone because of a single column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.core.table import FrequencyTable
from shoal.kernels.subsets import Subsets
from shoal.risk.members import Members, members_of_table, subsets_of

__all__ = ["alone_without"]


def alone_without(table: FrequencyTable, *, subsets: Subsets | None = None) -> tuple[int, tuple[int, ...]]:
    """Count who stands alone, and who still does if one column is not known.

    Parameters
    ----------
    table : FrequencyTable
    subsets : Subsets, optional
        Of :func:`shoal.risk.members.subsets_of`, where it was made already.

    Returns
    -------
    alone : int
        Rows, or people, that share all quasi-identifiers with nobody.
    without : tuple of int [n_qi]
        The same without each column.

    Notes
    -----
    The columns that are left are compared by the sum of 64-bit random numbers, one for each value: for a million
    records two different ones have one sum with a chance of less than one in a million.
    Cost: O(n_points * n_qi).

    Examples
    --------
    >>> from shoal.core.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    >>> columns = {"q": (tree, np.array([0, 0, 1])), "r": (tree, np.array([0, 1, 1]))}
    >>> alone_without(FrequencyTable.from_columns(columns)[0])
    (3, (1, 1))
    """
    members = members_of_table(table)
    looked = subsets_of(table, members) if subsets is None else subsets
    rng = np.random.default_rng(0x5A0A1)
    tables = [rng.integers(0, 1 << 64, max(1, size), np.uint64) for size in looked.sizes]
    total = np.zeros(members.point.shape[0], np.uint64)
    for numbers, codes in zip(tables, looked.codes, strict=True):
        total += numbers[codes]
    alone = _people(table, members, looked.alone_in(total))
    without = tuple(
        _people(table, members, looked.alone_in(total - numbers[codes]))
        for numbers, codes in zip(tables, looked.codes, strict=True)
    )
    return alone, without


def _people(table: FrequencyTable, members: Members, entries: NDArray[np.int64]) -> int:
    """Count the members that entries are of: somebody alone in two points is one."""
    return int(entries.shape[0] if table.unit is None else np.unique(members.person[entries]).shape[0])
