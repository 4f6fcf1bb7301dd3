"""The page of results: the paper's claims beside what was measured, and a table for each sweep."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import geometric_mean, mean

from jobs import GRID, ROWS, Job
from searches import ALGORITHMS, FULL_DOMAIN, PUBLISHED, Found

INTRODUCTION = """# (α, k)-anonymity on Adult

Written by `python3 experiments/alpha_k/run.py --large`. Unless a sweep says otherwise: 30,162 rows, the
quasi-identifiers age, workclass, education, marital-status, race, sex, native-country and salary-class (the first
ones of this list where there are fewer) with the hierarchies beside the table, k = 5, α = 0.3 for all occupations.
The three occupations are Protective-serv, Tech-support and Priv-house-serv. Up to 45,222 rows are drawn from the
train and test halves; more are drawn from these with replacement, a tenth of the cells anew from their columns.

The distortion ratio is the edges climbed by all cells over those of a table of stars; it is also the objective.
Nothing is suppressed except by "optimal, suppressing", which may suppress any number of rows; a suppressed row
climbs to the top. CPU seconds are those of the search alone, on the counted table.

"incognito" is shoal's extended Incognito, which counts each node of the lattice once, from the classes of a finer
node. "incognito, as published" tests every candidate of every subset of the columns by counting the records, with
the paper's two prunings only; both find the same node. Not every algorithm is run on the largest tables.
"""

CLAIMS = """## The paper's claims

Wong et al. report that local recoding takes about a quarter of the time of extended Incognito and has about a
third of its distortion. Mean share of Incognito's distortion over the grid of α and k (α = .2, .3 and .5 for every
occupation, α = .1 for three; k = 5, 10 and 50) and over all points at which both were run; and how many times
faster the search is, on average over all points and at eight quasi-identifiers (geometric means):

| | share, grid | share, all points | at most a third | times faster than published | at 8 | than shoal's | at 8 |
|---|---|---|---|---|---|---|---|"""


def page(found: list[tuple[Job, Found]]) -> str:
    """Return the results as a page."""
    parts = [INTRODUCTION, claims(found)]
    for sweep in dict.fromkeys(job.sweep for job, _ in found):
        mine = [each for each in found if each[0].sweep == sweep]
        parts.append(f"## By {sweep}\n")
        for title, of in (("Distortion ratio", distortion), ("CPU seconds of the search", cpu)):
            parts.append(f"{title}\n\n{grid(mine, of)}")
        if sweep == "rows":
            parts.append(growth(mine))
    parts.append("![distortion and time of every sweep](results.svg)\n")
    return "\n".join(parts)


def distortion(found: Found) -> str:
    """Return the distortion ratio as text."""
    return "infeasible" if found.distortion is None else f"{found.distortion:.4f}"


def cpu(found: Found) -> str:
    """Return the CPU seconds as text."""
    return f"{found.cpu_s:.3f}"


def grid(found: list[tuple[Job, Found]], of: Callable[[Found], str]) -> str:
    """Return a table with a column for each algorithm and a row for each point of a sweep."""
    lines = ["| | " + " | ".join(ALGORITHMS) + " |", "|---" * (len(ALGORITHMS) + 1) + "|"]
    for job in dict.fromkeys(job for job, _ in found):
        cells = {each.algorithm: of(each) for at, each in found if at == job}
        head = job.x if isinstance(job.x, str) else f"{job.x:,g}" if job.x < 1 else f"{job.x:,}"
        lines.append(f"| {head} | " + " | ".join(cells.get(name, "") for name in ALGORITHMS) + " |")
    return "\n".join(lines) + "\n"


def claims(found: list[tuple[Job, Found]]) -> str:
    """Hold the paper's two claims against what was measured, point by point and on average."""
    # A point that several sweeps share counts once, as one of the grid if it is in it.
    in_order = sorted(found, key=lambda pair: pair[0].sweep == GRID)
    every = {(job.key, each.algorithm): (job, each) for job, each in in_order}
    lines, shares_of, at_eight = [CLAIMS], {}, {}
    for name in ALGORITHMS:
        if name in {FULL_DOMAIN, PUBLISHED}:
            continue
        mine = [
            (job, each) for (_, of), (job, each) in every.items() if of == name and each.distortion is not None
        ]
        shares = {
            job: each.distortion / every[job.key, FULL_DOMAIN][1].distortion
            for job, each in mine
            if (job.key, FULL_DOMAIN) in every
        }
        in_grid = [share for job, share in shares.items() if job.sweep == GRID]
        shares_of[name] = mean(in_grid) if in_grid else math.nan
        third = sum(share <= 1 / 3 for share in shares.values())
        times = []
        for other in (PUBLISHED, FULL_DOMAIN):
            faster = [
                (job, every[job.key, other][1].cpu_s / each.cpu_s)
                for job, each in mine
                if (job.key, other) in every
            ]
            times += [
                geometric_mean(x for _, x in faster),
                geometric_mean(x for job, x in faster if job.n_quasi == 8),
            ]
        at_eight[name] = times[1], times[3]
        lines.append(
            f"| {name} | {shares_of[name]:.3f} | {mean(shares.values()):.3f} | {third} of {len(shares)} | "
            + " | ".join(f"{x:.2f}" if x >= 0.1 else f"{x:.3f}" for x in times)
            + " |"
        )
    least = min(shares_of, key=lambda name: shares_of[name])
    first, second = (
        geometric_mean(each.cpu_s for (_, of), (job, each) in every.items() if of == name and job.n_quasi == 8)
        for name in (PUBLISHED, FULL_DOMAIN)
    )
    lines.append(
        f"\nThe least mean share over the grid is {shares_of[least]:.3f} ({least}). At eight quasi-identifiers"
        f" Incognito as published takes {first:.3f} CPU seconds on average, and shoal's {second:.3f}: on a counted"
        " table, with nodes that are remembered, Incognito is faster than local recoding."
    )
    quickest = max(at_eight, key=lambda name: at_eight[name])
    faster, than_ours = at_eight[quickest]
    ten = "more than ten times" if faster >= 10 else "not ten times"
    lines.append(
        f"\nThe quickest of the others there, {quickest}, is {faster:.1f} times as fast as Incognito as published,"
        f" {ten}, and {than_ours:.2f} times as fast as shoal's."
    )
    return "\n".join(lines) + "\n"


def growth(found: list[tuple[Job, Found]]) -> str:
    """Return how the time grows with the rows: the slope of the logarithms, by least squares."""
    said = []
    for name in ALGORITHMS:
        line = [(math.log(job.rows), math.log(each.cpu_s)) for job, each in found if each.algorithm == name]
        line = [point for point in line if point[0] >= math.log(ROWS)]
        if len(line) < 2:
            continue
        x, y = mean(a for a, _ in line), mean(b for _, b in line)
        slope = sum((a - x) * (b - y) for a, b in line) / sum((a - x) ** 2 for a, _ in line)
        said.append(f"{name} n^{slope:.2f}")
    if not said:
        return ""
    return f"Growth of the time from {ROWS:,} rows on: {', '.join(said)}.\n"
