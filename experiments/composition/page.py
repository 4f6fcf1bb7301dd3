"""The page of results: what was measured, beside what the paper claims and what a prototype found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import texts
from claims import PROTOTYPE, claims, slope
from methods import BESIDE, METHODS

Runs = dict[str, Any]
ALL = (*METHODS, *BESIDE)


class Figures:
    """The figures of all jobs that were run."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    def of(self, *key: object) -> dict[str, Any] | None:
        """Return the figures of a job; None where it was not run or could not be done."""
        found: dict[str, Any] | None = self.runs.get("|".join(map(str, key)))
        return found

    def keys(self, section: str) -> list[tuple[str, ...]]:
        """Return what distinguishes the jobs of a section."""
        return [tuple(key.split("|")[1:]) for key in self.runs if key.startswith(f"{section}|")]

    def values(self, section: str, place: int) -> list[str]:
        """Return what occurs at one place of the names of jobs."""
        found = list(dict.fromkeys(key[place] for key in self.keys(section)))
        return sorted(found, key=int) if all(value.isdigit() for value in found) else found


def write(out: Path, runs: Runs) -> None:
    """Write results.md and the plots."""
    found = Figures(runs)
    parts = [introduction(found), claims(found)]
    parts += [section(found) for section in (risk, prototype, utility, classification, seconds, ablations, fakes)]
    (out / "results.md").write_text("\n".join(part for part in parts if part), "utf-8")
    try:
        draw(found, out)
    except ImportError as error:
        print(f"no plots: {error}")


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def percent(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{100 * value:.{digits}f}"


def introduction(found: Figures) -> str:
    done = [found.runs[key] for key in found.runs if key.startswith("risk|")]
    pairs = next((each["pairs"] for each in done if each), 0)
    return texts.INTRODUCTION.format(source=found.runs["source"], pairs=pairs)


def risk(found: Figures) -> str:
    parts = [texts.RISK]
    overlaps = found.values("risk", 2)
    for sensitive in found.values("risk", 0):
        for k in found.values("risk", 1):
            rows = []
            for name in ALL:
                each = found.of("risk", sensitive, k, overlaps[-1], name)
                if each is None:
                    continue
                readings = [
                    f"{percent(each[r], 2)} ± {percent(each[f'{r} sd'], 2)}"
                    for r in ("risk_all", "risk_overlap", "risk_class")
                ]
                left = [f"{each['values left']:.1f}", percent(each["rightly disclosed"])]
                rows.append([name, *readings, *left, f"{each['classes']:.0f}"])
            heads = [
                "method",
                "risk_all",
                "risk_overlap",
                "risk_class",
                "values left",
                "rightly disclosed",
                "classes",
            ]
            parts.append(f"### {sensitive}, k = l = {k}, {overlaps[-1]} people in both\n\n{grid(heads, rows)}")
    heads = ["table", "method", *overlaps]
    rows = [
        [
            f"{sensitive}, {k}",
            name,
            *(percent((found.of("risk", sensitive, k, o, name) or {}).get("risk_all"), 2) for o in overlaps),
        ]
        for sensitive in found.values("risk", 0)
        for k in found.values("risk", 1)
        for name in METHODS
    ]
    parts.append(f"### risk_all by overlap, percent\n\n{grid(heads, rows)}")
    return "\n".join(parts)


def prototype(found: Figures) -> str:
    """Hold our figures beside those of the prototype: occupation, 6, overlap 500."""
    overlaps = found.values("risk", 2)
    rows = []
    for name, (all_, overlap, distortion, one, three, five) in PROTOTYPE.items():
        ours = found.of("risk", "occupation", 6, overlaps[-1], name) if overlaps else None
        useful = found.of("utility", "occupation", 6, name)
        if ours is None or useful is None:
            continue
        errors = "/".join(f"{100 * useful[f'expected {d}']:.0f}" for d in (1, 3, 5))
        rows.append(
            [
                name,
                f"{all_} / {percent(ours['risk_all'], 2)}",
                f"{overlap} / {percent(ours['risk_overlap'])}",
                f"{distortion:.3f} / {useful['distortion, tree']:.3f}",
                f"{one}/{three}/{five} against {errors}",
            ]
        )
    heads = ["method", "risk_all", "risk_overlap", "distortion", "query error over 1/3/5 columns"]
    return f"{texts.PROTOTYPE}\n{grid(heads, rows)}"


def utility(found: Figures) -> str:
    parts = [texts.UTILITY]
    for sensitive in found.values("utility", 0):
        for k in found.values("utility", 1):
            rows = []
            for name in ALL:
                each = found.of("utility", sensitive, k, name)
                if each is None:
                    continue
                errors = [percent(each[f"expected {d}"], 0) for d in (1, 2, 3, 4, 5)]
                moved = [percent(each[key]) for key in ("pairs moved", "pairs with the sensitive column moved")]
                ratios = [f"{each[f'pMSE ratio, {m}'] or 0:.1f}" for m in ("logistic", "tree")]
                rows.append(
                    [
                        name,
                        *(f"{each[f'distortion, {r}']:.3f}" for r in ("tree", "ncp")),
                        "/".join(errors),
                        percent(each["literal 3"], 0),
                        *moved,
                        "/".join(ratios),
                        f"{each['rows']:.0f}",
                    ]
                )
            heads = ["method", "tree", "ncp", "error 1/2/3/4/5", "literal 3", "pairs moved", "with sensitive"]
            heads += ["pMSE ratios", "rows"]
            parts.append(f"### {sensitive}, k = l = {k}\n\n{grid(heads, rows)}")
    return "\n".join(parts)


def classification(found: Figures) -> str:
    parts = [texts.CLASSIFICATION]
    for sensitive in found.values("utility", 0):
        targets = ("relationship", sensitive)
        for k in found.values("utility", 1):
            rows = []
            for name in ("original", *ALL):
                each = found.of("utility", sensitive, k, name)
                if each is None:
                    continue
                rows.append([name, *(percent(each[f"{t}, {p}"]) for t in targets for p in ("drawn", "held out"))])
            guess = found.of("utility", sensitive, k, "original")
            if guess is not None:
                rows.append(["guessing", *(percent(guess[f"{t}, guessing"]) for t in targets for _ in range(2))])
            heads = ["method", *(f"{t}, {p}" for t in targets for p in ("drawn", "held out"))]
            parts.append(f"### {sensitive} data, k = l = {k}\n\n{grid(heads, rows)}")
    return "\n".join(parts)


def seconds(found: Figures) -> str:
    sizes = found.values("time", 0)
    if not sizes:
        return ""
    shown = list(dict.fromkeys([sizes[0], sizes[len(sizes) // 2], sizes[-1]]))
    rows = []
    for name in ALL:
        each = [found.of("time", n, name) for n in shown]
        steep = slope(found, name)
        if steep is not None:
            rows.append([name, *("" if e is None else f"{1000 * e['cpu_s']:.1f}" for e in each), f"{steep:.2f}"])
    heads = ["method", *(f"{int(n):,} rows" for n in shown), "slope"]
    return f"{texts.TIME}\n{grid(heads, rows)}"


def ablations(found: Figures) -> str:
    names = found.values("ablation", 0)
    rows = []
    for name in names:
        each = found.of("ablation", name)
        if each is None:
            rows.append([name, *[""] * 7])
            continue
        label = f"{name} (k = {each['k']})" if "k" in each else name
        rows.append(
            [
                label,
                *(percent(each[r], 2) for r in ("risk_all", "risk_overlap", "risk_class")),
                percent(each["rightly disclosed"]),
                f"{each['distortion']:.3f}",
                "/".join(percent(each[f"expected {d}"], 0) for d in (1, 3, 5)),
                f"{each['rows'] / each['classes']:.1f}",
            ]
        )
    heads = ["variant", "risk_all", "risk_overlap", "risk_class", "rightly disclosed", "distortion"]
    heads += ["error 1/3/5", "rows a class"]
    return f"{texts.ABLATIONS}\n{grid(heads, rows)}\n{texts.READING}"


def fakes(found: Figures) -> str:
    rows = []
    for name in found.values("fakes", 0):
        each = found.of("fakes", name)
        if each is not None:
            scores = [f"{t}, {p}" for t in ("relationship", "education") for p in ("drawn", "held out")]
            rows.append([name, *(percent(each[s]) for s in scores), percent(each["expected 3"], 0)])
    if not rows:
        return ""
    heads = ["fakes", "relationship, drawn", "held out", "education, drawn", "held out", "error 3"]
    return f"{texts.FAKES}\n{grid(heads, rows)}"


def draw(found: Figures, out: Path) -> None:
    """Draw the plots."""
    from plots import lines

    risks = [
        {"panel": f"{s}, k = l = {k}", "method": name, "x": int(o), "y": 100 * each["risk_all"]}
        for s, k, o, name in found.keys("risk")
        if name in METHODS and (each := found.of("risk", s, k, o, name))
    ]
    if risks:
        risks.sort(key=lambda point: point["panel"])
        lines(risks, out / "risk_all.svg", titles=("people in both", "risk_all, percent"))
    queries = [
        {"panel": f"{s}, k = l = {k}", "method": name, "x": d, "y": 100 * each[f"expected {d}"]}
        for s, k, name in found.keys("utility")
        if name in METHODS and (each := found.of("utility", s, k, name))
        for d in (1, 2, 3, 4, 5)
    ]
    if queries:
        queries.sort(key=lambda point: point["panel"])
        lines(queries, out / "queries.svg", titles=("quasi-identifiers in a query", "mean error, percent"))
    times = [
        {"panel": "search", "method": name, "x": int(n), "y": each["cpu_s"]}
        for n, name in found.keys("time")
        if (each := found.of("time", n, name)) and each["cpu_s"] > 0
    ]
    if times:
        lines(times, out / "time.svg", titles=("rows", "processor seconds"), log=True, columns=1)
