"""How often a value can occur in rows that are split into classes which keep to a rounded-up share of their own.

Rounding up in every class of a split lets through more than rounding up once, so ``count <= ceil(alpha * size)``
is not kept when classes merge. What is kept is the bound here, the most over all splits: it only grows with the
union of two sets of rows, and more than the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel

__all__ = ["CeilingBound", "ceiling_bound", "effective_alpha", "largest_under"]

WORK = 10**8
"""Most steps that a table may take; beyond it the bound is the line that the table stays below."""

# Each pass only lowers the bound towards the fixed point, so stopping early is safe: it is a weaker bound.
PASSES = 64


@dataclass(frozen=True, eq=False)
class CeilingBound:
    """The most occurrences of a value by the number of rows.

    Parameters
    ----------
    table : int64 [length]
        The bound for fewer rows than *length*; empty where it would take too long.
    period, gain : int
        Size of the class that lets through the largest share, and what it lets through. From *length* on the
        bound of n rows is *gain* more than that of n - *period* rows; without a table it is gain * n // period.
    """

    table: NDArray[np.int64]
    period: int
    gain: int

    def __call__(self, size: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bound of each number of rows, int64 [n]."""
        length = self.table.shape[0]
        if not length:
            return size * self.gain // self.period
        turns = np.where(size < length, 0, (size - length) // self.period + 1)
        most: NDArray[np.int64] = self.table[size - turns * self.period] + turns * self.gain
        return most


@kernel
def _fill(table: Any, sizes: Any, gains: Any) -> None:  # pragma: no cover - compiled
    for n in range(1, table.shape[0]):
        best = table[n - 1]
        for i in range(sizes.shape[0]):
            if sizes[i] > n:
                break
            best = max(best, table[n - sizes[i]] + gains[i])
        table[n] = best


@lru_cache(maxsize=256)
def ceiling_bound(alpha: Fraction, k: int, n_rows: int) -> CeilingBound:
    """Return F(n), the largest sum of ceil(alpha * a) over all ways to split n rows into parts a of at least k.

    A part of 2k rows or more may be split for no less, and a row more never lets through less, so the parts are
    the sizes from k to 2k - 1 at which the ceiling rises, and they may leave rows over: an unbounded knapsack.
    Of p parts, p being the size of the part with the largest share, some have sizes that add up to a multiple of
    p and may be replaced by such parts; so in an optimal split fewer than p parts are others, and beyond that
    many rows the bound repeats itself with period p.

    Parameters
    ----------
    alpha : Fraction
        In (0, 1].
    k : int
        Fewest rows of a class.
    n_rows : int
        Largest number of rows that will be asked for.

    Returns
    -------
    CeilingBound
        With F(n) = 0 below k rows, where no class passes.

    Examples
    --------
    Six rows in two classes of three: 2 + 2, where one class of six may show 3.

    >>> ceiling_bound(Fraction(1, 2), 3, 100)(np.array([2, 3, 6, 9])).tolist()
    [0, 2, 4, 6]
    """
    parts: list[tuple[int, int]] = []
    size = k
    while size < 2 * k and len(parts) <= WORK // max(1, n_rows):
        gain = -(-alpha.numerator * size // alpha.denominator)
        parts.append((size, gain))
        # The smallest size whose ceiling is one more.
        size = gain * alpha.denominator // alpha.numerator + 1
    steepest = effective_alpha(alpha, k)
    period, gain = next((p for p in parts if Fraction(p[1], p[0]) == steepest), steepest.as_integer_ratio()[::-1])
    length = min(n_rows + 1, (period - 1) * (2 * k - 1) + period)
    if size < 2 * k or length * len(parts) > WORK:
        return CeilingBound(np.empty(0, np.int64), period, gain)
    table = np.zeros(length, np.int64)
    sizes, gains = np.array(parts, np.int64).T
    _fill(table, np.ascontiguousarray(sizes), np.ascontiguousarray(gains))
    return CeilingBound(table, period, gain)


def effective_alpha(alpha: Fraction, k: int) -> Fraction:
    """Return the largest share that ``count <= ceil(alpha * size)`` lets a class of at least *k* show.

    That is the maximum of ceil(alpha n)/n over n >= k. For each numerator the smallest n is the worst, and
    the m-th is below alpha * m/(m - 1), which ends the search.

    Parameters
    ----------
    alpha : Fraction
        In (0, 1].
    k : int

    Returns
    -------
    Fraction
        In [alpha, alpha + 1/k).

    Examples
    --------
    >>> effective_alpha(Fraction(1, 2), 5), effective_alpha(Fraction(1, 10), 10)
    (Fraction(3, 5), Fraction(2, 11))
    """
    count = -(-alpha.numerator * k // alpha.denominator)
    best = Fraction(count, k)
    while best < 1 and (count < 2 or alpha * count > best * (count - 1)):
        count += 1
        size = max(k, (count - 1) * alpha.denominator // alpha.numerator + 1)
        best = max(best, Fraction(count, size))
    return best


@kernel
def _largest_under(  # noqa: PLR0917
    offsets: Any, counts: Any, which: Any, tables: Any, starts: Any, periods: Any, gains: Any, size: Any
) -> Any:  # pragma: no cover - compiled
    kept = np.empty(size.shape[0], np.int64)
    for c in range(size.shape[0]):
        n = size[c]
        free = n
        for e in range(offsets[c], offsets[c + 1]):
            free -= counts[e]
        for _ in range(PASSES):
            fits = free
            for e in range(offsets[c], offsets[c + 1]):
                w = which[e]
                most = counts[e]
                if w >= 0:
                    length = starts[w + 1] - starts[w]
                    if length == 0:
                        most = n * gains[w] // periods[w]
                    elif n < length:
                        most = tables[starts[w] + n]
                    else:
                        turns = (n - length) // periods[w] + 1
                        most = tables[starts[w] + n - turns * periods[w]] + turns * gains[w]
                fits += min(counts[e], most)
            if fits >= n:
                break
            n = fits
        kept[c] = n
    return kept


def largest_under(
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    which: NDArray[np.int64],
    bounds: Sequence[CeilingBound],
    size: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many rows of each class can be in parts that keep to the ceiling form.

    n rows in passing parts show a value at most F(n) times, so the answer is at most the largest n with
    n <= rows without a limit + sum over values of min(count, F(n)). It equals the class's size exactly where
    no count exceeds F(size). It may be too large, never too small.

    Parameters
    ----------
    offsets : int64 [n_classes + 1]
        Entries ``offsets[c]:offsets[c + 1]`` are of class *c*.
    counts : int64 [n_entries]
        Rows of each value; rows of the class in no entry have no limit.
    which : int64 [n_entries]
        Bound of each value; -1 where it has none.
    bounds : sequence of CeilingBound
    size : int64 [n_classes]
        Rows of each class.

    Returns
    -------
    int64 [n_classes]

    Examples
    --------
    Five sensitive rows of six are one too many for two classes of three; five rows still fit.

    >>> bound = ceiling_bound(Fraction(1, 2), 2, 100)
    >>> largest_under(np.array([0, 1]), np.array([5]), np.array([0]), [bound], np.array([6])).tolist()
    [3]
    """
    lengths = [bound.table.shape[0] for bound in bounds]
    kept: NDArray[np.int64] = _largest_under(
        offsets,
        counts,
        which,
        np.concatenate([np.empty(0, np.int64), *(bound.table for bound in bounds)]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([bound.period for bound in bounds], np.int64),
        np.array([bound.gain for bound in bounds], np.int64),
        size,
    )
    return kept
