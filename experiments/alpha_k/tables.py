"""The tables of the experiments as frequency tables, with the hierarchies that lie beside them."""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable

SHARED = Path(os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[3] / "shared")).resolve()
DATA = SHARED / "data"
ADULT = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class")
NOISE = 0.1
"""Share of the cells of a grown table that are drawn anew from their column."""


@cache
def frame(path: str) -> pl.DataFrame:
    """Return a table as text."""
    file = DATA / path
    if file.suffix == ".parquet":
        return pl.read_parquet(file)
    return pl.read_csv(file, separator=";", infer_schema=False, encoding="utf8-lossy")


@cache
def adult_uci() -> pl.DataFrame:
    """Return Adult's train and test halves without the records that lack a value: 45,222 rows."""
    table = frame("adult-uci/adult_full.parquet")
    kept = [*ADULT, "occupation"]
    return table.filter(pl.all_horizontal(pl.col(kept) != "?"))


def lines_of(path: str) -> list[list[str]]:
    """Return the lines of a hierarchy's file, one for each value."""
    with (DATA / path).open(encoding="utf-8-sig") as file:
        lines = {line[0]: line for line in csv.reader(file, delimiter=";") if line}
    return list(lines.values())


@cache
def hierarchy(path: str, *, ordered: bool = False) -> Hierarchy:
    """Return the tree of a file; *ordered* by the numbers of its leaves where these say so."""
    lines = lines_of(path)
    leaves = [line[0] for line in lines]
    order = [float(leaf) for leaf in leaves] if ordered else None
    return Hierarchy.from_paths(leaves, [line[1:] for line in lines], order=order)


def flat(texts: pl.Series) -> Hierarchy:
    """Return a tree of all values below the root."""
    values = sorted(texts.unique().to_list())
    return Hierarchy.from_paths(values, [["*"]] * len(values))


def ages(texts: pl.Series, steps: tuple[int, ...] = (5, 10, 20, 40)) -> Hierarchy:
    """Return intervals of whole numbers, each step nested in the next."""
    values = sorted({int(text) for text in texts})
    paths = [[f"[{v // s * s}, {v // s * s + s - 1}]" for s in steps] for v in values]
    return Hierarchy.from_paths([str(v) for v in values], [[*p, "*"] for p in paths], order=values, type="integer")


def coded(texts: pl.Series, tree: Hierarchy) -> np.ndarray:
    """Return the leaf code of each row."""
    mapped = pl.DataFrame({"text": list(tree.codes), "code": np.arange(len(tree.codes), dtype=np.int32)})
    joined = pl.DataFrame({"text": texts}).join(mapped, on="text", how="left", maintain_order="left")
    return joined["code"].to_numpy().astype(np.int32)


def counted(table: pl.DataFrame, quasi: dict[str, Hierarchy], sensitive: dict[str, Hierarchy]) -> FrequencyTable:
    """Count a table."""
    return FrequencyTable.from_columns(
        {name: (tree, coded(table[name], tree)) for name, tree in quasi.items()},
        {name: (tree, coded(table[name], tree)) for name, tree in sensitive.items()},
    )[0]


def adult_tree(name: str) -> Hierarchy:
    """Return the tree of a column of Adult."""
    return hierarchy(f"arx-adult/adult_hierarchy_{name}.csv", ordered=name == "age")


def adult(n_quasi: int, *, rows: int | None = None, sensitive: str = "occupation") -> FrequencyTable:
    """Return Adult on its first columns: 30,162 rows, or *rows* of the 45,222, or more of invented ones.

    A table beyond 45,222 rows is drawn from them with replacement, a tenth of its cells anew from their columns.
    The ninth column is the occupation, and then no column is sensitive.
    """
    names = [*ADULT, "occupation"][:n_quasi]
    last = [] if sensitive in names else [sensitive]
    source = frame("arx-adult/adult.csv") if rows is None or rows == 30_162 else adult_uci()
    rng = np.random.default_rng(2006)
    n = len(source) if rows is None else rows
    if n <= len(source):
        source = source[np.sort(rng.choice(len(source), n, replace=False)).tolist()]
        trees = {name: adult_tree(name) for name in [*names, *last]}
        return counted(source, {name: trees[name] for name in names}, {name: trees[name] for name in last})
    columns = {}
    pick = rng.integers(len(source), size=n)
    for name in [*names, *last]:
        tree = adult_tree(name)
        codes = coded(source[name], tree)
        again = rng.random(n) < NOISE
        columns[name] = (
            tree,
            np.where(again, codes[rng.integers(len(source), size=n)], codes[pick]).astype(np.int32),
        )
    return FrequencyTable.from_columns(columns, {name: columns.pop(name) for name in last})[0]


def census() -> FrequencyTable:
    """Return Census-Income on nine columns, countries and states in flat trees."""
    table = frame("census-income-kdd/census_income_test.parquet")
    names = ("sex", "race", "marital status", "education", "class of worker", "hispanic origin", "citizenship")
    quasi = {"age": ages(table["age"]), **{name: flat(table[name]) for name in names}}
    quasi["country of birth self"] = flat(table["country of birth self"])
    return counted(table, quasi, {"major occupation code": flat(table["major occupation code"])})


def cahousing() -> FrequencyTable:
    """Return the California housing blocks on five numeric columns."""
    table = frame("cahousing/cahousing.csv")
    names = ("longitude", "latitude", "housing_median_age", "median_income", "median_house_value")
    quasi = {n: hierarchy(f"cahousing/hierarchies/cahousing_hierarchy_{n}.csv", ordered=True) for n in names}
    return counted(table, quasi, {"ocean_proximity": flat(table["ocean_proximity"])})


def coded_table(name: str, path: str, quasi: tuple[str, ...], sensitive: str) -> FrequencyTable:
    """Return a table of the genetic benchmark, whose values are codes."""
    table = frame(path)
    trees = {}
    for column in (*quasi, sensitive):
        lines = lines_of(f"genetic-benchmark/hierarchies/{name}_hierarchy_{column}.csv")
        trees[column] = Hierarchy.from_paths([line[0] for line in lines], [line[1:] for line in lines])
    return counted(table, {c: trees[c] for c in quasi}, {sensitive: trees[sensitive]})


MACH = ("age", "familysize", "gender", "married", "race", "religion", "Q1A", "Q2A")
CREDIT = ("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE", "PAY_0", "PAY_2", "PAY_3")


def benchmark() -> dict[str, FrequencyTable]:
    """Return the tables on which the default is chosen."""
    nine = frame("arx-adult/adult.csv")
    trees = {name: adult_tree(name) for name in ADULT}
    return {
        "Adult, 8 columns": adult(8),
        "Adult, 9 columns": counted(nine, {**trees, "occupation": adult_tree("occupation")}, {}),
        "Census-Income, 9 columns": census(),
        "California housing, 5 columns": cahousing(),
        "MACH 2019, 8 columns": coded_table("mach2019_int", "genetic-benchmark/mach2019_int.csv", MACH, "Q10A"),
        "Credit cards, 8 columns": coded_table(
            "creditcard_int", "genetic-benchmark/creditcard_int.parquet", CREDIT, "PAY_6"
        ),
    }
