"""What the labels of published tables mean: the leaves of a column, and which of them each label covers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.core.label_reading import label_interval, label_parts, parse_label
from shoal.core.labels import quoted
from shoal.core.published import LeafSets, Side
from shoal.core.schema import Column
from shoal.errors import HierarchyError
from shoal.hierarchies import flat
from shoal.hierarchies.reading import infer_type

__all__ = ["covered", "domain_of"]

Texts = Collection[str | None]


def domain_of(column: Column, known: Texts, sides: Iterable[Side]) -> tuple[Hierarchy, int]:
    """Return the leaves of a column that tables and people are compared over.

    With a hierarchy in *column*, they are its leaves. Without one they are the values of the people, those that
    stand in the labels, and between and around the ends of numeric ranges one number each, so that two ranges
    share a leaf if they share a number.

    Parameters
    ----------
    column : Column
    known : collection of str or None
        Values of the people: leaves for certain.
    sides : iterable of Side
        The labels of all tables.

    Returns
    -------
    hierarchy : Hierarchy
    unknown : int
        Labels that look like values, and are none of any person: groups, perhaps, that only a hierarchy explains.

    Raises
    ------
    HierarchyError
        If the values do not fit the hierarchy, or labels cannot be read without one.
    """
    found = list(sides)
    if isinstance(column.hierarchy, Hierarchy):
        return column.hierarchy, 0
    plain, ends = _named(found)
    texts, null = {text for text in known if text is not None}, _has_null(known, found)
    if column.hierarchy is None:
        return _of_what_occurs(column, texts, plain, ends, null=null), len(plain - texts) if texts else 0
    return _built(column, texts, plain, ends, null=null), 0


def _has_null(known: Texts, sides: Sequence[Side]) -> bool:
    return None in known or any(side.label is None or None in (side.values or ()) for side in sides)


def _named(sides: Iterable[Side]) -> tuple[set[str], set[str]]:
    """Return the texts in labels that may be values, and the ends of ranges; a masked code stands as one of it."""
    plain: set[str] = set()
    ends: set[str] = set()
    for side in sides:
        if side.values is not None or side.ends is not None:
            plain.update(value for value in side.values or () if value is not None)
            ends.update(side.ends or ())
        if side.label is None or (side.values is not None and label_parts(side.label)[0] == "value"):
            continue
        kind, parts = label_parts(side.label)
        if kind == "value" and side.ends is not None:
            continue
        if kind == "masked":
            ends.add(parts[0].rstrip(ANY) + "0" * (len(parts[0]) - len(parts[0].rstrip(ANY))))
        else:
            (ends if kind == "range" else plain).update(parts)
    plain.discard(ANY)
    return plain, ends


def _built(column: Column, known: set[str], plain: set[str], ends: set[str], *, null: bool) -> Hierarchy:
    """Build the declared hierarchy over the people's values, and what stands in labels as far as it is leaves."""
    builder = column.hierarchy
    assert builder is not None  # noqa: S101 (the caller asked)
    assert not isinstance(builder, Hierarchy)  # noqa: S101
    # Stars everywhere and nobody known: one leaf, which may be anything.
    missing = [None] if null or not (known or plain or ends) else []
    kind = infer_type(known | ends)
    around = ends | _between(ends, whole=kind == "integer") if kind in ("integer", "decimal") else ends
    for more in (plain | around, plain, around):
        try:
            return builder.build([*sorted(known | more), *missing], column=column.name, type=column.type)
        except HierarchyError:
            # Labels may be groups, which are no leaves.
            continue
    return builder.build([*sorted(known), *missing], column=column.name, type=column.type)


def _of_what_occurs(column: Column, known: set[str], plain: set[str], ends: set[str], *, null: bool) -> Hierarchy:
    texts = known | plain | ends
    kind = column.type or infer_type(texts)
    if kind in ("integer", "decimal"):
        texts |= _between(ends, whole=kind == "integer")
    elif kind == "text" and ends and infer_type(known | ends) != "text":
        raise HierarchyError(
            f"{len(plain)} label(s) are neither numbers nor dates nor ranges of them",
            where=f"column {column.name!r}",
            fix="give the hierarchy that says what they cover, with --hierarchies or in a spec",
            examples=sorted(plain),
        )
    return flat().build([*texts, *([None] if null or not texts else [])], column=column.name, type=kind)


def _between(ends: set[str], *, whole: bool) -> set[str]:
    """Return a number before, between and behind the ends of ranges."""
    places = sorted({Decimal(end) for end in ends})
    if not places:
        return set()
    if whole:
        return {str(int(place) + step) for place in places for step in (-1, 1)}
    middles = [(low + high) / 2 for low, high in pairwise(places)]
    return {f"{place:f}" for place in (places[0] - 1, *middles, places[-1] + 1)}


def covered(hierarchy: Hierarchy, sides: Sequence[Side], *, column: str) -> LeafSets:
    """Return the leaves that each label covers.

    Raises
    ------
    HierarchyError
        If labels cannot be read; with their number.
    """
    unread: list[str | None] = []
    runs = []
    for side in sides:
        mask = _mask(hierarchy, side)
        if mask is None:
            unread.append(side.label)
        elif isinstance(mask, tuple):
            runs.append([mask] if mask[0] <= mask[1] else [])
        else:
            edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
            runs.append([(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)])
    if unread:
        raise HierarchyError(
            f"{len(unread)} label(s) of column {column!r} cannot be read",
            where=f"column {column!r}",
            fix="give the hierarchy that the table was made with; in Python, err.examples has them",
            examples=unread,
        )
    return LeafSets.from_runs(runs)


def _mask(hierarchy: Hierarchy, side: Side) -> NDArray[np.bool_] | tuple[int, int] | None:
    label = side.label
    interval = None if label is None else label_interval(hierarchy, label)
    if interval is not None:
        return interval
    try:
        return parse_label(hierarchy, label)
    except HierarchyError:
        return _as_remembered(hierarchy, side)


def _as_remembered(hierarchy: Hierarchy, side: Side) -> NDArray[np.bool_] | tuple[int, int] | None:
    """Read a label by the leaves that it covered in its own table; those that are not here cover nobody."""
    if side.ends is not None:
        interval = label_interval(hierarchy, f"[{quoted(side.ends[0])}, {quoted(side.ends[1])}]")
        if interval is not None:
            return interval
        codes = [hierarchy.codes[end] for end in side.ends if end in hierarchy.codes]
    elif side.values is not None:
        codes = [hierarchy.codes[value] for value in side.values if value in hierarchy.codes]
    else:
        return None
    mask = np.zeros(hierarchy.n_values, np.bool_)
    mask[codes] = True
    return mask
