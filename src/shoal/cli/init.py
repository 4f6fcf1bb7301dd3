"""shoal init: a first spec for a file."""

from __future__ import annotations

import shlex
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
    from shoal.io.staged import Staged
    from shoal.workflow.propose import propose_file

    # Before the table is read, so that nobody waits for a spec that cannot be written.
    with Staged(force=force, inputs=[source]) as files:
        staged = files.add(out)
        proposal = propose_file(source, **reading(delimiter=delimiter, encoding=encoding, missing=missing))
        staged.write_text(proposal.to_toml(), encoding="utf-8")
        files.commit()
    if out == "-":
        return 0
    if json:
        emit_json("init", {"result": {"out": out, **proposal.as_dict()}})
    elif not quiet:
        message(f"Wrote {out}. Read it, and change what is wrong: only you know what an attacker may know.")
        message(f"Then: shoal anonymize {shlex.quote(source)} --spec {shlex.quote(out)} -o OUT")
    return 0
