"""Random hierarchies and frequency tables for the law tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable


@st.composite
def hierarchies(draw, *, max_leaves=6, max_inner=2, null=None):
    """A random tree of even depth, nominal or ordered, with or without missing values."""
    n = draw(st.integers(1, max_leaves))
    names = [f"v{i}" for i in range(n)]
    paths = [[] for _ in range(n)]
    group = list(range(n))
    for level in range(draw(st.integers(0, max_inner))):
        n_groups = len(set(group))
        merged = draw(st.lists(st.integers(0, max(0, n_groups - 1)), min_size=n_groups, max_size=n_groups))
        rank = {g: i for i, g in enumerate(sorted(set(group)))}
        group = [merged[rank[g]] for g in group]
        for i in range(n):
            paths[i].append(f"g{level}.{group[i]}")
    for path in paths:
        path.append("*")
    order = [float(i) for i in range(n)] if draw(st.booleans()) else None
    with_null = draw(st.booleans()) if null is None else null
    return Hierarchy.from_paths(names, paths, order=order, null=with_null, type="integer" if order else "text")


@st.composite
def tables(draw, *, max_rows=14, max_qi=3, n_sensitive=1, unit=None, max_leaves=5, max_values=4, min_rows=1):
    """A random frequency table: ``(table, rows)``.

    ``rows`` are plain tuples (quasi codes, sensitive codes, unit or None), one per record, for the oracles.
    """
    n_qi = draw(st.integers(1, max_qi))
    trees = [draw(hierarchies(max_leaves=max_leaves)) for _ in range(n_qi)]
    sensitive_trees = [draw(hierarchies(max_leaves=max_values, max_inner=1)) for _ in range(n_sensitive)]
    n = draw(st.integers(min_rows, max_rows))
    row = st.tuples(
        st.tuples(*(st.integers(0, h.n_values - 1) for h in trees)),
        st.tuples(*(st.integers(0, h.n_values - 1) for h in sensitive_trees)),
    )
    drawn = draw(st.lists(row, min_size=n, max_size=n))
    with_unit = draw(st.booleans()) if unit is None else unit
    people = draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)) if with_unit else [None] * n
    rank = {person: i for i, person in enumerate(sorted(set(people)))} if with_unit else {None: None}
    rows = [(q, s, rank[p]) for (q, s), p in zip(drawn, people, strict=True)]
    return table_of(rows, trees, sensitive_trees), rows


def table_of(rows, trees, sensitive_trees=()):
    """Count plain rows into a frequency table."""
    quasi = {f"q{j}": (h, np.array([q[j] for q, _, _ in rows], np.int32)) for j, h in enumerate(trees)}
    sensitive = {
        f"s{j}": (h, np.array([s[j] for _, s, _ in rows], np.int32)) for j, h in enumerate(sensitive_trees)
    }
    unit = None if rows[0][2] is None else np.array([u for _, _, u in rows], np.int64)
    table, _ = FrequencyTable.from_columns(quasi, sensitive, unit=unit)
    return table
