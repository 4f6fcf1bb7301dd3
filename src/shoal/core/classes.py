"""What models see of a table: its equivalence classes, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Classes", "Histogram"]


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each sensitive value occurs in each class, sparsely.

    Class *c* has the entries ``offsets[c]:offsets[c + 1]``, sorted by value code. The null leaf, where there is
    one, is a value like any other here; ``null`` says which.

    Parameters
    ----------
    offsets : int64 [n_classes + 1]
    values : int32 [n_entries]
        Codes of the sensitive column.
    counts : int64 [n_entries]
        Rows, or people where the table counts people; positive.
    null : int or None
        Code of the missing value, or None.
    """

    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    counts: NDArray[np.int64]
    null: int | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.offsets) - 1

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """Class of each entry, int64 [n_entries]."""
        return np.repeat(np.arange(self.n_classes), np.diff(self.offsets))

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Sum of the counts of each class, int64 [n_classes]."""
        return self.per_class(np.add, self.counts).astype(np.int64)

    def per_class(self, ufunc: np.ufunc, amounts: NDArray[Any], empty: float = 0) -> NDArray[Any]:
        """Reduce one amount per entry to one per class.

        Parameters
        ----------
        ufunc : np.add, np.maximum, np.logical_or, ...
        amounts : array [n_entries]
        empty : number, default 0
            What a class without entries gets.

        Returns
        -------
        array [n_classes]

        Examples
        --------
        >>> histogram = Histogram.from_dense([[2, 3], [0, 0], [1, 0]])
        >>> histogram.per_class(np.maximum, histogram.counts).tolist()
        [3, 0, 1]
        """
        starts = self.offsets[:-1]
        filled = starts < self.offsets[1:]
        if amounts.size and filled.all():
            return np.asarray(ufunc.reduceat(amounts, starts))
        result = np.full(self.n_classes, empty, amounts.dtype)
        if filled.any():
            # reduceat would give an empty class the next class's first entry.
            result[filled] = ufunc.reduceat(amounts, starts[filled])
        return result

    def only(self, kept: NDArray[np.bool_]) -> Histogram:
        """Return the entries of some classes, bool [n_classes]."""
        entries = np.repeat(kept, np.diff(self.offsets))
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[kept])]).astype(np.int64)
        return Histogram(offsets, self.values[entries], self.counts[entries], self.null)

    @classmethod
    def from_dense(cls, counts: Sequence[Sequence[int]], *, null: int | None = None) -> Histogram:
        """Build from a small table ``counts[class][value]``, for examples and tests.

        Examples
        --------
        >>> Histogram.from_dense([[2, 0], [1, 1]]).values.tolist()
        [0, 0, 1]
        """
        dense = np.asarray(counts, np.int64)
        owner, values = np.nonzero(dense)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=dense.shape[0]))])
        return cls(offsets.astype(np.int64), values.astype(np.int32), dense[owner, values], null)


@dataclass(frozen=True, eq=False)
class Classes:
    """Equivalence classes as models see them: sizes and sparse histograms, never rows.

    Parameters
    ----------
    size : int64 [n_classes]
        Rows of each class, or people where the table has a unit.
    rows : int64 [n_classes]
        Rows of each class.
    histograms : mapping of str to Histogram
        One per sensitive column that was asked for.
    population : int64 [n_classes], optional
        Rows of each class in the population table, where a model reads them.
    outside : int, default 0
        Rows of the population table that fall into no class.
    cells : int32 [n_classes, n_qi], optional
        What each class publishes, where a model reads it: equal numbers in a column are equal labels.
    members : tuple of int64 [n_members] and int64 [n_members], optional
        Class and person of each distinct pair of these, where people are counted and a model reads cells.
    """

    size: NDArray[np.int64]
    rows: NDArray[np.int64]
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    population: NDArray[np.int64] | None = None
    outside: int = 0
    cells: NDArray[np.int32] | None = None
    members: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.size)

    def only(self, kept: NDArray[np.bool_]) -> Classes:
        """Return some of the classes; the population of the others is outside then.

        Parameters
        ----------
        kept : bool [n_classes]

        Examples
        --------
        >>> classes = Classes.from_counts([2, 3, 1], {"disease": [[2, 0], [1, 2], [0, 1]]})
        >>> left = classes.only(np.array([False, True, True]))
        >>> left.size.tolist(), left.histograms["disease"].counts.tolist()
        ([3, 1], [1, 2, 1])
        """
        members = self.members
        if members is not None:
            place = np.cumsum(kept) - 1
            inside = kept[members[0]]
            members = place[members[0][inside]], members[1][inside]
        return Classes(
            self.size[kept],
            self.rows[kept],
            {name: histogram.only(kept) for name, histogram in self.histograms.items()},
            None if self.population is None else self.population[kept],
            self.outside if self.population is None else self.outside + int(self.population[~kept].sum()),
            None if self.cells is None else self.cells[kept],
            members,
        )

    @classmethod
    def from_counts(
        cls,
        size: Sequence[int],
        sensitive: Mapping[str, Sequence[Sequence[int]]] | None = None,
        *,
        population: Sequence[int] | None = None,
        outside: int = 0,
        cells: Sequence[Sequence[int]] | None = None,
    ) -> Classes:
        """Build from small lists, for examples and tests; rows are people.

        Examples
        --------
        >>> len(Classes.from_counts([2, 3], {"disease": [[2, 0], [1, 2]]}))
        2
        """
        sizes = np.asarray(size, np.int64)
        return cls(
            sizes,
            sizes,
            {name: Histogram.from_dense(c) for name, c in (sensitive or {}).items()},
            None if population is None else np.asarray(population, np.int64),
            outside,
            None if cells is None else np.asarray(cells, np.int32),
        )
