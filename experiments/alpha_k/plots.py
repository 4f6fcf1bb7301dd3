"""Distortion and time of every sweep, as SVG."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import pandas as pd
from jobs import GRID, Job
from searches import ALGORITHMS, Found


def plot(found: list[tuple[Job, Found]], path: Path) -> None:
    """Draw a line for each algorithm and a panel for each sweep; the grid has no axis and is left out."""
    rows = [
        {
            "sweep": job.sweep,
            "x": job.x,
            "algorithm": each.algorithm,
            "distortion": each.distortion,
            "CPU s": each.cpu_s,
        }
        for job, each in found
        if job.sweep != GRID
    ]
    data = pd.DataFrame(rows)
    charts = []
    for measure, scale in (("distortion", "linear"), ("CPU s", "log")):
        line = []
        for sweep in data["sweep"].unique():
            kind = "log" if sweep in {"rows", "k"} else "linear"
            mine = data[data["sweep"] == sweep].astype({"x": float})
            line.append(
                alt.Chart(mine)
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
