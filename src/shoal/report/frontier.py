"""The plot of a sweep: what each choice costs against the risk that it leaves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.report import charts
from shoal.report.plot import Plot
from shoal.report.words import count, percent

__all__ = ["frontier_plot"]

Account = Mapping[str, Any]
NAMES_APART = 0.35
"""Least distance of named points of a frontier, in logarithms of the risk."""


def frontier_plot(sweep: Account) -> Plot | None:
    """Return the plot of a sweep: what each choice costs against the risk that it leaves.

    Parameters
    ----------
    sweep : mapping
        ``Sweep.as_dict()``.
    """
    points = [point for point in sweep["points"] if point["feasible"]]
    if not points:
        return None
    best = sweep["recommended"]
    rows = [{"risk": p["risk"], "loss": p["loss"], "name": "", "kind": _kind(p, best)} for p in points]
    _name_some(rows, points)
    # Drawn last, the recommended point is not hidden by one that is close.
    rows.sort(key=lambda row: row["kind"] == "recommended")
    title = f"Recommended: k = {best['k']} with {best['algorithm']}." if best else "Nothing is recommended."
    return Plot(
        key="frontier",
        section="Choices",
        title=title,
        text="; ".join(
            f"k={p['k']} {p['algorithm']}: risk {percent(p['risk'])}, loss {p['loss']:.3f}" for p in points
        ),
        headers=(">k", "algorithm", ">average risk", ">highest risk", ">loss", ">suppressed", ""),
        rows=tuple(
            (
                str(p["k"]),
                p["algorithm"],
                percent(p["risk"]),
                percent(p["highest_risk"]),
                f"{p['loss']:.4f}",
                count(p["suppressed"]),
                _kind(p, best),
            )
            for p in points
        ),
        svg=charts.frontier(
            rows, prefix="frontier", loss=f"loss ({sweep['loss']})", risk="average risk (logarithmic)"
        ),
        note=sweep["reason"],
    )


def _name_some(rows: list[dict[str, Any]], points: Sequence[Mapping[str, Any]]) -> None:
    """Name the points that have room: the recommended one, and those of the frontier that are apart."""
    chosen: list[float] = []
    several = len({point["algorithm"] for point in points}) > 1
    order = {"recommended": 0, "frontier": 1}
    shown = [at for at, row in enumerate(rows) if row["kind"] in order]
    for at in sorted(shown, key=lambda at: (order[rows[at]["kind"]], rows[at]["loss"])):
        place = math.log(rows[at]["risk"])
        if all(abs(place - other) > NAMES_APART for other in chosen):
            rows[at]["name"] = f"k={points[at]['k']}" + (f" {points[at]['algorithm']}" if several else "")
            chosen.append(place)


def _kind(point: Mapping[str, Any], best: Mapping[str, Any] | None) -> str:
    if best and (point["k"], point["algorithm"]) == (best["k"], best["algorithm"]):
        return "recommended"
    return "dominated" if point["dominated"] else "frontier"
