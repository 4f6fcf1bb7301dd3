"""The text of a typed column, and the type that a column declares by itself."""

from __future__ import annotations

import polars as pl

__all__ = ["cells_of", "decimal_texts", "declared_type", "text_expr"]


def text_expr(column: str, dtype: pl.DataType | type[pl.DataType]) -> pl.Expr:
    """Return the canonical text of a column, for code space and for writing text.

    ========================  =================================================================
    type                      text
    ========================  =================================================================
    String, Categorical, Enum  as it is
    integers, Decimal          plain digits; a decimal keeps its scale, ``1.50``
    Float32, Float64           the shortest digits that read back the same, ``0.1``; a whole
                               number below 2^53 without ``.0``, ``2``
    Boolean                    ``true``, ``false``
    Date                       ``2024-03-01``
    Datetime                   ``2024-03-01T12:30:00``, with a fraction or an offset only where
                               there is one; Time likewise
    ========================  =================================================================

    Whole floating numbers lose ``.0`` because data frames turn integers into floating numbers as soon as one
    cell is missing: an age of 34 must be the same leaf, and meet the same hierarchy, either way. Numbers that
    are not numbers are null.

    Examples
    --------
    >>> frame = pl.DataFrame({"age": [34.0, 0.1, None]})
    >>> frame.select(text_expr("age", pl.Float64()))["age"].to_list()
    ['34', '0.1', None]
    """
    cell = pl.col(column)
    if dtype == pl.String:
        return cell
    if dtype.is_float():
        cell = cell.fill_nan(None)
        whole = (cell == cell.round(0)) & (cell.abs() < 2.0**53)
        # A negative zero is zero: one number must not be two leaves.
        return (
            pl.when(whole)
            .then(cell.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(cell.cast(pl.String))
            .alias(column)
        )
    if isinstance(dtype, pl.Datetime) or dtype == pl.Time:
        # A cast would leave out the fraction of a time. It is printed in full and then cut where it is zero; so is
        # an offset of a zone kept.
        return (
            cell.dt.to_string("iso:strict")
            .str.replace(r"(\.\d*?)0+([+-]|Z|$)", "$1$2")
            .str.replace(r"\.([+-]|Z|$)", "$1")
        )
    return cell.cast(pl.String)


def cells_of(texts: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """Return the cells of a type that have these texts, as :func:`text_expr` writes them.

    Returns
    -------
    Series or None
        None where a text is none of this type.

    Examples
    --------
    >>> cells_of(pl.Series(["true", None]), pl.Boolean()).to_list(), cells_of(pl.Series(["1.5"]), pl.Int64())
    ([True, None], None)
    """
    # Polars reads numbers from text by a cast, but neither truth values nor dates.
    if dtype == pl.Boolean:
        cells = texts.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean())
    elif dtype == pl.Date:
        cells = texts.str.to_date("%Y-%m-%d", strict=False)
    elif dtype == pl.Time:
        cells = texts.str.to_time("%H:%M:%S%.f", strict=False)
    elif isinstance(dtype, pl.Datetime):
        form = "%Y-%m-%dT%H:%M:%S%.f" + ("%z" if dtype.time_zone else "")
        cells = texts.str.to_datetime(form, time_unit=dtype.time_unit, strict=False)
        cells = cells.dt.convert_time_zone(dtype.time_zone) if dtype.time_zone else cells
    else:
        cells = texts.cast(dtype, strict=False)
    back = cells.to_frame("cell").select(text_expr("cell", dtype)).to_series()
    return cells if back.eq_missing(texts).all() else None


def declared_type(dtype: pl.DataType | type[pl.DataType]) -> str | None:
    """Return how a column is read, as far as its type says it: None for text, which may be anything.

    Examples
    --------
    >>> declared_type(pl.Int8()), declared_type(pl.Float64()), declared_type(pl.Boolean())
    ('integer', 'decimal', 'text')
    >>> declared_type(pl.Date()), declared_type(pl.String())
    ('date', None)
    """
    if dtype.is_integer():
        return "integer"
    if dtype.is_float() or dtype.is_decimal():
        return "decimal"
    if dtype == pl.Date:
        return "date"
    if dtype == pl.String or isinstance(dtype, pl.Categorical | pl.Enum):
        return None
    return "text"


def decimal_texts(column: str) -> pl.Expr:
    """Return the texts of a column with decimal commas as points; what is no such number stays.

    Examples
    --------
    >>> frame = pl.DataFrame({"pay": ["1234,50", "-,5", "7", "1.234,50", "a,5", None]})
    >>> frame.select(decimal_texts("pay"))["pay"].to_list()
    ['1234.50', '-.5', '7', '1.234,50', 'a,5', None]
    """
    return pl.col(column).str.replace(r"^(\s*[+-]?\d*),(\d+\s*)$", "$1.$2")
