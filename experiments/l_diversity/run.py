"""Compare l-diversity by suppression: ``python experiments/l_diversity/run.py [--quick | --full]``.

Writes results.md and its plots beside this file; the single runs go to the work folder, from which ``--render``
makes the page again without running anything.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import real_tables
from measuring import Projections, Run
from page import write
from sections import FULL, LARGE, QUICK, USUAL, generated, kl_by_l_and_d, stars_by_d, stars_by_l, times_by_rows

HERE = Path(__file__).resolve().parent
SECTIONS = ("stars by l", "stars by d", "time", "kl")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_true", help="small tables and few projections, a minute or two")
    how_much.add_argument("--full", action="store_true", help="600,000 rows and all projections, hours")
    parser.add_argument("--ten-million", action="store_true", help="take times up to ten million rows, too")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, by commas: " + ", ".join(SECTIONS))
    parser.add_argument("--out", type=Path, default=HERE, help="folder for results.md and the plots")
    parser.add_argument("--work", type=Path, default=HERE / "work", help="folder for the single runs")
    parser.add_argument("--render", action="store_true", help="only write the page from the runs that are there")
    given = parser.parse_args()
    size = QUICK if given.quick else FULL if given.full else USUAL
    given.work.mkdir(parents=True, exist_ok=True)
    kept = given.work / "runs.json"
    runs = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    if not given.render:
        sweep = (*size.sweep, *(LARGE if given.ten_million else ()))
        for section in given.only.split(","):
            if section not in SECTIONS:
                parser.error(f"unknown section: {section}")
            if section == "time":
                found = (run for rows in sweep for run in times_by_rows(rows))
            else:
                question = {"stars by l": stars_by_l, "stars by d": stars_by_d, "kl": kl_by_l_and_d}[section]
                found = (run for table in _tables(size.rows) for run in question(table, size))
            runs[section] = _collected(section, found)
            kept.write_text(json.dumps(runs), "utf-8")
    write(given.out, {section: [_read(run) for run in runs[section]] for section in SECTIONS if section in runs})
    return 0


def _read(run: dict) -> Run:
    return Run(**{**run, "columns": tuple(run["columns"])})


def _tables(rows: int) -> list[Projections]:
    real = [Projections(name, *table) for name, table in real_tables.available().items()]
    return [*generated(rows), *real]


def _collected(section: str, found: Iterable[Run | None]) -> list[dict]:
    runs = []
    for run in found:
        if run is not None:
            runs.append(asdict(run))
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{section}: {len(runs)} runs, {run.table}, d = {run.d}, l = {run.l}   ")
                sys.stderr.flush()
    sys.stderr.write(f"\r{section}: {len(runs)} runs, done\n")
    return runs


if __name__ == "__main__":
    sys.exit(main())
