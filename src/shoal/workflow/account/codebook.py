"""The codebook of a published table: its columns, and which values stand in them how often."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import polars as pl

from shoal.core.hierarchy import ANY
from shoal.core.labels import label_intervals
from shoal.io.texts import text_expr
from shoal.workflow.outcome import Outcome

__all__ = ["MOST_VALUES", "codebook", "mapping"]

MOST_VALUES = 1_000
"""A column with more distinct values is described without them."""

RESULT = "label"
NUMBER = r"^\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*$"
DATE = r"^\s*\d{4}-\d{2}(-\d{2}.*)?\s*$|^\s*\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\s*$"


def codebook(release: Outcome) -> list[dict[str, Any]]:
    """Describe every published column.

    Returns
    -------
    list of dict
        ``name``, ``role``, ``type``; ``levels``, a list of ``{"label", "rows"}`` in the column's order, or None
        where there are too many or the rows are gone; ``distinct`` and ``missing`` rows; ``measured``, whether
        the cells are numbers or dates that were not generalized.
    """
    table = release.table
    # Cells that are no labels of records are counted where they stand, in the published table.
    labelled = set(table.names) if release.kind == "boxes" else set()
    other = _counted(release, labelled)
    book = []
    for column in release.columns:
        if column["action"] == "dropped":
            continue
        name = column["name"]
        entry = {"name": name, "role": column["role"], "type": column["type"]}
        if name in labelled:
            levels = _published_labels(release, table.names.index(name))
            missing = sum(level["rows"] for level in levels if level["label"] is None)
            levels = [level for level in levels if level["label"] is not None]
            entry |= {"distinct": len(levels), "missing": missing, "measured": False}
            entry["levels"] = levels if len(levels) <= MOST_VALUES else None
            entry["labels"] = release.regions.labels
        else:
            entry |= other.get(name, {"distinct": None, "missing": None, "measured": True, "levels": None})
        book.append(entry)
    return book


def _published_labels(release: Outcome, j: int) -> list[dict[str, Any]]:
    """Return the labels of one quasi-identifier in the order of their values, with their rows."""
    table, regions = release.table, release.regions
    hierarchy = table.hierarchies[j]
    sides = np.stack([regions.lo[:, j], regions.hi[:, j]], axis=1)
    pairs, of_region = np.unique(sides, axis=0, return_inverse=True)
    rows = np.bincount(of_region.reshape(-1), regions.region_rows, len(pairs)).astype(np.int64)
    lo, hi = pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32)
    labels = label_intervals(hierarchy, lo, hi, regions.labels)
    levels: list[dict[str, Any]] = [
        {"label": label, "rows": int(n), "first": int(a), "last": int(b)}
        for label, n, a, b in zip(labels, rows, lo, hi, strict=True)
    ]
    if regions.suppressed_rows and release.manifest["method"]["suppressed"] != "drop":
        everything = [level for level in levels if level["label"] == ANY]
        if everything:
            everything[0]["rows"] += regions.suppressed_rows
        else:
            whole = {"label": ANY, "rows": regions.suppressed_rows, "first": 0, "last": hierarchy.n_values - 1}
            levels.append(whole)
    return levels


def _counted(release: Outcome, but: Collection[str]) -> Mapping[str, dict[str, Any]]:
    """Count the values of the published columns, all but some."""
    if release.published is None:
        return {}
    frame = release.published()
    types = frame.collect_schema()
    found = {}
    for name in types:
        if name in but:
            continue
        texts = frame.select(text_expr(name, types[name]).alias(RESULT))
        facts = texts.select(
            pl.col(RESULT).approx_n_unique().alias("about"),
            pl.col(RESULT).null_count().alias("missing"),
            pl.col(RESULT).drop_nulls().str.contains(f"{NUMBER}|{DATE}").all().alias("measured"),
        ).collect(engine="streaming")
        about, missing, measured = facts.row(0)
        entry: dict[str, Any] = {"distinct": about, "missing": missing, "measured": measured, "levels": None}
        if about <= MOST_VALUES * 1.1:
            counted = texts.drop_nulls().group_by(RESULT).len().sort(RESULT).collect(engine="streaming")
            entry["distinct"] = counted.height
            entry["levels"] = [{"label": label, "rows": rows} for label, rows in counted.iter_rows()]
        found[name] = entry
    return found


def mapping(release: Outcome) -> list[dict[str, Any]]:
    """Return every value of every quasi-identifier with what it was published as, and how often.

    Not for publication: it lists the values of the input.

    Returns
    -------
    list of dict
        ``column``, ``value`` (None: missing), ``published``, ``rows``; in the order of columns and values.
    """
    table, regions = release.table, release.regions
    point = table.point_of_item[regions.item_of_share]
    entries = []
    for j, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        last = hierarchy.n_values - 1
        lo = np.where(regions.region < 0, 0, np.append(regions.lo[:, j], 0)[regions.region])
        hi = np.where(regions.region < 0, last, np.append(regions.hi[:, j], 0)[regions.region])
        leaf = table.codes[point, j]
        triples, at = np.unique(np.stack([leaf, lo, hi], axis=1), axis=0, return_inverse=True)
        rows = np.bincount(at.reshape(-1), regions.rows, len(triples)).astype(np.int64)
        starts, ends = triples[:, 1].astype(np.int32), triples[:, 2].astype(np.int32)
        labels = label_intervals(hierarchy, starts, ends, regions.labels)
        entries += [
            {"column": name, "value": hierarchy.leaves[leaf], "published": label, "rows": int(n)}
            for leaf, label, n in zip(triples[:, 0].tolist(), labels, rows.tolist(), strict=True)
        ]
    return entries
