"""shoal attack: what somebody learns from published tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import options as o
from shoal.cli.given import groups_of, spec_from
from shoal.cli.say import emit_json, show
from shoal.cli.shared import takes

__all__ = ["attack", "composition"]

attack = typer.Typer(no_args_is_help=True, help="Find out what somebody learns from published tables.")


@attack.callback()
def _attacks() -> None:
    """Keep the name of the attack a word of its own."""


@attack.command("composition")
@takes("quasi", "sensitive", "hierarchies", "delimiter", "encoding", "missing")
def composition(
    releases: Annotated[
        list[Path] | None,
        typer.Argument(metavar="A B [C ...]", help="Published tables, of shoal or of other tools."),
    ] = None,
    *,
    truth: Annotated[
        list[Path] | None,
        typer.Option(
            "--truth",
            metavar="FILE",
            help="The private table, if everybody is in every release; repeat it for one per release.",
        ),
    ] = None,
    targets: Annotated[
        Path | None,
        typer.Option("--targets", metavar="FILE", help="What is known of the people who are looked for."),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option("--person", metavar="COLUMN", help="Column that names people in --truth and --targets."),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option("--ledger", metavar="FILE", help="Releases before these, as anonymize --ledger keeps them."),
    ] = None,
    groups: o.Groups = None,
    own: Annotated[
        list[str] | None,
        typer.Option(
            "--own",
            metavar="COLUMN",
            help="Column of --truth: the bucket in which each row was published; repeat it for one per release.",
        ),
    ] = None,
    spec: o.SpecFile = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
    given: Mapping[str, Any],
) -> int:
    """Lay releases over each other: which sensitive values are left of people who are in all of them.

    With --targets, the report names what is left of each: keep it to yourself. Groups of tables in buckets are
    read from the manifest beside each, or from --groups "age,zip|sex,disease".
    """
    wanted = spec_from(spec=spec, **given)
    from shoal.report.attack_terminal import attack_report
    from shoal.workflow.attack import attack_composition_files

    found = attack_composition_files(
        releases or [],
        wanted,
        truth=truth or [],
        targets=targets,
        person=person,
        ledger=ledger,
        groups=groups_of(groups),
        own=own,
    )
    if json:
        emit_json("attack", {"attack": "composition", "result": found.as_dict()})
    elif not quiet:
        show(attack_report(found.as_dict()))
    return 0
