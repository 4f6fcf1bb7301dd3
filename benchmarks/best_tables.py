"""The best local recoding of five public tables beside its starts and the full-domain optimum, for k = 5."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import adult
from process import FailedError, measured
from table import Row

SECTION = "best-tables"
BESIDE = ("top-down", "mondrian", "optimal")

# Table, file below the shared data, and its quasi-identifiers. A text says how a column's hierarchy is made, and a
# text that ends in .csv names its file.
TABLES = {
    "census-income-kdd, 9 columns": (
        "census-income-kdd/census_income_test.parquet",
        {
            "age": "intervals",
            **dict.fromkeys(
                (
                    "sex", "race", "marital status", "education", "class of worker", "hispanic origin",
                    "citizenship", "country of birth self",
                ),
                "flat",
            ),
        },
    ),
    "diabetes130, 9 columns": (
        "diabetes130/diabetic_data.parquet",
        {
            "age": "decades",
            "time_in_hospital": "days",
            "diag_1": "prefix",
            **dict.fromkeys(
                (
                    "race", "gender", "admission_type_id", "discharge_disposition_id", "payer_code",
                    "medical_specialty",
                ),
                "flat",
            ),
        },
    ),
    "mach2019, 10 columns": (
        "genetic-benchmark/mach2019_int.csv",
        {
            name: f"genetic-benchmark/hierarchies/mach2019_int_hierarchy_{name}.csv"
            for name in ("age", "familysize", "gender", "married", "race", "religion", "Q1A", "Q2A", "Q3A", "Q4A")
        },
    ),
    "creditcard, 10 columns": (
        "genetic-benchmark/creditcard_int.parquet",
        {
            name: f"genetic-benchmark/hierarchies/creditcard_int_hierarchy_{name}.csv"
            for name in (
                "LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE", "PAY_0", "PAY_2", "PAY_3", "PAY_4", "PAY_5",
            )
        },
    ),
    "cahousing, 5 columns": (
        "cahousing/cahousing.csv",
        {
            name: f"cahousing/hierarchies/cahousing_hierarchy_{name}.csv"
            for name in ("longitude", "latitude", "housing_median_age", "median_income", "median_house_value")
        },
    ),
}  # fmt: skip


def rows(_work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield the loss of each algorithm on each table, and how much better the best one is."""
    if adult.missing():
        yield Row(SECTION, "all", "", adult.missing())
        return
    for table in list(TABLES)[-1:] if quick else TABLES:
        losses = {}
        for algorithm in (*BESIDE, "best"):
            try:
                run = measured([sys.executable, __file__, table, algorithm])
            except FailedError as error:
                yield Row(SECTION, table, algorithm, f"failed: {str(error).splitlines()[-1]}", met=False)
                continue
            told = json.loads(run.out)
            losses[algorithm] = told["loss"]
            if algorithm != "best":
                yield Row(SECTION, table, f"loss of {algorithm}", told["loss"])
                continue
            least = min(loss for name, loss in losses.items() if name != "best")
            met = told["loss"] <= least
            yield Row(SECTION, table, f"loss, {told['rows']:,} rows", told["loss"], least, "<= beside", met)
            yield Row(SECTION, table, "share of the loss that is saved", 1 - told["loss"] / least)
            yield Row(SECTION, table, "whole process, CPU s", run.cpu)


def main(table: str, algorithm: str) -> None:
    """Publish one table with k = 5 and print what was lost."""
    import polars as pl

    import shoal as sh

    path, columns = TABLES[table]
    file = adult.SHARED / "data" / path
    frame = (
        pl.read_parquet(file)
        if file.suffix == ".parquet"
        else pl.read_csv(file, separator=";", infer_schema=False)
    )
    frame = frame.select(list(columns))
    makers = {
        "flat": lambda _name: sh.flat(),
        "prefix": lambda name: sh.prefix(frame[name].str.len_bytes().max()),
        "intervals": lambda _name: sh.intervals(5, 10, 20, 40),
        "days": lambda _name: sh.intervals(2, 4, 8),
        "decades": lambda name: sh.ordered(
            sorted(frame[name].unique(), key=lambda text: int(text[1:].split("-")[0]))
        ),
    }
    quasi = {
        name: makers[how](name) if how in makers else sh.from_csv(adult.SHARED / "data" / how, delimiter=";")
        for name, how in columns.items()
    }
    release = sh.anonymize(
        frame, sh.Schema(quasi_identifiers=quasi), models=sh.KAnonymity(k=5), algorithm=algorithm, seed=1
    )
    print(json.dumps({"loss": release.loss, "rows": len(frame)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
