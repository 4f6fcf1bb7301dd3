"""How an interval of leaf codes is written in a published table, and read back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.errors import HierarchyError, SpecError, nearest_name

__all__ = ["LABEL_FORMS", "label_interval", "label_intervals", "label_parts", "parse_label", "quoted"]

LABEL_FORMS = ("nodes", "ranges", "sets", "stars")
"""What a recoding may publish."""

QUALIFIED = re.compile(r"(.*) \((?:range|set)(?:, \d+)?\)", re.DOTALL)
RANGE = re.compile(r"([\[(])(.*)([\])])", re.DOTALL)
ITEM = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(,|\Z)')
OPEN_END = re.compile(r"(<=|>=|<|>) *(\S.*)")
MASKED = re.compile(r"(?=.*[^*])[^{}\[\]()<>]*\*", re.DOTALL)
NEEDS_QUOTES = frozenset(',{}[]()"\r\n')


def quoted(text: str) -> str:
    """Return an item of a set or range label, quoted as in CSV where it could be misread.

    Examples
    --------
    >>> quoted("Divorced"), quoted("Never, ever")
    ('Divorced', '"Never, ever"')
    """
    if text and text == text.strip() and not NEEDS_QUOTES.intersection(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def label_intervals(
    hierarchy: Hierarchy, lo: NDArray[np.int32], hi: NDArray[np.int32], form: str
) -> list[str | None]:
    """Write intervals of leaf codes as a published table shows them.

    A leaf is its value in every form and the whole domain is ``*``. Two intervals of one column never share a
    label, in whatever forms they are written: one that another interval or value has already is qualified,
    ``[20, 29] (range)``.

    Parameters
    ----------
    hierarchy : Hierarchy
    lo, hi : int32 [n]
        First and last leaf code, both included; only what the form can say (``Regions.normalized`` widens).
    form : {"nodes", "ranges", "sets", "stars"}
        ``nodes``: the label of the node. ``ranges``: ``[20, 29]``, both ends included, where the column is
        ordered, and a set where it is not. ``sets``: every value, ``{Divorced, Widowed}``, in code order.
        ``stars``: a value or ``*``.

    Returns
    -------
    list of str or None [n]
        None for the missing value.

    Raises
    ------
    SpecError
        If the form is unknown.
    ValueError
        If an interval cannot be said in this form, such as missing and present values together in a range.

    Examples
    --------
    >>> h = Hierarchy.from_paths(["8", "9", "10"], [["a"], ["a"], ["b"]], order=[8, 9, 10], type="integer")
    >>> lo, hi = np.array([0, 1, 0], np.int32), np.array([0, 2, 2], np.int32)
    >>> label_intervals(h, lo, hi, "ranges")
    ['8', '[9, 10]', '*']
    """
    if form not in LABEL_FORMS:
        raise SpecError(f"unknown form of labels {form!r}", fix=nearest_name(form, LABEL_FORMS))
    keys = np.asarray(lo, np.int64) * hierarchy.n_values + np.asarray(hi, np.int64)
    distinct, inverse = np.unique(keys, return_inverse=True)
    starts, stops = np.divmod(distinct, hierarchy.n_values)
    labels = [_label(hierarchy, a, b, form) for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]
    return [labels[i] for i in inverse.tolist()]


def _label(hierarchy: Hierarchy, lo: int, hi: int, form: str) -> str | None:
    last = hierarchy.n_values - 1
    if lo == hi:
        return hierarchy.leaves[lo]
    if (lo, hi) == (0, last):
        return ANY
    node = hierarchy.node_of(lo, hi)
    if form == "stars" or (form == "nodes" and node is None) or (hi == last and hierarchy.has_null):
        raise ValueError(f"an interval of {hi - lo + 1} leaves cannot be written as {form}")
    if form == "nodes":
        assert node is not None  # noqa: S101 (tested above)
        return hierarchy.labels[node]
    items = [leaf or "" for leaf in hierarchy.leaves[lo : hi + 1]]
    if form == "ranges" and hierarchy.ordered:
        return _unlike_nodes(hierarchy, f"[{quoted(items[0])}, {quoted(items[-1])}]", "range", node)
    return _unlike_nodes(hierarchy, "{" + ", ".join(map(quoted, items)) + "}", "set", node)


def _unlike_nodes(hierarchy: Hierarchy, text: str, kind: str, node: int | None) -> str:
    """Qualify a label that is the text of a leaf or of a node with another interval."""
    nodes = hierarchy.node_of_label
    if nodes.get(text, node) == node:
        return text
    label, twin = f"{text} ({kind})", 2
    while nodes.get(label, node) != node:
        label, twin = f"{text} ({kind}, {twin})", twin + 1
    return label


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
    found, open_end = RANGE.fullmatch(text), OPEN_END.fullmatch(text)
    ends = tuple(_items(found[2])) if found else ()
    if found and len(ends) == 2:
        first, last = (hierarchy.codes.get(end) for end in ends)
        if first is not None and last is not None and found[1] + found[3] == "[]":
            return first, last
        bounds = ((">=" if found[1] == "[" else ">", ends[0]), ("<=" if found[3] == "]" else "<", ends[1]))
    elif open_end:
        bounds = ((open_end[1], open_end[2]),) * 2
    else:
        return None
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
    found = RANGE.fullmatch(inside)
    ends = tuple(_items(found[2])) if found else ()
    open_end = OPEN_END.fullmatch(inside)
    if len(ends) == 2 or open_end:
        return "range", ends or ((open_end[2],) if open_end else ())
    return "value", (text,)


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
    found = RANGE.fullmatch(text)
    ends: Sequence[str] = list(_items(found[2])) if found else ()
    if found and len(ends) == 2:
        first, last = (hierarchy.codes.get(end) for end in ends)
        if hierarchy.ordered and first is not None and last is not None and found[1] + found[3] == "[]":
            return _covered(hierarchy, first, last)
        lower, upper = (_place(hierarchy, end) for end in ends)
        places = hierarchy.positions
        if places is None or lower is None or upper is None:
            return None
        above = places >= lower if found[1] == "[" else places > lower
        return above & (places <= upper if found[3] == "]" else places < upper)
    open_end = OPEN_END.fullmatch(text)
    place = _place(hierarchy, open_end[2]) if open_end else None
    if open_end is None or place is None or hierarchy.positions is None:
        return None
    places = hierarchy.positions
    compared = {"<=": places <= place, "<": places < place, ">=": places >= place, ">": places > place}
    return compared[open_end[1]]


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
