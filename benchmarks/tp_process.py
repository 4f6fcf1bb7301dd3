"""TP and TP+ from Parquet to Parquet, beside the floor: Polars copying the same file from disk to disk.

The table has the columns and numbers of values of the experiments on l-diversity, and the income is sensitive. As
in ``ten-million`` the floor is measured before and after the jobs of a size and the mean is taken.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from process import SHOAL, FailedError, Run, measured
from table import Row
from ten_million import COPY

SECTION = "tp-process"
GENERATOR = Path(__file__).resolve().parent.parent / "experiments" / "l_diversity"
SIZES = (600_000, 3_000_000, 10_000_000)
FEW = 60_000
SENSITIVE = "income"
L = 6
TARGET = 9
"""Times the floor, in seconds of the clock, from which on a process is too slow."""

JOBS = (("tp", []), ("tp+", []), ("tp+, rows in order", ["--keep-order"]))


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield wall and CPU seconds beside the floor and peak memory, for each number of rows."""
    copied, out = work / "copy.parquet", work / "published.parquet"
    for job, options in JOBS:
        # Kernels are compiled once on a machine, which is no part of a job.
        measured(_command(_census(work, FEW), out, job, options))
    for n in (FEW,) if quick else SIZES:
        source = _census(work, n)
        copy = [sys.executable, "-c", COPY, str(source), str(copied)]
        measured(copy)
        before = measured(copy)
        done: dict[str, Run | str] = {}
        for job, options in JOBS:
            try:
                done[job] = measured(_command(source, out, job, options))
            except FailedError as error:
                done[job] = f"failed: {str(error).splitlines()[-1]}"
        after = measured(copy)
        floor, floor_cpu = (before.wall + after.wall) / 2, (before.cpu + after.cpu) / 2
        yield Row(SECTION, f"{n:,} rows, copy", "wall s (floor)", floor)
        yield Row(SECTION, f"{n:,} rows, copy", "CPU s (floor)", floor_cpu)
        for job, run in done.items():
            name = f"{n:,} rows, {job}"
            if isinstance(run, str):
                yield Row(SECTION, name, "", run, met=False)
                continue
            # A quick run is mostly start-up.
            met = None if quick else run.wall <= TARGET * floor
            yield Row(SECTION, name, "wall s", run.wall, floor, "" if quick else f"at most {TARGET}", met)
            yield Row(SECTION, name, "CPU s", run.cpu, floor_cpu)
            yield Row(SECTION, name, "peak MB", run.peak, before.peak)
        for path in (copied, out):
            path.unlink(missing_ok=True)


def _census(work: Path, n: int) -> Path:
    """Return the table with so many rows, made where it is not there."""
    source = work / f"census-{n}" / "census.parquet"
    if not source.exists():
        # In a process of its own: the memory of this one would count as that of its children.
        measured([sys.executable, __file__, str(source), str(n)])
    return source


def _command(source: Path, out: Path, job: str, options: list[str]) -> list[str]:
    return [
        *SHOAL, "anonymize", str(source), "--spec", str(source.parent / "census.toml"), "-o", str(out),
        "--algorithm", job.split(",", maxsplit=1)[0], "--force", "--seed", "1", *options,
    ]  # fmt: skip


def make(source: Path, n: int) -> None:
    """Write the table with so many rows, its hierarchies and its spec."""
    sys.path.insert(0, str(GENERATOR))
    import generate

    folder = source.parent
    folder.mkdir(parents=True, exist_ok=True)
    columns = generate.population(n)
    texts = {}
    for name in (*generate.SIZES, SENSITIVE):
        tree, codes = columns[name].hierarchy, columns[name].codes
        texts[name] = pl.Series(list(tree.leaves)).gather(codes)
        if name != SENSITIVE:
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, delimiter=";").writerows(
                    [tree.leaves[i], *(tree.labels[level[i]] for level in tree.levels[1:])]
                    for i in range(tree.n_values)
                )
    (folder / "census.toml").write_text(spec(tuple(generate.SIZES)), "utf-8")
    pl.DataFrame(texts).write_parquet(source)


def spec(quasi: tuple[str, ...]) -> str:
    """Return the spec of the table."""
    parts = ["version = 1"]
    parts += [
        f'[columns.{name}]\nrole = "quasi-identifier"\nhierarchy = {{ file = "{name}.csv", delimiter = ";" }}'
        for name in quasi
    ]
    parts.append(f'[columns.{SENSITIVE}]\nrole = "sensitive"')
    parts.append(f'[[models]]\nmodel = "l-diversity"\nsensitive = "{SENSITIVE}"\nl = {L}\nkind = "frequency"')
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
