"""How many records stand in classes of which size: the crowd that each is lost in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes

__all__ = ["SizeBin", "edges_for", "risk_curve", "size_bins"]


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Classes whose size is in ``[low, high]``; *high* is None for the last bin."""

    low: int
    high: int | None
    classes: int
    members: int


def size_bins(sizes: NDArray[np.int64], edges: NDArray[np.int64]) -> tuple[SizeBin, ...]:
    """Count classes and their members by size.

    Parameters
    ----------
    sizes : int64 [n_classes]
        Rows of each class, or people.
    edges : int64 [n_bins]
        Smallest size of each bin, rising from 1; see :func:`edges_for`.
    """
    at = np.searchsorted(edges, sizes, side="right") - 1
    classes = np.bincount(at, minlength=len(edges))
    members = np.bincount(at, sizes, len(edges)).astype(np.int64)
    highs: list[int | None] = [*(int(edge) - 1 for edge in edges[1:]), None]
    return tuple(
        SizeBin(int(low), high, int(classes[b]), int(members[b]))
        for b, (low, high) in enumerate(zip(edges, highs, strict=True))
    )


def edges_for(*sizes: NDArray[np.int64], k: int = 1) -> NDArray[np.int64]:
    """Return bins of rising width that cover all *sizes*, one of which begins at *k*."""
    largest = max((int(s.max()) for s in sizes if s.size), default=1)
    edges, ten = {1, k}, 1
    while ten <= largest:
        edges.update(step * ten for step in (1, 2, 5) if step * ten <= largest)
        ten *= 10
    return np.array(sorted(edges), np.int64)


def risk_curve(classes: Classes, risks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of members whose risk ``1 / size`` is above each of *risks*, float64 [n_risks]."""
    total = max(1, int(classes.size.sum()))
    order = np.argsort(classes.size)
    sizes = classes.size[order]
    members = np.concatenate([[0], np.cumsum(sizes)])
    # 1 / size > risk where size < 1 / risk; a tiny step down keeps a size of exactly 1 / risk out.
    limits = np.ceil(1 / risks - 1e-9)
    return members[np.searchsorted(sizes, limits, side="left")] / total
