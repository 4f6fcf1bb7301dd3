"""How the time of a search grows with rows and with quasi-identifiers: local recodings and Incognito, on Adult.

Searches alone, on the counted table, in CPU seconds; each size in a process of its own, whose kernels are loaded
before. A larger Adult is drawn with replacement, a tenth of its cells anew from their columns, as in the
experiments on (α, k)-anonymity.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import adult
from process import FailedError, measured
from table import Row

SECTION = "local-growth"
TABLES = Path(__file__).resolve().parent.parent / "experiments" / "alpha_k"
ROWS = (30_000, 100_000, 300_000, 1_000_000)
MILLION = 1_000_000
QUASI = range(3, 10)
WIDE_ROWS = 100_000
ALGORITHMS = ("top-down", "progressive", "progressive, level-wise", "mondrian", "incognito")

FASTER_THAN_ROWS = 1.15
"""Slope of the logarithms up to which the time is said to grow like the rows."""

SECONDS = 10.0


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield CPU seconds and slopes."""
    if adult.missing():
        yield Row(SECTION, "all", "", adult.missing())
        return
    sizes = ROWS[:2] if quick else ROWS
    found: dict[tuple[str, int, int], float] = {}
    for n, d in [*((n, 8) for n in sizes), *((WIDE_ROWS, d) for d in (QUASI[:2] if quick else QUASI) if d != 8)]:
        try:
            said = json.loads(measured([sys.executable, __file__, str(n), str(d)], cwd=work).out)
        except FailedError as error:
            yield Row(SECTION, f"{n:,} rows, {d} columns", "", f"failed: {str(error).splitlines()[-1]}", met=False)
            continue
        for job, seconds in said.items():
            found[job, n, d] = seconds
    for job in dict.fromkeys(job for job, _, _ in found):
        line = [(n, found[job, n, 8]) for n in sizes if (job, n, 8) in found]
        for n, seconds in line:
            aimed = n == MILLION
            yield Row(
                SECTION, job, f"search, CPU s, {n:,} rows, 8 columns", seconds, None,
                f"below {SECONDS:g} s" if aimed else "", seconds < SECONDS if aimed else None,
            )  # fmt: skip
        if len(line) > 1:
            slope = _slope(line)
            yield Row(
                SECTION, job, "slope of log(time) against log(rows)", slope, None,
                f"about 1: at most {FASTER_THAN_ROWS}", slope <= FASTER_THAN_ROWS,
            )  # fmt: skip
        for d in () if "α" in job else QUASI:
            if (job, WIDE_ROWS, d) in found:
                seconds, least = found[job, WIDE_ROWS, d], found.get((job, WIDE_ROWS, QUASI[0]))
                yield Row(SECTION, job, f"search, CPU s, {WIDE_ROWS:,} rows, {d} columns", seconds, least)


def _slope(line: list[tuple[int, float]]) -> float:
    x, y = ([math.log(pair[i]) for pair in line] for i in (0, 1))
    middle, level = sum(x) / len(x), sum(y) / len(y)
    over = sum((a - middle) * (b - level) for a, b in zip(x, y, strict=True))
    return over / sum((a - middle) ** 2 for a in x)


def main(n: int, d: int) -> None:
    """Print the CPU seconds of each search as JSON: the least of three, or of one where that takes long."""
    sys.path.insert(0, str(TABLES))
    import numpy as np
    import tables

    from shoal.algorithms import Incognito, Mondrian, Progressive, TopDown
    from shoal.core.problem import Problem
    from shoal.loss import NCP
    from shoal.models import AlphaKAnonymity, KAnonymity

    algorithms = (TopDown(), Progressive(), Progressive(variant="level-wise"), Mondrian(), Incognito())
    small, table = (tables.adult(d, rows=size) for size in (2_000, n))
    said = {}
    for name, algorithm in zip(ALGORITHMS, algorithms, strict=True):
        for asked, model in {
            "k = 5": KAnonymity(k=5),
            "k = 5, α = 0.3": AlphaKAnonymity(sensitive="occupation", alpha="0.3", k=5),
        }.items():
            # The columns are only counted up for k, since the ninth is the sensitive one.
            if "α" in asked and d != len(tables.ADULT):
                continue
            taken: list[float] = []
            for counted in (small, table, table, table):
                if sum(taken[1:]) > SECONDS:
                    break
                problem = Problem(models=(model,), loss=NCP(), context=counted.context())
                started = time.process_time()
                algorithm.search(counted, problem, np.random.default_rng(0))
                taken.append(time.process_time() - started)
            said[f"{name}, {asked}"] = min(taken[1:])
    print(json.dumps(said))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
