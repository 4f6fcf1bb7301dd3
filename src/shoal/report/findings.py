"""Plots of a release, from its account."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from shoal.report import charts
from shoal.report.audit_findings import audit_plots
from shoal.report.frontier import frontier_plot
from shoal.report.plot import TOLD_ROWS, Plot
from shoal.report.words import count, percent

__all__ = ["plots_of"]

Account = Mapping[str, Any]


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
    if account.get("singled_out"):
        found += audit_plots(account["singled_out"], when="in the input")
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
    # Somebody in two groups has two places, so places are more than the people whom the report tells.
    places = who == "people"
    them, stood = ("places of people in groups", "were") if places else (who, "stood")
    share = percent(before / total)
    title = f"{count(before)} of {count(total)} {them} ({share}) {stood} in groups smaller than {k}; "
    none, still = ("none is", "still are") if places else ("none does", "still do")
    title += f"{f'{count(after)} {still}' if after else none} in the published table."
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
        note="Somebody whose records stand in two groups has a place in each." if who == "people" else "",
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
