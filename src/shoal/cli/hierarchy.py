"""shoal hierarchy: build, check and print a hierarchy."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import options as o
from shoal.cli.given import names, reading
from shoal.cli.say import emit_json, message, show
from shoal.errors import HierarchyError, SpecError

__all__ = ["hierarchy"]

hierarchy = typer.Typer(help="Build, check and print the hierarchy of a column.", no_args_is_help=True)

KIND = "Kind of hierarchy, one of"
Column = Annotated[str, typer.Option("--column", metavar="NAME", help="The column.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A hierarchy, in ARX's CSV layout.")]


def _kind(flag: str, metavar: str, about: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=about, rich_help_panel=KIND)


@hierarchy.command("build")
def build(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="The table; - for CSV on stdin.")],
    *,
    column: Column,
    out: Annotated[str, typer.Option("-o", "--out", metavar="FILE", help="File to write; - for stdout.")],
    intervals: Annotated[str | None, _kind("--intervals", "5,10,20", "Ranges of these widths.")] = None,
    cuts: Annotated[str | None, _kind("--cuts", "18,30,65", "Ranges between these numbers.")] = None,
    prefix: Annotated[int | None, _kind("--prefix", "5", "Letters masked from the end, up to so many.")] = None,
    dates: Annotated[str | None, _kind("--dates", "month,year", "Periods of the calendar.")] = None,
    order: Annotated[str | None, _kind("--order", "low,mid,high", "Neighbours in this order.")] = None,
    fanout: Annotated[int | None, _kind("--fanout", "2", "With --order: groups that form a group.")] = None,
    auto: Annotated[bool, _kind("--auto", "", "Made from what the values look like.")] = False,
    spec: Annotated[Path | None, _kind("--spec", "FILE", "What the spec says of the column.")] = None,
    kind: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="text, integer, decimal, date or ordered.")
    ] = None,
    force: o.Force = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    delimiter: o.Delimiter = None,
    encoding: o.Encoding = None,
    missing: o.Missing = None,
) -> int:
    """Build the hierarchy of a column of a table and write it in ARX's CSV layout."""
    if json and out == "-":
        raise SpecError("--json and -o - both want stdout", fix="write the hierarchy to a file")
    given: dict[str, Any] = {
        "intervals": None if intervals is None else _numbers(intervals, "--intervals"),
        "cuts": None if cuts is None else _numbers(cuts, "--cuts"),
        "prefix": prefix,
        "dates": None if dates is None else names([dates]),
        "order": None if order is None else names([order]),
        "auto": True if auto else None,
    }
    table = {name: value for name, value in given.items() if value is not None}
    if len(table) + (spec is not None) != 1:
        raise SpecError(
            "the command needs one kind of hierarchy", fix="give one of --intervals, --prefix, --auto, …"
        )
    if fanout is not None:
        table["fanout"] = fanout
    from shoal.hierarchies import from_spec, write_csv
    from shoal.io.staged import Staged
    from shoal.workflow.hierarchy_file import build_column_hierarchy, hierarchy_facts

    how = reading(delimiter=delimiter, encoding=encoding, missing=missing)
    with Staged(force=force, inputs=[source]) as files:
        staged = files.add(out)
        if spec is not None:
            from shoal.workflow.spec import Spec

            wanted = Spec.from_toml(spec).changed(input=how)
            declared = wanted.schema()[column]
            made = build_column_hierarchy(
                source, column, declared.hierarchy, type=kind or declared.type, reading=dict(**wanted.input)
            )
        else:
            made = build_column_hierarchy(source, column, from_spec(table), type=kind, reading=how)
        try:
            write_csv(made, staged, overwrite=True)
        except HierarchyError as error:
            error.where = out
            raise
        files.commit()
    facts = hierarchy_facts(made)
    if json:
        emit_json("hierarchy build", {"result": {"out": out, **facts}})
    elif not quiet:
        message(f"{facts['values']} values in {facts['levels']} levels" + ("" if out == "-" else f": {out}"))
    return 0


@hierarchy.command("check")
def check(
    file: File,
    *,
    against: Annotated[
        str | None, typer.Option("--against", metavar="INPUT", help="A table whose column must be covered.")
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", metavar="NAME", help="The column of --against.")
    ] = None,
    delimiter: o.Delimiter = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Check that a hierarchy file is a tree, and that it covers a column."""
    if (against is None) != (column is None):
        raise SpecError("--against and --column belong together", fix="give both, or none of them")
    from shoal.report.listing_terminal import hierarchy_report
    from shoal.workflow.hierarchy_file import check_hierarchy_file, hierarchy_facts

    facts = hierarchy_facts(check_hierarchy_file(file, delimiter=delimiter, against=against, column=column))
    if json:
        emit_json("hierarchy check", {"result": facts})
    elif not quiet:
        show(hierarchy_report(facts))
    return 0


@hierarchy.command("show")
def show_tree(
    file: File,
    *,
    depth: Annotated[
        int | None, typer.Option("--depth", min=0, help="How far down from the root; all the way if not given.")
    ] = None,
    delimiter: o.Delimiter = None,
    json: o.Json = False,
) -> int:
    """Print a hierarchy as a tree, each group with its number of values."""
    from shoal.report.listing_terminal import tree_report
    from shoal.workflow.hierarchy_file import check_hierarchy_file, hierarchy_facts, hierarchy_tree

    found = check_hierarchy_file(file, delimiter=delimiter)
    tree = hierarchy_tree(found, depth=depth)
    if json:
        emit_json("hierarchy show", {"result": {**hierarchy_facts(found), "tree": tree}})
    else:
        show(tree_report(tree))
    return 0


def _numbers(text: str, option: str) -> list[int | Decimal]:
    try:
        numbers = [Decimal(part.strip()) for part in text.split(",")]
    except InvalidOperation:
        raise SpecError(f"{option} takes numbers", fix=f"{option} 5,10,20") from None
    return [int(n) if n == n.to_integral_value() else n for n in numbers]
