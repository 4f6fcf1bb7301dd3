"""The composition attack and utility on two releases of 100,000 rows: seconds, and memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from process import FailedError, measured
from table import Row

SECTION = "attack"
SCRIPT = [sys.executable, str(Path(__file__).resolve().parent / "attack_time.py")]
ROWS, QUICK_ROWS = 100_000, 10_000
MOST_S = 10.0
MOST_MB = 2_000


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield CPU seconds of each job, and the peak of memory of all."""
    n = QUICK_ROWS if quick else ROWS
    try:
        run = measured([*SCRIPT, str(n)], cwd=work)
    except FailedError as error:
        yield Row(SECTION, "all", "", f"failed: {str(error).splitlines()[-1]}", met=False)
        return
    for job, found in json.loads(run.out).items():
        kind, _, what = job.partition(": ")
        aim = f"at most {MOST_S:.0f}"
        yield Row(SECTION, f"{kind}, {what}, {n:,} rows each", "CPU s", found, None, aim, found <= MOST_S)
    yield Row(SECTION, "all of these", "peak memory, MB", run.peak, None, f"below {MOST_MB:,}", run.peak < MOST_MB)
