"""The second path: published rows counted again by Polars alone, without codes and without kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.classes import Classes, Histogram
from shoal.core.hierarchy import ANY

__all__ = ["Recount", "recount"]

_CLASS = "__class__"
_COUNT = "__count__"
_UNIT = "__unit__"


@dataclass(frozen=True, eq=False)
class Recount:
    """The classes of a published table.

    Parameters
    ----------
    classes : Classes
        Classes of equal label vectors, without the residue, in no order.
    residue : Classes
        The rows with ``*`` in every quasi-identifier, one class or none.
    """

    classes: Classes
    residue: Classes

    @property
    def residue_rows(self) -> int:
        """Number of rows with ``*`` in every quasi-identifier."""
        return int(self.residue.rows.sum())


def recount(
    published: pl.LazyFrame,
    quasi_identifiers: Sequence[str],
    sensitive: Mapping[str, Mapping[str | None, int]],
    *,
    unit: NDArray[np.uint32] | None = None,
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
    """
    quasi = [f"q{j}" for j in range(len(quasi_identifiers))]
    values = [f"s{j}" for j in range(len(sensitive))]
    columns = [pl.col(name).alias(q) for q, name in zip(quasi, quasi_identifiers, strict=True)]
    columns += [pl.col(name).alias(v) for v, name in zip(values, sensitive, strict=True)]
    frame = published.select(columns)
    keys = [*quasi, *values]
    if unit is not None:
        frame = pl.concat([frame, pl.LazyFrame({_UNIT: unit})], how="horizontal")
        keys.append(_UNIT)
    items = frame.group_by(keys).agg(pl.len().alias(_COUNT)).collect(engine="streaming")

    people = pl.col(_UNIT).n_unique() if unit is not None else pl.col(_COUNT).sum()
    classes = items.with_columns(pl.col(_COUNT).alias("size"), pl.col(_COUNT).alias("rows"))
    if len(keys) > len(quasi):
        classes = items.group_by(quasi).agg(people.alias("size"), pl.col(_COUNT).sum().alias("rows"))
    residue = pl.all_horizontal(pl.col(q).eq_missing(pl.lit(ANY)) for q in quasi)
    classes = classes.with_columns(residue.alias("residue"))
    kept = classes.filter(~pl.col("residue")).with_row_index(_CLASS)
    rest = classes.filter("residue").with_row_index(_CLASS)
    return Recount(
        _classes(kept, items, quasi, dict(zip(values, sensitive.items(), strict=True))),
        _classes(rest, items, quasi, dict(zip(values, sensitive.items(), strict=True))),
    )


def _classes(
    classes: pl.DataFrame,
    items: pl.DataFrame,
    quasi: list[str],
    sensitive: Mapping[str, tuple[str, Mapping[str | None, int]]],
) -> Classes:
    histograms = {}
    amount = pl.col(_UNIT).n_unique() if _UNIT in items.columns else pl.col(_COUNT).sum()
    for value, (name, code_of) in sensitive.items():
        codes = pl.DataFrame(
            {value: list(code_of), "code": list(code_of.values())}, schema={value: pl.String, "code": pl.Int32}
        )
        entries = (
            items.join(classes.select(*quasi, _CLASS), on=quasi, nulls_equal=True)
            .group_by(_CLASS, value)
            .agg(amount.alias("amount"))
            .join(codes, on=value, nulls_equal=True, how="left")
            .sort(_CLASS, "code")
        )
        per_class = np.bincount(entries[_CLASS].to_numpy(), minlength=classes.height)
        histograms[name] = Histogram(
            offsets=np.concatenate([[0], np.cumsum(per_class)]).astype(np.int64),
            values=entries["code"].to_numpy().astype(np.int32),
            counts=entries["amount"].to_numpy().astype(np.int64),
            null=code_of.get(None),
        )
    return Classes(
        classes["size"].to_numpy().astype(np.int64), classes["rows"].to_numpy().astype(np.int64), histograms
    )
