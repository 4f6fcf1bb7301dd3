"""Buckets: how the time of Merging, Slicing and Anatomy grows with the rows, and how surely people are linked."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

from adult import SHARED
from process import FailedError, measured
from table import Row

SECTION = "merging"
SCRIPT = [sys.executable, str(Path(__file__).resolve().parent / "bucket_time.py")]
SIZES = (12_500, 25_000, 50_000, 100_000)
QUICK_SIZES = (2_500, 5_000, 10_000)
PROTOTYPE = 1.0 / 4_500
"""CPU seconds a row of a prototype in plain Python, which took 1 to 2 s for 4,500 rows."""
SEARCH_S = 0.4
STEEPEST = 1.3


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield seconds, growth and links."""
    sizes = QUICK_SIZES if quick else SIZES
    for name in ("merging", "slicing", "anatomy"):
        try:
            found = json.loads(measured([*SCRIPT, "visits", name, *map(str, sizes)], cwd=work).out)
        except FailedError as error:
            yield Row(SECTION, name, "", f"failed: {str(error).splitlines()[-1]}", met=False)
            continue
        last = found[-1]
        job = f"{name}, {last['rows']:,} visits"
        if name == "merging":
            beside = PROTOTYPE * last["rows"]
            met = last["cpu"] <= SEARCH_S and last["cpu"] <= beside / 100
            aim = f"at most {SEARCH_S} and 1/100 of beside"
            yield Row(SECTION, job, "search, CPU s, beside a prototype's by row", last["cpu"], beside, aim, met)
        else:
            yield Row(SECTION, job, "search, CPU s", last["cpu"])
        slope = _slope([(run["rows"], run["cpu"]) for run in found])
        met = slope < STEEPEST if name == "merging" and not quick else None
        yield Row(SECTION, job, "growth with the rows, log-log slope", slope, None, f"below {STEEPEST}", met)
        yield Row(SECTION, job, "buckets", last["buckets"])
    if not (SHARED / "data" / "adult-uci").is_dir():
        yield Row(SECTION, "Adult", "", "not measured: the shared tables are not there")
        return
    for job, found in json.loads(measured([*SCRIPT, "adult"], cwd=work).out).items():
        for measure, value in found.items():
            yield Row(SECTION, f"{job}, 4,500 rows of Adult, l=6", measure, value)


def _slope(points: list[tuple[float, float]]) -> float:
    """Return the slope of the least-squares line through the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    n = len(logs)
    mean_x, mean_y = sum(x for x, _ in logs) / n, sum(y for _, y in logs) / n
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)
