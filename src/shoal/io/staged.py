"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from pathlib import Path
from typing import BinaryIO, Self

from shoal.errors import SpecError
from shoal.io.source import path_of
from shoal.io.spool import Spool

__all__ = ["Staged"]


class Staged:
    """Outputs that appear together, or not at all.

    Each is written to a temporary file beside its target and renamed by :meth:`commit`; leaving the ``with``
    statement in any other way, an interrupt too, removes them.

    Parameters
    ----------
    force : bool, default False
        Replace targets that exist.
    stdout : binary file, optional
        Written instead of standard output.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with Staged() as files:
    ...     path = files.add(folder / "out.csv")
    ...     _ = path.write_text("a")
    ...     files.commit()
    >>> [file.name for file in folder.iterdir()]
    ['out.csv']
    """

    def __init__(self, *, force: bool = False, stdout: BinaryIO | None = None) -> None:
        self._force = force
        self._stdout = stdout
        self._spool = Spool()
        self._pending: list[tuple[Path, Path | None]] = []

    def add(self, path: str | Path, *, private: bool = False) -> Path:
        """Return the temporary path to write instead of *path*.

        Parameters
        ----------
        path : str or Path
            Target; ``-`` is standard output, which gets the bytes at :meth:`commit`.
        private : bool, default False
            Only this user may read the file (mode 0600), from its first byte.

        Raises
        ------
        SpecError
            If the target exists and *force* was not given, or its folder does not, or may not be written.
        """
        if str(path) == "-":
            temporary = self._spool.file("stdout")
            self._pending.append((temporary, None))
            return temporary
        target = path_of(path)
        if target.is_dir():
            raise SpecError("the output is a folder", where=str(path), fix="name a file in it")
        if not self._force and (target.exists() or target.is_symlink()):
            raise SpecError(
                "the output exists already", where=str(path), fix="choose another path, or use --force"
            )
        if target in (pending for _, pending in self._pending):
            raise SpecError("two outputs have the same path", where=str(path))
        # In the same folder, since only a rename within one file system is atomic.
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        try:
            handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666)
        except OSError as error:
            reason = error.strerror
        else:
            os.close(handle)
            self._pending.append((temporary, target))
            return temporary
        raise SpecError(
            f"the output cannot be written ({reason})",
            where=str(path),
            fix="name a folder that exists and is yours",
        )

    def commit(self) -> None:
        """Put all files in place, in the order in which they were added.

        Raises
        ------
        SpecError
            If a target appeared meanwhile and *force* was not given; nothing is in place then.
        """
        # No fsync: for large tables it costs as much as writing them, and a rename already keeps a crash of the
        # program from leaving half a file.
        for _, target in self._pending:
            if target is not None and not self._force and (target.exists() or target.is_symlink()):
                raise SpecError("the output exists already", where=str(target), fix="it appeared meanwhile")
        while self._pending:
            temporary, target = self._pending[0]
            if target is None:
                out = self._stdout or sys.stdout.buffer
                with temporary.open("rb") as read:
                    shutil.copyfileobj(read, out, 1 << 20)
                out.flush()
            else:
                try:
                    temporary.replace(target)
                except OSError as error:
                    reason = error.strerror
                    raise SpecError(f"the output cannot be put in place ({reason})", where=str(target)) from None
            self._pending.pop(0)

    def discard(self) -> None:
        """Remove what was not put in place."""
        for temporary, _ in self._pending:
            temporary.unlink(missing_ok=True)
        self._pending.clear()
        self._spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Also after KeyboardInterrupt: whatever was not committed must not stay behind.
        self.discard()
