"""Hierarchies on their own: built for a column, checked, and told as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.core.hierarchy import Hierarchy
from shoal.core.schema import HierarchyBuilder
from shoal.errors import SchemaError, nearest_name
from shoal.hierarchies import auto, from_csv
from shoal.io.opening import open_source
from shoal.io.source import reading as reading_rows
from shoal.io.texts import declared_type, text_expr

__all__ = ["build_column_hierarchy", "check_hierarchy_file", "hierarchy_facts", "hierarchy_tree"]


def build_column_hierarchy(
    source: str | Path,
    column: str,
    builder: HierarchyBuilder | Hierarchy | None = None,
    *,
    type: str | None = None,  # noqa: A002
    reading: Mapping[str, Any] | None = None,
) -> Hierarchy:
    """Build the hierarchy of one column of a file.

    Parameters
    ----------
    source : str or Path
    column : str
    builder : HierarchyBuilder or Hierarchy, optional
        Automatic where left out.
    type : str, optional
        How the texts of the column are read.
    reading : mapping, optional
        Options of :func:`shoal.io.opening.open_source`.

    Raises
    ------
    SchemaError
        If the file has no such column.
    HierarchyError
        If a value has no place in the hierarchy.
    """
    with open_source(source, **(reading or {})) as opened, reading_rows(opened):
        if column not in opened.columns:
            raise SchemaError(f"no column {column!r} in the table", fix=nearest_name(column, opened.columns))
        rows = opened.scan()
        dtype = opened.schema()[column]
        texts = rows.select(text_expr(column, dtype)).unique().collect(engine="streaming").to_series().to_list()
    if isinstance(builder, Hierarchy):
        return builder
    return (builder or auto()).build(texts, column=column, type=type or declared_type(dtype))


def check_hierarchy_file(
    path: str | Path,
    *,
    delimiter: str | None = None,
    against: str | Path | None = None,
    column: str | None = None,
    reading: Mapping[str, Any] | None = None,
) -> Hierarchy:
    """Read a hierarchy file and refuse what is no tree, or what misses values of a column.

    Parameters
    ----------
    path : str or Path
        In ARX's layout.
    delimiter : str, optional
        Of the hierarchy file.
    against : str or Path, optional
        A table whose *column* must be covered.
    column : str, optional
    reading : mapping, optional
        How *against* is read.

    Raises
    ------
    HierarchyError
        If it is no tree or misses a value; the values are on ``err.examples``.
    """
    builder = from_csv(path, delimiter=delimiter)
    if against is None or column is None:
        return builder.load()
    return build_column_hierarchy(against, column, builder, reading=reading)


def hierarchy_facts(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return what a hierarchy is like, without a value of it.

    Returns
    -------
    dict
        ``values`` (the missing one included), ``missing`` (whether there is one), ``levels``, ``groups`` (number
        of nodes at each level), ``ordered`` and ``type``.

    Examples
    --------
    >>> h = Hierarchy.from_paths(["DE", "US", "FR"], [["Europe"], ["America"], ["Europe"]])
    >>> hierarchy_facts(h)["groups"]
    [3, 2, 1]
    """
    return {
        "values": hierarchy.n_values,
        "missing": hierarchy.has_null,
        "levels": hierarchy.n_levels,
        "groups": [int(np.unique(level).size) for level in hierarchy.levels],
        "ordered": hierarchy.ordered,
        "type": hierarchy.type,
    }


def hierarchy_tree(hierarchy: Hierarchy, *, depth: int | None = None) -> dict[str, Any]:
    """Return the nodes as nested dicts ``label``, ``values`` (number of leaves) and ``children``.

    Parameters
    ----------
    hierarchy : Hierarchy
    depth : int, optional
        How far down from the root; all the way where left out.

    Examples
    --------
    >>> h = Hierarchy.from_paths(["DE", "US", "FR"], [["Europe"], ["America"], ["Europe"]])
    >>> hierarchy_tree(h, depth=1)["children"][0]
    {'label': 'Europe', 'values': 2, 'children': []}
    """

    def below(node: int, left: int | None) -> dict[str, Any]:
        inner = [] if left == 0 else [int(child) for child in hierarchy.children(node)]
        return {
            "label": hierarchy.labels[node],
            "values": int(hierarchy.hi[node] - hierarchy.lo[node] + 1),
            "children": [below(child, None if left is None else left - 1) for child in inner],
        }

    return below(hierarchy.root, depth)
