"""The entry of the command line: commands, errors and exit codes."""

from __future__ import annotations

import gc
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.anonymize import anonymize
from shoal.cli.attack import attack
from shoal.cli.audit import audit
from shoal.cli.hierarchy import hierarchy
from shoal.cli.init import init
from shoal.cli.listing import list_kind
from shoal.cli.say import emit_json, message, version
from shoal.cli.sweep import sweep
from shoal.cli.utility import utility
from shoal.cli.verify import verify
from shoal.errors import ShoalError, ShoalWarning

__all__ = ["app", "main", "run"]

INTERRUPTED = 130
FAULT_OF_SHOAL = 70
OBJECTS = 50_000
"""New objects after which the garbage of a command is collected."""

app = typer.Typer(
    name="shoal",
    help="Publish tables about people so that nobody in them can be singled out, and prove it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init)
app.command("audit")(audit)
app.command("anonymize")(anonymize)
app.command("verify")(verify)
app.command("sweep")(sweep)
app.command("utility")(utility)
app.add_typer(attack, name="attack")
app.add_typer(hierarchy, name="hierarchy")
app.command("list")(list_kind)


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"shoal {version()}\n")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    _debug: Annotated[
        bool, typer.Option("--debug", help="Show where an unexpected error comes from; it may hold cell values.")
    ] = False,
) -> None:
    pass


def run() -> None:
    """Run the command of this process and end it."""
    # Imports make many objects and no garbage: looking for some at every 700 of them takes a sixth of their time.
    gc.set_threshold(OBJECTS)
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str
        What stands behind ``shoal``.

    Returns
    -------
    int
        Exit code: 0 done, 1 a model is not met, 2 wrong use or spec, 3 infeasible, 4 bad input data, 5 budget
        spent before an optimum was proven, 70 a fault of shoal, 130 interrupted.
    """
    arguments = list(arguments)
    command = _command(arguments)
    as_json, debug = "--json" in arguments, "--debug" in arguments
    with _saying_warnings(command, silent=as_json or not {"--quiet", "-q"}.isdisjoint(arguments)):
        return _run(command, arguments, as_json=as_json, debug=debug)


def _command(arguments: Sequence[str]) -> str:
    """Return the word or the two words that name the command, as its JSON tells it."""
    words = [a for a in arguments if not a.startswith("-")][:2]
    if words[:1] == ["hierarchy"] and words[1:] in (["build"], ["check"], ["show"]):
        return " ".join(words)
    return words[0] if words else ""


def _run(command: str, arguments: list[str], *, as_json: bool, debug: bool) -> int:
    try:
        code = int(app(arguments, standalone_mode=False, prog_name="shoal") or 0)
    except ShoalError as error:
        _fail(command, error.as_dict(), str(error), as_json=as_json)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone; a second error at exit would only be noise.
        sys.stdout = None
        return 0
    except OSError as error:
        text = f"the system refused: {error.strerror or type(error).__name__}"
        where = str(error.filename or "")
        told = f"{text}\n  where: {where}" if where else text
        _fail(command, _problem("OSError", text, where=where), told, as_json=as_json)
        return ShoalError.exit_code
    except Exception as error:  # noqa: BLE001 - the last resort, which must not print a cell value
        return _unexpected(command, error, as_json=as_json, debug=debug)
    # Some versions of typer turn an interrupt into its code themselves.
    if code == INTERRUPTED:
        _fail(command, _problem("Interrupted", "interrupted; no file is left half-written"), "", as_json=as_json)
    return code


@contextmanager
def _saying_warnings(command: str, *, silent: bool) -> Iterator[None]:
    """Keep the warnings of a run, and say those of shoal at its end where its report does not."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", ShoalWarning)
        yield
    if not silent and command != "anonymize":
        for text in dict.fromkeys(str(w.message) for w in heard if issubclass(w.category, ShoalWarning)):
            message(f"warning: {text}", style="yellow")


def _unexpected(command: str, error: Exception, *, as_json: bool, debug: bool) -> int:
    """Tell of an error that is not shoal's own: wrong use that typer found, the system's, or a fault of shoal."""
    wrong_use = getattr(error, "format_message", None)
    if wrong_use is not None:
        context = getattr(error, "ctx", None)
        text = wrong_use()
        if text:
            path = "shoal" if context is None else context.command_path
            fix = f"`{path} --help` tells what it takes"
            _fail(command, _problem("UsageError", text, fix), f"{text}\n  fix: {fix}", as_json=as_json)
        return int(getattr(error, "exit_code", 2))
    name, place = type(error).__name__, _place(error)
    text = f"an unexpected {name} at {place}; this is a fault of shoal"
    fix = "please report it, without your data; `shoal --debug ...` shows more"
    if debug:
        sys.stderr.write("".join(traceback.format_exception(error)))
    _fail(command, _problem(name, text, fix), f"{text}\n  fix: {fix}", as_json=as_json)
    return FAULT_OF_SHOAL


def _place(error: Exception) -> str:
    """Return the innermost line of shoal that an error passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    package = Path(__file__).resolve().parents[1]
    for frame in reversed(frames):
        path = Path(frame.filename)
        if package in path.parents:
            return f"{path.relative_to(package.parent).as_posix()}:{frame.lineno}"
    return "an unknown place"


def _problem(kind: str, problem: str, fix: str = "", *, where: str = "") -> dict[str, Any]:
    return {"error": kind, "problem": problem, "where": where, "fix": fix}


def _fail(command: str, error: dict[str, Any], text: str, *, as_json: bool) -> None:
    if as_json:
        with suppress(OSError):
            emit_json(command, {"error": error})
            return
        # Standard output itself is what failed.
        text = text or error["problem"]
    if text:
        message(f"error: {text}", style="red")
    else:
        message(error["problem"])
