"""Numbering the leaves of a tree so that every node is an interval of leaf codes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from shoal.errors import HierarchyError

__all__ = ["ANY", "Numbering", "number_leaves"]

ANY = "*"
"""The label of every root and of a suppressed cell."""

ROOT_LATER = -1


class Nodes(TypedDict):
    """The nodes of a tree, in the fields of :class:`shoal.core.hierarchy.Hierarchy`."""

    levels: NDArray[np.int32]
    steps: NDArray[np.int32]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    labels: tuple[str, ...]
    aliases: dict[str, int]


class Numbering(Nodes):
    """Everything of a hierarchy that follows from its lines."""

    leaves: tuple[str | None, ...]
    ordered: bool
    positions: NDArray[np.float64] | None


def number_leaves(
    leaves: Sequence[str],
    paths: Sequence[Sequence[str]],
    *,
    order: Sequence[float] | None,
    null: bool,
    published: bool,
    where: str,
) -> Numbering:
    """Number leaves and nodes; the arguments are those of :meth:`shoal.core.hierarchy.Hierarchy.from_paths`.

    Raises
    ------
    HierarchyError
        As there; *where* is the place that it names.
    """
    _check_leaves(leaves, null=null, published=published, where=where)
    if len({len(path) for path in paths}) > 1:
        raise HierarchyError("the lines of the hierarchy have unequal lengths", where=where)
    texts = [list(leaves), *(list(column) for column in zip(*paths, strict=True))]
    if len(texts) == 1 or len(set(texts[-1])) > 1:
        texts.append([ANY] * len(leaves))
    groups = [_by_first_appearance(column) for column in texts]
    _check_nested(texts, groups, where)

    sequence = None if order is None else _code_order(groups, order)
    ordered = sequence is not None
    if sequence is None:
        # Depth-first: the highest level decides first, and the order given last.
        sequence = np.lexsort(groups[1:])
    groups = [column[sequence] for column in groups]
    at = sequence.tolist()
    texts = [[column[i] for i in at] for column in texts]
    positions = None
    if order is not None:
        positions = np.array([order[i] for i in at] + [np.nan] * null, np.float64)
    nodes = _number_nodes(texts, groups, null=null)
    leaf_texts = (*texts[0], None) if null else tuple(texts[0])
    return Numbering(leaves=leaf_texts, ordered=ordered, positions=positions, **nodes)


def _number_nodes(texts: list[list[str]], groups: list[NDArray[np.int64]], *, null: bool) -> Nodes:
    """Give every distinct interval a node: the leaves first, then level by level, the root last."""
    n_texts, n_values, depth = len(texts[0]), len(texts[0]) + null, len(texts)
    lo = list(range(n_values))
    hi = list(range(n_values))
    levels = np.empty((depth, n_values), np.int32)
    levels[0] = np.arange(n_values)
    steps = np.zeros((depth, n_values), np.int32)
    names: list[tuple[str, int]] = [(text, 0) for text in texts[0]] + [("", 0)] * null
    node_of = {(code, code): code for code in range(n_values)}
    given_up: dict[str, set[int]] = {}
    for level in range(1, depth):
        top = level == depth - 1
        bounds = np.array([0, n_values]) if top else _run_bounds(groups[level])
        nodes = []
        for start, stop in itertools.pairwise(bounds.tolist()):
            node = node_of.get((start, stop - 1))
            if node is None and stop - start == n_values:
                # The root is numbered last; it may already cover a level below the top.
                node = ROOT_LATER
            elif node is None:
                node = node_of[start, stop - 1] = len(lo)
                lo.append(start)
                hi.append(stop - 1)
                names.append((texts[level][start], level))
                nodes.append(node)
                continue
            if start < n_texts:
                given_up.setdefault(texts[level][start], set()).add(node)
            nodes.append(node)
        covered = int(bounds[-1])
        levels[level, :covered] = np.repeat(np.array(nodes, np.int32), np.diff(bounds))
        levels[level, covered:] = n_values - 1
        renamed = [above != below for below, above in zip(texts[level - 1], texts[level], strict=True)]
        moved = levels[level, :n_texts] != levels[level - 1, :n_texts]
        steps[level, :n_texts] = steps[level - 1, :n_texts] + (moved | np.array(renamed, np.bool_))
    if null:
        steps[-1, -1] = 1
    labels = _unique_labels(names)
    if n_values > 1:
        levels[levels == ROOT_LATER] = len(lo)
        lo.append(0)
        hi.append(n_values - 1)
        labels = (*labels, ANY)
    taken = set(labels)
    aliases = {
        text: len(lo) - 1 if ROOT_LATER in nodes else min(nodes)
        for text, nodes in given_up.items()
        if len(nodes) == 1 and text not in taken
    }
    return Nodes(
        levels=levels,
        steps=steps,
        lo=np.array(lo, np.int32),
        hi=np.array(hi, np.int32),
        labels=labels,
        aliases=aliases,
    )


def _check_leaves(leaves: Sequence[str], *, null: bool, published: bool, where: str) -> None:
    if not leaves and not null:
        raise HierarchyError("a hierarchy needs at least one value", where=where)
    if len(set(leaves)) < len(leaves):
        twice = sorted(value for value, times in Counter(leaves).items() if times > 1)
        raise HierarchyError(
            f"{len(twice)} value(s) stand twice in the hierarchy",
            where=where,
            fix="give each value one place; in Python, err.examples has them",
            examples=twice,
        )
    if ANY in leaves and not published:
        raise HierarchyError(
            "1 value of the hierarchy is the mark of a suppressed cell, which is no value",
            where=where,
            fix='list it beside what is missing already, as in missing = ["", "*"]',
            examples=[ANY],
        )


def _by_first_appearance(texts: Sequence[str]) -> NDArray[np.int64]:
    """Number the distinct texts in the order in which they appear."""
    ranks: dict[str, int] = {}
    return np.fromiter((ranks.setdefault(text, len(ranks)) for text in texts), np.int64, len(texts))


def _check_nested(texts: list[list[str]], groups: list[NDArray[np.int64]], where: str) -> None:
    """Refuse a label whose values have two different parents: going up would split a class."""
    for level in range(1, len(groups) - 1):
        below, above = groups[level], groups[level + 1]
        parent = np.zeros(below.max(initial=-1) + 1, np.int64)
        parent[below] = above
        torn = sorted({texts[level][i] for i in np.flatnonzero(parent[below] != above)})
        if torn:
            raise HierarchyError(
                f"{len(torn)} label(s) of level {level} have two parents at level {level + 1}: not a tree",
                where=where,
                fix="give each group one parent; in Python, err.examples has them",
                examples=torn,
            )


def _code_order(groups: list[NDArray[np.int64]], order: Sequence[float]) -> NDArray[np.int64] | None:
    """Return the leaves by their numeric place if every node is contiguous in it, else None."""
    sequence = np.argsort(np.array(order, np.float64), kind="stable")
    for column in groups[1:-1]:
        if len(_run_bounds(column[sequence])) - 1 != column.max(initial=-1) + 1:
            return None
    return sequence


def _run_bounds(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each run of equal numbers starts, and the end of the last."""
    if not groups.size:
        return np.zeros(1, np.int64)
    return np.concatenate([[0], np.flatnonzero(groups[1:] != groups[:-1]) + 1, [len(groups)]])


def _unique_labels(names: list[tuple[str, int]]) -> tuple[str, ...]:
    """Qualify labels that another node bears already, leaves first, so that a label is one interval."""
    taken: set[str] = {ANY}
    labels: list[str] = []
    for text, level in names:
        label = text
        if label in taken and level > 0:
            label = f"{text} (level {level})"
            twin = 2
            while label in taken:
                label, twin = f"{text} (level {level}, {twin})", twin + 1
        taken.add(label)
        labels.append(label)
    return tuple(labels)
