"""The choices: what each k and each algorithm costs, and the risk that it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shoal.report.notebook import sweep_html
from shoal.report.page import sweep_page
from shoal.workflow.account.files import save, text_of

__all__ = ["Point", "Sweep"]


@dataclass(frozen=True, kw_only=True)
class Point:
    """One choice.

    Parameters
    ----------
    k : int
    algorithm : str
    feasible : bool
    why : str
        Why it is not, where it is not.
    loss : float or None
        The objective, 0 where nothing is lost.
    risk, highest_risk : float or None
        Average and highest risk of a member, in [0, 1].
    suppressed, classes : int or None
    optimal : bool or None
        Whether the loss is proven least in what the algorithm ranges over.
    seconds : float
    dominated : bool
        Whether another choice has at most this risk and this loss, and less of one.
    """

    k: int
    algorithm: str
    feasible: bool
    why: str = ""
    loss: float | None = None
    risk: float | None = None
    highest_risk: float | None = None
    suppressed: int | None = None
    classes: int | None = None
    optimal: bool | None = None
    seconds: float = 0.0
    dominated: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the point as plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """All choices that were tried on one table.

    Parameters
    ----------
    points : tuple of Point
        By k and algorithm.
    recommended : Point or None
        Where a further step costs most for least.
    reason : str
    loss : str
        Name of the objective.
    rows : int
    """

    points: tuple[Point, ...]
    recommended: Point | None
    reason: str
    loss: str
    rows: int

    @property
    def frontier(self) -> tuple[Point, ...]:
        """Feasible choices that no other dominates, from the greatest risk down."""
        kept = (point for point in self.points if point.feasible and not point.dominated)
        return tuple(sorted(kept, key=lambda point: (-(point.risk or 0), point.loss or 0)))

    def as_dict(self) -> dict[str, Any]:
        """Return the sweep as plain data."""
        return {
            "shoal": version("shoal"),
            "rows": self.rows,
            "loss": self.loss,
            "points": [point.as_dict() for point in self.points],
            "recommended": None if self.recommended is None else self.recommended.as_dict(),
            "reason": self.reason,
        }

    def to_html(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the frontier as a page, or as JSON where the name ends so. Not for publication."""
        return save(text_of(self.as_dict(), path, sweep_page), path, private=True, force=force)

    def _repr_html_(self) -> str:
        return sweep_html(self.as_dict())
