"""Private temporary files: readable by this user only, and gone when they are closed."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Self

__all__ = ["Spool"]


class Spool:
    """A folder that no other user can read, for copies of the input.

    Examples
    --------
    >>> with Spool() as spool:
    ...     path = spool.file("table.csv")
    ...     _ = path.write_text("a")
    >>> path.exists()
    False
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._remove: weakref.finalize[..., Spool] | None = None

    def file(self, name: str) -> Path:
        """Return the path of a new empty file of mode 0600."""
        if self._folder is None:
            # mkdtemp makes the folder with mode 0700, so what is in it is private from the first byte.
            self._folder = Path(tempfile.mkdtemp(prefix="shoal-"))
            # Also when nobody closes it, at the latest when Python ends.
            self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        path = self._folder / name
        path.touch(mode=0o600)
        return path

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        if self._remove is not None:
            self._remove()
        self._folder = self._remove = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
