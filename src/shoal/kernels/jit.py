"""One way to compile a loop: cached on disk, without the interpreter lock."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def _cache_dir() -> Path:
    """Return the user's cache folder for compiled kernels, by the platform's custom."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "shoal" / "kernels" / _layout()


def _layout() -> str:
    """Return a name for the kernels' files by theirs: cached code that names one which is gone cannot be read."""
    folder = Path(__file__).parent
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    return blake2b("\n".join(files).encode(), digest_size=6).hexdigest()


# Installed packages often lie in folders that a user may not write, where numba would compile anew each time.
# The setting must be in place before numba is first imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(_cache_dir()))

import numba  # noqa: E402


def kernel(function: F) -> F:
    """Compile a loop over arrays, keep the machine code on disk, and release the interpreter lock."""
    compiled: F = numba.njit(function, cache=True, nogil=True)
    return compiled
