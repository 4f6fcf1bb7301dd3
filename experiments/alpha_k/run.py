"""(α, k)-anonymity on Adult: what each algorithm loses and how long it takes, beside the paper's claims.

python3 experiments/alpha_k/run.py [--quick] [--large]    SHOAL_SHARED names the folder with the tables

Writes results.md and results.svg beside this file. Single searches are kept in the work folder, so that a run that
was ended goes on where it was; ``--render`` writes the page from what is there. The plot needs the dependency
group "experiments".
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

import tables
from jobs import Job, jobs
from page import page
from searches import ALGORITHMS, FULL_DOMAIN, PUBLISHED, SUPPRESSING, Found, measured

from shoal.models import AlphaKAnonymity

HERE = Path(__file__).resolve().parent
MOST_ROWS = {FULL_DOMAIN: 1_000_000, PUBLISHED: 1_000_000, SUPPRESSING: 100_000, "best": 300_000}
"""Rows of the largest table on which an algorithm is run, where there is such a limit."""


def main() -> None:
    """Measure what is missing, and write the table and the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few points of each sweep")
    parser.add_argument("--large", action="store_true", help="one and ten million rows as well")
    parser.add_argument(
        "--render", action="store_true", help="only write the page from the searches that are there"
    )
    parser.add_argument("--out", type=Path, default=HERE, help="folder for results.md and the plot")
    parser.add_argument("--work", type=Path, default=HERE / "work", help="folder for the single searches")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    kept = options.work / "searches.jsonl"
    done = read(kept)
    chosen = list(jobs(quick=options.quick, large=options.large))
    if not options.render:
        measure_missing(chosen, done, kept)
    found = [(job, done[job.key, name]) for job in chosen for name in ALGORITHMS if (job.key, name) in done]
    (options.out / "results.md").write_text(page(found), "utf-8")
    try:
        from plots import plot

        plot(found, options.out / "results.svg")
    except ImportError as error:
        print(f"no plot: {error}")


def read(kept: Path) -> dict[tuple[str, str], Found]:
    """Return the searches of earlier runs, by job and algorithm."""
    if not kept.exists():
        return {}
    lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    return {(line.pop("job"), line["algorithm"]): Found(**line) for line in lines}


def measure_missing(chosen: list[Job], done: dict[tuple[str, str], Found], kept: Path) -> None:
    """Measure what *done* lacks, and add it there and to the file; compiling is done beforehand."""
    warm = tables.adult(3, rows=500)
    for name in ALGORITHMS:
        measured(name, warm, (AlphaKAnonymity(sensitive="occupation", alpha="0.5", k=2),))
    for job in sorted(chosen, key=lambda each: each.rows or 0):
        names = [name for name in ALGORITHMS if (job.key, name) not in done]
        names = [name for name in names if (job.rows or 0) <= MOST_ROWS.get(name, sys.maxsize)]
        if not names:
            continue
        table = tables.adult(job.n_quasi, rows=job.rows)
        for name in names:
            found = done[job.key, name] = measured(name, table, (job.model,))
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"job": job.key, **asdict(found)}) + "\n")
            print(job.sweep, job.x, found, flush=True)


if __name__ == "__main__":
    main()
