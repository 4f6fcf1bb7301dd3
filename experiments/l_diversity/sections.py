"""What is run: the tasks of each question, and how one is carried out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import real_tables
from generate import SENSITIVE, SIZES, population
from measuring import GENERAL, OF_THE_PAPER, STARS, Projections, Run

L = range(2, 11)
MIDDLE_L, MIDDLE_D = 6, 4
SECTIONS = ("stars by l", "stars by d", "all by l", "all by d", "time", "kl")


@dataclass(frozen=True)
class Size:
    """How much is run.

    Parameters
    ----------
    rows : int
        Rows of the generated tables.
    sweep : tuple of int
        Rows of the tables on which the times of all methods are taken.
    projections : int
        Projections of each number of columns, drawn once, on which all methods are compared.
    all_rows : int
        Rows of the generated tables whose projections are all run by the methods of the paper; 0 for none.
    """

    rows: int
    sweep: tuple[int, ...]
    projections: int
    all_rows: int = 0


QUICK = Size(20_000, (20_000, 40_000), 2)
USUAL = Size(100_000, (100_000, 300_000), 3)
FULL = Size(100_000, (100_000, 300_000, 600_000), 3, 600_000)
LARGE = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
"""Rows of the tables on which the growth of the methods of the paper is measured."""


@dataclass(frozen=True)
class Task:
    """Some methods on one projection of one table."""

    section: str
    table: str
    rows: int
    quasi: tuple[str, ...]
    l: int
    methods: tuple[str, ...]

    def key(self, method: str) -> str:
        """Return what names a run of a method."""
        return "|".join([self.section, self.table, str(self.rows), "+".join(self.quasi), str(self.l), method])


@lru_cache(maxsize=1)
def table(name: str, rows: int) -> Projections:
    """Return a table by name; *rows* says how many to generate and is ignored for real ones."""
    if name in SENSITIVE:
        columns = population(rows)
        return Projections(name, {key: columns[key] for key in (*SIZES, SENSITIVE[name])}, SENSITIVE[name])
    return Projections(name, *real_tables.READ[name]())


def carried_out(task: Task, methods: tuple[str, ...]) -> list[tuple[str, Run | None]]:
    """Run some methods of a task; of times the lesser of two counts."""
    found = []
    projections = table(task.table, task.rows)
    for method in methods:
        times = 2 if task.section == "time" else 1
        runs = [projections.run(method, task.quasi, task.l, kl=task.section == "kl") for _ in range(times)]
        found.append((task.key(method), min((r for r in runs if r), key=lambda r: r.seconds, default=None)))
    return found


def chosen(quasi: tuple[str, ...], d: int, most: int) -> list[tuple[str, ...]]:
    """Return the projections on *d* columns, or some of them, the same in every run."""
    every = list(combinations(quasi, d))
    if len(every) <= most:
        return every
    return [every[i] for i in sorted(np.random.default_rng(d).choice(len(every), most, replace=False))]


def tasks(section: str, size: Size, *, large: bool = False) -> Iterator[Task]:
    """Yield the tasks of a question, table by table.

    Stars by l: every feasible l on projections on four columns. By d: every number of columns at l = 6, or the
    largest l that is feasible. Time: four and seven columns at l = 6. KL divergence: generalization instead of
    stars, with the first projections only.
    """
    if section == "time":
        for rows in sorted({*size.sweep, *(LARGE if large else ())}):
            methods = tuple(STARS) if rows in size.sweep else OF_THE_PAPER
            for name in SENSITIVE:
                quasi = tuple(SIZES)
                yield Task(section, name, rows, quasi[:MIDDLE_D], MIDDLE_L, methods)
                yield Task(section, name, rows, quasi, MIDDLE_L, methods)
        return
    every = section.startswith("all")
    rows = size.all_rows if every else size.rows
    if not rows:
        return
    methods = tuple(GENERAL) if section == "kl" else OF_THE_PAPER if every else tuple(STARS)
    most = 35 if every else 1 if section == "kl" else size.projections
    for name in (*SENSITIVE, *real_tables.available()):
        whole = table(name, rows)
        if section not in {"all by d", "stars by d"}:
            for l in L:
                if l <= whole.largest_l:
                    for quasi in chosen(whole.quasi, MIDDLE_D, most):
                        yield Task(section, name, rows, quasi, l, methods)
        if section in {"all by d", "stars by d", "kl"}:
            for d in range(1, len(whole.quasi) + 1):
                if section == "kl" and d == MIDDLE_D:
                    continue
                for quasi in chosen(whole.quasi, d, most):
                    yield Task(section, name, rows, quasi, min(MIDDLE_L, whole.largest_l), methods)
