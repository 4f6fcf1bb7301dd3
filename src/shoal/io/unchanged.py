"""A file that changes between two passes is noticed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shoal.errors import InputError
from shoal.io.encoding import reading_file

__all__ = ["unchanged"]


def unchanged(path: Path, *, name: str) -> Callable[[], None]:
    """Return a check that the file is still the one that it is now.

    What was found when a file was opened, such as that every record is whole, holds only as long as nobody
    writes to it; and a table is read more than once.

    Raises
    ------
    InputError
        By the check, if size, time of change or identity of the file differ.
    """

    def stamp() -> tuple[int, int, int]:
        with reading_file(name):
            found = path.stat()
        return found.st_size, found.st_mtime_ns, found.st_ino

    opened = stamp()

    def check() -> None:
        if stamp() != opened:
            raise InputError(
                "the file changed after it was opened", where=name, fix="run again when nothing writes to it"
            )

    return check
