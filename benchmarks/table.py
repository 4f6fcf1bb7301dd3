"""One row per measured figure, and the table that they make."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = ("section", "job", "measure", "shoal", "beside", "ratio", "target", "met")


@dataclass(frozen=True)
class Row:
    """A figure of ours, the figure beside it, and what was aimed at.

    Parameters
    ----------
    section, job, measure : str
        What was measured; *measure* names the unit.
    ours : float or str
        Our figure, or a note why there is none.
    beside : float, optional
        The figure of a peer, or of the floor of the same run.
    target : str
        What is aimed at, in words.
    met : bool, optional
        Whether it was reached.
    """

    section: str
    job: str
    measure: str
    ours: float | str
    beside: float | None = None
    target: str = ""
    met: bool | None = None

    def cells(self) -> list[str]:
        """Return the row as texts."""
        ratio = ""
        if isinstance(self.ours, (int, float)) and self.beside:
            ratio = number(self.ours / self.beside)
        met = {None: "", True: "yes", False: "NO"}[self.met]
        beside = "" if self.beside is None else number(self.beside)
        return [
            self.section, self.job, self.measure, number(self.ours), beside, ratio, self.target, met,
        ]  # fmt: skip


def number(value: float | str) -> str:
    """Return a figure with as many digits as it bears."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) or (value == int(value) and abs(value) >= 1):
        return f"{int(value):,}"
    return f"{value:.5f}" if abs(value) < 1 else f"{value:,.2f}"


def markdown(rows: list[Row]) -> str:
    """Return the rows as a Markdown table with aligned columns."""
    lines = [list(HEAD), *(row.cells() for row in rows)]
    widths = [max(3, *(len(line[i]) for line in lines)) for i in range(len(HEAD))]
    texts = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    rule = "|" + "|".join("-" * (w + 2) for w in widths) + "|"
    return "\n".join([texts[0], rule, *texts[1:]]) + "\n"
