"""A table as it stands: what it satisfies, how risky it is, and why, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import ANY
from shoal.core.protocols import PrivacyModel
from shoal.core.schema import Schema
from shoal.core.table import FrequencyTable
from shoal.core.verdict import Verdict, judge
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import Source, reading
from shoal.kernels.grouping import group_columns, sum_by_group
from shoal.risk.missing_cells import READINGS, class_sizes
from shoal.risk.reidentification import Risk, risk_of
from shoal.workflow.prepare import Prepared, numbers, prepare
from shoal.workflow.spec import Spec

__all__ = ["Audit", "audit", "audit_file"]

MODELLED_COLUMNS = 12
"""Up to so many quasi-identifiers are left out one by one to see which make people stand alone."""

COMPARISONS = 10_000_000
"""Points times patterns of missing cells up to which all readings of missing cells are counted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """What a table says of itself.

    Parameters
    ----------
    rows, classes : int
        Records, and groups of equal quasi-identifiers (without the suppressed records).
    people : int or None
        Number of people where a unit is given.
    suppressed : int
        Records with ``*`` in every quasi-identifier.
    verdicts : tuple of Verdict
        One per model, suppressed records left out.
    verdicts_with_suppressed : tuple of Verdict
        The same with the suppressed records as a class of their own.
    risk, risk_with_suppressed : Risk
        Re-identification risk in both readings.
    missing : mapping of str to int
        Smallest class in each reading of missing cells (``own``, ``wildcard``, ``conservative``), in rows; None
        where there is no record or the reading would take too long.
    columns : tuple of dict
        Per quasi-identifier: distinct values, missing cells, records that stand alone only because of it.
    sentences : tuple of str
        The same in plain words.
    """

    rows: int
    classes: int
    people: int | None
    suppressed: int
    verdicts: tuple[Verdict, ...]
    verdicts_with_suppressed: tuple[Verdict, ...]
    risk: Risk
    risk_with_suppressed: Risk
    missing: dict[str, int | None]
    columns: tuple[dict[str, Any], ...]
    sentences: tuple[str, ...]

    @property
    def satisfied(self) -> bool:
        """Whether every model is met, suppressed records left out."""
        return all(verdict.satisfied for verdict in self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as plain values."""
        return {
            "satisfied": self.satisfied,
            "rows": self.rows,
            "people": self.people,
            "classes": self.classes,
            "suppressed": self.suppressed,
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "verdicts_with_suppressed": [verdict.as_dict() for verdict in self.verdicts_with_suppressed],
            "risk": self.risk.as_dict(),
            "risk_with_suppressed": None
            if self.risk_with_suppressed is None
            else self.risk_with_suppressed.as_dict(),
            "smallest_class_by_reading_of_missing_cells": dict(self.missing),
            "columns": [dict(column) for column in self.columns],
            "sentences": list(self.sentences),
        }


def audit(data: Any, schema: Schema, *, models: Iterable[PrivacyModel] | PrivacyModel = ()) -> Audit:
    """Say what a frame satisfies as it stands, and how risky it is.

    Parameters
    ----------
    data : DataFrame
        Any frame that narwhals knows.
    schema : Schema
        Roles; hierarchies of quasi-identifiers are not needed.
    models : iterable of PrivacyModel, optional
        Models to test.

    Returns
    -------
    Audit
        A model that is not met is not an exception here.
    """
    with from_frame(data) as source:
        return _audit(source, schema, tuple(models) if isinstance(models, Iterable) else (models,))


def audit_file(source: str | Path, spec: Spec) -> Audit:
    """Say what a file satisfies as it stands; see :func:`audit`."""
    schema = spec.schema()
    with open_source(source, **spec.input, decimal_columns=numbers(schema)) as opened, reading(opened):
        return _audit(opened, schema, spec.models())


def _audit(source: Source, schema: Schema, models: Sequence[PrivacyModel]) -> Audit:
    sensitive = tuple(dict.fromkeys([name for model in models for name in model.columns] + list(schema.sensitive)))
    prepared = prepare(source, schema, sensitive=sensitive, flat_quasi_identifiers=True)
    table = prepared.table
    residue = _suppressed_points(table)
    point = table.point_of_item
    kept = np.where(residue[point], np.int32(-1), point)
    classes = table.classes(_dense(kept), int((~residue).sum()), sensitive)
    everything = table.classes(point, table.n_points, sensitive)
    suppressed = int(table.point_rows[residue].sum())
    verdicts = judge(models, classes, prepared.context)
    by_people = prepared.context.by_people
    risk = risk_of(classes, suppressed_rows=suppressed, by_people=by_people)
    columns = _columns(table)
    return Audit(
        rows=prepared.n_rows,
        people=prepared.context.people,
        classes=len(classes),
        suppressed=suppressed,
        verdicts=verdicts,
        verdicts_with_suppressed=judge(models, everything, prepared.context) if suppressed else verdicts,
        risk=risk,
        risk_with_suppressed=risk_of(everything, suppressed_rows=suppressed, by_people=by_people)
        if suppressed
        else risk,
        missing=_missing(table),
        columns=columns,
        sentences=_sentences(prepared, risk, columns, classes.histograms, classes.size),
    )


def _suppressed_points(table: FrequencyTable) -> NDArray[np.bool_]:
    suppressed = np.ones(table.n_points, bool)
    for j, hierarchy in enumerate(table.hierarchies):
        suppressed &= table.codes[:, j] == hierarchy.codes.get(ANY, -1)
    return suppressed


def _dense(kept: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the points that are kept without gaps."""
    used = np.unique(kept[kept >= 0])
    return np.where(kept >= 0, np.searchsorted(used, kept), -1).astype(np.int32)


def _missing(table: FrequencyTable) -> dict[str, int | None]:
    """Return the smallest class in each reading of missing cells; a suppressed cell is missing too."""
    if not table.n_points:
        return dict.fromkeys(READINGS)
    unknown = np.zeros(table.codes.shape, bool)
    for j, hierarchy in enumerate(table.hierarchies):
        for text in (ANY, None):
            unknown[:, j] |= table.codes[:, j] == hierarchy.codes.get(text, -1)
    patterns = len(np.unique(np.packbits(unknown, axis=1), axis=0))
    affordable = patterns * table.n_points <= COMPARISONS
    return {
        reading: int(class_sizes(table, reading, missing=unknown).min())
        if affordable or reading == "own"
        else None
        for reading in READINGS
    }


def _alone(columns: Sequence[NDArray[np.int32]], sizes: Sequence[int], rows: NDArray[np.int64]) -> int:
    """Number of records that share these columns with nobody."""
    groups, first = group_columns(columns, sizes)
    return int((sum_by_group(groups, rows, first.shape[0]) == 1).sum())


def _columns(table: FrequencyTable) -> tuple[dict[str, Any], ...]:
    rows = table.point_rows
    codes = [table.codes[:, j] for j in range(table.n_qi)]
    sizes = [hierarchy.n_values for hierarchy in table.hierarchies]
    alone = int((rows == 1).sum())
    result = []
    for j, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        entry: dict[str, Any] = {"name": name, "distinct": hierarchy.n_values - hierarchy.has_null}
        entry["missing"] = int(rows[codes[j] == hierarchy.n_values - 1].sum()) if hierarchy.has_null else 0
        if 1 < table.n_qi <= MODELLED_COLUMNS and table.n_points:
            others = [i for i in range(table.n_qi) if i != j]
            left = _alone([codes[i] for i in others], [sizes[i] for i in others], rows)
            entry["alone_because_of_it"] = alone - left
        result.append(entry)
    return tuple(result)


def _sentences(
    prepared: Prepared,
    risk: Risk,
    columns: Sequence[dict[str, Any]],
    histograms: Any,
    size: NDArray[np.int64],
) -> tuple[str, ...]:
    if risk.highest is None or risk.average is None:
        return ("The table has no records that could be told apart.",)
    names = ", ".join(prepared.table.names)
    who = "people" if prepared.context.by_people else "records"
    total = int(size.sum())
    alone = int((size == 1).sum())
    if alone:
        first = (
            f"{alone:,} of {total:,} {who} ({_percent(alone / total)}) stand alone: "
            f"nobody else has the same values in {names}."
        )
    else:
        others = int(size.min()) - 1
        first = f"Nobody stands alone: everybody shares {names} with at least {others:,} others."
    second = (
        f"Whoever knows these values of one person picks the right record with a chance of up to "
        f"{_percent(risk.highest)}, and of {_percent(risk.average)} on average."
    )
    sentences = [first, second]
    causes = [c for c in columns if c.get("alone_because_of_it")]
    causes.sort(key=lambda c: -c["alone_because_of_it"])
    if causes:
        told = "; ".join(f"{c['name']} ({c['alone_because_of_it']:,})" for c in causes[:3])
        sentences.append(f"Most of those who stand alone would not without these columns: {told}.")
    for name, histogram in histograms.items():
        one_value = np.diff(histogram.offsets) == 1
        learned = int(size[one_value].sum())
        if learned:
            sentences.append(
                f"The value of {name} would be known of {learned:,} {who} ({_percent(learned / total)}): "
                "everybody with their quasi-identifiers has the same one."
            )
    return tuple(sentences)


def _percent(share: float) -> str:
    """Print a share so that neither "nearly all" reads as all nor "a few" as none."""
    if 0.9995 <= share < 1:
        return "more than 99.9 %"
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    return f"{share:.1%}".replace(".0%", "%").replace("%", " %")
