"""A million invented visits: what the best local recoding improves within its seconds, and in how much memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from process import SHOAL, FailedError, measured
from table import Row
from ten_million import visits_spec

SECTION = "best-million"
BUDGET_S = 60
MEMORY_MB = 4000
ROWS = 1_000_000

# Job, whether people are counted, and the seconds that are given; without any, the effort follows from the table.
JOBS = [
    ("rows, no budget", False, None),
    (f"rows, {BUDGET_S} s", False, BUDGET_S),
    (f"people, {BUDGET_S} s", True, BUDGET_S),
]


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield what each job starts from and what it reaches, its seconds and its peak memory."""
    n, jobs = (100_000, JOBS[:1]) if quick else (ROWS, JOBS)
    source = work / f"visits-{n}" / "visits.parquet"
    if not source.exists():
        measured(
            [sys.executable, "-m", "shoal.examples", str(source.parent), "--visits", str(n), "--format", "parquet"]
        )
    for job, people, budget in jobs:
        spec, out = work / "million.toml", work / "million.parquet"
        text = visits_spec(source.parent, algorithm="best", people=people)
        spec.write_text(text if budget is None else f"{text}budget_s = {budget}\n", "utf-8")
        command = [
            *SHOAL, "anonymize", str(source), "--spec", str(spec), "-o", str(out),
            "--force", "--seed", "1", "--json",
        ]  # fmt: skip
        try:
            run = measured(command)
        except FailedError as error:
            yield Row(SECTION, job, "", f"failed: {str(error).splitlines()[-1]}", met=False)
            continue
        told = json.loads(run.out)["result"]
        start = min(value for name, value in told["statistics"].items() if name.startswith("loss of "))
        yield Row(
            SECTION, job, "loss, beside its best start", told["loss"], start, "< beside", told["loss"] < start
        )
        yield Row(SECTION, job, "changes", told["statistics"]["moves"])
        yield Row(SECTION, job, "seconds of the search", told["statistics"]["trace"][-1][0], budget)
        aim = "below 60 s" if budget is None and not quick else ""
        yield Row(SECTION, job, "whole process, wall s", run.wall, None, aim, run.wall < 60 if aim else None)
        yield Row(SECTION, job, "whole process, CPU s", run.cpu)
        yield Row(SECTION, job, "peak MB", run.peak, None, f"below {MEMORY_MB} MB", run.peak < MEMORY_MB)
        out.unlink(missing_ok=True)
