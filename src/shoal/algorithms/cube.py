"""Coordinates for a space-filling curve: where each leaf lies along the side of a cube."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["CUBES", "coordinates"]

CUBES = ("tree", "domain", "codes")

MOST_BITS = 31


def coordinates(
    codes: NDArray[np.int32], hierarchies: Sequence[Hierarchy], *, cube: str = "tree"
) -> NDArray[np.int32]:
    """Place leaf codes in a cube whose side is a power of two.

    Parameters
    ----------
    codes : int32 [n, n_qi]
    hierarchies : sequence of Hierarchy
    cube : {"tree", "domain", "codes"}, default "tree"
        ``"tree"``: every node is a dyadic interval of the side, its children equal parts of it, so that the curve
        runs through one node after another. ``"domain"``: each domain is stretched to the whole side.
        ``"codes"``: codes as they are, so that columns with few values fill a corner.

    Returns
    -------
    int32 [n, n_qi]

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a", "b", "c"], [["ab"], ["ab"], ["c"]])
    >>> coordinates(np.array([[0], [1], [2]], np.int32), [tree]).ravel().tolist()
    [0, 1, 2]
    """
    if cube == "codes" or not hierarchies:
        return codes
    places = [_by_tree(h) if cube == "tree" else _by_code(h) for h in hierarchies]
    side = max(bits for _, bits in places)
    placed = np.empty(codes.shape, np.int32)
    for j, (place, bits) in enumerate(places):
        placed[:, j] = (place << (side - bits)).astype(np.int32)[codes[:, j]]
    return placed


def _by_code(hierarchy: Hierarchy) -> tuple[NDArray[np.int64], int]:
    """Return the place of each leaf in equal parts of the side, and the bits of the side."""
    n = hierarchy.n_values
    bits = max(1, (n - 1).bit_length())
    return (np.arange(n, dtype=np.int64) << bits) // max(1, n), bits


def _by_tree(hierarchy: Hierarchy) -> tuple[NDArray[np.int64], int]:
    """Return the place of each leaf where every node is divided evenly, and the bits of the side."""
    n_nodes = len(hierarchy.lo)
    place, used = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    open_ = [hierarchy.root]
    while open_:
        node = open_.pop()
        children = hierarchy.children(node)
        if not len(children):
            continue
        bits = (len(children) - 1).bit_length()
        if used[node] + bits > MOST_BITS:
            return _by_code(hierarchy)
        place[children] = (place[node] << bits) + np.arange(len(children))
        used[children] = used[node] + bits
        open_ += children.tolist()
    side = int(used.max())
    return place[: hierarchy.n_values] << (side - used[: hierarchy.n_values]), side
