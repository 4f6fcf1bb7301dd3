"""Whole-numbered noise for counts, and tables of counts with noise on every cell, occupied or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SpecError

__all__ = ["DiscreteLaplace", "Noise", "RoundedLaplace", "check_cells", "noisy_cells"]

DENSE_CELLS = 1 << 22
"""Tables up to this size get a draw for every cell; in larger ones only the cells that turn positive are drawn."""

MOST_ENTRIES = 20_000_000
"""More invented entries than this are refused."""

MOST_CELLS = 10**15


class Noise(Protocol):
    """A symmetric distribution of whole numbers whose tail falls by a constant factor."""

    @property
    def chance(self) -> float:
        """Probability of 1 or more."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return *n* draws, int64 [n]."""
        ...

    def draw_positive(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return *n* draws given that they are 1 or more, int64 [n]."""
        ...


@dataclass(frozen=True, slots=True)
class RoundedLaplace:
    """Laplace noise with scale 1/*rate*, rounded to the nearest whole number.

    Parameters
    ----------
    rate : Fraction
        The budget that one count spends, above 0.

    Notes
    -----
    Drawn in double precision, so the tails are not exactly those of the distribution.

    Examples
    --------
    >>> round(RoundedLaplace(Fraction(3, 10)).chance, 3), round(RoundedLaplace(Fraction(1)).chance, 3)
    (0.43, 0.303)
    """

    rate: Fraction

    @property
    def chance(self) -> float:
        """exp(-rate/2)/2."""
        return math.exp(-float(self.rate) / 2) / 2

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return *n* draws, int64 [n]."""
        return np.rint(rng.laplace(scale=1 / float(self.rate), size=n)).astype(np.int64)

    def draw_positive(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return *n* draws given that they are 1 or more: beyond 1/2 the tail is geometric in whole steps."""
        return rng.geometric(-math.expm1(-float(self.rate)), n)


@dataclass(frozen=True, slots=True)
class DiscreteLaplace:
    """The two-sided geometric distribution: x has a probability in proportion to exp(-rate * abs(x)).

    Parameters
    ----------
    rate : Fraction
        The budget that one count spends, above 0.

    Notes
    -----
    Drawn exactly: every step compares uniform whole numbers with each other, and no real number is rounded.

    References
    ----------
    .. [1] Canonne, C., Kamath, G., Steinke, T. (2020), The discrete Gaussian for differential privacy,
       algorithms 1 and 2. arXiv:2004.00010

    Examples
    --------
    >>> noise = DiscreteLaplace(Fraction(1))
    >>> round(noise.chance, 6) == round(math.exp(-1) / (1 + math.exp(-1)), 6)
    True
    """

    rate: Fraction

    @property
    def chance(self) -> float:
        """Of the sum of all, what lies above 0: q / (1 + q) with q = exp(-rate)."""
        return 1 / (1 + math.exp(min(float(self.rate), 700.0)))

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return *n* draws, int64 [n]."""
        drawn = np.zeros(n, np.int64)
        open_ = np.arange(n)
        while open_.size:
            size = self._magnitudes(open_.size, rng)
            negative = rng.integers(0, 2, open_.size) == 1
            # Zero has one sign only, so that it is not twice as likely as it should be.
            again = negative & (size == 0)
            drawn[open_] = np.where(negative, -size, size)
            open_ = open_[again]
        return drawn

    def draw_positive(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return *n* draws given that they are 1 or more, int64 [n]."""
        return 1 + self._magnitudes(n, rng)

    def _magnitudes(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return whole numbers from 0 with probabilities in proportion to exp(-rate * y)."""
        s, t = self.rate.numerator, self.rate.denominator
        rest = np.zeros(n, np.int64)
        open_ = np.arange(n)
        while open_.size:
            rest[open_] = rng.integers(0, t, open_.size)
            open_ = open_[~_with_chance_exp(rest[open_], t, rng)]
        steps = np.zeros(n, np.int64)
        open_ = np.arange(n)
        while open_.size:
            open_ = open_[_with_chance_exp(np.ones(open_.size, np.int64), 1, rng)]
            steps[open_] += 1
        return (rest + t * steps) // s


def _with_chance_exp(a: NDArray[np.int64], b: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return True with probability exp(-a/b) for each *a* from 0 to *b*, by draws of whole numbers alone."""
    result = np.zeros(a.shape[0], bool)
    open_ = np.arange(a.shape[0])
    k = 1
    while open_.size:
        goes_on = rng.integers(0, b * k, open_.size) < a[open_]
        result[open_[~goes_on]] = k % 2 == 1
        open_ = open_[goes_on]
        k += 1
    return result


def check_cells(n_cells: int, noise: Noise) -> None:
    """Refuse tables in which the noise would invent more entries than can be published.

    Raises
    ------
    SpecError
        With how many.
    """
    invented = n_cells * noise.chance
    if n_cells > MOST_CELLS or invented > MOST_ENTRIES:
        raise SpecError(
            f"the noise would invent about {invented:,.0f} entries: it is added to all {n_cells:,} cells "
            "(classes times sensitive values), the empty ones too",
            where=f"at most {MOST_ENTRIES:,} entries and {MOST_CELLS:,} cells are possible",
            fix="raise epsilon, ask for fewer classes, or choose a sensitive column with fewer values",
        )


def noisy_cells(
    cell: NDArray[np.int64], counts: NDArray[np.int64], *, n_cells: int, noise: Noise, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Add noise to every cell of a table of counts and keep the positive ones.

    Parameters
    ----------
    cell : int64 [n_occupied]
        Cells that are not empty, rising.
    counts : int64 [n_occupied]
    n_cells : int
        Cells of the whole table, empty ones included.
    noise : Noise
    rng : numpy.random.Generator

    Returns
    -------
    cell : int64 [n_positive]
        Cells whose noisy count is at least 1, rising.
    counts : int64 [n_positive]

    Raises
    ------
    SpecError
        If more cells would turn positive by chance than can be published.

    Notes
    -----
    In a table of more than 4 million cells the empty ones that turn positive are found by the gaps between them,
    which are geometric; these gaps are drawn in double precision, and how large each becomes as *noise* draws.
    """
    check_cells(n_cells, noise)
    if n_cells <= DENSE_CELLS:
        dense = noise.draw(n_cells, rng)
        dense[cell] += counts
        found = np.flatnonzero(dense > 0)
        return found, dense[found]
    noisy = counts + noise.draw(len(cell), rng)
    seen = noisy > 0
    empty = _chosen(n_cells - len(cell), noise.chance, rng)
    # The r-th empty cell lies behind as many occupied ones as have fewer than r + 1 empty cells before them.
    behind = np.searchsorted(cell - np.arange(len(cell)), empty, side="right")
    cells = np.concatenate([cell[seen], empty + behind])
    sums = np.concatenate([noisy[seen], noise.draw_positive(len(empty), rng)])
    order = np.argsort(cells, kind="stable")
    return cells[order], sums[order]


def _chosen(n: int, chance: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the numbers below *n* that are chosen where each is with the same chance, rising."""
    found = [np.empty(0, np.int64)]
    at = -1
    while chance > 0 and at < n - 1:
        expected = (n - 1 - at) * chance
        gaps = np.minimum(rng.geometric(chance, int(expected + 5 * math.sqrt(expected)) + 8), n + 1)
        places = at + np.cumsum(gaps)
        found.append(places[places < n])
        at = int(places[-1])
    return np.concatenate(found)
