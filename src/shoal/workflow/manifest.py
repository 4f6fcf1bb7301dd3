"""The two records that lie beside a release: one safe to publish, one private."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from shoal.core.algorithm import Solution
from shoal.core.certificate import Certificate
from shoal.core.hierarchy import Hierarchy
from shoal.core.schema import Schema
from shoal.core.settings import settings_of
from shoal.core.verdict import Verdict
from shoal.workflow.plan import Plan
from shoal.workflow.policy import PolicyVerdict

__all__ = ["MANIFEST_FORMAT", "private_manifest", "public_manifest"]

MANIFEST_FORMAT = 1

_NOT_ANONYMOUS = {
    "anonymous": False,
    "why": "Pseudonyms are published: rows of one person can be joined, and whoever has the key can name them.",
}


def _schema(schema: Schema) -> list[dict[str, Any]]:
    """Return roles and kinds of hierarchies, without paths and without the values of a tree or an order."""
    columns = []
    for column in schema.columns:
        entry: dict[str, Any] = {"name": column.name, "role": str(column.role)}
        if column.type is not None:
            entry["type"] = column.type
        if column.pseudonym:
            entry["pseudonym"] = True
        if column.hierarchy is not None:
            kind = "given" if isinstance(column.hierarchy, Hierarchy) else type(column.hierarchy).__name__
            entry["hierarchy"] = kind.lower()
        columns.append(entry)
    return columns


def public_manifest(
    *,
    schema: Schema,
    plan: Plan,
    solution: Solution,
    verdicts: Sequence[Verdict],
    losses: Mapping[str, float],
    columns: Sequence[Mapping[str, Any]],
    rows: int,
    classes: int,
    suppressed: int,
    facts: Mapping[str, Any],
    promises: Sequence[str],
) -> dict[str, Any]:
    """Return what may be published beside the table.

    It holds no path, no seed, no extreme, no hash of the input and no count below the smallest class.
    """
    smallest = max([v.achieved for v in verdicts if v.model == "k-anonymity" and v.achieved] or [1])
    return {
        "manifest": MANIFEST_FORMAT,
        "shoal": version("shoal"),
        "columns": _schema(schema),
        **(_NOT_ANONYMOUS | {"pseudonyms": list(schema.pseudonyms)} if schema.pseudonyms else {}),
        "models": [settings_of(model) for model in plan.models],
        "method": {
            **settings_of(plan.algorithm),
            "loss": plan.loss.name,
            "suppression_limit": str(plan.suppression_limit),
            "suppressed": plan.suppressed,
            "proven_optimal": solution.optimal,
        },
        "verdicts": [
            {key: value for key, value in verdict.as_dict().items() if not key.startswith("violating")}
            for verdict in verdicts
        ],
        **_certificate(solution.certificate, smallest),
        "losses": dict(losses),
        "treatment": [
            {key: value for key, value in column.items() if key != "unchanged"}
            for column in columns
            if column["role"] is not None
        ],
        "rows": rows if rows >= smallest else None,
        "classes": classes if classes >= smallest else None,
        "suppressed": suppressed if suppressed == 0 or suppressed >= smallest else f"fewer than {smallest}",
        **facts,
        **({"promises": list(promises)} if promises else {}),
    }


def _certificate(certificate: Certificate | None, smallest: float) -> dict[str, Any]:
    """Return the certificate without counts below the smallest class; nothing where there is none."""
    if certificate is None:
        return {}
    record = certificate.as_dict()
    for key in ("lower_bound", "records", "stars"):
        if 0 < record[key] < smallest:
            record[key] = None
    return {"certificate": record}


def private_manifest(
    public: Mapping[str, Any],
    *,
    seed: int,
    keep_order: bool,
    statistics: Mapping[str, Any],
    notes: Sequence[str],
    risks: Mapping[str, Any],
    withheld: int,
    warnings: Sequence[str],
    policy: PolicyVerdict | None = None,
) -> dict[str, Any]:
    """Return the record for the publisher alone: with the seed the shuffle can be undone."""
    return {
        "private": "Do not publish this file: with the seed the order of the input can be restored.",
        **public,
        "seed": seed,
        "keep_order": keep_order,
        "statistics": dict(statistics),
        "notes": list(notes),
        "risks": dict(risks),
        "withheld": withheld,
        "warnings": list(warnings),
        **({} if policy is None else {"policy": policy.as_dict()}),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "environment": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "numba", "polars", "narwhals")},
        },
    }
