"""Composition attacks on Merging and its rivals: ``python experiments/composition/run.py [--quick]``.

Writes results.md and its plots beside this file. Every single figure goes to the work folder as soon as it is
there: run it again and it goes on where it was stopped. ``SHOAL_SHARED`` names the folder with Adult; without it
people are generated. Needs the dependency group "experiments".
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from page import write
from sections import QUICK, SECTIONS, USUAL
from tables import everybody

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three sets, two overlaps, one k; a minute or two")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, by commas: " + ", ".join(SECTIONS))
    parser.add_argument("--out", type=Path, default=None, help="folder for results.md and the plots")
    parser.add_argument("--work", type=Path, default=None, help="folder for the single figures")
    parser.add_argument(
        "--render", action="store_true", help="only write the page from the figures that are there"
    )
    given = parser.parse_args()
    size = QUICK if given.quick else USUAL
    work = given.work or HERE / "work"
    out = given.out or (work / "quick" if given.quick else HERE)
    for folder in (work, out):
        folder.mkdir(parents=True, exist_ok=True)
    kept = work / ("quick.json" if given.quick else "runs.json")
    runs = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    source = everybody().source
    if runs.get("source", source) != source:
        parser.error(f"{kept} holds figures of {runs['source']}; remove it, or name another folder with --work")
    runs["source"] = source
    if not given.render:
        sections = given.only.split(",")
        for section in sections:
            if section not in SECTIONS:
                parser.error(f"unknown section: {section}")
        # The whole of one k first: whoever stops early has complete tables of it.
        jobs = [job for k in size.ks for section in sections for job in SECTIONS[section](replace(size, ks=(k,)))]
        for name, job in jobs:
            if name in runs:
                continue
            started = time.process_time()
            runs[name] = job()
            staged = kept.with_suffix(".new")
            staged.write_text(json.dumps(runs), "utf-8")
            staged.replace(kept)
            sys.stderr.write(f"{name}: {time.process_time() - started:.1f} s\n")
    write(out, runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
