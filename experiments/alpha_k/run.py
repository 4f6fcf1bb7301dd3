"""(α, k)-anonymity on Adult: what each algorithm loses and how long it takes, beside the paper's claims.

python3 experiments/alpha_k/run.py [--quick] [--large]    SHOAL_SHARED names the folder with the tables

Writes results.md and results.svg beside this file. The plot needs the dependency group "experiments".
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, mean

import tables
from searches import ALGORITHMS, FULL_DOMAIN, SUPPRESSING, Found, measured

from shoal.core.protocols import PrivacyModel
from shoal.models import AlphaKAnonymity

HERE = Path(__file__).resolve().parent
RARE = ("Protective-serv", "Tech-support", "Priv-house-serv")
SLOW = {FULL_DOMAIN, SUPPRESSING}
MOST_ROWS_OF_SLOW = 100_000


@dataclass(frozen=True)
class Job:
    """One point of a sweep: *x* is what varies in it."""

    sweep: str
    x: float
    n_quasi: int = 8
    rows: int | None = None
    k: int = 5
    alpha: str = "0.3"
    values: tuple[str, ...] | None = None

    @property
    def model(self) -> PrivacyModel:
        """The only model of the job, on the occupation."""
        return AlphaKAnonymity(sensitive="occupation", alpha=self.alpha, k=self.k, values=self.values)


def jobs(*, quick: bool, large: bool = False) -> Iterator[Job]:
    """Yield the points of all sweeps."""
    for size in (3, 5, 8) if quick else range(3, 9):
        yield Job("quasi-identifiers", size, n_quasi=size)
    for k in (5, 50) if quick else (2, 5, 10, 25, 50, 100):
        yield Job("k", k, k=k)
    for alpha in ("0.5",) if quick else ("0.2", "0.3", "0.4", "0.5"):
        yield Job("alpha, every occupation", float(alpha), alpha=alpha)
    for alpha in ("0.1",) if quick else ("0.1", "0.2", "0.3", "0.5"):
        yield Job("alpha, three occupations", float(alpha), alpha=alpha, values=RARE)
    for n in (3_000,) if quick else (3_000, 10_000, 30_162, 45_222, 100_000, 300_000):
        yield Job("rows", n, rows=n)
    if large:
        yield Job("rows", 1_000_000, rows=1_000_000)


def results(*, quick: bool, large: bool) -> list[tuple[Job, Found]]:
    """Measure all jobs; compiling is done beforehand."""
    warm = tables.adult(3, rows=500)
    for name in ALGORITHMS:
        measured(name, warm, (AlphaKAnonymity(sensitive="occupation", alpha="0.5", k=2),))
    found = []
    for job in jobs(quick=quick, large=large):
        table = tables.adult(job.n_quasi, rows=job.rows)
        for name in ALGORITHMS:
            if name in SLOW and table.n_rows > MOST_ROWS_OF_SLOW:
                continue
            found.append((job, measured(name, table, (job.model,))))
            print(job.sweep, job.x, found[-1][1], flush=True)
    return found


def main() -> None:
    """Measure, and write the table and the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few points of each sweep")
    parser.add_argument("--large", action="store_true", help="a million rows as well")
    options = parser.parse_args()
    found = results(quick=options.quick, large=options.large)
    (HERE / "results.md").write_text(page(found), "utf-8")
    try:
        plot(found, HERE / "results.svg")
    except ImportError as error:
        print(f"no plot: {error}")


def page(found: list[tuple[Job, Found]]) -> str:
    """Return the results as a page."""
    parts = [INTRODUCTION, claims(found)]
    for sweep in dict.fromkeys(job.sweep for job, _ in found):
        parts.append(f"## By {sweep}\n")
        for title, of in (("Distortion ratio", distortion), ("CPU seconds of the search", cpu)):
            parts.append(f"{title}\n\n{grid([each for each in found if each[0].sweep == sweep], of)}")
    return "\n".join(parts)


