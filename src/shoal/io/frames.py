"""Any data frame in, the same kind out."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Sequence
from typing import Any

import polars as pl

from shoal.errors import EngineError, InputError, SchemaError
from shoal.io.source import Source, check_names, checked_missing, missing_note, reading
from shoal.io.spool import Spool
from shoal.io.typed import typed_frame

__all__ = ["from_frame", "restore"]

# What an object column of pandas may hold, one kind per column. bool stands before int, and datetime before
# date, since each is a subclass of the other in Python.
_OBJECTS: tuple[tuple[tuple[type, ...], pl.DataType], ...] = (
    ((str,), pl.String()),
    ((bool,), pl.Boolean()),
    ((int,), pl.Int64()),
    ((int, float), pl.Float64()),
    ((decimal.Decimal,), pl.Decimal()),
    ((dt.datetime,), pl.Datetime("us")),
    ((dt.date,), pl.Date()),
    ((dt.time,), pl.Time()),
)


def from_frame(native: Any, *, missing: Sequence[str] = ("",)) -> Source:
    """Open a data frame.

    Parameters
    ----------
    native : pandas, Polars (eager or lazy), PyArrow or any frame that narwhals or Arrow's C stream knows
        Its index, if any, is not part of the table. Rows keep their positions. A lazy frame is computed once,
        into a private temporary file, since it need not give its rows in the same order twice.
    missing : sequence of str, default ``("",)``
        Texts of text columns that mean missing, beside nulls.

    Returns
    -------
    Source

    Raises
    ------
    SchemaError
        If column names are no texts, blank or double, or a column is nested or mixes kinds of values.
    InputError
        If it is no data frame.
    EngineError
        If it is of pandas and pyarrow is not installed.

    Examples
    --------
    >>> source = from_frame(pl.DataFrame({"zip": ["02139", ""], "age": [34, 7]}))
    >>> source.scan().collect().rows()
    [('02139', 34), (None, 7)]
    """
    texts = checked_missing(missing)
    spool = Spool()
    where = f"the {type(native).__module__.partition('.')[0]} frame"
    if isinstance(native, pl.LazyFrame):
        with reading(where):
            schema = native.collect_schema()
        names = check_names(list(schema), where=where)
        path = spool.file("frame.parquet")
        with reading(where):
            native.sink_parquet(path, compression="lz4", statistics=False)
        frame, rows = pl.scan_parquet(path, glob=False), None
    else:
        eager = _polars(native, where=where)
        names = check_names(eager.columns, where=where)
        frame, rows = eager.lazy(), eager.height
    return Source(
        kind="frame",
        name=where,
        columns=names,
        missing=texts,
        dialect=None,
        decimal_columns=(),
        notes=(missing_note(texts),),
        _frame=typed_frame(frame, frame.collect_schema(), missing=texts, where=where),
        _rows=rows,
        _spool=spool,
    )


def _polars(native: Any, *, where: str) -> pl.DataFrame:
    if isinstance(native, pl.DataFrame):
        return native
    # Files and Polars frames do without it.
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(native):
        return _from_pandas(native, where=where)
    if nw.dependencies.is_pyarrow_table(native):
        check_names(native.column_names, where=where)
    known = nw.dependencies.is_into_dataframe(native)
    if not known and not hasattr(native, "__arrow_c_stream__"):
        raise InputError(
            f"a {type(native).__name__} is no data frame",
            fix="give a pandas, Polars or PyArrow frame, or another that has Arrow's C stream",
        )
    try:
        if hasattr(native, "__arrow_c_stream__"):
            return pl.DataFrame(native)
        frame: pl.DataFrame = nw.from_native(native, eager_only=True).to_polars()
    except Exception as error:  # noqa: BLE001 - whatever the library says may hold cells
        kind = type(error).__name__
    else:
        return frame
    raise SchemaError(
        f"the frame cannot be read ({kind})", where=where, fix="check its column names and types, or pass pandas"
    )


def _from_pandas(native: Any, *, where: str) -> pl.DataFrame:
    try:
        import pyarrow  # noqa: F401, ICN001 - Polars reads the columns of pandas through it
    except ImportError:
        raise EngineError(
            "pandas frames are read through pyarrow, which is missing", fix='pip install "shoal[pandas]"'
        ) from None
    names = check_names(list(native.columns), where=where)
    columns = [_pandas_column(native.iloc[:, i], name, where=where) for i, name in enumerate(names)]
    return pl.DataFrame(columns)


def _pandas_column(series: Any, name: str, *, where: str) -> pl.Series:
    kind = str(series.dtype)
    if kind == "category":
        series = series.astype(object)
    if series.dtype == object:
        return _object_column(series, name, where=where)
    # Months and the like would be read as the integers that pandas keeps for them.
    readable = not kind.startswith(("period", "complex"))
    try:
        # A new index, since the old one may hold anything, and be double.
        if readable:
            plain: Any = pl.from_pandas(series.reset_index(drop=True), nan_to_null=True)
            return pl.Series(name, plain)
    except Exception:  # noqa: BLE001, S110 - whatever the library says may hold cells
        pass
    raise SchemaError(
        f"column {name!r} has the type {kind}, which cannot be read",
        where=where,
        fix=f"convert it to text: frame[{name!r}].astype(str)",
    )


def _object_column(series: Any, name: str, *, where: str) -> pl.Series:
    missing = series.isna().to_numpy()
    values = [
        # NumPy's scalars are no Python numbers, but have one.
        None if gone else (value.item() if hasattr(value, "dtype") and hasattr(value, "item") else value)
        for value, gone in zip(series.tolist(), missing, strict=True)
    ]
    kinds = {type(value) for value in values if value is not None}
    found = {_plain_kind(kind) for kind in kinds}
    if not kinds:
        return pl.Series(name, values, pl.String())
    for allowed, dtype in _OBJECTS:
        if found <= set(allowed):
            try:
                if allowed[-1] is float:
                    values = [None if value is None else float(value) for value in values]
                return pl.Series(name, values, dtype if dtype != pl.Decimal else None, strict=True)
            except Exception:  # noqa: BLE001 - whatever the library says may hold cells
                break
    raise SchemaError(
        f"column {name!r} mixes kinds of values: {', '.join(sorted(kind.__name__ for kind in kinds))}"
        if len(kinds) > 1
        else f"column {name!r} holds values that cannot be read",
        where=where,
        fix=f"convert it to text: frame[{name!r}].astype(str)",
    )


def _plain_kind(kind: type) -> type:
    for allowed, _ in _OBJECTS:
        if kind is not bool and issubclass(kind, allowed[-1]) and not issubclass(kind, bool):
            return allowed[-1]
    return kind


def restore(native_like: Any, frame: pl.DataFrame) -> Any:
    """Return a frame of the same kind as *native_like*, with a plain index where it has one.

    Columns that have the name and kind of values of a column of *native_like* also get its type, such as
    pandas' nullable integers; categories come back as text.

    Parameters
    ----------
    native_like : any frame that :func:`from_frame` takes
    frame : polars.DataFrame
        What it should hold.

    Examples
    --------
    >>> restore(pl.LazyFrame(), pl.DataFrame({"a": [1]})).collect().rows()
    [(1,)]
    """
    if isinstance(native_like, pl.DataFrame):
        return frame
    if isinstance(native_like, pl.LazyFrame):
        return frame.lazy()
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(native_like):
        return _to_pandas(native_like, frame)
    if nw.dependencies.is_into_dataframe(native_like) and not nw.dependencies.is_pyarrow_table(native_like):
        backend = nw.from_native(native_like, eager_only=True).implementation
        return nw.from_arrow(frame, backend=backend).to_native()
    try:
        table = frame.to_arrow()
    except ImportError:
        return frame
    import pyarrow as pa

    # Plain strings, as most tables have them, rather than the views that Polars uses inside.
    plain = [pa.field(f.name, _plain_arrow(f.type)) for f in table.schema]
    return table.cast(pa.schema(plain))


def _plain_arrow(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    return kind


def _to_pandas(like: Any, frame: pl.DataFrame) -> Any:
    import pandas as pd

    columns = {}
    for series in frame:
        dtype = like[series.name].dtype if series.name in like.columns else None
        text = series.dtype == pl.String
        plain = text or str(dtype) == "object"
        column = pd.Series(series.to_list(), dtype=object) if plain else _exact(series)
        columns[series.name] = _like(column, dtype, text=text)
    # The index is made anew: that of the input may name people.
    return pd.DataFrame(columns, index=pd.RangeIndex(frame.height))


def _exact(series: pl.Series) -> Any:
    """Return a column of pandas with the same values."""
    import pandas as pd

    if series.dtype.is_integer() and series.null_count():
        # NumPy's integers become floating numbers where one is missing, which hold none beyond 2**53.
        ends: list[Any] = [series.min() or 0, series.max() or 0]
        if max(abs(end) for end in ends) > 2**53:
            # Nullable integers have the same names in both libraries.
            return pd.Series(series.to_list(), dtype=str(series.dtype))
    return series.to_pandas()


def _like(column: Any, dtype: Any, *, text: bool) -> Any:
    kind = str(dtype)
    if kind in ("None", "category", "object") or text != ("string" in kind or kind == "str"):
        return column
    try:
        return column.astype(dtype)
    except (TypeError, ValueError):
        return column
