"""Adding up what boxes say of points that lie in them."""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

from shoal.kernels.jit import kernel

__all__ = ["add_up_boxes"]


@kernel
def add_up_boxes(  # pragma: no cover - compiled
    codes: Any, group: Any, offsets: Any, lo: Any, hi: Any, weight: Any, sums: Any
) -> None:
    """Add to each point the weights of the boxes of its group that it lies in.

    Boxes ``offsets[g]:offsets[g + 1]`` are of group *g*; points of a group without boxes get nothing.
    """
    d = codes.shape[1]
    for point in range(codes.shape[0]):
        for box in range(offsets[group[point]], offsets[group[point] + 1]):
            inside = True
            for j in range(d):
                if codes[point, j] < lo[box, j] or codes[point, j] > hi[box, j]:
                    inside = False
                    break
            if inside:
                sums[point] += weight[box]
