"""The page of results: one part per section, so that a section can be measured again by itself."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from table import Row, markdown

TITLE = "# Results"


def about(rows: list[Row]) -> str:
    """Return what the rows were measured with, and how many targets they miss."""
    missed = sum(row.met is False for row in rows)
    return (
        f"shoal {version('shoal')}, Python {platform.python_version()}, polars {version('polars')}, "
        f"{os.cpu_count()} cores. Targets missed: {missed}."
    )


def replace(page: Path, section: str, rows: list[Row], order: list[str]) -> None:
    """Write a section's rows to *page* in place of those that stand there; sections keep their *order*."""
    parts = _parts(page.read_text("utf-8")) if page.exists() else {}
    parts[section] = f"{about(rows)}\n\n{markdown(rows)}"
    kept = [f"## {name}\n\n{parts[name].strip()}\n" for name in order if name in parts]
    page.write_text("\n".join([f"{TITLE}\n", *kept]), "utf-8")


def _parts(text: str) -> dict[str, str]:
    parts = {}
    for part in text.split("\n## ")[1:]:
        name, _, rest = part.partition("\n")
        parts[name.strip()] = rest
    return parts
