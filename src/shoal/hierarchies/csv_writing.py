"""Hierarchies written in the layout that ARX uses, so that reading them gives the same ones."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies.csv_file import DELIMITERS, CsvFile

__all__ = ["write_csv"]


def write_csv(
    hierarchy: Hierarchy, path: str | os.PathLike[str], delimiter: str = ";", *, overwrite: bool = False
) -> None:
    """Write a hierarchy in the layout that :func:`from_csv` reads, in code order.

    Reading the file for the same values and type gives the same hierarchy. Missing values have no line: they
    get their place from the table. An upper level of a chain of single children is written with its level
    behind the label, so that its step is not lost.

    Parameters
    ----------
    hierarchy : Hierarchy
    path : path
    delimiter : str, default ";"
    overwrite : bool, default False
        Replace a file that is there.

    Raises
    ------
    SpecError
        If the file exists and may not be replaced.
    HierarchyError
        If a label is empty or padded with blanks, which could not be read back, or there are only missing values.
    """
    target = Path(path)
    CsvFile(target, delimiter)
    if target.exists() and not overwrite:
        raise SpecError("the file is there already", where=str(target), fix="overwrite=True replaces it")
    lines = _texts(hierarchy)
    bad = [text for text in {text for line in lines for text in line} if not text or text != text.strip()]
    if bad or not lines:
        raise HierarchyError(
            f"{len(bad)} label(s) are empty or padded with blanks and could not be read back"
            if bad
            else "the hierarchy holds missing values only",
            where=str(target),
            examples=sorted(bad),
        )
    special = {*DELIMITERS, delimiter, '"', "\r", "\n"}
    fields = ([_quoted(text, special) for text in line] for line in lines)
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.write_text("".join(delimiter.join(line) + "\n" for line in fields), encoding="utf-8", newline="")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _quoted(text: str, special: set[str]) -> str:
    return '"' + text.replace('"', '""') + '"' if special.intersection(text) else text


def _texts(hierarchy: Hierarchy) -> list[list[str]]:
    """Return the label of each present leaf at each level, such that every climbed step shows."""
    taken = {*hierarchy.labels, *(leaf for leaf in hierarchy.leaves if leaf is not None)}
    lines = []
    names: dict[tuple[int, int], str] = {}
    for code, leaf in enumerate(hierarchy.leaves):
        if leaf is None:
            continue
        nodes = hierarchy.levels[:, code].tolist()
        climbed = [0, *(hierarchy.steps[1:, code] - hierarchy.steps[:-1, code]).tolist()]
        top = hierarchy.n_levels - 1
        line = [leaf]
        for level in range(1, top):
            node = nodes[level]
            if not climbed[level]:
                line.append(line[-1])
            elif node == hierarchy.root or node == nodes[level - 1]:
                line.append(names.setdefault((node, level), _with_level(hierarchy.labels[node], level, taken)))
            else:
                line.append(hierarchy.labels[node])
        line.append(ANY if climbed[top] else line[-1])
        lines.append(line)
    return lines


def _with_level(label: str, level: int, taken: set[str]) -> str:
    text, twin = f"{label} (level {level})", 2
    while text in taken:
        text, twin = f"{label} (level {level}, {twin})", twin + 1
    return text
