"""Labels of published tables, of this and of other tools, read back as the leaves that they cover."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.errors import HierarchyError

__all__ = ["label_interval", "label_parts", "parse_label"]

QUALIFIED = re.compile(r"(.*) \((?:range|set)(?:, \d+)?\)", re.DOTALL)
RANGE = re.compile(r"([\[(])(.*)([\])])", re.DOTALL)
ITEM = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(,|\Z)')
COMPARE = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}
OPEN_END = re.compile(r"(<=|>=|<|>) *(\S.*)")
MASKED = re.compile(r"(?=.*[^*])[^{}\[\]()<>]*\*", re.DOTALL)


def parse_label(hierarchy: Hierarchy, text: str | None) -> NDArray[np.bool_]:
    """Read a label as the values that it covers, for tables of this and of other tools.

    Parameters
    ----------
    hierarchy : Hierarchy
    text : str or None
        A value, a node's label, ``*``, a range ``[20, 29]`` or ``[20, 30)`` whose ends need not occur, an open
        end ``<= 17``, a set ``{a, b}`` of values and labels in any order, or a code with its last letters masked,
        ``130**``, which covers the values of that length that begin so. None is the missing value.

    Returns
    -------
    bool [n_values]
        Which leaves are covered. A range or open end never covers the missing value.

    Raises
    ------
    HierarchyError
        If it is none of these or names what the hierarchy does not hold; the text is on ``err.examples``.

    Examples
    --------
    >>> h = Hierarchy.from_paths(["8", "9", "10"], [["a"], ["a"], ["b"]], order=[8, 9, 10], type="integer")
    >>> parse_label(h, "[9, 30)").tolist()
    [False, True, True]
    """
    mask = _parse(hierarchy, text)
    if mask is None:
        raise HierarchyError(
            "1 label is neither value, group, range nor set of the hierarchy",
            fix="check that the table was made with this hierarchy; in Python, err.examples has it",
            examples=[text],
        )
    return mask


def _parse(hierarchy: Hierarchy, text: str | None) -> NDArray[np.bool_] | None:
    if text is None:
        return _covered(hierarchy, hierarchy.n_values - 1, hierarchy.n_values - 1) if hierarchy.has_null else None
    if text == ANY:
        return np.ones(hierarchy.n_values, np.bool_)
    node = hierarchy.node_of_label.get(text)
    if node is not None:
        return _covered(hierarchy, int(hierarchy.lo[node]), int(hierarchy.hi[node]))
    qualified = QUALIFIED.fullmatch(text)
    if qualified:
        text = qualified[1]
    if text.startswith("{") and text.endswith("}"):
        return _parse_set(hierarchy, text[1:-1])
    return _parse_masked(hierarchy, text) if MASKED.fullmatch(text) else _parse_range(hierarchy, text)


def _parse_masked(hierarchy: Hierarchy, text: str) -> NDArray[np.bool_] | None:
    kept, length = text.rstrip("*"), len(text)
    inside = [leaf is not None and len(leaf) == length and leaf.startswith(kept) for leaf in hierarchy.leaves]
    return np.array(inside, np.bool_) if any(inside) else None


def label_interval(hierarchy: Hierarchy, text: str) -> tuple[int, int] | None:
    """Read a label that covers one interval of codes, in time that does not grow with the number of leaves.

    Returns
    -------
    (first, last) or None
        Leaf codes as :func:`parse_label` covers them, ``last < first`` where it covers none; None where the label
        is neither a group nor ``*`` nor a range of an ordered column, or cannot be read.

    Examples
    --------
    >>> h = Hierarchy.from_paths(["8", "9", "10"], [["a"], ["a"], ["b"]], order=[8, 9, 10], type="integer")
    >>> label_interval(h, "[9, 30)"), label_interval(h, "{8, 10}")
    ((1, 2), None)
    """
    if text == ANY:
        return 0, hierarchy.n_values - 1
    node = hierarchy.node_of_label.get(text)
    if node is not None:
        return int(hierarchy.lo[node]), int(hierarchy.hi[node])
    qualified = QUALIFIED.fullmatch(text)
    text = qualified[1] if qualified else text
    if not hierarchy.ordered or hierarchy.positions is None or (text.startswith("{") and text.endswith("}")):
        return None
    bounds = _bounds(text)
    if not bounds:
        return None
    leaves = _between_leaves(hierarchy, bounds)
    if leaves is not None:
        return leaves
    places = hierarchy.positions[: hierarchy.n_values - hierarchy.has_null]
    low, high = 0, len(places)
    for sign, end in bounds:
        place = _place(hierarchy, end)
        if place is None:
            return None
        at = int(np.searchsorted(places, place, side="left" if sign in (">=", "<") else "right"))
        low, high = (max(low, at), high) if sign.startswith(">") else (low, min(high, at))
    return low, high - 1


def label_parts(text: str) -> tuple[str, tuple[str, ...]]:
    """Tell what a label looks like to somebody who has no hierarchy, and the texts that it names.

    Returns
    -------
    kind : {"any", "value", "set", "range", "masked"}
        What it is if no hierarchy says otherwise; a group's name looks like a value.
    parts : tuple of str
        The value, the items, the ends, or the code with its mask.

    Examples
    --------
    >>> label_parts("[20, 29]"), label_parts("< 30"), label_parts("130**"), label_parts("{a, b}")
    (('range', ('20', '29')), ('range', ('30',)), ('masked', ('130**',)), ('set', ('a', 'b')))
    """
    if text == ANY:
        return "any", ()
    if MASKED.fullmatch(text):
        return "masked", (text,)
    qualified = QUALIFIED.fullmatch(text)
    inside = qualified[1] if qualified else text
    if inside.startswith("{") and inside.endswith("}"):
        return "set", tuple(_items(inside[1:-1]))
    bounds = _bounds(inside)
    return ("range", tuple(end for _, end in bounds)) if bounds else ("value", (text,))


def _covered(hierarchy: Hierarchy, lo: int, hi: int) -> NDArray[np.bool_]:
    mask = np.zeros(hierarchy.n_values, np.bool_)
    mask[lo : hi + 1] = True
    return mask


def _parse_set(hierarchy: Hierarchy, inside: str) -> NDArray[np.bool_] | None:
    mask = np.zeros(hierarchy.n_values, np.bool_)
    for item in _items(inside):
        node = hierarchy.node_of_label.get(item)
        if node is None:
            return None
        mask[hierarchy.lo[node] : hierarchy.hi[node] + 1] = True
    return mask


def _items(inside: str) -> Iterator[str]:
    """Yield the items of a list: unquoted ones stripped, quoted ones as they are."""
    start, more = 0, True
    while more:
        match = ITEM.match(inside, start)
        assert match is not None  # noqa: S101 (an item without quotes may hold anything)
        yield match[2] if match[1] is None else match[1].replace('""', '"')
        start, more = match.end(), match[3] == ","


def _parse_range(hierarchy: Hierarchy, text: str) -> NDArray[np.bool_] | None:
    bounds, places = _bounds(text), hierarchy.positions
    leaves = _between_leaves(hierarchy, bounds) if hierarchy.ordered else None
    if leaves is not None:
        return _covered(hierarchy, *leaves)
    if not bounds or places is None:
        return None
    mask = np.ones(hierarchy.n_values, np.bool_)
    for sign, end in bounds:
        place = _place(hierarchy, end)
        if place is None:
            return None
        mask &= COMPARE[sign](places, place)
    return mask


def _bounds(text: str) -> tuple[tuple[str, str], ...]:
    """Return the ends of a range or open end, each with its sign; none where the text is neither."""
    found, open_end = RANGE.fullmatch(text), OPEN_END.fullmatch(text)
    ends = tuple(_items(found[2])) if found else ()
    if found and len(ends) == 2:
        return (">=" if found[1] == "[" else ">", ends[0]), ("<=" if found[3] == "]" else "<", ends[1])
    return ((open_end[1], open_end[2]),) if open_end else ()


def _between_leaves(hierarchy: Hierarchy, bounds: Sequence[tuple[str, str]]) -> tuple[int, int] | None:
    """Return the codes of both ends, where these are leaves and belong to the range."""
    if [sign for sign, _ in bounds] != [">=", "<="]:
        return None
    first, last = (hierarchy.codes.get(end) for _, end in bounds)
    return None if first is None or last is None else (first, last)


def _place(hierarchy: Hierarchy, text: str) -> float | None:
    """Return the numeric place of a range's end, which need not be a leaf."""
    code = hierarchy.codes.get(text)
    if code is not None and hierarchy.positions is not None:
        return float(hierarchy.positions[code])
    try:
        if hierarchy.type == "date":
            return float(date.fromisoformat(text).toordinal())
        return float(text) if hierarchy.type in {"integer", "decimal"} else None
    except ValueError:
        return None
