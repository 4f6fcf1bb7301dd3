"""Plots of what singles people out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.report import charts
from shoal.report.plot import MOST_BARS, TOLD_ROWS, Plot
from shoal.report.words import count, percent

__all__ = ["audit_plots"]

Account = Mapping[str, Any]


def audit_plots(audit: Account, *, when: str = "") -> list[Plot]:
    """Return the plots of an audit: which columns, alone and together, single people out.

    Parameters
    ----------
    audit : mapping
        ``Audit.as_dict()``.
    when : str
        Of which table, where a page tells of two.
    """
    section = "What singled people out before" if when else "What singles people out"
    found = audit["special_uniques"]
    plots = []
    parts = [c for c in audit["columns"] if c.get("suda_contribution") is not None]
    rows = [{"label": c["name"], "share": c["suda_contribution"]} for c in parts]
    rows.sort(key=lambda row: -row["share"])
    if any(row["share"] for row in rows):
        plots.append(
            Plot(
                key="contributions",
                section=section,
                title=f"{rows[0]['label']} has a part in {percent(rows[0]['share'])} of what singles people out.",
                text="; ".join(f"{row['label']} {percent(row['share'])}" for row in rows[:TOLD_ROWS]) + ".",
                headers=("column", ">part in standing alone", ">distinction", ">separation"),
                rows=tuple(
                    (
                        c["name"],
                        percent(c["suda_contribution"]),
                        percent(c.get("distinction")),
                        percent(c.get("separation")),
                    )
                    for c in parts
                ),
                svg=charts.bars(
                    rows[:MOST_BARS], prefix="contributions", across="", along="part in standing alone"
                ),
                note=(
                    f"Of the smallest sets of columns, up to {found['m']}, in which one stands alone (SUDA2). "
                    "Distinction: different values per record. Separation: pairs of records that the column tells "
                    "apart."
                ),
            )
        )
    sets = [
        {"label": ", ".join(s["columns"]), "amount": s["records"]} for s in found["column_sets"] if s["records"]
    ]
    if sets:
        plots.append(
            Plot(
                key="column-sets",
                section=section,
                title=f"Nobody else shares {sets[0]['label']} in {count(sets[0]['amount'], 'case')}.",
                text="; ".join(f"{row['label']}: {count(row['amount'])}" for row in sets[:TOLD_ROWS]) + ".",
                headers=("columns", ">cases in which somebody stands alone in them"),
                rows=tuple((row["label"], count(row["amount"])) for row in sets),
                svg=charts.counts(sets[:MOST_BARS], prefix="column-sets", across="", along="cases"),
                note="Sets of which no smaller part would do. Somebody may stand alone in several."
                + ("" if found["complete"] else " Not all sets were looked at."),
            )
        )
    return plots
