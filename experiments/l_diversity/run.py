"""Compare l-diversity by suppression: ``experiments/l_diversity/run.py [--quick | --full] [--ten-million]``.

Writes results.md and its plots beside this file. The single runs go to the work folder, so that a command that was
ended goes on where it was; ``--render`` makes the page from them without running anything.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from measuring import Run
from page import write
from sections import FULL, QUICK, SECTIONS, USUAL, Task, carried_out, tasks

HERE = Path(__file__).resolve().parent
Done = dict[str, dict | None]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_true", help="small tables and few projections, a minute or two")
    how_much.add_argument(
        "--full", action="store_true", help="also all projections of 600,000 rows, a quarter hour"
    )
    parser.add_argument("--ten-million", action="store_true", help="take times up to ten million rows, minutes")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, by commas: " + ", ".join(SECTIONS))
    parser.add_argument("--jobs", type=int, default=1, help="processes; times are taken by one all the same")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for results.md and the plots")
    parser.add_argument("--work", type=Path, default=HERE / "work", help="folder for the single runs")
    parser.add_argument("--render", action="store_true", help="only write the page from the runs that are there")
    given = parser.parse_args()
    size = QUICK if given.quick else FULL if given.full else USUAL
    chosen = given.only.split(",")
    if unknown := set(chosen) - set(SECTIONS):
        parser.error(f"unknown section: {', '.join(sorted(unknown))}")
    given.work.mkdir(parents=True, exist_ok=True)
    kept = given.work / "runs.jsonl"
    done = read(kept)
    for section in () if given.render else chosen:
        wanted = list(tasks(section, size, large=given.ten_million))
        run_missing(wanted, done, kept, jobs=1 if section == "time" else given.jobs)
    write(given.out, sections_of(done))
    return 0


def read(kept: Path) -> Done:
    """Return what earlier commands ran: figures by key, None where a method found nothing."""
    if not kept.exists():
        return {}
    lines = (json.loads(line) for line in kept.read_text("utf-8").splitlines())
    return {line["key"]: line["run"] for line in lines}


def run_missing(wanted: list[Task], done: Done, kept: Path, *, jobs: int) -> None:
    """Run what *done* lacks of the tasks, and add it there and to the file."""
    missing = [(task, tuple(m for m in task.methods if task.key(m) not in done)) for task in wanted]
    missing = [(task, methods) for task, methods in missing if methods]
    with kept.open("a", encoding="utf-8") as file:
        for number, found in enumerate(_all(missing, jobs), start=1):
            for key, run in found:
                done[key] = None if run is None else asdict(run)
                file.write(json.dumps({"key": key, "run": done[key]}) + "\n")
            file.flush()
            if sys.stderr.isatty() or number % 50 == 0 or number == len(missing):
                sys.stderr.write(f"{wanted[0].section}: {number} of {len(missing)} tasks\n")


def _all(missing: list[tuple[Task, tuple[str, ...]]], jobs: int) -> Iterator[Iterable[tuple[str, Run | None]]]:
    if jobs == 1:
        yield from (carried_out(task, methods) for task, methods in missing)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(carried_out, *zip(*missing, strict=True), chunksize=4) if missing else ()


def sections_of(done: Done) -> dict[str, list[Run]]:
    """Return the runs by section, in the order in which they were made."""
    found: dict[str, list[Run]] = {}
    for key, run in done.items():
        if run is not None:
            found.setdefault(key.split("|")[0], []).append(Run(**{**run, "columns": tuple(run["columns"])}))
    return {section: found[section] for section in SECTIONS if section in found}


if __name__ == "__main__":
    sys.exit(main())
