"""What the paper says of its experiments, held against the runs."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from statistics import mean

from measuring import Run

PAPER = ("SAL", "OCC")


def judged(runs: dict[str, list[Run]]) -> list[tuple[str, str]]:
    """Return each claim of the paper with what was measured."""
    # All projections of the larger tables, where they were run.
    by_l, by_d = (runs.get(f"all {by}") or runs.get(f"stars {by}", []) for by in ("by l", "by d"))
    drawn = runs.get("stars by l", []) + runs.get("stars by d", [])
    times, kl = runs.get("time", []), runs.get("kl", [])
    found = []
    if by_l:
        found.append(("stars grow with l", _grows(by_l, "l")))
        found.append(("TP has fewer stars than Hilbert for every l at d = 4", _beats(by_l, "l")))
    if by_d:
        found.append(("stars grow with the number of columns d", _grows(by_d, "d")))
        found.append(("TP has fewer stars than Hilbert up to d = 4 (SAL) and d = 6 (OCC), more above",
                      _beats(by_d, "d")))  # fmt: skip
    if by_l or by_d:
        found.append(("TP+ has the fewest stars of the three always", _three(by_l + by_d)))
        found.append(("TP never enters phase three", _phase_three(by_l + by_d)))
    if drawn:
        found.append(("(not in the paper) TP+ best, beside every other method", _best(drawn)))
    if times:
        found.append(("all take less than 1.2 s at 600,000 rows", _slowest(times)))
        found.append(("TP grows linearly with n, Hilbert like n log n", _growth(times)))
        found.append(("the time of TP and TP+ grows with d, that of Hilbert does not", _by_columns(times)))
    if kl:
        found.append(("TP+ with generalization has a smaller KL divergence than TDS", _kl(kl)))
    return found


def _means(runs, by, figure=lambda run: run.figures["stars"] / run.rows):
    cells = defaultdict(list)
    for run in runs:
        cells[run.table, run.method, getattr(run, by)].append(figure(run))
    return {key: mean(values) for key, values in cells.items()}


def _grows(runs, by):
    means = _means(
        [run for run in runs if run.table in PAPER and run.method in ("TP", "TP+", "Hilbert, plain")], by
    )
    falls = []
    for table, method in dict.fromkeys(key[:2] for key in means):
        line = [means[key] for key in sorted(means) if key[:2] == (table, method)]
        if any(b < a for a, b in pairwise(line)):
            falls.append(f"{method} on {table}")
    if not falls:
        return "yes, for TP, TP+ and Hilbert"
    return f"on the whole; the means of the drawn projections fall at some {by} for " + ", ".join(falls)


def _beats(runs, by):
    means = _means(runs, by)
    said = []
    for table in dict.fromkeys(key[0] for key in means):
        values = sorted({key[2] for key in means if key[0] == table})
        less = [v for v in values if means[table, "TP", v] < means[table, "Hilbert, plain", v]]
        said.append(f"{table}: fewer at {by} = {_listed(less)} of {_listed(values)}")
    return "; ".join(said)


def _listed(values):
    if not values:
        return "none"
    if len(values) > 2 and values == list(range(values[0], values[-1] + 1)):
        return f"{values[0]} to {values[-1]}"
    return ", ".join(map(str, values))


def _by_projection(runs):
    cells = defaultdict(dict)
    for run in runs:
        cells[run.table, run.rows, run.columns, run.l][run.method] = run.figures["stars"]
    return list(cells.values())


def _three(runs):
    cells = _by_projection(runs)
    fewest = sum(c["TP+"] <= min(c["TP"], c["Hilbert, plain"]) for c in cells)
    worse = sum(c["TP+"] > c["TP"] for c in cells)
    return f"no more than TP and the plain Hilbert in {fewest} of {len(cells)} runs, and more than TP in {worse}"


def _best(runs):
    cells = _by_projection(runs)
    said = []
    for rival in ("TP", "TP+", "Hilbert, plain", "Hilbert", "Mondrian", "TDS"):
        both = [c for c in cells if rival in c and "TP+ best" in c]
        more = sum(c["TP+ best"] > c[rival] for c in both)
        said.append(f"{rival} in {more} of {len(both)}")
    mondrian = sum(c["Mondrian"] < c["TP+"] for c in cells if "Mondrian" in c)
    return f"it has more stars than {', '.join(said)} runs; Mondrian has fewer than TP+ in {mondrian}"


def _phase_three(runs):
    ended = [run.phase for run in runs if run.method == "TP"]
    third = [f"{run.table}, d = {run.d}, l = {run.l}" for run in runs if run.method == "TP" and run.phase == 3]
    where = f" ({'; '.join(dict.fromkeys(third))})" if third else ""
    return (
        f"{len(third)} of {len(ended)} runs do{where}; {ended.count(1)} end in phase one, {ended.count(2)} in two"
    )


def _slowest(times):
    rows = max((run.rows for run in times if run.rows <= 600_000), default=0)
    worst = defaultdict(float)
    for run in times:
        if run.rows == rows:
            worst[run.method] = max(worst[run.method], run.seconds)
    return f"at {rows:,} rows: " + ", ".join(f"{method} {seconds:.2f} s" for method, seconds in worst.items())


def _growth(times):
    said = []
    for method in ("TP", "TP+", "Hilbert, plain"):
        slopes, sizes = [], set()
        for table in PAPER:
            line = [(math.log(run.rows), math.log(max(run.seconds, 1e-4))) for run in times
                    if (run.table, run.method) == (table, method) and run.d == 7]  # fmt: skip
            sizes |= {run.rows for run in times if (run.table, run.method, run.d) == (table, method, 7)}
            if len(line) > 1:
                slopes.append(_slope(line))
        if slopes:
            said.append(f"{method} n^{mean(slopes):.2f}")
    span = f"{min(sizes):,} to {max(sizes):,} rows"
    return f"{', '.join(said)} (seven columns, {span}, least squares of the logarithms)"


def _slope(line):
    x, y = mean(a for a, _ in line), mean(b for _, b in line)
    return sum((a - x) * (b - y) for a, b in line) / sum((a - x) ** 2 for a, _ in line)


def _by_columns(times):
    rows = max(run.rows for run in times)
    said = []
    for method in ("TP", "TP+", "Hilbert, plain"):
        mine = [run for run in times if run.rows == rows and run.method == method]
        by = {d: mean([run.seconds for run in mine if run.d == d] or [math.nan]) for d in (4, 7)}
        said.append(f"{method} {by[4]:.2f} s to {by[7]:.2f} s")
    return f"from four to seven columns at {rows:,} rows: " + ", ".join(said)


def _kl(runs):
    cells = defaultdict(dict)
    for run in runs:
        cells[run.table, run.columns, run.l][run.method] = run.figures["kl"]
    nodes = sum(c["TP+"] < c["TDS, nodes"] for c in cells.values())
    ranges = sum(c["TP+"] < c["TDS, ranges"] for c in cells.values())
    return f"smaller than TDS with nodes in {nodes} of {len(cells)} runs, than TDS with ranges in {ranges}"
