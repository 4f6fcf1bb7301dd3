"""Names that can be given, and hierarchies, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from shoal.report.console import (
    headline,
    indented,
    plain_table,
)
from shoal.report.words import (
    count,
    plain_text,
    printable,
)

__all__ = ["hierarchy_report", "list_report", "tree_report"]


def list_report(entries: Sequence[Mapping[str, Any]]) -> RenderableType:
    """List names with one line each, and their settings, or the source of what others have written."""
    table = plain_table("name", "what it is")
    for entry in entries:
        settings = ", ".join(entry["settings"])
        about = Text(printable(plain_text(entry["about"])))
        if settings:
            about.append(f"\n{'source' if 'policy' in entry else 'settings'}: {settings}", style="dim")
        table.add_row(Text(printable(entry["name"]), style="bold"), about)
    return table


def hierarchy_report(data: Mapping[str, Any]) -> RenderableType:
    """Tell what a hierarchy is like, level by level."""
    table = plain_table(">level", ">groups")
    for level, groups in enumerate(data["groups"]):
        table.add_row(str(level), count(groups))
    what = f"A tree over {count(data['values'], 'value')}, read as {data['type']}"
    what += ", in order." if data["ordered"] else ", without an order."
    return Group(headline(what), indented(table))


def tree_report(tree: Mapping[str, Any]) -> RenderableType:
    """Draw a hierarchy from its root down."""

    def label(node: Mapping[str, Any]) -> Text:
        text = Text(printable(node["label"]) or "(missing)")
        return text if node["values"] == 1 else text.append(f"  {count(node['values'], 'value')}", style="dim")

    def grow(node: Mapping[str, Any], branch: Tree) -> Tree:
        for child in node["children"]:
            grow(child, branch.add(label(child)))
        return branch

    return grow(tree, Tree(label(tree)))
