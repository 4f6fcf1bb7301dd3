"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterable
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
    inputs : iterable of str or Path, default ()
        Files that the outputs are made of. No output replaces one, not even by *force*: nobody has them twice.

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

    def __init__(
        self, *, force: bool = False, stdout: BinaryIO | None = None, inputs: Iterable[str | Path] = ()
    ) -> None:
        self._force = force
        self._inputs = [Path(given) for given in inputs if str(given) != "-"]
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
            If the target exists and *force* was not given, or its folder does not, or may not be written; if it
            is an input, or another output.
        """
        if str(path) == "-":
            temporary = self._spool.file("stdout")
            self._pending.append((temporary, None))
            return temporary
        target = path_of(path)
        if target.is_dir():
            raise SpecError("the output is a folder", where=str(path), fix="name a file in it")
        if any(_is_same(target, given) for given in self._inputs):
            raise SpecError("the output would replace an input", where=str(path), fix="choose another path")
        if not self._force and (target.exists() or target.is_symlink()):
            raise SpecError(
                "the output exists already", where=str(path), fix="choose another path, or use --force"
            )
        if any(pending is not None and _is_same(target, pending) for _, pending in self._pending):
            raise SpecError("two outputs have the same path", where=str(path), fix="give each a path of its own")
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
                raise SpecError(
                    "the output exists already, since another run wrote it meanwhile",
                    where=str(target),
                    fix="choose another path, or use --force",
                )
        while self._pending:
            temporary, target = self._pending[0]
            if target is None:
                out = self._stdout or _standard_output()
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


def _is_same(one: Path, other: Path) -> bool:
    """Tell whether two paths name one file, through links and capitals too where both are there."""
    try:
        return one.samefile(other)
    except OSError:
        return one.absolute() == other.absolute()


def _standard_output() -> BinaryIO:
    # A program that is started without one has None here.
    if sys.stdout is None:
        raise SpecError("standard output is closed", fix="name a file to write")
    return sys.stdout.buffer
