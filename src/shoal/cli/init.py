"""shoal init: a first spec for a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.given import reading
from shoal.cli.say import emit_json, message
from shoal.errors import SpecError

__all__ = ["init"]


def init(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="CSV, TSV or Parquet.")],
    *,
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="SPEC", help="File to write; - for stdout.")
    ] = "shoal.toml",
    force: o.Force = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = None,
    missing: o.Missing = None,
) -> int:
    """Look at a file and propose roles, types and hierarchies, each with a reason, as a spec to edit."""
    if json and out == "-":
        raise SpecError("--json and -o - both want stdout", fix="write the spec to a file")
    if out != "-" and Path(out).exists() and not force:
        raise SpecError("the spec exists already", where=out, fix="choose another name with -o, or give --force")
    from shoal.workflow.propose import propose_file

    proposal = propose_file(source, **reading(delimiter=delimiter, encoding=encoding, missing=missing))
    text = proposal.to_toml()
    if out == "-":
        sys.stdout.write(text)
        return 0
    _write(Path(out), text)
    if json:
        emit_json("init", {"result": {"out": out, **proposal.as_dict()}})
    elif not quiet:
        message(f"Wrote {out}. Read it, and change what is wrong: only you know what an attacker may know.")
        message(f"Then: shoal anonymize {source} --spec {out} -o OUT")
    return 0


def _write(path: Path, text: str) -> None:
    """Write the whole file or nothing."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise SpecError(f"the spec cannot be written: {error.strerror}", where=str(path)) from None
