"""What is run: each function yields the runs of one question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from generate import SENSITIVE, SIZES, population
from measuring import GENERAL, STARS, Projections, Run

L = range(2, 11)
MIDDLE_L, MIDDLE_D = 6, 4


@dataclass(frozen=True)
class Size:
    """How much is run.

    Parameters
    ----------
    rows : int
        Rows of the generated tables.
    sweep : tuple of int
        Rows of the tables on which times are taken.
    projections : int
        Projections of each number of columns, drawn once; 35 are all of them.
    """

    rows: int
    sweep: tuple[int, ...]
    projections: int


QUICK = Size(20_000, (20_000, 40_000), 2)
USUAL = Size(100_000, (100_000, 300_000, 600_000), 3)
FULL = Size(600_000, (100_000, 200_000, 300_000, 400_000, 500_000, 600_000), 35)
LARGE = (1_000_000, 2_000_000, 5_000_000, 10_000_000)


def generated(rows: int) -> list[Projections]:
    """Return SAL and OCC with so many rows."""
    columns = population(rows)
    return [
        Projections(name, {key: columns[key] for key in (*SIZES, sensitive)}, sensitive)
        for name, sensitive in SENSITIVE.items()
    ]


def chosen(quasi: tuple[str, ...], d: int, most: int) -> list[tuple[str, ...]]:
    """Return the projections on *d* columns, or some of them, the same in every run."""
    every = list(combinations(quasi, d))
    if len(every) <= most:
        return every
    return [every[i] for i in sorted(np.random.default_rng(d).choice(len(every), most, replace=False))]


def stars_by_l(table: Projections, size: Size) -> Iterator[Run | None]:
    """Every feasible l on projections on four columns."""
    for l in L:
        if l <= table.largest_l:
            for quasi in chosen(table.quasi, MIDDLE_D, size.projections):
                for method, algorithm in STARS.items():
                    yield table.run(method, algorithm, quasi, l)


def stars_by_d(table: Projections, size: Size) -> Iterator[Run | None]:
    """Every number of columns at l = 6, or the largest l that is feasible."""
    for d in range(1, len(table.quasi) + 1):
        for quasi in chosen(table.quasi, d, size.projections):
            for method, algorithm in STARS.items():
                yield table.run(method, algorithm, quasi, min(MIDDLE_L, table.largest_l))


def times_by_rows(rows: int) -> Iterator[Run | None]:
    """Four and seven columns at l = 6, the lesser time of two runs."""
    for table in generated(rows):
        for d in (MIDDLE_D, len(table.quasi)):
            for method, algorithm in STARS.items():
                runs = [table.run(method, algorithm, table.quasi[:d], MIDDLE_L) for _ in range(2)]
                yield min((run for run in runs if run), key=lambda run: run.seconds, default=None)


def kl_by_l_and_d(table: Projections, size: Size) -> Iterator[Run | None]:
    """Generalization instead of stars: every l on the first four columns, and every number of columns at l = 6."""
    for l in L:
        if l <= table.largest_l:
            for quasi in chosen(table.quasi, MIDDLE_D, max(1, size.projections // 10)):
                for method, algorithm in GENERAL.items():
                    yield table.run(method, algorithm, quasi, l, kl=True)
    for d in range(1, len(table.quasi) + 1):
        for quasi in chosen(table.quasi, d, max(1, size.projections // 10)):
            for method, algorithm in GENERAL.items():
                if d != MIDDLE_D:
                    yield table.run(method, algorithm, quasi, min(MIDDLE_L, table.largest_l), kl=True)
