"""Published rows, given as a frame or as the release that was just made."""

from __future__ import annotations

from typing import Any

from shoal.workflow.beside import ReleaseFacts
from shoal.workflow.release import Release

__all__ = ["frame_of"]


def frame_of(published: Any) -> tuple[Any, ReleaseFacts]:
    """Return the rows of a release, with what its manifest tells of how to read them; of a frame, itself."""
    if isinstance(published, Release):
        return published.data, ReleaseFacts.of_manifest(published.manifest)
    return published, ReleaseFacts()
