"""Trees written down by hand: nested groups, or the parent of each value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.core.hierarchy import Hierarchy
from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies.reading import check_covered, distinct_values, place_values, where

__all__ = ["Parents", "Tree", "parents", "tree"]


@dataclass(frozen=True)
class Tree:
    """Nested groups; see :func:`tree`.

    ``members`` holds leaves as texts and groups as pairs (label, members).
    """

    members: tuple[Any, ...]

    def build(self, values: Iterable[str | None], *, column: str = "", type: str | None = None) -> Hierarchy:  # noqa: A002
        """Return the hierarchy over all leaves of the tree, whether they occur or not.

        Raises
        ------
        HierarchyError
            If values are not in the tree, a leaf stands twice, or a group has two parents.
        """
        paths: list[tuple[str, list[str]]] = []
        _collect(self.members, (), paths)
        return _build(paths, values, column=column, type_=type)


@dataclass(frozen=True)
class Parents:
    """The parent of each value and group; see :func:`parents`."""

    pairs: tuple[tuple[str, str | None], ...]

    def build(self, values: Iterable[str | None], *, column: str = "", type: str | None = None) -> Hierarchy:  # noqa: A002
        """Return the hierarchy over all values that are nobody's parent.

        Raises
        ------
        HierarchyError
            If values have no parent, or the parents run in a circle.
        """
        above = dict(self.pairs)
        groups = {parent for parent in above.values() if parent is not None}
        paths = []
        for leaf, first in above.items():
            if leaf in groups:
                continue
            path: list[str] = []
            parent = first
            while parent is not None and len(path) <= len(above):
                path.append(parent)
                parent = above.get(parent)
            if parent is not None:
                break
            paths.append((leaf, path))
        reached = {label for _, path in paths for label in path}
        circle = sorted(groups - reached)
        if circle:
            raise HierarchyError(
                f"the parents of {len(circle)} group(s) run in a circle",
                where=where(column),
                fix="give the highest group no parent",
                examples=circle,
            )
        return _build(paths, values, column=column, type_=type)


def _collect(members: tuple[Any, ...], above: tuple[str, ...], paths: list[tuple[str, list[str]]]) -> None:
    for member in members:
        if isinstance(member, str):
            paths.append((member, list(above)))
        else:
            label, below = member
            _collect(below, (label, *above), paths)


def _build(
    paths: list[tuple[str, list[str]]], values: Iterable[str | None], *, column: str, type_: str | None
) -> Hierarchy:
    texts, null = distinct_values(values, column)
    padded = sorted({label for _, path in paths for label in path if label != label.strip() or not label})
    if padded:
        raise HierarchyError(
            f"{len(padded)} label(s) of the hierarchy are empty or padded with blanks",
            where=where(column),
            fix="take the blanks away: with them two equal labels are two groups",
            examples=padded,
        )
    leaves = [leaf for leaf, _ in paths]
    check_covered(texts, set(leaves), column)
    stated, order = place_values(leaves, type_, column)
    depth = max((len(path) for _, path in paths), default=0)
    # A leaf that lies higher than others repeats upward until its own parent.
    even = [[leaf] * (depth - len(path)) + path for leaf, path in paths]
    return Hierarchy.from_paths(leaves, even, order=order, null=null, type=stated, column=column, declared=True)


def tree(groups: Mapping[str, Any]) -> Tree:
    """Generalize values along nested groups of any depth.

    Parameters
    ----------
    groups : mapping of str to list or mapping
        Label of each group to its members: a list of values (and, where depths differ, of such mappings), or a
        mapping of groups.

    Returns
    -------
    Tree

    Raises
    ------
    SpecError
        If a group is empty or a member is neither text nor group.

    Examples
    --------
    >>> h = tree({"Europe": ["DE", "FR"], "America": {"North": ["US", "CA"], "South": ["BR"]}}).build(["DE", "US"])
    >>> h.leaves, h.labels[h.n_values:]
    (('DE', 'FR', 'US', 'CA', 'BR'), ('North', 'Europe', 'America', '*'))
    """
    return Tree(_members(groups))


def _members(given: Any) -> tuple[Any, ...]:
    if isinstance(given, Mapping):
        found: list[Any] = [(_label(label), _members(below)) for label, below in given.items()]
    elif isinstance(given, (list, tuple, set, frozenset)):
        items = sorted(given, key=str) if isinstance(given, (set, frozenset)) else given
        found = []
        for item in items:
            found.extend(_members(item) if isinstance(item, Mapping) else [_label(item)])
    else:
        raise SpecError("a group of a tree holds a list of values or a mapping of groups", fix='{Europe = ["DE"]}')
    if not found:
        raise SpecError("a group of a tree is empty", fix="leave it out")
    return tuple(found)


def _label(given: object) -> str:
    if isinstance(given, bool) or not isinstance(given, (str, int)):
        raise SpecError("a value or label of a tree is not text", fix="write it in quotes")
    return str(given)


def parents(parent_of: Mapping[str, str | None]) -> Parents:
    """Generalize values to their parents, and these to theirs.

    Parameters
    ----------
    parent_of : mapping of str to str or None
        Parent of each value and group. A group without one, with None, or that is its own parent lies directly
        under the root. Values are those that are nobody's parent.

    Returns
    -------
    Parents

    Examples
    --------
    >>> h = parents({"DE": "Europe", "FR": "Europe", "US": "America"}).build(["DE", None])
    >>> h.leaves, h.labels[h.n_values:]
    (('DE', 'FR', 'US', None), ('Europe', '*'))
    """
    if not parent_of:
        raise SpecError("parents need at least one value", fix='parents({"DE": "Europe"})')
    pairs = []
    for child, parent in parent_of.items():
        above = None if parent is None else _label(parent)
        pairs.append((_label(child), None if above == _label(child) else above))
    return Parents(tuple(pairs))
