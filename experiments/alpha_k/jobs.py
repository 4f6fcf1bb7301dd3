"""The points of all sweeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shoal.core.protocols import PrivacyModel
from shoal.models import AlphaKAnonymity

RARE = ("Protective-serv", "Tech-support", "Priv-house-serv")
ROWS = 30_162
GRID = "α and k"


@dataclass(frozen=True)
class Job:
    """One point of a sweep: *x* is what varies in it."""

    sweep: str
    x: float | str
    n_quasi: int = 8
    rows: int = ROWS
    k: int = 5
    alpha: str = "0.3"
    values: tuple[str, ...] | None = None

    @property
    def model(self) -> PrivacyModel:
        """The only model of the job, on the occupation."""
        return AlphaKAnonymity(sensitive="occupation", alpha=self.alpha, k=self.k, values=self.values)

    @property
    def key(self) -> str:
        """What is searched, whatever sweep asks for it."""
        which = "all" if self.values is None else "+".join(self.values)
        return f"{self.n_quasi} columns, {self.rows} rows, k={self.k}, alpha={self.alpha}, {which}"


def jobs(*, quick: bool, large: bool = False) -> Iterator[Job]:
    """Yield the points of all sweeps."""
    for alpha in ("0.3",) if quick else ("0.2", "0.3", "0.5"):
        for k in (5, 50) if quick else (5, 10, 50):
            yield Job(GRID, f"α = {alpha}, k = {k}", alpha=alpha, k=k)
    for k in (50,) if quick else (5, 10, 50):
        yield Job(GRID, f"α = 0.1 for three, k = {k}", alpha="0.1", k=k, values=RARE)
    for size in (3, 5, 8) if quick else range(3, 9):
        yield Job("quasi-identifiers", size, n_quasi=size)
    for k in (5, 50) if quick else (2, 5, 10, 25, 50, 100):
        yield Job("k", k, k=k)
    for alpha in ("0.3", "0.5") if quick else ("0.2", "0.3", "0.4", "0.5"):
        yield Job("alpha, every occupation", float(alpha), alpha=alpha)
    for alpha in ("0.1",) if quick else ("0.1", "0.2", "0.3", "0.5"):
        yield Job("alpha, three occupations", float(alpha), alpha=alpha, values=RARE)
    for n in (3_000, 10_000) if quick else (3_000, 10_000, ROWS, 45_222, 100_000, 300_000):
        yield Job("rows", n, rows=n)
    for n in (1_000_000, 10_000_000) if large else ():
        yield Job("rows", n, rows=n)
