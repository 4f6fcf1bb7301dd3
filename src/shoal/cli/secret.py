"""The key of the pseudonyms: from a file or the environment, never from the command line, where others see it."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.errors import SpecError

__all__ = ["KEY_VARIABLE", "pseudonym_key"]

KEY_VARIABLE = "SHOAL_PSEUDONYM_KEY"


def pseudonym_key(file: Path | None) -> bytes | None:
    """Return the key, without the line break at the end of a file; None where there is none.

    Raises
    ------
    SpecError
        If the file cannot be read.
    """
    if file is None:
        return os.environ[KEY_VARIABLE].encode("utf-8") if os.environ.get(KEY_VARIABLE) else None
    try:
        return file.read_bytes().strip(b"\r\n")
    except OSError as error:
        raise SpecError(f"the key of the pseudonyms cannot be read: {error.strerror}", where=str(file)) from None
