"""From a chart to an SVG that stands in a page: in the page's colours, and silent to a screen reader."""

from __future__ import annotations

import re
from typing import Any

from shoal.errors import EngineError
from shoal.report.palette import GRID, INK, MUTED, VARIABLES

__all__ = ["altair", "svg_of"]

FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"


def altair() -> Any:
    """Import Altair.

    Raises
    ------
    EngineError
        If the extra is not installed.
    """
    try:
        import altair as alt
        import vl_convert  # noqa: F401 - both are needed, and one error tells of both
    except ImportError:
        raise EngineError(
            "a report needs Altair, vl-convert and Jinja", fix='pip install "shoal[report]"'
        ) from None
    return alt


def svg_of(chart: Any, *, prefix: str) -> str:
    """Draw a chart.

    Parameters
    ----------
    chart : altair chart
    prefix : str
        Put before every id, so that the ids of a page are unique.

    Returns
    -------
    str
        One ``<svg>`` element. It has no role and no label: the figure around it bears them.
    """
    import vl_convert

    styled = (
        chart.configure(
            aria=False,
            background="transparent",
            font=FONT,
            padding={"left": 14, "right": 14, "top": 8, "bottom": 4},
        )
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            titleFontWeight="normal",
            titleFontSize=12,
            labelFontSize=12,
            gridColor=GRID,
            domainColor=MUTED,
            tickColor=MUTED,
            labelLimit=220,
            labelPadding=5,
            titlePadding=8,
        )
        .configure_legend(
            labelColor=INK, titleColor=INK, labelFontSize=12, orient="top", title=None, symbolType="square"
        )
        .configure_text(color=INK, fontSize=11)
    )
    drawn = vl_convert.vegalite_to_svg(styled.to_dict())
    return _for_page(drawn, prefix)


def _for_page(svg: str, prefix: str) -> str:
    svg = re.sub(r' (?:aria-[a-z]+|role|class|xmlns:xlink|version)="[^"]*"', "", svg)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(f'"{colour}"', f'"var(--{variable})"')
    width, height = re.findall(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"', svg)[0]
    return svg.replace(
        f'width="{width}" height="{height}"',
        f'style="max-width:{width}px" aria-hidden="true" focusable="false"',
        1,
    )
