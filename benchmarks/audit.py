"""``shoal audit`` of large and wide tables: a million rows of 20 columns, many rows per patient, 141 columns."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from process import SHOAL, FailedError, measured
from table import Row

SECTION = "audit"
SENSITIVE = ["diagnosis", "cost"]
# Column, distinct values, and how unequal they are: 0 for equal shares, 1 for those of Zipf's law.
COLUMNS = [
    ("age", 95, 0.1), ("sex", 2, 0.0), ("zip", 900, 0.6), ("race", 6, 1.2), ("marital", 7, 0.8),
    ("education", 16, 0.7), ("occupation", 300, 0.8), ("country", 80, 1.6), ("household_size", 12, 1.0),
    ("employment", 8, 1.0), ("hours", 99, 0.9), ("commute", 120, 0.7), ("language", 20, 1.5), ("tenure", 4, 0.6),
    ("rooms", 12, 0.5), ("year_moved", 60, 0.4), ("disability", 2, 1.5), ("insurance", 5, 0.9),
    ("diagnosis", 500, 0.9), ("cost", 5000, 0.3),
]  # fmt: skip
WIDE = [(f"c{i:03}", 2 + i % 40, 0.5) for i in range(141)]
LIMIT_CPU = 8.0
LIMIT_WALL = 10.0


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield CPU and wall seconds, peak memory, and what was looked at."""
    n = 100_000 if quick else 1_000_000
    large = _table(work / f"audit-{n}.csv", n, wide=False)
    quasi = ",".join(name for name, _, _ in COLUMNS if name not in SENSITIVE)
    wide = _table(work / f"audit-wide-{n // 20}.csv", n // 20, wide=True)
    jobs = [
        (
            f"{n:,} x 20, roles given",
            [str(large), "--quasi", quasi, "--sensitive", ",".join(SENSITIVE)],
            not quick,
        ),
        (f"{n:,} x 20, roles proposed", [str(large)], not quick),
        (f"{n // 20:,} x 141", [str(wide)], False),
    ]
    shared = Path(os.environ.get("SHOAL_SHARED", Path(__file__).parents[2] / "shared"))
    diabetes = shared / "data/diabetes130/diabetic_data.parquet"
    if diabetes.exists():
        jobs += [
            ("diabetes130, 50 columns, patients counted", [str(diabetes), "--unit", "patient_nbr"], False),
            ("a table of 12 rows x 141", [str(shared / "awkward/13_wide_141_columns.csv")], False),
        ]
    for job, arguments, limited in jobs:
        try:
            run = measured([*SHOAL, "audit", *arguments, "--json"])
        except FailedError as error:
            yield Row(SECTION, job, "", f"failed: {str(error).splitlines()[-1]}", met=False)
            continue
        found = json.loads(run.out)["result"]
        aim = f"below {LIMIT_CPU:g}" if limited else ""
        yield Row(
            SECTION, job, "CPU s, process", run.cpu, target=aim, met=run.cpu < LIMIT_CPU if limited else None
        )
        aim = f"below {LIMIT_WALL:g}, quiet" if limited else ""
        yield Row(SECTION, job, "wall s", run.wall, target=aim, met=run.wall < LIMIT_WALL if limited else None)
        yield Row(SECTION, job, "peak MB", run.peak)
        yield Row(SECTION, job, "columns in the largest sets", found["special_uniques"]["m"])


def _table(path: Path, n: int, *, wide: bool) -> Path:
    """Return an invented table; a process of its own makes it, whose memory the jobs do not inherit."""
    if not path.exists():
        measured([sys.executable, __file__, str(path), str(n), "wide" if wide else "large"])
    return path


def write(path: str, rows: str, kind: str) -> None:
    """Write an invented table of codes, the same for the same size."""
    n, columns = int(rows), WIDE if kind == "wide" else COLUMNS
    with Path(path).open("wb") as out:
        rng = np.random.default_rng(20)
        cells = {}
        for name, distinct, steep in columns:
            shares = 1 / np.arange(1, distinct + 1) ** steep
            codes = rng.choice(distinct, n, p=shares / shares.sum())
            texts = [f"{code:05}" if name == "zip" else str(code) for code in range(distinct)]
            cells[name] = np.array(texts)[codes]
        pl.DataFrame(cells).write_csv(out)


if __name__ == "__main__":
    write(*sys.argv[1:])
