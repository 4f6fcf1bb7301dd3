"""Tables whose columns have types of their own: which are read, and what is missing in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from shoal.errors import SchemaError

__all__ = ["typed_frame"]

_UNREADABLE = (pl.List, pl.Array, pl.Struct, pl.Object, pl.Binary, pl.Duration, pl.BaseExtension)


def typed_frame(
    frame: pl.LazyFrame, schema: Mapping[str, pl.DataType], *, missing: Sequence[str], where: str
) -> Callable[[bool], pl.LazyFrame]:
    """Return the rows in plain types: categories as text, and null for what is missing.

    Categories carry their list of levels, in which levels that no published row has would survive.

    Raises
    ------
    SchemaError
        If a column is nested or its type has no text; with the columns' names.
    """
    wrong = [name for name, dtype in schema.items() if isinstance(dtype, _UNREADABLE)]
    if wrong:
        raise SchemaError(
            f"{len(wrong)} column(s) are nested or have no text",
            where=f"{', '.join(wrong)} in {where}",
            fix="spread them over plain columns, or leave them out of the table",
        )
    plain: list[pl.Expr] = []
    nulls: list[pl.Expr] = []
    for name, dtype in schema.items():
        cell = pl.col(name)
        if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null):
            plain.append(cell.cast(pl.String))
        if isinstance(dtype, pl.Categorical | pl.Enum | pl.String) and missing:
            nulls.append(pl.when(~cell.is_in(list(missing))).then(cell))
        if dtype.is_float():
            nulls.append(cell.fill_nan(None))

    def rows(with_nulls: bool) -> pl.LazyFrame:  # noqa: FBT001 - an internal switch
        texts = frame.with_columns(plain)
        return texts.with_columns(nulls) if with_nulls else texts

    return rows
