"""Facts about the columns of a table, counted while it streams by.

Two passes over the table: the first takes an evenly spread sample for what needs the texts themselves, the second
counts every fact that needs all rows (missing cells, how many cells read as a whole number, a date, ...). Memory
grows with the number of columns and the size of the sample, not with the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

__all__ = ["MARKERS", "SAMPLE_ROWS", "ColumnFacts", "TableFacts", "profile"]

SAMPLE_ROWS = 10_000
"""Rows in the sample."""

MARKERS = (
    "?",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "NaN",
    "nan",
    "None",
    "none",
    "NULL",
    "null",
    "-",
    "--",
    ".",
    "..",
    "*",
)
"""Texts that often, and not always, mean missing ("NA" is also Namibia)."""

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
    "decimal_comma": r"^[+-]?[0-9]+(\.[0-9]{3})*,[0-9]+$",
    "date": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "timestamp": (
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60)([.,][0-9]+)?)?"
        r"(Z|[+-][0-9]{2}:?[0-9]{2})?$"
    ),
    "other_date": r"^([0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})|[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2})$",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFacts:
    """What was counted in one column.

    Parameters
    ----------
    name : str
        Its name.
    readable : bool
        False for lists, structs and bytes, whose cells are no texts; then only the name means something.
    n_rows, n_missing : int
        Rows of the table; cells that are null or hold a text that was declared missing.
    n_distinct : int
        Distinct present values; exact where ``distinct_exact``, else estimated.
    distinct_exact : bool
        Whether every value was counted for ``n_distinct``.
    min_length, max_length : int
        Shortest and longest present text, in characters.
    mean_length : float
        Mean length in characters.
    counts : mapping of str to int
        Present cells per pattern of :data:`PATTERNS`, ``"masked"`` (they end in a star) and ``"padded"`` (blanks
        around them). Only dates that exist count as ``"date"``; 0 where no sampled cell fits a pattern.
    markers : mapping of str to int
        Present cells per text of :data:`MARKERS`, where there are any.
    mean_words : float
        Words per present cell, in the sample.
    n_multiline : int
        Sampled cells with a line break.
    n_variants : int
        Sampled values that equal another one but for upper case and blanks around it.
    n_equal_length : int
        Sampled cells that have the commonest length.
    common_length : int
        That length, in characters.
    n_letter_digit : int
        Sampled cells with both a letter and a digit, and no blank.
    n_sampled : int
        Present cells in the sample.
    span : (float, float) or None
        5th and 95th percentile of the sampled numbers (decimal commas understood), None without numbers.
    extent : (float, float) or None
        Smallest and largest sampled number.
    """

    name: str
    readable: bool = True
    n_rows: int = 0
    n_missing: int = 0
    n_distinct: int = 0
    distinct_exact: bool = True
    min_length: int = 0
    max_length: int = 0
    mean_length: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)
    markers: Mapping[str, int] = field(default_factory=dict)
    mean_words: float = 0.0
    n_multiline: int = 0
    n_variants: int = 0
    n_equal_length: int = 0
    common_length: int = 0
    n_letter_digit: int = 0
    n_sampled: int = 0
    span: tuple[float, float] | None = None
    extent: tuple[float, float] | None = None

    @property
    def n_present(self) -> int:
        """Cells that are not missing."""
        return self.n_rows - self.n_missing

    @property
    def n_ordinary(self) -> int:
        """Present cells that are no usual marker of a missing value."""
        return self.n_present - sum(self.markers.values())

    @property
    def share_distinct(self) -> float:
        """Distinct values per present cell, in [0, 1]; 1 where no value repeats."""
        return min(1.0, self.n_distinct / self.n_present) if self.n_present else 0.0

    def all_are(self, *patterns: str, markers: bool = False) -> bool:
        """Tell whether each present cell fits one of the (disjoint) *patterns*; with *markers*, those aside."""
        wanted = self.n_ordinary if markers else self.n_present
        return wanted > 0 and sum(self.counts.get(pattern, 0) for pattern in patterns) >= wanted

    def share_of(self, pattern: str) -> float:
        """Return the share of ordinary cells that fit a pattern, in [0, 1]."""
        return min(1.0, self.counts.get(pattern, 0) / self.n_ordinary) if self.n_ordinary else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """The facts of all columns and the sample that some of them come from.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    columns : tuple of ColumnFacts
        In the table's order.
    sample : polars.DataFrame
        Texts of at most :data:`SAMPLE_ROWS` evenly spread rows, missing cells null; column *i* is called ``ci``,
        since Polars reads some names as patterns. It holds cell values: never print it.
    """

    n_rows: int
    columns: tuple[ColumnFacts, ...]
    sample: pl.DataFrame = field(repr=False)

    def values(self, name: str, *, limit: int = 2_000) -> list[str]:
        """Return at most *limit* distinct sampled texts of a column, evenly spread over the sample."""
        at = next((i for i, column in enumerate(self.columns) if column.name == name and column.readable), None)
        if at is None:
            return []
        distinct = self.sample.get_column(f"c{at}").drop_nulls().unique(maintain_order=True)
        return distinct.gather_every(max(1, -(-distinct.len() // limit))).to_list()


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
        f"c{i}": _text(pl.col(_literally(name)), dtype, missing).alias(f"c{i}")
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
        wanted = [e.alias(label) for key in group for label, e in _counted(sample.get_column(key), n_rows)]
        counted |= (
            frame.select(texts[key] for key in group).select(wanted).collect(engine="streaming").row(0, named=True)
        )
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


def _text(column: pl.Expr, dtype: pl.DataType, missing: Sequence[str]) -> pl.Expr:
    text = column if dtype == pl.String else column.cast(pl.String, strict=False)
    # An equality per text is faster than is_in, and null where the cell is.
    for marker in missing:
        text = pl.when(text != marker).then(text)
    return text


def _counted(sample: pl.Series, n_rows: int) -> Iterator[tuple[str, pl.Expr]]:
    key = sample.name
    text = pl.col(key)
    length = text.str.len_chars()
    yield f"{key} present", text.count()
    yield f"{key} distinct", _distinct(text, _thinning(sample, n_rows))
    yield f"{key} min", length.min()
    yield f"{key} max", length.max()
    yield f"{key} mean", length.mean()
    yield f"{key} is masked", text.str.ends_with("*").sum()
    yield f"{key} is padded", (text.str.strip_chars() != text).sum()
    for name, pattern in PATTERNS.items():
        # A pattern that fits no sampled cell cannot fit nearly all cells, which is all that is asked of it.
        if sample.str.contains(pattern).any():
            fits = text.str.contains(pattern)
            if name in ("date", "timestamp"):
                day = text.str.slice(0, 10)
                fits &= day.str.to_date("%Y-%m-%d", strict=False).is_not_null() & (day > "0001")
            yield f"{key} is {name}", fits.sum()
    for i, marker in enumerate(MARKERS):
        yield f"{key} marker {i}", (text == marker).sum()


def _thinning(sample: pl.Series, n_rows: int) -> int:
    few = sample.n_unique() <= sample.len() * FEW_DISTINCT
    return 1 if few else max(1, n_rows // HASHED_ROWS)


def _distinct(text: pl.Expr, thinning: int) -> pl.Expr:
    # Values (not rows) are sampled by their hash, so that the count scales; its error is about
    # sqrt(thinning / distinct), where HyperLogLog's here was 9 % at half a million.
    kept = text.drop_nulls() if thinning == 1 else text.filter(text.hash() % thinning == 0).drop_nulls()
    return kept.n_unique() * thinning


def _facts(name: str, texts: pl.Series, counted: Mapping[str, object], n_rows: int) -> ColumnFacts:
    key = texts.name

    def count(what: str) -> int:
        return int(counted.get(f"{key} {what}") or 0)  # type: ignore[call-overload, no-any-return]

    exact = _thinning(texts, n_rows) == 1
    texts = texts.drop_nulls()
    folded = texts.unique().str.strip_chars().str.to_lowercase()
    lengths = texts.str.len_chars().value_counts(sort=True)
    numbers = texts.filter(texts.str.contains(PATTERNS["decimal"]) | texts.str.contains(PATTERNS["decimal_comma"]))
    comma = numbers.str.contains(",", literal=True).any()
    if comma:
        numbers = numbers.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    values = numbers.cast(pl.Float64, strict=False)
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
