"""The page of results: the paper's claims beside what was measured, tables and plots."""

from __future__ import annotations

import math
import platform
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from statistics import mean

from claims import judged
from measuring import Run
from plots import lines

ABOUT = """\
Xiao, Yi and Tao (EDBT 2010) compare TP, TP+ and a Hilbert heuristic by the stars that they leave, on extracts of a
census that may not be passed on. SAL and OCC here are made by a seeded generator with the same columns and numbers
of values, and invented distributions: shapes can be compared with the paper, numbers cannot. The other tables are
real: Adult (occupation sensitive), the test half of Census-Income (industry, of those who work) and MACH-IV
(religion).

Methods. *TP* ends with one class of removed records; *TP+* divides them along a Hilbert curve, *TP+ best* by the
best of several methods. *Hilbert, plain* is the paper's rival: the frontier heuristic on codes as they are.
*Hilbert* runs the curve through a cube in which tree nodes are dyadic intervals, and takes the better of frontier
and segments. *Mondrian* is shoal's, publishing stars; *TDS* keeps whole columns or stars them. Every release was
tested for l-diversity. Seconds are processor time of the search on the counted table.
"""


def write(out: Path, runs: dict[str, list[Run]]) -> None:
    """Write results.md and its plots to the folder *out*."""
    parts = ["# l-diversity by suppression: what was measured\n", ABOUT, _machine(runs), _claims(runs)]
    if by_l := runs.get("stars by l"):
        parts.append("## Stars against l\n\nMeans over projections on four columns, in stars per record.\n")
        parts += _shown(out, by_l, "l", "stars per record", _stars_per_record)
    if by_d := runs.get("stars by d"):
        about = "Means over projections, in stars per record, at l = 6 or the largest feasible l."
        parts.append(f"## Stars against the number of columns\n\n{about}\n")
        parts += _shown(out, by_d, "d", "stars per record", _stars_per_record)
        parts += _counts(by_d)
    for by, title in (("l", "l"), ("d", "the number of columns")):
        if every := runs.get(f"all by {by}"):
            parts.append(
                f"## Stars against {title}, all projections\n\nThe methods of the paper on larger tables"
                f" ({_rows(every)}), means over all projections.\n"
            )
            parts.append(_table(every, by, _stars_per_record, digits=3))
    if times := runs.get("time"):
        parts.append("## Time against the number of rows\n\nAt l = 6, the lesser of two runs.\n")
        named = [replace(run, table=f"{run.table}-{run.d}") for run in times]
        parts += _shown(out, named, "rows", "seconds", lambda run: run.seconds)
    if kl := runs.get("kl"):
        about = "TP+, Hilbert and Mondrian publish ranges, TDS nodes of the trees or ranges. In nats."
        parts.append(f"## KL divergence of generalizations\n\n{about}\n\nFour columns, against l:\n")
        parts += _shown(out, [run for run in kl if run.d == 4], "l", "KL divergence", _kl)
        same_l = {run.table: run.l for run in kl if run.d != 4}
        level = [run for run in kl if run.l == same_l.get(run.table)]
        parts.append("At l = 6, or the largest feasible l, against the number of columns:\n")
        parts += _shown(out, level, "d", "KL divergence", _kl)
    parts.append(_phases(runs))
    (out / "results.md").write_text("\n".join(parts), "utf-8")


def _kl(run: Run) -> float:
    return run.figures["kl"]


def _stars_per_record(run: Run) -> float:
    return run.figures["stars"] / run.rows


def _machine(runs: dict[str, list[Run]]) -> str:
    every = [run for found in runs.values() for run in found]
    drawn = [run for section in ("stars by l", "stars by d") for run in runs.get(section, [])]
    most = max(Counter((run.table, run.d, run.l, run.method) for run in drawn).values(), default=0)
    return (
        f"shoal {version('shoal')}, Python {platform.python_version()}, numpy {version('numpy')}, one core of a "
        f"shared machine. {len(every):,} runs. Rows: {_rows(drawn)}. Where all methods are compared, at most "
        f"{most} projections on d columns are drawn.\n"
    )


