"""How long a search goes on by itself, and what it had reached when."""

from __future__ import annotations

import time

__all__ = ["MANY_POINTS", "Trace", "rounds_for"]

MOST_ROUNDS = 20
"""Rounds of a search without a budget on a small table."""

POINT_ROUNDS = 4_000_000
"""Distinct records of all rounds together of a search without a budget, were all classes tiny."""

TINY = 10
"""Rows of a class at which a round takes twice as long as with tiny ones."""

MANY_POINTS = 2_000_000
"""Distinct records beyond which a search without a budget ends with one quick start."""

PATIENT_ROUNDS = 10_000
"""Rounds of a search that a budget in seconds ends."""

MOST_STEPS = 200
"""Steps that a trace remembers at most."""

ALIKE = 1e-9
"""Sums of the same cells in another order are the same loss."""


def rounds_for(n_points: int, class_size: float, budget_s: float | None) -> int:
    """Return how many rounds a search may take where nobody says it.

    Without a budget their number follows from the table and the start, so that the time is bounded and the same
    seed still gives the same bytes.

    Parameters
    ----------
    n_points : int
    class_size : float
        Rows per class of the start.
    budget_s : float or None
    """
    if budget_s is not None:
        return PATIENT_ROUNDS
    return min(MOST_ROUNDS, int(POINT_ROUNDS / (max(1, n_points) * (1 + class_size / TINY))))


class Trace:
    """The least loss against the seconds since the trace was begun."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._steps: list[tuple[float, float]] = []
        self._last: tuple[float, float] | None = None

    def note(self, loss: float) -> None:
        """Remember that *loss* is reached now; of many steps only every second one is kept."""
        if self._last is not None and loss >= self._last[1] * (1 - ALIKE):
            return
        self._last = (time.monotonic() - self._begun, loss)
        self._steps.append(self._last)
        if len(self._steps) > MOST_STEPS:
            self._steps = self._steps[::2]

    def end(self, loss: float) -> None:
        """Remember that *loss* is what the search returns, and forget what it reached and could not keep."""
        self._steps = [step for step in self._steps if step[1] >= loss * (1 - ALIKE)]
        self._last = self._steps[-1] if self._steps else None
        self.note(loss)

    @property
    def steps(self) -> list[list[float]]:
        """``[seconds, loss]`` of each step, the last one included; losses fall."""
        steps = self._steps if self._last in self._steps or self._last is None else [*self._steps, self._last]
        return [[round(seconds, 3), loss] for seconds, loss in steps]
