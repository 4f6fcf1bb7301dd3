"""What the checks of policies may look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.hierarchy import ANY
from shoal.core.schema import Schema
from shoal.io.texts import text_expr
from shoal.risk.reidentification import Risk
from shoal.risk.survey import individual_risk
from shoal.workflow.naming import topics_of
from shoal.workflow.proposal import ColumnProposal
from shoal.workflow.propose import propose

__all__ = ["Answer", "Evidence"]

Answer = tuple[bool | str, str]
"""Whether it holds, or a status; and the evidence."""

MOST_TEXTS = 100_000
"""Distinct texts of a column that are looked at."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """What checks may look at.

    Parameters
    ----------
    frame : LazyFrame
        The rows as they are published, or as they stand.
    schema : Schema
    risk : Risk
        Of these rows, suppressed ones left out.
    rows, suppressed : int
    cells : list of int32 [n_points]
        Code of each quasi-identifier's text for each distinct combination, suppressed ones left out.
    counts : int64 [n_points]
        Rows of each combination, or people where they are counted.
    """

    frame: pl.LazyFrame
    schema: Schema
    risk: Risk
    rows: int
    suppressed: int
    cells: Sequence[NDArray[np.int32]]
    counts: NDArray[np.int64]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Columns of the rows."""
        return tuple(self.frame.collect_schema())

    @cached_property
    def proposals(self) -> Mapping[str, ColumnProposal]:
        """What each column seems to be, by its name and its cells."""
        return {column.name: column for column in propose(self.frame).columns} if self.rows else {}

    def texts(self, name: str) -> list[str]:
        """Return distinct texts of a column; they never go into evidence."""
        dtype = self.frame.collect_schema()[name]
        found = self.frame.select(text_expr(name, dtype).alias("text")).drop_nulls().unique().head(MOST_TEXTS)
        return found.collect(engine="streaming")["text"].to_list()

    def about(self, *keys: str) -> list[str]:
        """Return the columns whose name speaks of one of these topics."""
        return [name for name in self.columns if any(topic.key in keys for topic in topics_of(name))]

    def individual_risks(self) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
        """Return the individual risk by survey weights of each group of look-alikes, and its rows.

        None without a weight, where a weight is no number above 0, or where people are counted.
        """
        name, quasi = self.schema.weight, [n for n in self.columns if n in set(self.schema.quasi_identifiers)]
        if name is None or name not in self.columns or self.risk.by_people:
            return None
        types = self.frame.collect_schema()
        weight = pl.col(name).cast(pl.String).cast(pl.Float64, strict=False)
        keys = [text_expr(column, types[column]).alias(f"key {j}") for j, column in enumerate(quasi)]
        suppressed = pl.all_horizontal([key == ANY for key in keys]).fill_null(value=False)
        groups = (
            self.frame.select(*keys, weight.alias("weight"), suppressed.alias("suppressed"))
            .filter(~pl.col("suppressed"))
            .group_by([f"key {j}" for j in range(len(quasi))])
            .agg(
                pl.len().alias("rows"),
                pl.col("weight").sum().alias("sum"),
                pl.col("weight").min().alias("least"),
                pl.col("weight").null_count().alias("missing"),
            )
            .collect(engine="streaming")
        )
        if groups.height and (groups["missing"].sum() or not (groups["least"] > 0).all()):
            return None
        sizes = groups["rows"].cast(pl.Int64).to_numpy()
        return individual_risk(sizes, groups["sum"].to_numpy()), sizes
