"""Which choices no other one beats, and which of them is recommended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.report.words import percent
from shoal.workflow.sweep_result import Point

__all__ = ["knee", "marked"]


def marked(points: Sequence[Point]) -> tuple[Point, ...]:
    """Mark the points that another one beats."""

    def beats(a: Point, b: Point) -> bool:
        pair = (a.risk or 0, a.loss or 0), (b.risk or 0, b.loss or 0)
        return all(x <= y for x, y in zip(*pair, strict=True)) and pair[0] != pair[1]

    feasible = [point for point in points if point.feasible]
    return tuple(
        replace(point, dominated=point.feasible and any(beats(other, point) for other in feasible))
        for point in points
    )


def knee(points: Sequence[Point]) -> tuple[Point | None, str]:
    """Return the point of the frontier that lies farthest below the line between its ends.

    References
    ----------
    .. [1] Satopää, Albrecht, Irwin, Raghavan (2011), Finding a "kneedle" in a haystack, ICDCS workshops.
       doi:10.1109/ICDCSW.2011.20
    """
    kept = {(p.risk, p.loss): p for p in reversed(points) if p.feasible and not p.dominated}
    # Risks are ratios: from 50 to 25 % is as far as from 4 to 2 %.
    line = sorted((np.log(p.risk or 1), p.loss or 0.0, p.k, p) for p in kept.values() if p.risk)
    if not line:
        return None, "No choice is feasible."
    if len(line) == 1:
        return line[0][3], "It is the only choice that no other one beats."
    (low, most, *_), (high, least, *_) = line[0], line[-1]
    if len(line) == 2:
        safer = line[0][3]
        return (
            safer,
            "Of two choices that do not beat each other it is the safer one; which is enough is yours to say.",
        )
    below = [(1 - (risk - low) / (high - low)) - (loss - least) / (most - least) for risk, loss, _, _ in line]
    at = int(np.argmax(below))
    best = line[at][3]
    if at in (0, len(line) - 1):
        return line[0][3], "Each step costs about as much as the last, so the safest choice is taken."
    before, after = line[at + 1][3], line[at - 1][3]
    dearer, dearest = (best.loss or 0) - (before.loss or 0), (after.loss or 0) - (best.loss or 0)
    return best, (
        f"From {_choice(before)} to {_choice(best)} the average risk falls from {percent(before.risk)} to "
        f"{percent(best.risk)} for {dearer:.3f} more loss; the next step, to {_choice(after)}, costs "
        f"{dearest:.3f} more for a fall to {percent(after.risk)}. "
        "Whether the risk is small enough is yours to say."
    )


def _choice(point: Point) -> str:
    return f"k = {point.k} with {point.algorithm}"
