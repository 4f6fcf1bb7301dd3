"""Lines of figures, one panel per table, as SVG."""

from __future__ import annotations

from pathlib import Path

import altair as alt

HUES = ["#c2571a", "#d99a2b", "#1b5e9e", "#7a3fa0", "#0f9d8a", "#6b7280", "#9f1239", "#4d7c0f", "#0e7490"]


def lines(rows: list[dict], path: Path, *, titles: tuple[str, str], log: bool = False, columns: int = 2) -> None:
    """Draw *y* over *x* for each method.

    Parameters
    ----------
    rows : list of dict
        With keys "panel", "method", "x" and "y".
    path : Path
        The SVG to write.
    titles : tuple of str
        Of the axes.
    log : bool, default False
        Whether both axes are logarithmic.
    columns : int, default 2
        Panels beside each other.
    """
    methods = list(dict.fromkeys(row["method"] for row in rows))
    scale = alt.Scale(type="log") if log else alt.Scale(zero=True)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("x:Q", title=titles[0], scale=alt.Scale(type="log", nice=False) if log else alt.Scale(zero=False)),
        y=alt.Y("y:Q", title=titles[1], scale=scale),
        color=alt.Color("method:N", sort=methods, title=None, scale=alt.Scale(domain=methods, range=HUES)),
        shape=alt.Shape("method:N", sort=methods, title=None, scale=alt.Scale(domain=methods)),
    )
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    faceted = (
        alt.layer(base.mark_line(strokeWidth=1.5), base.mark_point(filled=True, size=36))
        .properties(width=260, height=200)
        .facet(alt.Facet("panel:N", sort=panels, title=None), columns=columns)
        .resolve_scale(y="independent")
        .configure_view(stroke=None)
        .configure_axis(grid=True, gridColor="#e5e7eb", labelFontSize=11, titleFontSize=11)
        .configure_header(labelFontSize=12)
    )
    faceted.save(str(path))
