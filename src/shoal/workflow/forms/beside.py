"""What the manifest beside a published table says of how to read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.core.protocols import Algorithm
from shoal.workflow.forms.asked import BUCKET, form_named_by

__all__ = ["Reading", "reading_beside"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of a published table are to be read.

    Parameters
    ----------
    bucket : str or None
        Column that says in which bucket a row lies; None where rows are read by their quasi-identifiers.
    fakes_per_bucket : int or None
        Invented rows in each bucket, where that is known.
    noise : bool
        Whether rows were made from noisy counts.
    """

    bucket: str | None = None
    fakes_per_bucket: int | None = None
    noise: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What the table by itself cannot tell."""
        if self.noise:
            return ("rows were made from noisy counts: what a model says of them says nothing of the people",)
        if self.bucket is None:
            return ()
        fakes = self.fakes_per_bucket
        told = ["the models were tested on buckets; quasi-identifiers are published as they are"]
        if fakes is None:
            told.append("fake rows, if there are any, were counted like the others: nobody can tell them apart")
        elif fakes:
            told.append(
                f"{fakes} row(s) of each bucket are fake and were counted like the others: of the values of a "
                "bucket as many may be nobody's"
            )
        return tuple(told)


def reading_beside(published: str | Path, algorithm: Algorithm) -> Reading:
    """Return how a published file is read: as its manifest says, or else as the algorithm publishes.

    Parameters
    ----------
    published : str or Path
    algorithm : Algorithm
        That of the spec.
    """
    manifest = _manifest(Path(f"{published}.manifest.json"))
    if manifest is not None:
        buckets = manifest.get("buckets")
        if isinstance(buckets, Mapping):
            return Reading(str(buckets.get("column", BUCKET)), buckets.get("fakes_per_bucket"))
        return Reading(noise="perturbation" in manifest)
    kind = form_named_by(algorithm)
    return Reading(BUCKET if kind == "buckets" else None, noise=kind == "noise")


def _manifest(path: Path) -> Mapping[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, Mapping) else None
