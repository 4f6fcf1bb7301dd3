"""The colours of the plots, as stand-ins that the page replaces by its own, for light, dark and paper.

Okabe and Ito's set, which people with any colour vision can tell apart. A plot never says anything by colour
alone: shapes differ, or the figures stand beside.
"""

from __future__ import annotations

__all__ = ["AFTER", "BEFORE", "GRID", "HEAT", "INK", "LINE", "MUTED", "PICK", "STEPS", "VARIABLES"]

INK, MUTED, GRID = "#010101", "#020202", "#030303"
BEFORE, AFTER, LINE, PICK = "#040404", "#050505", "#060606", "#070707"
HEAT = ("#0a0a01", "#0a0a02", "#0a0a03", "#0a0a04", "#0a0a05")
STEPS = (0.02, 0.1, 0.25, 0.5)
"""Where the colour of a heat map changes: five colours for four steps."""

VARIABLES = {
    INK: "ink",
    MUTED: "muted",
    GRID: "grid",
    BEFORE: "before",
    AFTER: "after",
    LINE: "line",
    PICK: "pick",
    **{colour: f"heat{step}" for step, colour in enumerate(HEAT)},
}
