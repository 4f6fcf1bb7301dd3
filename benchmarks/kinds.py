"""Whole runs of each kind of release, from Parquet to a proven Parquet file, beside one that generalizes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from process import SHOAL, FailedError, measured
from table import Row

SECTION = "kinds"
ROWS = (100_000, 1_000_000)
QUASI = "age,sex,postcode,education,marital_status,insurance"
JOBS = [
    ("mondrian", QUASI, ["--l", "4"]),
    ("merging", QUASI, ["--l", "4"]),
    ("anatomy", QUASI, ["--l", "4"]),
    ("hybrid", QUASI, ["-k", "6"]),
    # With all six columns nearly every row would be noise.
    ("diffgen", "sex,insurance", []),
]
MOST_TIMES = {"merging": 3.0, "anatomy": 3.0}
"""Largest ratio to the run that generalizes."""


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield CPU seconds beside those of a generalized release of the same table, and peak memory."""
    for n in ROWS[:1] if quick else ROWS:
        source = work / f"visits-{n}" / "visits.parquet"
        if not source.exists():
            command = ["-m", "shoal.examples", str(source.parent), "--visits", str(n), "--format", "parquet"]
            measured([sys.executable, *command])
        beside = None
        for name, quasi, asked in JOBS:
            roles = ["--quasi", quasi, "--sensitive", "diagnosis", "--seed", "1", "--force", "-q"]
            out = str(work / f"{name}.parquet")
            command = [*SHOAL, "anonymize", str(source), "-o", out, "--algorithm", name, *roles, *asked]
            try:
                measured(command)  # compiles kernels, or loads them
                run = measured(command)
            except FailedError as error:
                yield Row(SECTION, f"{name}, {n:,} rows", "", f"failed: {str(error).splitlines()[-1]}", met=False)
                continue
            beside = run.cpu if name == "mondrian" else beside
            most = MOST_TIMES.get(name)
            target = "" if most is None else f"at most {most:g} times"
            met = None if most is None or beside is None else run.cpu <= most * beside
            yield Row(SECTION, f"{name}, {n:,} rows", "CPU s, whole run", run.cpu, beside, target, met)
            yield Row(SECTION, f"{name}, {n:,} rows", "peak MB", run.peak)
