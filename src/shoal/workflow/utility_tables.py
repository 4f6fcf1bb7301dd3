"""An original and what was published of it, read over one numbering of the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.published import LeafSets, Side
from shoal.core.schema import Column, Schema
from shoal.engines.encode import EncodedColumn, encode
from shoal.errors import HierarchyError, SchemaError, nearest_name
from shoal.io.source import Source
from shoal.io.texts import declared_type
from shoal.utility.released import ReleasedRows
from shoal.workflow.attack_domain import covered, domain_of
from shoal.workflow.beside import ReleaseFacts, checked_groups
from shoal.workflow.prepare import hierarchy_of, text_expressions

__all__ = ["Compared", "compare", "values_of"]


@dataclass(frozen=True, eq=False)
class Compared:
    """Two tables over the same columns, quasi-identifiers first.

    Parameters
    ----------
    original, published : ReleasedRows
    n_quasi : int
        Number of quasi-identifiers; sensitive columns follow.
    notes : tuple of str
    """

    original: ReleasedRows
    published: ReleasedRows
    n_quasi: int
    notes: tuple[str, ...]


def compare(original: Source, published: Source, schema: Schema, facts: ReleaseFacts) -> Compared:
    """Read both tables.

    Columns are the quasi-identifiers and the sensitive columns of the schema that are in both. The values of a
    column are those of the original, with the hierarchy of the schema; where labels cannot be read over them, the
    values that stand in the labels are values too.

    Raises
    ------
    SchemaError
        If the published table lacks a quasi-identifier, a group or the column of the buckets.
    HierarchyError
        If labels cannot be read.
    """
    quasi = _columns(schema.quasi_identifiers, original, published)
    if not quasi:
        raise SchemaError(
            "no quasi-identifier is in both tables",
            fix=nearest_name(next(iter(schema.quasi_identifiers), ""), published.columns),
        )
    sensitive = [name for name in schema.sensitive if name in original.columns and name in published.columns]
    names = [*quasi, *sensitive]
    before = _encoded(original, names)
    bucketed = bool(facts.groups)
    if bucketed and facts.bucket not in published.columns:
        raise SchemaError(
            f"no column {facts.bucket!r}, which numbers the buckets",
            where=published.name,
            fix=nearest_name(facts.bucket, published.columns),
        )
    after = _encoded(published, [*names, *([facts.bucket] if bucketed else [])])
    types = original.scan().collect_schema()
    notes: list[str] = []
    hierarchies, sides, codes = [], [], []
    for name in names:
        texts = before[name].texts
        hierarchy, side, unknown = _read(schema[name], texts, types[name], after[name].texts)
        if unknown:
            notes.append(f"{name}: {unknown} published label(s) are no value of the original")
        hierarchies.append(hierarchy)
        sides.append(side)
        codes.append(before[name].recoded(hierarchy.codes, hierarchy.n_values))
    groups: tuple[tuple[int, ...], ...] = ()
    if bucketed:
        found = checked_groups(facts.groups, names, where=published.name)
        groups = tuple(tuple(names.index(name) for name in group) for group in found)
    released = ReleasedRows(
        tuple(names),
        tuple(hierarchies),
        tuple(sides),
        np.stack([after[name].codes for name in names], axis=1).astype(np.int32),
        bucket=after[facts.bucket].codes.astype(np.int64) if bucketed else None,
        groups=groups,
        sampling_rate=facts.sampling_rate,
    )
    stacked = np.stack(codes, axis=1).astype(np.int32)
    return Compared(ReleasedRows.of_values(names, hierarchies, stacked), released, len(quasi), tuple(notes))


def values_of(source: Source, like: ReleasedRows) -> tuple[NDArray[np.int32], int]:
    """Return the rows of another table of single values, without those of values that are not known.

    Returns
    -------
    codes : int32 [n_rows, n_columns]
    left_out : int
        Rows with a value that is in neither the original nor its hierarchies.

    Raises
    ------
    SchemaError
        If a column is missing.
    """
    missing = [name for name in like.names if name not in source.columns]
    if missing:
        raise SchemaError(
            f"{len(missing)} column(s) are not in {source.name}",
            where=", ".join(missing),
            fix=nearest_name(missing[0], source.columns),
        )
    encoded = _encoded(source, like.names)
    columns = []
    for name, hierarchy in zip(like.names, like.hierarchies, strict=True):
        code = np.array([hierarchy.codes.get(text, -1) for text in encoded[name].texts] or [-1], np.int32)
        columns.append(code[encoded[name].codes])
    codes = np.stack(columns, axis=1)
    known = (codes >= 0).all(axis=1)
    return codes[known], int((~known).sum())


def _columns(wanted: Sequence[str], original: Source, published: Source) -> list[str]:
    """Return the wanted columns of the original, all of which must have been published."""
    there = [name for name in wanted if name in original.columns]
    missing = [name for name in there if name not in published.columns]
    if missing:
        raise SchemaError(
            f"{len(missing)} quasi-identifier(s) are not in the published table",
            where=", ".join(missing),
            fix=nearest_name(missing[0], published.columns),
        )
    return there


def _encoded(source: Source, names: Sequence[str]) -> dict[str, EncodedColumn]:
    frame = source.scan()
    return encode(frame, names, text_expressions(frame, names))


def _read(
    column: Column, texts: Sequence[str | None], dtype: pl.DataType, labels: Sequence[str | None]
) -> tuple[Hierarchy, LeafSets, int]:
    sides = [Side(label) for label in labels]
    try:
        hierarchy = hierarchy_of(column, texts, dtype)
        return hierarchy, covered(hierarchy, sides, column=column.name), 0
    except HierarchyError:
        # Labels of other tools, and values that only noise has put there.
        if column.hierarchy is not None:
            column = replace(column, type=column.type or declared_type(dtype))
        hierarchy, unknown = domain_of(column, texts, sides)
        return hierarchy, covered(hierarchy, sides, column=column.name), unknown
