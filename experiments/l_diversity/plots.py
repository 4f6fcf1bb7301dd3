"""Lines of means, one panel per table, as SVG."""

from __future__ import annotations

from pathlib import Path

import altair as alt

HUES = ["#1b5e9e", "#0f9d8a", "#7a3fa0", "#c2571a", "#d99a2b", "#6b7280", "#a3a3a3"]


def lines(
    rows: list[dict], path: Path, *, x: str, y: str, titles: tuple[str, str], log: bool = False, zero: bool = True
) -> None:
    """Draw the mean of *y* over *x* for each method.

    Parameters
    ----------
    rows : list of dict
        With keys "table", "method", *x* and *y*.
    path : Path
        The SVG to write.
    x, y : str
    titles : tuple of str
        Of the axes.
    log : bool, default False
        Whether *y* is drawn on a logarithmic scale.
    zero : bool, default True
        Whether *y* starts at 0.
    """
    methods = list(dict.fromkeys(row["method"] for row in rows))
    scale = alt.Scale(type="log") if log else alt.Scale(zero=zero)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(f"{x}:Q", title=titles[0], axis=alt.Axis(tickMinStep=1)),
        y=alt.Y(f"mean({y}):Q", title=titles[1], scale=scale),
        color=alt.Color("method:N", sort=methods, title=None, scale=alt.Scale(domain=methods, range=HUES)),
        shape=alt.Shape("method:N", sort=methods, title=None, scale=alt.Scale(domain=methods)),
    )
    chart = alt.layer(base.mark_line(strokeWidth=1.5), base.mark_point(filled=True, size=36))
    tables = list(dict.fromkeys(row["table"] for row in rows))
    faceted = (
        chart.properties(width=260, height=200)
        .facet(alt.Facet("table:N", sort=tables, title=None), columns=2)
        .resolve_scale(y="independent")
        .configure_view(stroke=None)
        .configure_axis(grid=True, gridColor="#e5e7eb", labelFontSize=11, titleFontSize=11)
        .configure_header(labelFontSize=12)
    )
    faceted.save(str(path))
