"""Which columns stay together in a bucket, and which are shuffled apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError, nearest_name
from shoal.kernels.contingency import mean_square_contingency
from shoal.kernels.medoids import medoids_of

__all__ = ["Grouping", "check_grouping", "column_groups", "correlations"]

Grouping = str | Sequence[Sequence[str]]
"""A way to group columns by name, or the groups themselves."""

WAYS = ("anchored", "pam")

BINS = 10
"""Intervals of equal width into which numbers are sorted before columns are compared."""

NUMERIC = ("integer", "decimal", "date")


def check_grouping(grouping: Grouping, c: int, m_s: int) -> None:
    """Refuse settings of :func:`column_groups` that no table could serve.

    Raises
    ------
    SpecError
        If the way is unknown, *c* is below 2 or *m_s* is negative.
    """
    if isinstance(grouping, str) and grouping not in WAYS:
        raise SpecError(f"unknown grouping {grouping!r}", fix=nearest_name(grouping, WAYS))
    if c < 2:
        raise SpecError("c must be at least 2: one group of columns would not be shuffled", fix="2 is the default")
    if m_s < 0:
        raise SpecError("m_s must not be negative", fix="1 is the default, 0 leaves the sensitive column alone")


def column_groups(
    table: FrequencyTable, sensitive: str, *, grouping: Grouping = "anchored", c: int = 2, m_s: int = 1
) -> tuple[tuple[str, ...], ...]:
    """Divide the quasi-identifiers and the sensitive column into groups.

    Parameters
    ----------
    table : FrequencyTable
    sensitive : str
    grouping : {"anchored", "pam"} or sequence of sequences of str, default "anchored"
        ``"anchored"``: the sensitive column stays with the *m_s* quasi-identifiers that go with it most, and the
        others fall into c - 1 clusters. ``"pam"``: all columns fall into c clusters. Or the groups themselves.
    c : int, default 2
        How many groups; fewer where there are not enough columns.
    m_s : int, default 1
        How many quasi-identifiers stay with the sensitive column; at least one stays away.

    Returns
    -------
    tuple of tuple of str
        Columns of a group in the table's order; the last group ends with the sensitive column.

    Raises
    ------
    SpecError
        If the groups that are given do not hold every column once.
    """
    names = [*table.names, sensitive]
    if not isinstance(grouping, str):
        return _given(grouping, names)
    alike = correlations(table, sensitive)
    n = table.n_qi
    if grouping == "pam":
        _, cluster = medoids_of(1 - alike, min(c, n + 1))
        groups = [np.flatnonzero(cluster == number).tolist() for number in range(int(cluster.max()) + 1)]
    else:
        # Stable, so that of columns that go with it equally the first is taken.
        order = np.argsort(-alike[n, :n], kind="stable")
        kept = max(0, min(m_s, n - 1))
        rest = np.sort(order[kept:])
        groups = [[*sorted(order[:kept].tolist()), n]]
        if rest.size:
            _, cluster = medoids_of(1 - alike[np.ix_(rest, rest)], min(c - 1, len(rest)))
            groups += [rest[cluster == number].tolist() for number in range(int(cluster.max()) + 1)]
    groups.sort(key=lambda group: (n in group, group))
    return tuple(tuple(names[j] for j in group) for group in groups)


def correlations(table: FrequencyTable, sensitive: str) -> NDArray[np.float64]:
    """Return the mean-square contingency of every pair of columns, the sensitive one last.

    Numbers and dates are sorted into ten intervals of equal width first.

    Returns
    -------
    float64 [n_qi + 1, n_qi + 1]
        In [0, 1], symmetric, 1 on the diagonal.
    """
    n = table.n_qi
    columns: list[NDArray[Any]] = []
    sizes: list[int] = []
    for j, (hierarchy, rows) in enumerate(zip(table.hierarchies, table.marginals, strict=True)):
        bins = _bins(hierarchy, rows > 0)
        columns.append(bins[table.codes[:, j]])
        sizes.append(int(bins.max()) + 1)
    own = table.sensitive_names.index(sensitive)
    values, n_values = table.sensitive[:, own], table.sensitive_hierarchies[own].n_values
    found = np.eye(n + 1)
    for i in range(n):
        for j in range(i):
            sides = sizes[i], sizes[j]
            found[i, j] = mean_square_contingency(columns[i], columns[j], table.point_rows, sides)
        of_item = columns[i][table.point_of_item]
        found[n, i] = mean_square_contingency(of_item, values, table.counts, (sizes[i], n_values))
    return np.maximum(found, found.T)


def _bins(hierarchy: Hierarchy, occurs: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return what stands for each leaf, int64 [n_values]: itself, or the interval it lies in."""
    places = hierarchy.positions
    if places is None or hierarchy.type not in NUMERIC:
        return np.arange(hierarchy.n_values)
    known = ~np.isnan(places)
    inside = places[occurs & known]
    if not inside.size or inside.min() == inside.max():
        return np.where(known, 0, 1)
    share = (places - inside.min()) / (inside.max() - inside.min())
    # The largest value closes the last interval; missing values are one of their own.
    return np.where(known, np.clip(np.nan_to_num(share) * BINS, 0, BINS - 1).astype(np.int64), BINS)


def _given(groups: Sequence[Sequence[str]], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    named = [name for group in groups for name in group]
    sensitive, n_groups = names[-1], sum(bool(group) for group in groups)
    if sorted(named) != sorted(names) or n_groups < 2:
        problem = (
            "one group of columns would not be shuffled"
            if sorted(named) == sorted(names)
            else ("the groups do not hold every quasi-identifier and the sensitive column once")
        )
        unknown = [name for name in named if name not in names]
        fix = nearest_name(unknown[0], names) if unknown else "columns to be grouped: " + ", ".join(names)
        raise SpecError(problem, where="grouping", fix=fix)
    place = {name: j for j, name in enumerate(names)}
    ordered = [sorted(group, key=place.__getitem__) for group in groups if group]
    ordered.sort(key=lambda group: (sensitive in group, [place[name] for name in group]))
    return tuple(tuple(group) for group in ordered)
