"""How an interval of leaf codes is written in a published table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.errors import SpecError, nearest_name

__all__ = ["LABEL_FORMS", "label_intervals", "quoted"]

LABEL_FORMS = ("nodes", "ranges", "sets", "stars")
"""What a recoding may publish."""

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
