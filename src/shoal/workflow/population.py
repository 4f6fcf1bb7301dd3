"""The population that a table is a sample of: opened, counted, and found again in published labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.hierarchy import ANY, Hierarchy
from shoal.core.label_reading import parse_label
from shoal.core.population import count_labels
from shoal.core.schema import Column, Schema
from shoal.core.table import FrequencyTable
from shoal.engines.encode import EncodedColumn, encode
from shoal.errors import HierarchyError, SchemaError, nearest_name
from shoal.hierarchies import auto
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import Source, reading
from shoal.io.texts import declared_type, text_expr

if TYPE_CHECKING:
    from shoal.workflow.spec import Spec

__all__ = [
    "count_population",
    "cover_of",
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
    encoded, types = encode_population(source, columns), source.schema()
    hierarchies = {name: _hierarchy(schema[name], encoded[name].texts, types[name]) for name in columns}
    return count_population(encoded, hierarchies)


def _hierarchy(column: Column, texts: Sequence[str | None], dtype: pl.DataType) -> Hierarchy:
    builder, kind = column.hierarchy, column.type or declared_type(dtype)
    if builder is None and texts:
        # As a run makes it: labels of the groups that it chose by itself are to be read too.
        with suppress(HierarchyError):
            return auto().build(texts, column=column.name, type=kind)
    if builder is not None and texts:
        made = builder if isinstance(builder, Hierarchy) else builder.build(texts, column=column.name, type=kind)
        lacking = [text for text in texts if text not in made.codes]
        if lacking:
            raise HierarchyError(
                f"the hierarchy of column {column.name!r} lacks {len(lacking)} value(s) of the population",
                where=f"column {column.name!r}",
                fix="add a line for each; in Python, err.examples has them",
                examples=lacking,
            )
        return made
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
    if not len(classes):
        return replace(classes, population=np.empty(0, np.int64), outside=population.n_rows)
    covers, cells = [], []
    for hierarchy, column in zip(population.hierarchies, labels, strict=True):
        distinct = list(dict.fromkeys(column))
        number = {text: i for i, text in enumerate(distinct)}
        cells.append(np.array([number[text] for text in column], np.int32))
        covers.append(cover_of(hierarchy, distinct))
    counts, outside = count_labels(np.stack(cells, axis=1), covers, population)
    return replace(classes, population=counts, outside=outside)


def cover_of(hierarchy: Hierarchy, labels: Sequence[str | None]) -> NDArray[Any]:
    """Say which values of a population each label covers, as :func:`shoal.core.population.count_labels` takes it.

    Parameters
    ----------
    hierarchy : Hierarchy
        Of the population's column; a label that it does not know covers nobody.
    labels : sequence of str or None
        Different ones.
    """
    cover = np.full(hierarchy.n_values, -1, np.int32)
    for number, text in enumerate(labels):
        covered = _covered(hierarchy, text)
        if (cover[covered] >= 0).any():
            return np.stack([_mask(hierarchy, text) for text in labels])
        cover[covered] = number
    return cover


def _mask(hierarchy: Hierarchy, text: str | None) -> NDArray[np.bool_]:
    mask = np.zeros(hierarchy.n_values, bool)
    mask[_covered(hierarchy, text)] = True
    return mask


def _covered(hierarchy: Hierarchy, text: str | None) -> NDArray[np.int64]:
    """Return the codes that a label covers; most are single values, which need no mask."""
    code = hierarchy.codes.get(text)
    if code is not None and (
        text is None or hierarchy.node_of_label.get(text, -1) in (-1, hierarchy.levels[0, code])
    ):
        return np.array([code])
    try:
        return np.flatnonzero(parse_label(hierarchy, text))
    except HierarchyError:
        return np.empty(0, np.int64)
