"""What happened to each column of the input, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.core.recoding import Generalization, Recoding
from shoal.core.regions import Regions
from shoal.core.schema import Role
from shoal.core.table import FrequencyTable
from shoal.workflow.prepare import Prepared

__all__ = ["describe_columns"]


def describe_columns(
    prepared: Prepared,
    table: FrequencyTable,
    recoding: Recoding,
    regions: Regions,
    losses: Mapping[str, tuple[float, float]],
) -> tuple[dict[str, Any], ...]:
    """Return one dict per column of the input, in its order.

    Keys: ``name``, ``role`` (None for a column that the schema does not name), ``type``, ``action`` (``kept``,
    ``generalized``, ``pseudonym`` or ``dropped``); for quasi-identifiers also ``loss`` (ncp of the column, in
    [0, 1]), ``unchanged`` (share of its cells that were published as they were), ``level`` and ``levels`` where
    the whole column climbed to one level, and ``labels``. *table* and *regions* are of the records that the
    release speaks of; *losses* is each column's ncp and its denominator.
    """
    roles = {column.name: column for column in prepared.schema.columns}
    result = []
    for name in prepared.source.columns:
        column = roles.get(name)
        entry: dict[str, Any] = {
            "name": name,
            "role": None if column is None else str(column.role),
            "type": None if column is None else column.type,
            "action": "kept" if name in prepared.schema.published else "dropped",
        }
        if column is not None and column.pseudonym:
            entry |= {"action": "pseudonym", "pseudonym": True}
        if column is not None and column.role is Role.QUASI_IDENTIFIER:
            j = table.names.index(name)
            cost, full = losses[name]
            unchanged = _unchanged(regions, j)
            entry |= {
                "type": table.hierarchies[j].type,
                "action": "kept" if unchanged == 1 else "generalized",
                "loss": cost / full if full else 0.0,
                "unchanged": unchanged,
                "labels": regions.labels,
                "levels": table.hierarchies[j].n_levels,
            }
            if isinstance(recoding, Generalization):
                entry["level"] = recoding.levels[j]
        result.append(entry)
    return tuple(result)


def _unchanged(regions: Regions, j: int) -> float:
    """Share of the rows whose cell of attribute *j* is published as a single leaf, in [0, 1]."""
    total = int(regions.rows.sum())
    if not total:
        return 1.0
    exact = regions.lo[:, j] == regions.hi[:, j]
    return float(regions.region_rows[exact].sum() / total)
