"""Ten million invented visits, beside the floor: Polars copying the same file from disk to disk.

The floor is measured before and after the jobs of a format and the mean is taken, since the speed of a shared
machine drifts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from process import SHOAL, FailedError, Run, measured
from table import Row

SECTION = "ten-million"
SUPPRESSION_LIMIT = "0"
COPY = """
import sys
import polars as pl
source, target = sys.argv[1:]
if source.endswith(".csv"):
    pl.scan_csv(source, infer_schema=False).sink_csv(target)
else:
    pl.scan_parquet(source).sink_parquet(target)
"""

# Algorithm, whether people are counted, further options, and the largest ratio to the floor by format.
JOBS = [
    ("optimal", False, ["--keep-order"], {"csv": 5.0, "parquet": 6.0}),
    ("mondrian", False, ["--keep-order"], {"csv": 7.0, "parquet": 9.0}),
    ("mondrian, shuffled", False, [], {}),
    ("mondrian, people", True, ["--keep-order"], {}),
]
MEMORY_MB = 4000
FEW = 20_000
ROWS = 10_000_000
"""Rows of the table where it is not to be quick, set from the command line."""


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield wall seconds beside the floor and peak memory, for both formats."""
    n = 300_000 if quick else ROWS
    for form in ("csv", "parquet"):
        source, few = (_visits(work, visits, form) for visits in (n, FEW))
        for job, people, options, _ in JOBS:
            # Kernels are compiled once on a machine, which is no part of a job.
            measured(_command(few, work, form, job, options, people=people))
        copied = work / f"copy.{form}"
        copy = [sys.executable, "-c", COPY, str(source), str(copied)]
        measured(copy)
        before = measured(copy)
        done: dict[str, Run | str] = {}
        for job, people, options, _ in JOBS:
            try:
                done[job] = measured(_command(source, work, form, job, options, people=people))
            except FailedError as error:
                done[job] = f"failed: {str(error).splitlines()[-1]}"
        after = measured(copy)
        floor = (before.wall + after.wall) / 2
        floor_cpu = (before.cpu + after.cpu) / 2
        yield Row(SECTION, f"{form}, copy", f"wall s, {n:,} rows (floor)", floor)
        yield Row(SECTION, f"{form}, copy", "CPU s (floor)", floor_cpu)
        yield Row(SECTION, f"{form}, copy", "peak MB", before.peak)
        for job, _, _, aims in JOBS:
            run, name = done[job], f"{form}, {job}"
            if isinstance(run, str):
                yield Row(SECTION, name, "", run, met=False)
                continue
            # A small table is mostly start-up, so it has no target.
            aim = None if quick else aims.get(form)
            met = run.wall <= aim * floor if aim else None
            yield Row(SECTION, name, "wall s", run.wall, floor, f"at most {aim:g}" if aim else "", met)
            yield Row(SECTION, name, "CPU s", run.cpu, floor_cpu)
            small = run.peak < MEMORY_MB
            yield Row(SECTION, name, "peak MB", run.peak, before.peak, f"below {MEMORY_MB} MB", small)
        for path in (copied, work / f"published.{form}"):
            path.unlink(missing_ok=True)


def _visits(work: Path, n: int, form: str) -> Path:
    """Return the table with so many visits, made where it is not there."""
    source = work / f"visits-{n}" / f"visits.{form}"
    if not source.exists():
        measured(
            [sys.executable, "-m", "shoal.examples", str(source.parent), "--visits", str(n), "--format", form]
        )
    return source


def _command(source: Path, work: Path, form: str, job: str, options: list[str], *, people: bool) -> list[str]:
    """Write the spec of a job and return what runs it."""
    spec = work / "visits.toml"
    spec.write_text(visits_spec(source.parent, algorithm=job.split(",", maxsplit=1)[0], people=people), "utf-8")
    return [
        *SHOAL, "anonymize", str(source), "--spec", str(spec), "-o", str(work / f"published.{form}"),
        "--force", "--seed", "1", *options,
    ]  # fmt: skip


def visits_spec(folder: Path, *, algorithm: str, people: bool) -> str:
    """Return the example's spec with k = 5 as the only model, counting rows unless *people*."""
    text = (folder / "hospital.toml").read_text("utf-8")
    head = text[: text.index("[[models]]")]
    if not people:
        head = re.sub(r'(\[columns\.patient\]\nrole = )"unit"', r'\1"identifier"', head)
    return (
        f'{head}[[models]]\nmodel = "k-anonymity"\nk = 5\n\n'
        f'[method]\nalgorithm = "{algorithm}"\nsuppression_limit = "{SUPPRESSION_LIMIT}"\n'
    )
