"""The COUNT queries that a user asks: conditions on columns, as data or as a file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.label_reading import parse_label
from shoal.errors import HierarchyError, SpecError, nearest_name
from shoal.utility.count_queries import Query

__all__ = ["parse_queries", "read_workload"]


def parse_queries(
    workload: Sequence[Mapping[str, Any]], names: Sequence[str], hierarchies: Sequence[Hierarchy]
) -> list[Query]:
    """Read queries as values of columns.

    Parameters
    ----------
    workload : sequence of mapping
        Each from a column to a value or a list of them. Labels of groups and ranges are values too:
        ``{"age": "[20, 29]", "disease": ["flu", "cold"]}``.
    names : sequence of str
    hierarchies : sequence of Hierarchy

    Returns
    -------
    list of Query

    Raises
    ------
    SpecError
        If a query is no mapping, or names a column or value that is not there.
    """
    queries: list[Query] = []
    for number, wanted in enumerate(workload, 1):
        where = f"query {number}"
        if not isinstance(wanted, Mapping) or not wanted:
            raise SpecError("a query is a table of columns and values", where=where)
        query: dict[int, NDArray[np.int32]] = {}
        for name, given in wanted.items():
            if name not in names:
                raise SpecError(f"no column {name!r} is measured", where=where, fix=nearest_name(name, names))
            hierarchy = hierarchies[list(names).index(name)]
            values = list(given) if isinstance(given, (list, tuple, set, frozenset)) else [given]
            mask = np.zeros(hierarchy.n_values, np.bool_)
            for value in values:
                try:
                    mask |= parse_label(hierarchy, None if value is None else str(value))
                except HierarchyError:
                    raise SpecError(
                        f"a value is neither value, group, range nor set of column {name!r}",
                        where=where,
                        fix="write it as in the original; in Python, err.examples has it",
                        examples=[str(value)],
                    ) from None
            query[list(names).index(name)] = np.flatnonzero(mask).astype(np.int32)
        queries.append(query)
    return queries


def read_workload(path: str | Path) -> list[Mapping[str, Any]]:
    """Read a file of queries: JSON, a list; or TOML, ``[[queries]]`` tables.

    Raises
    ------
    SpecError
        If it cannot be read.
    """
    fix = 'write a list of tables such as [{"age": "[20, 29]", "disease": ["flu"]}]'
    try:
        text = Path(path).read_text("utf-8")
        document = tomllib.loads(text) if Path(path).suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise SpecError(f"the queries cannot be read: {error.strerror}", where=str(path)) from None
    except ValueError:
        raise SpecError("the queries are neither JSON nor TOML", where=str(path), fix=fix) from None
    found = document.get("queries") if isinstance(document, Mapping) else document
    if not isinstance(found, list):
        raise SpecError("the file has no list of queries", where=str(path), fix=fix)
    return found