INTRODUCTION = """# (α, k)-anonymity on Adult

Written by `python3 experiments/alpha_k/run.py`. Unless a sweep says otherwise: 30,162 rows, the quasi-identifiers
age, workclass, education, marital-status, race, sex, native-country and salary-class (the first ones of this list
where there are fewer) with the hierarchies beside the table, k = 5, α = 0.3 for every occupation. The three
occupations are Protective-serv, Tech-support and Priv-house-serv. Up to 45,222 rows are drawn from the train and
test halves; more are drawn from these with replacement, a tenth of the cells anew from their columns.

The distortion ratio is the edges climbed by all cells over those of a table of stars; it is also the objective.
Nothing is suppressed except by "optimal, suppressing", which may suppress any number of rows; a suppressed row
climbs to the top. CPU seconds are those of the search alone, on the counted table.
"""


CLAIMS = """Wong et al. report that local recoding takes about a quarter of the time of extended Incognito and has
about a third of its distortion. Over all points at which both were run:

| | distortion over Incognito's, mean | ratio of means | points with at most a third | times faster, mean | at 8 |
|---|---|---|---|---|---|"""


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
        lines.append(f"| {job.x:,g} | " + " | ".join(cells.get(name, "") for name in ALGORITHMS) + " |")
    return "\n".join(lines) + "\n"


def claims(found: list[tuple[Job, Found]]) -> str:
    """Hold the paper's two claims against what was measured, point by point and on average."""
    lines = [
        "## The paper's claims\n",
        CLAIMS,
    ]
    whole = {job: each for job, each in found if each.algorithm == FULL_DOMAIN and each.distortion}
    least: list[tuple[float, str]] = []
    quickest: list[tuple[float, str]] = []
    for name in ALGORITHMS:
        if name == FULL_DOMAIN:
            continue
        pairs = [(job, each, whole[job]) for job, each in found if each.algorithm == name and job in whole]
        pairs = [(job, one, other) for job, one, other in pairs if one.distortion is not None]
        shares = [one.distortion / other.distortion for _, one, other in pairs]
        pooled = sum(one.distortion for _, one, _ in pairs) / sum(other.distortion for _, _, other in pairs)
        faster = [other.cpu_s / one.cpu_s for _, one, other in pairs]
        eight = [other.cpu_s / one.cpu_s for job, one, other in pairs if job.n_quasi == 8]
        third = sum(share <= 1 / 3 for share in shares)
        least.append((mean(shares), name))
        quickest.append((geometric_mean(faster), name))
        lines.append(
            f"| {name} | {mean(shares):.3f} | {pooled:.3f} | {third} of {len(shares)} |"
            f" {geometric_mean(faster):.2f} | {geometric_mean(eight):.2f} |"
        )
    (share, first), (times, second) = min(least), max(quickest)
    lines.append(
        f"\nThe least mean share is {share:.2f} ({first}); the quickest takes {1 / times:.1f} times as long as"
        f" Incognito ({second})."
    )
    return "\n".join(lines) + "\n"


def plot(found: list[tuple[Job, Found]], path: Path) -> None:
    """Draw distortion and time of every sweep."""
    import altair as alt
    import pandas as pd

    rows = [
        {
            "sweep": job.sweep,
            "x": job.x,
            "algorithm": each.algorithm,
            "distortion": each.distortion,
            "CPU s": each.cpu_s,
        }
        for job, each in found
    ]
    data = pd.DataFrame(rows)
    charts = []
    for measure, scale in (("distortion", "linear"), ("CPU s", "log")):
        line = []
        for sweep in data["sweep"].unique():
            kind = "log" if sweep in {"rows", "k"} else "linear"
            line.append(
                alt.Chart(data[data["sweep"] == sweep])
                .mark_line(point=True)
                .encode(
                    x=alt.X("x:Q", title=sweep, scale=alt.Scale(type=kind, zero=False)),
                    y=alt.Y(f"{measure}:Q", scale=alt.Scale(type=scale), title=measure),
                    color=alt.Color("algorithm:N", sort=list(ALGORITHMS)),
                )
                .properties(width=210, height=180)
            )
        charts.append(alt.hconcat(*line))
    alt.vconcat(*charts).save(str(path))


if __name__ == "__main__":
    main()
