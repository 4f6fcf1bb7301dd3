"""The second path: published rows counted again by Polars alone, without codes and without kernels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.classes import Classes, Histogram
from shoal.core.hierarchy import ANY
from shoal.core.table import FrequencyTable

__all__ = ["Recount", "fingerprints", "recount"]

_CLASS = "__class__"
_COUNT = "__count__"
_UNIT = "__unit__"
_PRINT = "__print__"


Counter = Callable[[Classes, Sequence[Sequence[str | None]], FrequencyTable], Classes]
"""``(classes, their labels, population) -> classes with their population``."""


@dataclass(frozen=True, eq=False)
class Recount:
    """The classes of a published table, in no order.

    Parameters
    ----------
    everything : Classes
        All classes of equal label vectors.
    is_residue : bool [n_classes]
        Which one has ``*`` in every quasi-identifier; it may hold suppressed rows.
    prints : uint64 [n_classes]
        A hash of the labels of each class.
    unknown : int64 [n_classes]
        Rows, or people, whose sensitive cell is no value of the input.
    labels : tuple of tuple of str or None [n_qi, n_classes]
        What each class publishes, column by column; where a model reads it.
    """

    everything: Classes
    is_residue: NDArray[np.bool_]
    prints: NDArray[np.uint64]
    unknown: NDArray[np.int64]
    labels: tuple[tuple[str | None, ...], ...] = ()

    @cached_property
    def classes(self) -> Classes:
        """The classes without the residue."""
        return self.everything.only(~self.is_residue) if self.is_residue.any() else self.everything

    @cached_property
    def residue(self) -> Classes:
        """The rows with ``*`` in every quasi-identifier, one class or none."""
        return self.everything.only(self.is_residue)

    @property
    def residue_rows(self) -> int:
        """Number of rows with ``*`` in every quasi-identifier."""
        return int(self.everything.rows[self.is_residue].sum())

    def in_population(self, population: FrequencyTable, count: Counter) -> Recount:
        """Return the same with the population of each class, counted from the labels by *count*."""
        return replace(self, everything=count(self.everything, self.labels, population))


def _print_of(columns: Sequence[str]) -> pl.Expr:
    return pl.struct(columns).hash(0)


def fingerprints(labels: pl.DataFrame) -> NDArray[np.uint64]:
    """Return the hash by which :func:`recount` knows a class, of each row of label columns ``q0``, ``q1``, ..."""
    return labels.select(_print_of(labels.columns)).to_series().to_numpy()


def recount(
    published: pl.LazyFrame,
    quasi_identifiers: Sequence[str],
    sensitive: Mapping[str, Mapping[str | None, int]],
    *,
    unit: NDArray[np.uint32] | None = None,
    reads: Collection[str] = (),
) -> Recount:
    """Count the equivalence classes of published rows.

    Parameters
    ----------
    published : LazyFrame
        The output itself: the staged file or frame, as text.
    quasi_identifiers : sequence of str
    sensitive : mapping of str to mapping
        Sensitive columns that a model reads, each with the code of every text.
    unit : uint32 [n_rows], optional
        Person of each row in the output's order; people are then counted.
    reads : collection of str
        What models read of classes beside sizes and histograms.
    """
    quasi = [f"q{j}" for j in range(len(quasi_identifiers))]
    values = [f"s{j}" for j in range(len(sensitive))]
    labels = [pl.col(name).alias(q) for q, name in zip(quasi, quasi_identifiers, strict=True)]
    cells = [pl.col(name).alias(v) for v, name in zip(values, sensitive, strict=True)]
    # A class is known by the hash of its labels: one number to group by instead of a text per column. Two classes
    # with one hash would be counted as one, which the comparison with the decision refuses.
    frame = published.select(labels + cells).with_columns(_print_of(quasi).alias(_PRINT))
    keys = [_PRINT, *values]
    if unit is not None:
        frame = pl.concat([frame, pl.LazyFrame({_UNIT: unit})], how="horizontal")
        keys.append(_UNIT)
    told = [pl.first(*quasi)] if reads else []
    items = frame.group_by(keys).agg(pl.len().alias(_COUNT), *told).collect(engine="streaming").sort(_PRINT)
    items = items.with_columns(pl.col(_PRINT).rle_id().alias(_CLASS))
    people = pl.col(_UNIT).n_unique() if unit is not None else pl.col(_COUNT).sum()
    classes = items.group_by(_CLASS, maintain_order=True).agg(
        pl.first(_PRINT), people.alias("size"), pl.col(_COUNT).sum().alias("rows"), *told
    )
    counted, unknown = _classes(classes, items, dict(zip(values, sensitive.items(), strict=True)))
    prints = classes[_PRINT].to_numpy()
    starred = fingerprints(pl.DataFrame({q: [ANY] for q in quasi}))[0]
    found = Recount(counted, prints == starred, prints, unknown)
    if not reads:
        return found
    return replace(
        found,
        everything=replace(counted, cells=_cells(classes, quasi), members=_members(items)),
        labels=tuple(tuple(classes[q].to_list()) for q in quasi),
    )


def _cells(classes: pl.DataFrame, quasi: list[str]) -> NDArray[np.int32]:
    """Number the labels of each column."""
    columns = [classes[q].rank("dense").fill_null(0).to_numpy().astype(np.int32) for q in quasi]
    return np.stack(columns, axis=1)


def _members(items: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return class and person of each distinct pair, where people are counted."""
    if _UNIT not in items.columns:
        return None
    pairs = items.select(_CLASS, _UNIT).unique()
    return pairs[_CLASS].to_numpy().astype(np.int64), pairs[_UNIT].to_numpy().astype(np.int64)


def _classes(
    classes: pl.DataFrame,
    items: pl.DataFrame,
    sensitive: Mapping[str, tuple[str, Mapping[str | None, int]]],
) -> tuple[Classes, NDArray[np.int64]]:
    histograms = {}
    unknown = np.zeros(classes.height, np.int64)
    amount = pl.col(_UNIT).n_unique() if _UNIT in items.columns else pl.col(_COUNT).sum()
    for value, (name, code_of) in sensitive.items():
        codes = pl.DataFrame(
            {value: list(code_of), "code": list(code_of.values())}, schema={value: pl.String, "code": pl.Int32}
        )
        entries = items.select(_CLASS, value, pl.col(_COUNT).alias("amount"))
        if len(sensitive) > 1 or _UNIT in items.columns:
            entries = items.group_by(_CLASS, value).agg(amount.alias("amount"))
        entries = entries.join(codes, on=value, nulls_equal=True, how="left").sort(_CLASS, "code")
        strange = entries.filter(pl.col("code").is_null())
        np.add.at(unknown, strange[_CLASS].to_numpy(), strange["amount"].to_numpy().astype(np.int64))
        entries = entries.filter(pl.col("code").is_not_null())
        per_class = np.bincount(entries[_CLASS].to_numpy(), minlength=classes.height)
        histograms[name] = Histogram(
            offsets=np.concatenate([[0], np.cumsum(per_class)]).astype(np.int64),
            values=entries["code"].to_numpy().astype(np.int32),
            counts=entries["amount"].to_numpy().astype(np.int64),
            null=code_of.get(None),
        )
    size, rows = (classes[name].to_numpy().astype(np.int64) for name in ("size", "rows"))
    return Classes(size, rows, histograms), unknown
