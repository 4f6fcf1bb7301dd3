"""What was counted in the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

__all__ = ["MARKERS", "ColumnFacts", "TableFacts"]

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
        Present cells per pattern of :data:`shoal.io.profile.PATTERNS`, ``"masked"`` (they end in a star) and
        ``"padded"`` (blanks around them). Only dates that exist count as ``"date"``; 0 where no sampled cell
        fits a pattern.
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
        Texts of evenly spread rows, missing cells null; column *i* is called ``ci``,
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
