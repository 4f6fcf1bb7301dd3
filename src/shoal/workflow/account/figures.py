"""The figures of a report: what its plots show and its tables list, computed once per release."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.core.classes import Classes
from shoal.utility.associations import associations
from shoal.utility.class_sizes import edges_for, risk_curve, size_bins
from shoal.utility.distributions import Distribution, distributions
from shoal.workflow.audit_measures import measure_columns_of
from shoal.workflow.outcome import Outcome

__all__ = ["class_sizes", "lost_associations", "risks", "shown_columns", "singled_out", "suppressed_cells"]

CURVE_POINTS = 60


def classes_of(release: Outcome) -> tuple[Classes, Classes]:
    """Return the classes of the input and of the release."""
    table = release.table
    before = table.classes(table.point_of_item, table.n_points)
    return before, release.regions.classes(table)


def class_sizes(release: Outcome, *, k: int) -> dict[str, Any]:
    """Return how many classes and members there are of each size, before and after."""
    before, after = classes_of(release)
    edges = edges_for(before.size, after.size, k=k)
    bins = zip(size_bins(before.size, edges), size_bins(after.size, edges), strict=True)
    return {
        "k": k,
        "bins": [
            {
                "low": old.low,
                "high": old.high,
                "classes_before": old.classes,
                "classes_after": new.classes,
                "members_before": old.members,
                "members_after": new.members,
            }
            for old, new in bins
        ],
    }


def risks(release: Outcome, *, threshold: float) -> dict[str, Any]:
    """Return the share of members above each risk, before and after, and the figures of both."""
    before, after = classes_of(release)
    largest = max((int(c.size.max()) for c in (before, after) if len(c)), default=1)
    steps = np.unique(np.geomspace(1, max(2, largest), CURVE_POINTS).round())
    at = np.unique(np.append(1 / steps, threshold))
    return {
        "threshold": threshold,
        "curve": [
            {"risk": float(risk), "before": float(old), "after": float(new)}
            for risk, old, new in zip(at, risk_curve(before, at), risk_curve(after, at), strict=True)
        ],
        "before": release.risk_before.as_dict(),
        "after": None if release.risk_after is None else release.risk_after.as_dict(),
    }


def shown_columns(release: Outcome) -> tuple[Distribution, ...]:
    """Return each quasi-identifier before and after."""
    return distributions(release.table, release.regions)


def lost_associations(release: Outcome) -> list[dict[str, Any]]:
    """Return the association of each pair of columns before and after."""
    return [
        {"first": a.first, "second": a.second, "before": a.before, "after": a.after, "lost": a.lost}
        for a in associations(release.table, release.regions)
        if a.before is not None
    ]


def singled_out(release: Outcome) -> dict[str, Any]:
    """Return which columns, alone and together, singled people out before anything was generalized."""
    alone, columns, special, _ = measure_columns_of(release.table, sampling_fraction=None)
    return {
        "alone": alone,
        "columns": [dict(column) for column in columns],
        "special_uniques": special.as_dict(),
    }


def suppressed_cells(release: Outcome) -> list[dict[str, Any]]:
    """Return the share of cells of each quasi-identifier that are ``*``, suppressed records with them."""
    table, regions = release.table, release.regions
    total = max(1, table.n_rows)
    result = []
    for j, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        whole = (regions.lo[:, j] == 0) & (regions.hi[:, j] == hierarchy.n_values - 1) & (hierarchy.n_values > 1)
        rows = int(regions.region_rows[whole].sum()) + regions.suppressed_rows
        result.append({"column": name, "rows": rows, "share": rows / total})
    return result