def _rows(runs: list[Run]) -> str:
    return ", ".join(f"{table} {rows:,}" for table, rows in dict.fromkeys((run.table, run.rows) for run in runs))


def _counts(by_d: list[Run]) -> list[str]:
    """Return the number of stars of every method on all columns of every table."""
    whole = [run for run in by_d if run.d == max(run.d for run in by_d)]
    methods = list(dict.fromkeys(run.method for run in whole))
    lines_ = ["Stars on all seven columns, in thousands, at the same l:\n"]
    lines_ += [f"| table | l | rows | {' | '.join(methods)} |", "|---|--:|--:|" + "--:|" * len(methods)]
    for table, rows, l in dict.fromkeys((run.table, run.rows, run.l) for run in whole):
        stars = {run.method: run.figures["stars"] for run in whole if (run.table, run.rows) == (table, rows)}
        cells = (f"{stars[m] / 1000:,.1f}" if m in stars else "" for m in methods)
        lines_.append(f"| {table} | {l} | {rows:,} | {' | '.join(cells)} |")
    return ["\n".join(lines_) + "\n"]


def _claims(runs: dict[str, list[Run]]) -> str:
    head = "## The paper's claims\n\n| claim | measured |\n|---|---|\n"
    return head + "".join(f"| {claim} | {found} |\n" for claim, found in judged(runs))


def _shown(out: Path, runs: list[Run], by: str, title: str, figure: Callable[[Run], float]) -> list[str]:
    """Return a plot and a table of the same means."""
    rows = [{"table": run.table, "method": run.method, by: getattr(run, by), "y": figure(run)} for run in runs]
    name = f"{title} by {by}".replace(" ", "_").lower()
    lines(rows, out / f"{name}.svg", x=by, y="y", titles=(by, title))
    return [f"![{title} against {by}]({name}.svg)\n", _table(runs, by, figure, digits=3)]


def _table(runs: list[Run], by: str, figure: Callable[[Run], float], *, digits: int) -> str:
    """Return means by table and method, one column per value of *by*; the least of a column is bold."""
    cells: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for run in runs:
        cells[run.table, run.method, getattr(run, by)].append(figure(run))
    across = sorted({key[2] for key in cells})
    lines_ = [f"| table | method | {' | '.join(f'{by} {value:,}' for value in across)} |"]
    lines_.append("|---|---|" + "--:|" * len(across))
    for table in dict.fromkeys(key[0] for key in cells):
        methods = list(dict.fromkeys(key[1] for key in cells if key[0] == table))
        least = {v: min((mean(cells[table, m, v]) for m in methods if (table, m, v) in cells), default=math.nan)
                 for v in across}  # fmt: skip
        for method in methods:
            row = [_cell(cells.get((table, method, v)), least[v], digits) for v in across]
            lines_.append(f"| {table} | {method} | {' | '.join(row)} |")
    return "\n".join(lines_) + "\n"


def _cell(figures: list[float] | None, least: float, digits: int) -> str:
    if not figures:
        return ""
    value = mean(figures)
    return f"**{value:.{digits}f}**" if value <= least else f"{value:.{digits}f}"


def _phases(runs: dict[str, list[Run]]) -> str:
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for section in ("by l", "by d"):
        for run in runs.get(f"all {section}") or runs.get(f"stars {section}", []):
            if run.method == "TP":
                found[run.table][run.phase] += 1
    lines_ = ["## Phases\n", "Runs of TP by the phase in which they ended.\n",
              "| table | phase 1 | phase 2 | phase 3 |", "|---|--:|--:|--:|"]  # fmt: skip
    lines_ += [f"| {table} | {c[1]} | {c[2]} | {c[3]} |" for table, c in found.items()]
    return "\n".join(lines_) + "\n"
