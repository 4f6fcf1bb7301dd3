"""What the commands write and where: data to stdout, words to stderr."""

from __future__ import annotations

import errno
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shoal.report.words import printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["JSON_FORMAT", "emit_json", "message", "progress_bar", "show", "version"]

JSON_FORMAT = 1
"""Version of the shape of ``--json``; it grows when a key changes its meaning or goes away."""


def version() -> str:
    """Return the version of shoal that is installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("shoal")
    except PackageNotFoundError:
        return "unknown"


def message(text: str, *, style: str = "") -> None:
    """Write a message to stderr."""
    from rich.text import Text

    _console(stderr=True).print(Text(printable(text), style=style), soft_wrap=True)


def show(renderable: RenderableType, *, stderr: bool = False) -> None:
    """Write a report."""
    if not stderr:
        _check_stdout()
    _console(stderr=stderr).print(renderable)


def emit_json(command: str, content: Mapping[str, Any]) -> None:
    """Write the one JSON object of a command to stdout.

    Numbers that JSON does not have (NaN, infinity) become null.
    """
    _check_stdout()
    whole = {"shoal": version(), "format": JSON_FORMAT, "command": command, **content}
    sys.stdout.write(json.dumps(_clean(whole), ensure_ascii=False, allow_nan=False, indent=2) + "\n")


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[float | None, str], None] | None]:
    """Give a callback ``(share done or None, what is done)`` that draws a bar where stderr is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)

        def report(share: float | None, text: str) -> None:
            progress.update(
                task, description=printable(text), total=None if share is None else 1.0, completed=share or 0
            )

        yield report


def _console(*, stderr: bool) -> Console:
    # rich itself respects NO_COLOR, TERM=dumb and whether the stream is a terminal.
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def _check_stdout() -> None:
    # A program that is started without one has None here, and its report would be lost without a word.
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")


def _clean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _clean(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_clean(inner) for inner in value]
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    if hasattr(value, "item") and not isinstance(value, float):
        return _clean(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)
