"""The rows of a release as an analyst has them: labels that cover values, and buckets that are shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.published import LeafSets
from shoal.kernels.grouping import rank_columns

__all__ = ["Entries", "ReleasedRows"]


@dataclass(frozen=True, eq=False)
class Entries:
    """Cells in buckets, and for how many records each bucket stands.

    Parameters
    ----------
    cells : int32 [n_entries, n_columns]
    starts : int64 [n_buckets + 1]
        Entries ``starts[b]:starts[b + 1]`` belong to bucket *b*.
    weight : float64 [n_buckets]
        Records of each bucket; its entries count alike.
    """

    cells: NDArray[np.int32]
    starts: NDArray[np.int64]
    weight: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReleasedRows:
    """Published rows in code space. The original is such a table too, whose labels are single values.

    Parameters
    ----------
    names : tuple of str
    hierarchies : tuple of Hierarchy
        The values of each column.
    sides : tuple of LeafSets
        The values that each label of each column covers.
    cells : int32 [n_rows, n_columns]
        Label of each cell.
    bucket : int64 [n_rows], optional
        Bucket of each row, where columns are shuffled within buckets.
    groups : tuple of tuple of int
        The columns that are shuffled together; a column that is in none is a group of its own. Without buckets
        all columns are one group.
    sampling_rate : float, default 1
        Share of the records that were published at all, in (0, 1].
    """

    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    sides: tuple[LeafSets, ...]
    cells: NDArray[np.int32]
    bucket: NDArray[np.int64] | None = None
    groups: tuple[tuple[int, ...], ...] = ()
    sampling_rate: float = 1.0

    @classmethod
    def of_values(
        cls, names: Sequence[str], hierarchies: Sequence[Hierarchy], codes: NDArray[np.int32]
    ) -> ReleasedRows:
        """Return a table of single values, int32 [n_rows, n_columns]."""
        sides = tuple(LeafSets.single(h.n_values) for h in hierarchies)
        return cls(tuple(names), tuple(hierarchies), sides, np.asarray(codes, np.int32))

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def group_of(self) -> NDArray[np.int64]:
        """Group of each column, int64 [n_columns]."""
        if self.bucket is None:
            return np.zeros(len(self.names), np.int64)
        group = len(self.groups) + np.arange(len(self.names))
        for number, columns in enumerate(self.groups):
            group[list(columns)] = number
        return group

    @cached_property
    def entries(self) -> Entries:
        """The cells by bucket; without buckets each distinct row is one."""
        if self.bucket is not None:
            order = np.argsort(self.bucket, kind="stable")
            _, sizes = np.unique(self.bucket, return_counts=True)
            starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            return Entries(np.ascontiguousarray(self.cells[order]), starts, sizes.astype(np.float64))
        if not len(self):
            return Entries(self.cells, np.zeros(1, np.int64), np.empty(0))
        row, first = rank_columns(list(self.cells.T), [len(side) for side in self.sides])
        weight = np.bincount(row, minlength=len(first)).astype(np.float64)
        return Entries(np.ascontiguousarray(self.cells[first]), np.arange(len(first) + 1), weight)

    def drawn(self, rng: np.random.Generator) -> NDArray[np.int32]:
        """Return one value of each cell, all that its label covers alike likely, int32 [n_rows, n_columns].

        -1 where a label covers none. Columns of a bucket are shuffled by whoever published them: its rows are a
        draw as they stand.
        """
        columns = [side.drawn(self.cells[:, j], rng) for j, side in enumerate(self.sides)]
        return np.stack(columns, axis=1) if columns else np.empty((len(self), 0), np.int32)
