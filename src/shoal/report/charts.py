"""The plots of a report, each from the rows of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.report.palette import AFTER, BEFORE, HEAT, INK, LINE, MUTED, PICK, STEPS
from shoal.report.svg import altair, svg_of

__all__ = ["bars", "before_and_after", "counts", "frontier", "heat_map", "risk_curve"]

Rows = Sequence[Mapping[str, Any]]
WIDTH = 760
NARROW = 480
"""Width of a plot that stands beside another."""

LONGEST = 28
"""Letters of a label beside an axis."""

LISTING = 58
"""Letters of a label that lists columns."""


def before_and_after(
    rows: Rows,
    *,
    prefix: str,
    across: str,
    along: str,
    labels: tuple[str, str] = ("before", "after"),
    width: int = WIDTH,
) -> str:
    """Draw two bars per row: what was, and what is published.

    Parameters
    ----------
    rows : sequence of mapping
        With ``label``, ``before`` and ``after``.
    prefix : str
        Of the ids within.
    across, along : str
        Titles of the axis of labels and of that of amounts.
    labels : (str, str)
        Names of the two in the legend.
    width : int
        In pixels.
    """
    alt = altair()
    texts = _short([row["label"] for row in rows])
    long = [
        {"label": text, "amount": row[key], "when": name}
        for text, row in zip(texts, rows, strict=True)
        for key, name in zip(("before", "after"), labels, strict=True)
    ]
    chart = (
        alt.Chart(alt.Data(values=long))
        .mark_bar()
        .encode(
            y=alt.Y("label:N", sort=texts, title=across or None, axis=alt.Axis(ticks=False, domain=False)),
            yOffset=alt.YOffset("when:N", sort=list(labels)),
            x=alt.X("amount:Q", title=along, axis=alt.Axis(format=",~f", tickCount=5)),
            color=alt.Color(
                "when:N",
                scale=alt.Scale(domain=list(labels), range=[BEFORE, AFTER]),
                sort=list(labels),
            ),
        )
        .properties(width=width - 160, height=alt.Step(11))
    )
    return svg_of(chart, prefix=prefix)


def bars(rows: Rows, *, prefix: str, across: str, along: str) -> str:
    """Draw one bar per row, with ``label`` and ``share`` in [0, 1]."""
    alt = altair()
    texts = _short([row["label"] for row in rows])
    values = [{"label": text, "share": row["share"]} for text, row in zip(texts, rows, strict=True)]
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("label:N", sort=None, title=across or None, axis=alt.Axis(ticks=False, domain=False)),
        x=alt.X("share:Q", title=along, axis=alt.Axis(format=".1~%", tickCount=5)),
    )
    text = base.mark_text(align="left", dx=4).encode(text=alt.Text("share:Q", format=".1~%"))
    chart = base.mark_bar(color=AFTER) + text
    return svg_of(chart.properties(width=WIDTH - 160, height=alt.Step(20)), prefix=prefix)


def counts(rows: Rows, *, prefix: str, across: str, along: str) -> str:
    """Draw one bar per row, with ``label`` and ``amount``."""
    alt = altair()
    texts = _short([row["label"] for row in rows], LISTING)
    values = [{"label": text, "amount": row["amount"]} for text, row in zip(texts, rows, strict=True)]
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y(
            "label:N", sort=None, title=across or None, axis=alt.Axis(ticks=False, domain=False, labelLimit=360)
        ),
        x=alt.X("amount:Q", title=along, axis=alt.Axis(format=",~f", tickCount=5)),
    )
    text = base.mark_text(align="left", dx=4).encode(text=alt.Text("amount:Q", format=","))
    chart = base.mark_bar(color=AFTER) + text
    return svg_of(chart.properties(width=WIDTH - 340, height=alt.Step(20)), prefix=prefix)


def risk_curve(rows: Rows, *, threshold: float, members: str, prefix: str) -> str:
    """Draw the share of members above each risk, before and after, with the threshold as a line."""
    alt = altair()
    long = [
        {"risk": row["risk"], "share": row[when], "when": when} for row in rows for when in ("before", "after")
    ]
    lines = (
        alt.Chart(alt.Data(values=long))
        .mark_line(interpolate="step-before", strokeWidth=2)
        .encode(
            x=alt.X(
                "risk:Q",
                scale=alt.Scale(type="log"),
                title="risk of being found (logarithmic)",
                axis=alt.Axis(format=".2~%", tickCount=6),
            ),
            y=alt.Y(
                "share:Q",
                title=f"{members} with a higher risk",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="~%"),
            ),
            color=alt.Color(
                "when:N",
                sort=None,
                scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER]),
                legend=alt.Legend(symbolType="stroke"),
            ),
            strokeDash=alt.StrokeDash(
                "when:N", scale=alt.Scale(domain=["before", "after"], range=[[6, 3], [1, 0]])
            ),
        )
    )
    at = alt.Chart(alt.Data(values=[{"risk": threshold, "name": f"threshold {threshold:.3g}"}]))
    rule = at.mark_rule(color=LINE, strokeWidth=2).encode(x="risk:Q")
    name = at.mark_text(color=LINE, align="center", baseline="bottom", y=-4).encode(x="risk:Q", text="name:N")
    return svg_of((lines + rule + name).properties(width=WIDTH - 70, height=230), prefix=prefix)


def heat_map(rows: Rows, *, prefix: str) -> str:
    """Draw what is lost of each pair of columns, with ``first``, ``second`` and ``lost`` in [-1, 1]."""
    alt = altair()
    columns = list(dict.fromkeys(row[key] for row in rows for key in ("first", "second")))
    names = dict(zip(columns, _short(columns), strict=True))
    values = [
        {
            "first": names[row["first"]],
            "second": names[row["second"]],
            "lost": row["lost"],
            "step": sum(abs(row["lost"]) >= step for step in STEPS),
            "text": f"{row['lost']:.2f}".replace("-0.00", "0.00").replace("-", "−"),
        }
        for row in rows
    ]
    down = list(dict.fromkeys(value["second"] for value in values))
    over = list(dict.fromkeys(value["first"] for value in values))
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("first:N", sort=over, title=None, axis=alt.Axis(labelAngle=-35, ticks=False, domain=False)),
        y=alt.Y("second:N", sort=down, title=None, axis=alt.Axis(ticks=False, domain=False)),
    )
    steps = ["under 0.02", "from 0.02", "from 0.1", "from 0.25", "from 0.5"]
    cells = (
        base.transform_calculate(name=f"{steps}[datum.step]".replace("'", '"'))
        .mark_rect(stroke=None)
        .encode(color=alt.Color("name:N", sort=steps, scale=alt.Scale(domain=steps, range=list(HEAT))))
    )
    text = base.mark_text(fontSize=11).encode(
        text="text:N",
        color=alt.condition("datum.step >= 3", alt.value(PICK), alt.value(INK)),
    )
    size = max(34, min(56, (WIDTH - 120) // max(1, len(over))))
    return svg_of((cells + text).properties(width=alt.Step(size), height=alt.Step(26)), prefix=prefix)


def frontier(rows: Rows, *, prefix: str, loss: str, risk: str) -> str:
    """Draw what each choice costs against the risk that it leaves.

    Parameters
    ----------
    rows : sequence of mapping
        With ``risk``, ``loss``, ``name`` and ``kind``: ``frontier``, ``dominated`` or ``recommended``.
    prefix : str
        Of the ids within.
    loss, risk : str
        Titles of the axes.
    """
    alt = altair()
    kinds = ["recommended", "frontier", "dominated"]
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        x=alt.X(
            "risk:Q",
            scale=alt.Scale(type="log", nice=False, padding=24),
            title=risk,
            axis=alt.Axis(format=".2~%", tickCount=6),
        ),
        y=alt.Y("loss:Q", title=loss, scale=alt.Scale(zero=True)),
    )
    line = (
        base.transform_filter("datum.kind != 'dominated'")
        .mark_line(color=AFTER, interpolate="step-after", strokeWidth=1.5)
        .encode(order="risk:Q")
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        color=alt.Color("kind:N", sort=kinds, scale=alt.Scale(domain=kinds, range=[LINE, AFTER, MUTED])),
        shape=alt.Shape("kind:N", sort=kinds, scale=alt.Scale(domain=kinds, range=["diamond", "circle", "cross"])),
    )
    text = base.transform_filter("datum.name != ''").mark_text(align="left", dx=8, dy=-8).encode(text="name:N")
    return svg_of((line + points + text).properties(width=WIDTH - 70, height=280), prefix=prefix)


def _short(texts: Sequence[str], longest: int = LONGEST) -> list[str]:
    """Return texts that fit beside an axis, each still unlike the others."""
    found: dict[str, None] = {}
    for text in texts:
        short, twin = text if len(text) <= longest else text[: longest - 1] + "…", 2
        while short in found:
            short, twin = f"{text[: longest - 4]}… {twin}", twin + 1
        found[short] = None
    return list(found)
