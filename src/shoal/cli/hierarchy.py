"""shoal hierarchy: build, check and print a hierarchy."""

from __future__ import annotations

import typer

__all__ = ["hierarchy"]

hierarchy = typer.Typer(help="Build, check and print the hierarchy of a column.", no_args_is_help=True)


@hierarchy.command("build")
def build() -> int:
    """X."""
    return 0


@hierarchy.command("check")
def check() -> int:
    """X."""
    return 0
