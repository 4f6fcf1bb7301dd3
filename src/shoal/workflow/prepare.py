"""From rows to the frequency table: roles checked, texts encoded, hierarchies built, records counted."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.context import Context
from shoal.core.hierarchy import ANY, Hierarchy
from shoal.core.schema import Column, Role, Schema
from shoal.core.table import FrequencyTable
from shoal.engines.encode import EncodedColumn, encode
from shoal.errors import HierarchyError, SchemaError, ShoalWarning, nearest_name
from shoal.hierarchies import auto, flat
from shoal.io.source import Source
from shoal.io.texts import declared_type, text_expr
from shoal.workflow.population import count_population, encode_population

__all__ = ["Prepared", "check_schema", "hierarchy_of", "numbers", "prepare", "text_expressions"]

NOTHING = Hierarchy.from_paths([], [], null=True)
"""Of a column of a table without records."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table counted, with what is needed to rewrite its rows.

    Parameters
    ----------
    source : Source
    schema : Schema
    table : FrequencyTable
    item_of_row : int32 [n_rows]
    unit_of_row : uint32 [n_rows] or None
    context : Context
    """

    source: Source
    schema: Schema
    table: FrequencyTable
    item_of_row: NDArray[np.int32]
    unit_of_row: NDArray[Any] | None
    context: Context

    @property
    def n_rows(self) -> int:
        """Number of rows of the input."""
        return int(self.item_of_row.shape[0])

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns of the input that are not published."""
        published = set(self.schema.published)
        return tuple(name for name in self.source.columns if name not in published)


def check_schema(schema: Schema, columns: Sequence[str], *, sensitive: Iterable[str] = ()) -> None:
    """Hold the roles against the columns that are there.

    Raises
    ------
    SchemaError
        If a column is missing, none is a quasi-identifier, or a model reads a column that is not sensitive.
    """
    unknown = [column.name for column in schema.columns if column.name not in columns]
    if unknown:
        raise SchemaError(
            f"{len(unknown)} column(s) of the schema are not in the table",
            where=", ".join(repr(name) for name in unknown),
            fix=nearest_name(unknown[0], columns),
        )
    if not schema.quasi_identifiers:
        raise SchemaError(
            "no column is a quasi-identifier",
            fix="name the columns that somebody outside may know of a person, such as age, sex and postcode",
        )
    for name in sensitive:
        if name not in schema.sensitive:
            raise SchemaError(
                f"a model reads column {name!r}, which is not sensitive in the schema",
                fix=nearest_name(name, schema.sensitive) if schema.sensitive else 'give it role "sensitive"',
            )


def numbers(schema: Schema) -> tuple[str, ...]:
    """Return the columns whose texts are read as numbers, so that a decimal comma in them is a point."""
    return tuple(column.name for column in schema.columns if column.type in ("integer", "decimal"))


def text_expressions(frame: pl.LazyFrame, columns: Iterable[str]) -> dict[str, pl.Expr]:
    """Return how the canonical text of each column is made."""
    types = frame.collect_schema()
    return {name: text_expr(name, types[name]) for name in columns}


def hierarchy_of(column: Column, texts: Sequence[str | None], dtype: pl.DataType) -> Hierarchy:
    """Build the hierarchy of a column from the texts that occur in it."""
    if not texts:
        return NOTHING
    kind = column.type or declared_type(dtype)
    builder = column.hierarchy
    if builder is None:
        builder = auto() if column.role is Role.QUASI_IDENTIFIER else flat()
    hierarchy = builder if isinstance(builder, Hierarchy) else builder.build(texts, column=column.name, type=kind)
    missing = [text for text in texts if text not in hierarchy.codes]
    if missing:
        raise HierarchyError(
            f"the hierarchy of column {column.name!r} lacks {len(missing)} value(s)",
            where=f"column {column.name!r}",
            fix="add a line for each, or list them as missing; in Python, err.examples has them",
            examples=missing,
        )
    return hierarchy


def prepare(
    source: Source,
    schema: Schema,
    *,
    sensitive: Iterable[str] = (),
    flat_quasi_identifiers: bool = False,
    population: Source | None = None,
) -> Prepared:
    """Count a table.

    Parameters
    ----------
    source : Source
    schema : Schema
    sensitive : iterable of str
        Sensitive columns that some model reads; the others need not be counted.
    flat_quasi_identifiers : bool, default False
        Take the texts of quasi-identifiers as they are, labels and ``*`` too, without their hierarchies: for a
        table that is looked at and not recoded.
    population : Source, optional
        People that the table is a sample of; hierarchies are made over the values of both.
    """
    sensitive = tuple(sensitive)
    check_schema(schema, source.columns, sensitive=sensitive)
    frame = source.scan()
    types = frame.collect_schema()
    quasi = [name for name in source.columns if name in set(schema.quasi_identifiers)]
    wanted = [*quasi, *sensitive] + ([schema.unit] if schema.unit else [])
    encoded = encode(frame, wanted, text_expressions(frame, wanted))
    people = encode_population(population, quasi) if population is not None else {}

    def coded(name: str) -> tuple[Hierarchy, NDArray[Any]]:
        column = encoded[name]
        if flat_quasi_identifiers and name in quasi:
            hierarchy = _as_it_is(column.texts)
        else:
            texts = _united(column.texts, people[name].texts) if name in people else column.texts
            hierarchy = hierarchy_of(schema[name], texts, types[name])
        return hierarchy, column.recoded(hierarchy.codes, hierarchy.n_values)

    unit = _people(encoded.pop(schema.unit), schema.unit) if schema.unit else None
    table, item_of_row = FrequencyTable.from_columns(
        {name: coded(name) for name in quasi}, {name: coded(name) for name in sensitive}, unit=unit
    )
    context = table.context()
    if people:
        counted = count_population(people, dict(zip(table.names, table.hierarchies, strict=True)))
        context = replace(context, population=counted)
    return Prepared(source, schema, table, item_of_row, unit, context)


def _united(texts: Sequence[str | None], more: Sequence[str | None]) -> list[str | None]:
    """Return the texts of both, sorted, the missing value last."""
    both = {*texts, *more}
    return [*sorted(text for text in both if text is not None), *([None] if None in both else [])]


def _as_it_is(texts: Sequence[str | None]) -> Hierarchy:
    if not texts:
        return NOTHING
    present = [text for text in texts if text is not None]
    return Hierarchy.from_paths(present, [[ANY]] * len(present), null=len(present) < len(texts), published=True)


def _people(column: EncodedColumn, name: str) -> NDArray[Any]:
    if None in column.texts:
        missing = int((column.codes == len(column.texts) - 1).sum())
        warnings.warn(
            f"column {name!r}, the person, is missing in {missing} row(s); together they count as one person",
            ShoalWarning,
            stacklevel=2,
        )
    return column.codes
