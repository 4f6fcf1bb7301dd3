"""Measure shoal and print one table: ``python benchmarks/run.py [--quick] [--only SECTION,...]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import arx_adult
import attack
import audit
import best
import best_million
import best_tables
import kinds
import local_growth
import merging
import mondrian_adult
import page
import pycanon_adult
import start_up
import ten_million
import tp_adult
import tp_process
from table import Row, markdown

HERE = Path(__file__).resolve().parent
MODULES = (
    start_up,
    arx_adult,
    mondrian_adult,
    tp_adult,
    best,
    local_growth,
    merging,
    kinds,
    attack,
    best_tables,
    best_million,
    pycanon_adult,
    audit,
    ten_million,
    tp_process,
)
SECTIONS = {module.SECTION: module for module in MODULES}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes and few jobs")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, by commas: " + ", ".join(SECTIONS))
    parser.add_argument("--work", type=Path, default=HERE / "work", help="folder for tables, kept between runs")
    parser.add_argument("--pycanon-python", default="", help="Python of an environment with pycanon")
    parser.add_argument("--install-pycanon", action="store_true", help="make such an environment")
    parser.add_argument("--rows", type=int, default=ten_million.ROWS, help="rows of the section ten-million")
    given = parser.parse_args()
    ten_million.ROWS = given.rows
    chosen = given.only.split(",")
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        parser.error(f"unknown section: {', '.join(unknown)}")
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    pycanon_adult.PYTHON = pycanon_adult.install(work) if given.install_pycanon else given.pycanon_python

    rows: list[Row] = []
    for name in chosen:
        mine: list[Row] = []
        for row in SECTIONS[name].rows(work, quick=given.quick):
            mine.append(row)
            sys.stderr.write("  ".join(filter(None, row.cells())) + "\n")
        rows += mine
        if not given.quick and given.rows == parser.get_default("rows"):
            page.replace(HERE / "results.md", name, mine, list(SECTIONS))
    print(markdown(rows))
    print(page.about(rows))
    return 1 if any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
