"""Real tables, from the folder that SHOAL_SHARED names (beside the repository where it names none)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from generate import Column

from shoal.hierarchies import auto, intervals

ROOT = Path(os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data"

CENSUS = {
    "age": "integer", "sex": "text", "race": "text", "marital status": "text", "education": "text",
    "class of worker": "text", "country of birth self": "text",
}  # fmt: skip
ADULT = {
    "age": "integer", "sex": "text", "race": "text", "marital-status": "text", "education": "text",
    "workclass": "text", "native-country": "text",
}  # fmt: skip
MACH = {
    "age": "integer", "gender": "text", "race": "text", "married": "text", "familysize": "integer",
    "Q1A": "integer", "Q2A": "integer",
}  # fmt: skip


FILES = {
    "adult": "adult-uci/adult_full.parquet",
    "census": "census-income-kdd/census_income_test.parquet",
    "mach2019": "genetic-benchmark/mach2019_int.csv",
}


def available() -> list[str]:
    """Return the names of the tables that are there."""
    return [name for name, file in FILES.items() if (ROOT / file).is_file()]


def _adult():
    frame = pl.read_parquet(ROOT / FILES["adult"]).filter(pl.col("occupation") != "?")
    return _columns(frame, ADULT, "occupation"), "occupation"


def _census():
    frame = pl.read_parquet(ROOT / FILES["census"])
    # Who does not work has no industry, and that would be half of the rows.
    frame = frame.filter(pl.col("industry code").cast(pl.Int64) > 0)
    return _columns(frame, CENSUS, "industry code"), "industry code"


def _mach():
    frame = pl.read_csv(ROOT / FILES["mach2019"], separator=";", infer_schema=False)
    return _columns(frame, MACH, "religion"), "religion"


def _columns(frame, types, sensitive):
    columns = {}
    for name, kind in {**types, sensitive: "text"}.items():
        texts = frame[name].cast(pl.String).fill_null("")
        distinct = texts.unique().sort().to_list()
        builder = intervals(5, 10, 20) if name == "age" else auto()
        hierarchy = builder.build(distinct, column=name, type=kind)
        codes = np.array([hierarchy.codes[text] for text in distinct], np.int32)
        columns[name] = Column(hierarchy, codes[texts.rank("dense").to_numpy() - 1])
    return columns


READ: dict[str, Callable[[], tuple[dict[str, Column], str]]] = {
    "adult": _adult,
    "census": _census,
    "mach2019": _mach,
}
"""How each table is read: columns by name, and which of them is sensitive."""
