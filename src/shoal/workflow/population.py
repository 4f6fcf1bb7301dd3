"""The population that a table is a sample of: opened, counted, and found again in published labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.hierarchy import ANY, Hierarchy
from shoal.core.labels import parse_label
from shoal.core.population import count_labels
from shoal.core.schema import Column, Role, Schema
from shoal.core.table import FrequencyTable
from shoal.engines.encode import EncodedColumn, encode
from shoal.errors import HierarchyError, SchemaError, nearest_name
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import Source, reading
from shoal.io.texts import text_expr

if TYPE_CHECKING:
    from shoal.workflow.spec import Spec

__all__ = [
    "count_population",
    "encode_population",
    "in_population",
    "population_by_itself",
    "population_file",
    "population_frame",
]


@contextmanager
def population_frame(frame: Any) -> Iterator[Source | None]:
    """Open the population where it is a data frame; None where none is given."""
    if frame is None:
        yield None
        return
    with from_frame(frame) as source:
        yield source


@contextmanager
def population_file(spec: Spec, decimal_columns: Sequence[str]) -> Iterator[Source | None]:
    """Open the file of a spec's ``[population]``; None where there is none."""
    given = spec.population
    if given is None:
        yield None
        return
    how = {**{key: spec.input[key] for key in spec.input.keys()}, **given.reading()}  # noqa: SIM118
    with open_source(spec.folder / given.file, **how, decimal_columns=decimal_columns) as source, reading(source):
        yield source


def encode_population(source: Source, columns: Sequence[str]) -> dict[str, EncodedColumn]:
    """Read the quasi-identifiers of the population.

    Raises
    ------
    SchemaError
        If it lacks one of them.
    """
    lacking = [name for name in columns if name not in source.columns]
    if lacking:
        raise SchemaError(
            f"the population lacks {len(lacking)} quasi-identifier(s)",
            where=", ".join(repr(name) for name in lacking),
            fix=nearest_name(lacking[0], source.columns),
        )
    frame = source.scan()
    types = frame.collect_schema()
    return encode(frame, columns, {name: text_expr(name, types[name]) for name in columns})


def count_population(encoded: Mapping[str, EncodedColumn], hierarchies: Mapping[str, Hierarchy]) -> FrequencyTable:
    """Count the population, one row per person, in the codes of some hierarchies."""
    table, _ = FrequencyTable.from_columns(
        {
            name: (hierarchies[name], column.recoded(hierarchies[name].codes, hierarchies[name].n_values))
            for name, column in encoded.items()
        }
    )
    return table


def population_by_itself(source: Source, schema: Schema, columns: Sequence[str]) -> FrequencyTable:
    """Count the population in hierarchies over its own values, for a table that is looked at and not recoded."""
    encoded = encode_population(source, columns)
    hierarchies = {name: _hierarchy(schema[name], encoded[name].texts) for name in columns}
    return count_population(encoded, hierarchies)


def _hierarchy(column: Column, texts: Sequence[str | None]) -> Hierarchy:
    if column.role is Role.QUASI_IDENTIFIER and column.hierarchy is not None:
        builder = column.hierarchy
        if isinstance(builder, Hierarchy):
            return builder
        return builder.build(texts, column=column.name, type=column.type)
    present = [text for text in texts if text is not None]
    return Hierarchy.from_paths(present, [[ANY]] * len(present), null=len(present) < len(texts), published=True)


def in_population(classes: Classes, labels: Sequence[Sequence[str | None]], population: FrequencyTable) -> Classes:
    """Count the population in classes that are given by what they publish.

    Parameters
    ----------
    classes : Classes
    labels : sequence of sequence of str or None [n_qi, n_classes]
        The label of each class in each column; None is missing.
    population : FrequencyTable
        Columns in the same order; a label that its hierarchy does not know covers nobody.

    Returns
    -------
    Classes
        The same with their population.
    """
    masks, cells = [], []
    for hierarchy, column in zip(population.hierarchies, labels, strict=True):
        distinct = list(dict.fromkeys(column))
        number = {text: i for i, text in enumerate(distinct)}
        cells.append(np.array([number[text] for text in column], np.int32))
        masks.append(np.stack([_covered(hierarchy, text) for text in distinct] or [np.empty(0, bool)]))
    if not len(classes):
        return replace(classes, population=np.empty(0, np.int64), outside=population.n_rows)
    counts, outside = count_labels(np.stack(cells, axis=1), masks, population)
    return replace(classes, population=counts, outside=outside)


def _covered(hierarchy: Hierarchy, text: str | None) -> NDArray[np.bool_]:
    try:
        return parse_label(hierarchy, text)
    except HierarchyError:
        return np.zeros(hierarchy.n_values, bool)
