"""What the paper claims, held against what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import texts
from methods import METHODS

PROTOTYPE = {
    "DP": (0.74, 12.6, 0.143, 247, 336, 279),
    "Hybrid": (0.81, 13.8, 0.137, 75, 104, 92),
    "Merging": (0.99, 13.8, 0.000, 9, 10, 9),
    "Probabilistic": (0.94, 15.9, 0.211, 39, 100, 80),
    "Composition": (0.92, 15.5, 0.186, 35, 86, 71),
    "Mondrian": (1.31, 22.2, 0.128, 18, 48, 36),
}
"""risk_all and risk_overlap in percent, distortion, query error in percent over 1, 3 and 5 columns."""

OTHERS = [name for name in METHODS if name != "Merging"]


def claims(found: Any) -> str:
    """Return the claims as a table: at how many points each holds."""
    lines = [texts.CLAIMS]
    for text, points, holds in _claims(found):
        outcomes = [holds(point) for point in points]
        known = [bool(each) for each in outcomes if each is not None]
        if not known:
            continue
        verdict = "holds" if all(known) else "does not hold" if not any(known) else "holds in part"
        lines.append(f"| {text} | {sum(known)} of {len(known)} | {verdict} |")
    return "\n".join(lines) + "\n"


def slope(found: Any, name: str) -> float | None:
    """Return the slope of log time over log rows, by least squares."""
    points = [(float(n), each["cpu_s"]) for n in found.values("time", 0) if (each := found.of("time", n, name))]
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def _claims(found: Any) -> Iterator[tuple[str, list[tuple[str, ...]], Callable[[tuple[str, ...]], bool | None]]]:
    risks = [
        (s, k, o)
        for s in found.values("risk", 0)
        for k in found.values("risk", 1)
        for o in found.values("risk", 2)
    ]
    tables = [(s, k) for s in found.values("utility", 0) for k in found.values("utility", 1)]

    def of(reading: str, test: Callable[[dict[str, float]], bool]) -> Callable[[tuple[str, ...]], bool | None]:
        def holds(point: tuple[str, ...]) -> bool | None:
            each = {name: found.of("risk", *point, name) for name in METHODS}
            if any(value is None for value in each.values()):
                return None
            return test({name: value[reading] for name, value in each.items()})

        return holds

    for reading in ("risk_all", "risk_overlap"):
        yield (
            f"{reading}: DP below all others",
            risks,
            of(reading, lambda r: r["DP"] < min(r[n] for n in r if n != "DP")),
        )
        for name in ("DP", "Merging", "Hybrid"):
            yield (
                f"{reading}: {name} below Mondrian",
                risks,
                of(reading, lambda r, name=name: r[name] < r["Mondrian"]),
            )
        yield (
            f"{reading}: Merging below Probabilistic and Composition",
            risks,
            of(reading, lambda r: r["Merging"] < min(r["Probabilistic"], r["Composition"])),
        )
        yield (
            f"{reading}: Merging within a fifth of Hybrid",
            risks,
            of(reading, lambda r: abs(r["Merging"] / r["Hybrid"] - 1) < 0.2),
        )

    def grows(point: tuple[str, ...]) -> bool | None:
        each = [found.of("risk", *point[:2], o, point[2]) for o in found.values("risk", 2)]
        if any(value is None for value in each):
            return None
        return all(a["risk_all"] < b["risk_all"] for a, b in pairwise(each))

    methods = [(s, k, name) for s in found.values("risk", 0) for k in found.values("risk", 1) for name in METHODS]
    yield "risk_all grows with the overlap, for every method", methods, grows

    def best(key: str, *, most: bool = False) -> Callable[[tuple[str, ...]], bool | None]:
        def holds(point: tuple[str, ...]) -> bool | None:
            each = {name: found.of("utility", *point[:2], name) for name in METHODS}
            if any(value is None for value in each.values()):
                return None
            name = key.format(*point)
            rivals = [each[other][name] for other in OTHERS]
            mine = each["Merging"][name]
            return bool(mine > max(rivals) if most else mine < min(rivals))

        return holds

    yield "distortion: Merging least", tables, best("distortion, tree")
    dimensions = [(s, k, str(d)) for s, k in tables for d in (1, 2, 3, 4, 5)]
    yield "query error: Merging least", dimensions, best("expected {2}")
    for protocol in ("drawn", "held out"):
        yield (
            f"classification of relationship ({protocol}): Merging best",
            tables,
            best(f"relationship, {protocol}", most=True),
        )
        sensitive = "classification of the sensitive column"
        yield f"{sensitive} ({protocol}): Merging best", tables, best("{0}, " + protocol, most=True)

    def scales(point: tuple[str, ...]) -> bool | None:
        steep = slope(found, point[0])
        return None if steep is None else steep < 1.3

    yield "time grows little more than the rows (slope below 1.3)", [(name,) for name in METHODS], scales
