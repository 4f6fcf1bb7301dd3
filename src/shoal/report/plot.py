"""One plot of a report: a title that states its finding, a text with the numbers, and its table."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MOST_BARS", "TOLD_ROWS", "Plot"]

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
