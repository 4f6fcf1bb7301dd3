"""Plots of an account, each with a title that states its finding, a text with the numbers, and its table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.report import charts
from shoal.report.words import count, percent

__all__ = ["Plot", "audit_plots", "frontier_plot", "plots_of"]

Account = Mapping[str, Any]
NAMES_APART = 0.35
"""Least distance of named points of a frontier, in logarithms of the risk."""

MOST_BARS = 20
TOLD_ROWS = 12
"""Rows of a table that the text beside a plot reads out."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One plot of a report.

    Parameters
    ----------
    key : str
        Its id in the page.
    section : str
        Heading under which it stands.
    title : str
        What is to be seen, in one sentence.
    text : str
        The numbers, for whoever cannot see it.
    headers : tuple of str
        Of its table; one that begins with ``>`` stands over numbers.
    rows : tuple of tuple of str
    svg : str
    note : str
        How it was measured.
    """

    key: str
    section: str
    title: str
    text: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    svg: str
    note: str = ""


def plots_of(account: Account) -> list[Plot]:
    """Return the plots that an account has figures for, in the order of a report.

    Parameters
    ----------
    account : mapping
        Of a release, internal or external.
    """
    makers: tuple[Callable[[Account], Iterator[Plot]], ...] = (
        _class_sizes,
        _risk,
        _distributions,
        _associations,
        _suppression,
        _suppressed_groups,
    )
    found = [plot for make in makers for plot in make(account)]
    tried = frontier_plot(account["alternatives"]) if account.get("alternatives") else None
    return [*found, tried] if tried else found


def _class_sizes(account: Account) -> Iterator[Plot]:
    found = account.get("class_sizes")
    if not found:
        return
    k, who = found["k"], account["members"]
    rows = [
        {"label": _span(b["low"], b["high"]), "before": b["members_before"], "after": b["members_after"]}
        for b in found["bins"]
    ]
    small = [b for b in found["bins"] if b["low"] < k]
    before, after = (sum(b[f"members_{when}"] for b in small) for when in ("before", "after"))
    total = sum(row["before"] for row in rows) or 1
    title = (
        f"{count(before)} of {count(total)} {who} ({percent(before / total)}) stood in groups smaller than {k}; "
    )
    title += f"{'none does' if not after else count(after) + ' still do'} in the published table."
    if not before:
        title = f"Nobody stood in a group smaller than {k}, before or after."
    yield Plot(
        key="class-sizes",
        section="Groups of look-alikes",
        title=title,
        text=_read_out(rows, "in groups of"),
        headers=("size of group", ">groups before", ">groups after", f">{who} before", f">{who} after"),
        rows=tuple(
            (
                _span(b["low"], b["high"]),
                *(count(b[key]) for key in ("classes_before", "classes_after", "members_before", "members_after")),
            )
            for b in found["bins"]
        ),
        svg=charts.before_and_after(rows, prefix="class-sizes", across="size of group", along=who),
        note="Somebody whose records stand in two groups counts in both." if who == "people" else "",
    )


def _risk(account: Account) -> Iterator[Plot]:
    found = account.get("risk")
    if not found:
        return
    before, after, threshold = found["before"], found["after"], found["threshold"]
    at = next(row for row in found["curve"] if row["risk"] == threshold)
    title = (
        f"The highest risk falls from {percent(before['highest'])} to {percent(after['highest'])}, "
        f"the average from {percent(before['average'])} to {percent(after['average'])}."
    )
    if before["highest"] == after["highest"] and before["average"] == after["average"]:
        title = f"The highest risk is {percent(after['highest'])} and the average {percent(after['average'])}."
    text = (
        f"Above the threshold of {percent(threshold)} are {percent(at['before'])} of the {account['members']} "
        f"before and {percent(at['after'])} after."
    )
    kept = found["curve"][:: max(1, len(found["curve"]) // 20)]
    if at not in kept:
        kept = sorted([*kept, at], key=lambda row: row["risk"])
    yield Plot(
        key="risk",
        section="Risk of being found",
        title=title,
        text=text,
        headers=("risk above", f">share of {account['members']} before", ">share after"),
        rows=tuple((_risk_text(row["risk"]), percent(row["before"]), percent(row["after"])) for row in kept),
        svg=charts.risk_curve(found["curve"], threshold=threshold, members=account["members"], prefix="risk"),
        note=(
            "The attacker knows that somebody is in the table and knows all of their quasi-identifiers: the risk "
            "is 1 divided by the size of their group. Suppressed records are left out after."
        ),
    )


def _distributions(account: Account) -> Iterator[Plot]:
    for number, found in enumerate(account.get("distributions", ())):
        groups = found["groups"]
        if not groups:
            continue
        moved = found["moved"]
        title = f"{found['column']}: every record is suppressed." if moved is None else ""
        if not title:
            told = percent(moved) if moved else "none"
            title = f"{found['column']}: the published table puts {told} of the records into another group."
        key = f"column-{number}"
        yield Plot(
            key=key,
            section="Columns before and after",
            title=title,
            text=_read_out(groups, "in"),
            headers=(found["column"], ">records before", ">records after"),
            rows=tuple((g["label"], count(g["before"]), count(round(g["after"]))) for g in groups),
            svg=charts.before_and_after(groups, prefix=key, across="", along="records", width=charts.NARROW),
            note=f"{count(found['not_told'], 'group')} with few records not told."
            if found.get("not_told")
            else "",
        )


def _associations(account: Account) -> Iterator[Plot]:
    pairs = account.get("associations") or ()
    if not pairs:
        return
    worst = max(pairs, key=lambda pair: pair["lost"])
    whole = "before" in worst
    mean = sum(abs(pair["lost"]) for pair in pairs) / len(pairs)
    title = f"Associations of columns change by {mean:.2f} on average"
    if worst["lost"] >= 0.005:
        lost = f"{worst['before']:.2f} to {worst['after'] or 0:.2f}" if whole else f"by {worst['lost']:.2f}"
        title += f"; {worst['first']} and {worst['second']} lose most ({lost})"
    headers = ("columns", ">before", ">after", ">lost") if whole else ("columns", ">lost")
    rows = []
    for pair in sorted(pairs, key=lambda pair: -pair["lost"]):
        figures = [pair["before"], pair["after"] or 0.0, pair["lost"]] if whole else [pair["lost"]]
        rows.append((f"{pair['first']} × {pair['second']}", *(_signed(figure) for figure in figures)))
    yield Plot(
        key="associations",
        section="Associations lost",
        title=title + ".",
        text="Lost: " + "; ".join(f"{row[0]} {row[-1]}" for row in rows[:TOLD_ROWS]) + ".",
        headers=headers,
        rows=tuple(rows),
        svg=charts.heat_map(pairs, prefix="associations"),
        note=(
            "Cramér's V, corrected for bias, over the groups of the plots above: 0 where two columns have nothing "
            "to do with each other, 1 where one tells the other. After: a cell counts evenly in all it covers. "
            "Below 0: the release shows more than there is."
        ),
    )


def _suppression(account: Account) -> Iterator[Plot]:
    cells = [cell for cell in account.get("suppressed_cells", ()) if cell["share"] is not None]
    if not any(cell["share"] for cell in cells):
        return
    worst = max(cells, key=lambda cell: cell["share"])
    rows = [{"label": cell["column"], "share": cell["share"]} for cell in cells]
    yield Plot(
        key="suppressed-cells",
        section="Suppression",
        title=f"{worst['column']} has most cells that tell nothing: {percent(worst['share'])} are *.",
        text="; ".join(f"{row['label']} {percent(row['share'])}" for row in rows[:TOLD_ROWS]) + ".",
        headers=("column", ">share of cells that are *"),
        rows=tuple((row["label"], percent(row["share"])) for row in rows),
        svg=charts.bars(rows, prefix="suppressed-cells", across="", along="share of cells that are *"),
    )


def _suppressed_groups(account: Account) -> Iterator[Plot]:
    rows: list[dict[str, Any]] = []
    for found in account.get("distributions", ()):
        for group in found["groups"]:
            share = group.get("suppressed_share")
            if share is None and group.get("suppressed") is not None:
                share = group["suppressed"] / group["before"] if group["before"] else 0.0
            if share:
                rows.append({"label": f"{found['column']}: {group['label']}", "share": share})
    if not rows:
        return
    rows.sort(key=lambda row: -row["share"])
    shown = rows[:TOLD_ROWS]
    yield Plot(
        key="suppressed-groups",
        section="Suppression",
        title=f"Whole records are suppressed most often where {shown[0]['label']} ({percent(shown[0]['share'])}).",
        text="; ".join(f"{row['label']} {percent(row['share'])}" for row in shown) + ".",
        headers=("group before", ">share of its records suppressed"),
        rows=tuple((row["label"], percent(row["share"])) for row in rows),
        svg=charts.bars(shown, prefix="suppressed-groups", across="", along="share of the group's records"),
        note="Groups that lose many more records than others are under-represented in what is published.",
    )


def audit_plots(audit: Account) -> list[Plot]:
    """Return the plots of an audit: which columns, alone and together, single people out.

    Parameters
    ----------
    audit : mapping
        ``Audit.as_dict()``.
    """
    found = audit["special_uniques"]
    plots = []
    parts = [c for c in audit["columns"] if c.get("suda_contribution") is not None]
    rows = [{"label": c["name"], "share": c["suda_contribution"]} for c in parts]
    rows.sort(key=lambda row: -row["share"])
    if any(row["share"] for row in rows):
        plots.append(
            Plot(
                key="contributions",
                section="What singles people out",
                title=f"{rows[0]['label']} has the largest part, in {percent(rows[0]['share'])} of it.",
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
                section="What singles people out",
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
    order = {"recommended": 0, "frontier": 1}
    shown = [at for at, row in enumerate(rows) if row["kind"] in order]
    for at in sorted(shown, key=lambda at: (order[rows[at]["kind"]], rows[at]["loss"])):
        place = math.log(rows[at]["risk"])
        if all(abs(place - other) > NAMES_APART for other in chosen):
            rows[at]["name"] = f"k={points[at]['k']}"
            chosen.append(place)


def _kind(point: Mapping[str, Any], best: Mapping[str, Any] | None) -> str:
    if best and (point["k"], point["algorithm"]) == (best["k"], best["algorithm"]):
        return "recommended"
    return "dominated" if point["dominated"] else "frontier"


def _read_out(rows: Sequence[Mapping[str, Any]], word: str) -> str:
    told = [
        f"{word} {row['label']}: {count(row['before'])} before, {count(round(row['after']))} after"
        for row in rows[:TOLD_ROWS]
    ]
    more = len(rows) - len(told)
    return "; ".join(told) + (f"; and {more} more in the table." if more > 0 else ".")


def _span(low: int, high: int | None) -> str:
    if high is None:
        return f"{low:,} or more"
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _risk_text(risk: float) -> str:
    return f"{100 * risk:.2g} %" if risk < 1 else "100 %"


def _signed(number: float) -> str:
    return f"{number:.2f}".replace("-0.00", "0.00").replace("-", "\N{MINUS SIGN}")
