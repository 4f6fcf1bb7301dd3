"""Facts about the columns of a table, counted while it streams by.

Up to four passes over the table: an evenly spread sample for what needs the texts themselves; the texts of columns
that have few, each looked at once for all its rows; of the other columns every fact that needs all rows (missing
cells, how many read as a whole number, a date, ...); and their distinct values, unless the sample is the whole
table. Memory grows with the number of columns and the size of the sample, not with the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from shoal.io.facts import MARKERS, ColumnFacts, TableFacts
from shoal.io.texts import text_expr

__all__ = ["PATTERNS", "SAMPLE_ROWS", "profile"]

SAMPLE_ROWS = 10_000
"""Rows in the sample."""

HASHED_ROWS = 100_000
"""Rows up to which all values are counted; of a longer table, every (rows / this)th value by its hash."""

FEW_DISTINCT = 0.05
"""Distinct values per sampled row up to which a longer table's values are all counted as well."""

UNREADABLE = (pl.Binary, pl.Object, pl.Duration)
"""Besides lists and structs: types whose cells are no texts."""

COLUMNS_AT_ONCE = 200
"""Columns per pass: a query with a hundred thousand expressions takes longer to plan than to run."""

PATTERNS: Mapping[str, str] = {
    # At most 15 digits: float64 tells all of those apart.
    "integer": r"^-?(0|[1-9][0-9]{0,14})$",
    "digits": r"^[0-9]+$",
    "leading_zero": r"^0[0-9]+$",
    "decimal": r"^[+-]?((0|[1-9][0-9]{0,20})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?$",
    "decimal_comma": r"^[+-]?[0-9]*,[0-9]+$",
    "date": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "timestamp": (
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60)([.,][0-9]+)?)?"
        r"(Z|[+-][0-9]{2}:?[0-9]{2})?$"
    ),
    "other_date": r"^([0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})|[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2})$",
}


