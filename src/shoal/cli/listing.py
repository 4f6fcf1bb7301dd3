"""shoal list: the models, losses, algorithms, attacks and policies that are there, plug-ins too."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options as o
from shoal.cli.say import emit_json, show

if TYPE_CHECKING:
    from shoal.core.registry import Registry
    from shoal.workflow.policy import Policy

__all__ = ["list_kind"]


class Kind(StrEnum):
    """What can be listed."""

    MODELS = "models"
    ALGORITHMS = "algorithms"
    LOSSES = "losses"
    ATTACKS = "attacks"
    PRESETS = "presets"


def list_kind(
    kind: Annotated[Kind, typer.Argument(help="What to list.", show_default=False)], json: o.Json = False
) -> int:
    """List models, algorithms, losses, attacks or presets (policies), one line each."""
    from shoal.report.listing_terminal import list_report

    entries = _policies() if kind is Kind.PRESETS else _registered(kind)
    if json:
        emit_json("list", {"kind": str(kind), "result": entries})
    else:
        show(list_report(entries))
    return 0


def _policies() -> list[dict[str, Any]]:
    from shoal.workflow.policy import Policy, known_policies

    found = map(Policy.named, known_policies())
    return [
        {
            "name": policy.id,
            "about": f"{policy.title}: {policy.about}",
            "settings": [f"{policy.kind}, {policy.dated}", policy.citation, *_marks(policy)],
            "policy": policy.as_dict(),
            "checks": [check.title for check in policy.checks],
            "confidence": [check.confidence for check in policy.checks],
        }
        for policy in found
    ]


def _marks(policy: Policy) -> Iterator[str]:
    """Say which checks do not stand in the source, or were not re-checked."""
    from shoal.workflow.policy import CONFIDENCE

    for mark in ("K", "O"):
        titles = [check.title for check in policy.checks if check.confidence == mark]
        if titles:
            yield f"{CONFIDENCE[mark]}: {'; '.join(titles)}"


MEASURED_ONLY = "Measured only, on a finished release; no objective."

_KINDS = {Kind.MODELS: "model", Kind.LOSSES: "loss", Kind.ATTACKS: "attack"}


def _registered(kind: Kind) -> list[dict[str, Any]]:
    from shoal.workflow.spec_build import registry

    entries = _entries(registry(_KINDS.get(kind, "algorithm")))
    if kind is Kind.LOSSES:
        from shoal.loss import MEASURES

        for entry in _entries(MEASURES):
            entries.append({**entry, "about": f"{MEASURED_ONLY} {entry['about']}"})
    return entries


def _entries(found: Registry) -> list[dict[str, Any]]:
    from shoal.workflow.spec_build import settings_of

    return [
        {"name": name, "about": found.first_line(name), "settings": settings_of(found[name])}
        for name in sorted(found)
    ]