def profile(frame: pl.LazyFrame, *, missing: Sequence[str] = ("",), sample_rows: int = SAMPLE_ROWS) -> TableFacts:
    """Count the facts of every column, streaming.

    Parameters
    ----------
    frame : polars.LazyFrame
        The table; columns of other types are read as the texts that they would be written as.
    missing : sequence of str, default ``("",)``
        Texts that mean missing.
    sample_rows : int, default SAMPLE_ROWS
        Size of the sample, in rows.

    Returns
    -------
    TableFacts
        One :class:`ColumnFacts` per column, in order.

    Examples
    --------
    >>> facts = profile(pl.LazyFrame({"age": ["34", "", "51"], "plz": ["01067", "01069", "04103"]}))
    >>> [(column.n_missing, column.counts["integer"]) for column in facts.columns]
    [(1, 2), (0, 0)]
    """
    schema = frame.collect_schema()
    names = schema.names()
    # Position, not name, keys the results: a column may be called anything, also like one of ours.
    texts = {
        f"c{i}": _text(name, dtype, missing).alias(f"c{i}")
        for i, (name, dtype) in enumerate(schema.items())
        if not (dtype.is_nested() or dtype in UNREADABLE)
    }
    n_rows = int(frame.select(pl.len()).collect(engine="streaming").item())
    step = max(1, -(-n_rows // sample_rows))
    sample = _sample(frame, list(texts.values()), step, row=_unused(names))
    counted: dict[str, object] = {}
    keys = list(texts)
    for start in range(0, len(keys), COLUMNS_AT_ONCE):
        group = keys[start : start + COLUMNS_AT_ONCE]
        few = [key for key in group if sample.height < n_rows and _has_few(sample.get_column(key))]
        if few:
            counted |= _of_texts(frame.select(texts[key] for key in few), sample)
        group = [key for key in group if key not in few]
        if not group:
            continue
        wanted = [_plain(*fact) for key in group for fact in _counted(sample.get_column(key))]
        read = frame.select(texts[key] for key in group)
        counted |= read.select(wanted).collect(engine="streaming").row(0, named=True)
        distinct = _distinct(read, sample.select(group), n_rows)
        counted |= {f"{key} distinct": n for key, n in distinct.items()}
    columns = tuple(
        _facts(name, sample.get_column(f"c{i}"), counted, n_rows)
        if f"c{i}" in texts
        else ColumnFacts(name=name, readable=False, n_rows=n_rows)
        for i, name in enumerate(names)
    )
    return TableFacts(n_rows=n_rows, columns=columns, sample=sample)


def _literally(name: str) -> str:
    # Polars reads a name from ^ to $ as a regular expression.
    return f"^{_escaped(name)}$" if name.startswith("^") and name.endswith("$") else name


def _escaped(name: str) -> str:
    return "".join(f"\\x{{{ord(letter):x}}}" for letter in name)


def _unused(names: Sequence[str]) -> str:
    name = "row"
    while name in names:
        name += "_"
    return name


def _sample(frame: pl.LazyFrame, texts: list[pl.Expr], step: int, *, row: str) -> pl.DataFrame:
    if not texts:
        return pl.DataFrame()
    spread = frame if step == 1 else frame.with_row_index(row).filter(pl.col(row) % step == 0)
    return spread.select(texts).collect(engine="streaming")


def _text(name: str, dtype: pl.DataType, missing: Sequence[str]) -> pl.Expr:
    text = text_expr(_literally(name), dtype)
    # An equality per text is faster than is_in, and null where the cell is.
    for marker in missing:
        text = pl.when(text != marker).then(text)
    return text


def _counted(sample: pl.Series) -> Iterator[tuple[str, pl.Expr, str]]:
    """Yield (label, what is asked of a text, how it is summed up) for each fact that needs all rows."""
    key = sample.name
    text = pl.col(key)
    length = text.str.len_chars()
    yield f"{key} present", text.is_not_null(), "sum"
    yield f"{key} min", length, "min"
    yield f"{key} max", length, "max"
    yield f"{key} mean", length, "mean"
    yield f"{key} is masked", text.str.ends_with("*"), "sum"
    yield f"{key} is padded", text.str.strip_chars() != text, "sum"
    for name, pattern in PATTERNS.items():
        # A pattern that fits no sampled cell cannot fit nearly all cells, which is all that is asked of it.
        if sample.str.contains(pattern).any():
            fits = text.str.contains(pattern)
            if name in ("date", "timestamp"):
                day = text.str.slice(0, 10)
                fits &= day.str.to_date("%Y-%m-%d", strict=False).is_not_null() & (day > "0001")
            yield f"{key} is {name}", fits, "sum"
    for i, marker in enumerate(MARKERS):
        yield f"{key} marker {i}", text == marker, "sum"


def _plain(label: str, asked: pl.Expr, how: str) -> pl.Expr:
    """Sum up over rows."""
    found: pl.Expr = getattr(asked, how)()
    return found.alias(label)


def _weighted(label: str, asked: pl.Expr, how: str) -> pl.Expr:
    """Sum up over texts, each as often as it occurs."""
    if how in ("min", "max"):
        return _plain(label, asked, how)
    rows = pl.col("rows")
    total = (asked.cast(pl.Int64) * rows).sum()
    return (total if how == "sum" else (total / rows.filter(asked.is_not_null()).sum()).fill_nan(None)).alias(
        label
    )


def _of_texts(frame: pl.LazyFrame, sample: pl.DataFrame) -> dict[str, object]:
    """Return the facts of columns with few texts; one long column of them streams."""
    long = frame.unpivot(variable_name="key", value_name="text").group_by("key", "text").agg(rows=pl.len())
    found: dict[str, object] = {}
    for (key,), texts in long.collect(engine="streaming").partition_by("key", as_dict=True).items():
        of_key = texts.select(pl.col("text").alias(key), pl.col("rows").cast(pl.Int64))
        wanted = [_weighted(*fact) for fact in _counted(sample.get_column(key))]
        found |= of_key.select(wanted).row(0, named=True)
        found[f"{key} distinct"] = of_key.height - of_key.get_column(key).null_count()
    return found


def _has_few(sample: pl.Series) -> bool:
    return sample.n_unique() <= sample.len() * FEW_DISTINCT


def _thinning(sample: pl.Series, n_rows: int) -> int:
    return 1 if _has_few(sample) else max(1, n_rows // HASHED_ROWS)


def _distinct(frame: pl.LazyFrame, sample: pl.DataFrame, n_rows: int) -> dict[str, int]:
    """Count the distinct texts of columns that have the names of the sample's."""
    if sample.height == n_rows:
        return {}
    # Values (not rows) are sampled by their hash, so that the count scales; its error is about
    # sqrt(thinning / distinct), where HyperLogLog's here was 9 % at half a million. One long column of hashes
    # streams, which n_unique of many columns does not.
    hashes = []
    for key in sample.columns:
        thinning = _thinning(sample.get_column(key), n_rows)
        hashed = pl.col(key).hash()
        hashes.append(pl.when(pl.col(key).is_not_null() & (hashed % thinning == 0)).then(hashed).alias(key))
    counted = (
        frame.select(hashes)
        .unpivot(variable_name="key", value_name="hash")
        .filter(pl.col("hash").is_not_null())
        .group_by("key")
        .agg(pl.col("hash").n_unique())
        .collect(engine="streaming")
    )
    return {key: n * _thinning(sample.get_column(key), n_rows) for key, n in counted.iter_rows()}


def _facts(name: str, texts: pl.Series, counted: Mapping[str, object], n_rows: int) -> ColumnFacts:
    key = texts.name

    def count(what: str) -> int:
        return int(counted.get(f"{key} {what}") or 0)  # type: ignore[call-overload, no-any-return]

    exact = _thinning(texts, n_rows) == 1
    texts = texts.drop_nulls()
    folded = texts.unique().str.strip_chars().str.to_lowercase()
    lengths = texts.str.len_chars().value_counts(sort=True)
    numbers = texts.filter(texts.str.contains(PATTERNS["decimal"]) | texts.str.contains(PATTERNS["decimal_comma"]))
    values = numbers.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    values = values.filter(values.is_finite())
    return ColumnFacts(
        name=name,
        n_rows=n_rows,
        n_missing=n_rows - count("present"),
        n_distinct=max(texts.n_unique(), min(count("distinct"), count("present"))),
        distinct_exact=exact,
        min_length=count("min"),
        max_length=count("max"),
        mean_length=float(counted[f"{key} mean"] or 0.0),  # type: ignore[arg-type]
        counts={pattern: count(f"is {pattern}") for pattern in (*PATTERNS, "masked", "padded")},
        markers={m: n for i, m in enumerate(MARKERS) if (n := count(f"marker {i}"))},
        mean_words=_number(texts.str.count_matches(r"\S+").mean()),
        n_multiline=int(texts.str.contains(r"[\r\n]").sum()),
        n_variants=folded.len() - folded.n_unique(),
        n_equal_length=int(lengths.item(0, 1)) if lengths.height else 0,
        common_length=int(lengths.item(0, 0)) if lengths.height else 0,
        n_letter_digit=int(
            (texts.str.contains(r"^[\p{L}\d./-]*\p{L}[\p{L}\d./-]*$") & texts.str.contains(r"\d")).sum()
        ),
        n_sampled=texts.len(),
        span=(_number(values.quantile(0.05)), _number(values.quantile(0.95))) if values.len() else None,
        extent=(_number(values.min()), _number(values.max())) if values.len() else None,
    )


def _number(value: object) -> float:
    return float(value or 0.0)  # type: ignore[arg-type]
