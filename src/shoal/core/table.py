"""The frequency table: equal records counted once. Everything that decides works on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes, Histogram
from shoal.core.context import Context, SensitiveColumn
from shoal.core.hierarchy import Hierarchy
from shoal.kernels.grouping import distinct_rows, group_columns, rank_columns, sum_by_group
from shoal.kernels.side_by_side import side_by_side

__all__ = ["FrequencyTable"]


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """Distinct records with their counts.

    A *point* is a distinct vector of quasi-identifier leaves. An *item* is a distinct (point, sensitive values,
    unit) with the number of rows that bear it. Points are sorted by their codes and items by (point, sensitive
    codes, unit), so the table does not depend on the order of rows.

    Parameters
    ----------
    names : tuple of str
        Quasi-identifiers.
    hierarchies : tuple of Hierarchy
        One per quasi-identifier.
    codes : int32 [n_points, n_qi]
        Leaf codes of each point.
    offsets : int64 [n_points + 1]
        Items ``offsets[p]:offsets[p + 1]`` belong to point *p*.
    sensitive_names : tuple of str
        Sensitive columns.
    sensitive_hierarchies : tuple of Hierarchy
        One per sensitive column.
    sensitive : int32 [n_items, n_sensitive]
        Sensitive codes of each item.
    counts : int64 [n_items]
        Rows of each item, positive.
    unit : int64 [n_items] or None
        Person of each item, numbered from 0, where a unit is given.
    n_units : int
        Number of people; 0 without a unit.
    """

    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    sensitive_names: tuple[str, ...]
    sensitive_hierarchies: tuple[Hierarchy, ...]
    sensitive: NDArray[np.int32]
    counts: NDArray[np.int64]
    unit: NDArray[np.int64] | None = None
    n_units: int = 0

    @property
    def n_points(self) -> int:
        """Number of distinct quasi-identifier vectors."""
        return len(self.codes)

    @property
    def n_items(self) -> int:
        """Number of distinct records."""
        return len(self.counts)

    @property
    def n_qi(self) -> int:
        """Number of quasi-identifiers."""
        return len(self.names)

    @cached_property
    def n_rows(self) -> int:
        """Number of rows of the input."""
        return int(self.counts.sum())

    @cached_property
    def point_of_item(self) -> NDArray[np.int32]:
        """Point of each item, int32 [n_items]."""
        points = np.arange(self.n_points, dtype=np.int32)
        return points if self.n_items == self.n_points else np.repeat(points, np.diff(self.offsets))

    @cached_property
    def point_rows(self) -> NDArray[np.int64]:
        """Rows of each point, int64 [n_points]."""
        return sum_by_group(self.point_of_item, self.counts, self.n_points)

    @cached_property
    def marginals(self) -> tuple[NDArray[np.int64], ...]:
        """Rows of each leaf of each quasi-identifier, int64 [n_values] each."""
        return tuple(
            sum_by_group(self.codes[:, j], self.point_rows, h.n_values) for j, h in enumerate(self.hierarchies)
        )

    @classmethod
    def from_columns(
        cls,
        quasi: Mapping[str, tuple[Hierarchy, NDArray[np.int32]]],
        sensitive: Mapping[str, tuple[Hierarchy, NDArray[np.int32]]] | None = None,
        *,
        counts: NDArray[np.int64] | None = None,
        unit: NDArray[np.int64] | None = None,
    ) -> tuple[FrequencyTable, NDArray[np.int32]]:
        """Count code columns.

        Parameters
        ----------
        quasi, sensitive : mapping of str to (Hierarchy, int32 [n_rows])
            Columns by name with the code of each row.
        counts : int64 [n_rows], optional
            How many rows each row stands for; 1 where left out.
        unit : int64 [n_rows], optional
            Person of each row, numbered from 0.

        Returns
        -------
        table : FrequencyTable
        item_of_row : int32 [n_rows]
            Where each row went.
        """
        sensitive = sensitive or {}
        columns: list[NDArray[Any]] = [codes for _, codes in quasi.values()]
        columns += [codes for _, codes in sensitive.values()]
        sizes = [h.n_values for h, _ in quasi.values()] + [h.n_values for h, _ in sensitive.values()]
        n_units = 0
        if unit is not None:
            n_units = int(unit.max()) + 1 if unit.size else 0
            columns.append(unit)
            sizes.append(n_units)
        item_of_row, items = distinct_rows(columns, sizes)
        rows = np.ones(item_of_row.shape[0], np.int64) if counts is None else counts
        codes, rest = items[:, : len(quasi)], items[:, len(quasi) :]
        offsets = np.arange(len(items) + 1)
        if rest.shape[1]:
            starts = np.ones(len(items), bool)
            starts[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in codes.T])
            offsets = np.append(np.flatnonzero(starts), len(items))
            codes = side_by_side(list(codes.T), starts, n_rows=len(offsets) - 1)
        table = cls(
            names=tuple(quasi),
            hierarchies=tuple(h for h, _ in quasi.values()),
            codes=codes,
            offsets=offsets,
            sensitive_names=tuple(sensitive),
            sensitive_hierarchies=tuple(h for h, _ in sensitive.values()),
            # A copy, since a view would keep the codes of every item in memory.
            sensitive=rest[:, : len(sensitive)].copy(order="F"),
            counts=sum_by_group(item_of_row, rows, len(items)),
            unit=None if unit is None else rest[:, -1].astype(np.int64),
            n_units=n_units,
        )
        return table, item_of_row

    @cached_property
    def point_classes(self) -> Classes:
        """The classes of the table as it is: every point is one."""
        if self.unit is None:
            return Classes(self.point_rows, self.point_rows)
        return self.classes(self.point_of_item, self.n_points)

    def context(self) -> Context:
        """Return the sensitive distributions of the whole table, which models compare with."""
        everything = self.classes(np.zeros(self.n_items, np.int32), 1, self.sensitive_names)
        columns = {}
        for name, hierarchy in zip(self.sensitive_names, self.sensitive_hierarchies, strict=True):
            totals = np.zeros(hierarchy.n_values, np.int64)
            histogram = everything.histograms[name]
            totals[histogram.values] = histogram.counts
            columns[name] = SensitiveColumn(hierarchy, totals)
        return Context(columns, self.n_rows, self.n_units if self.unit is not None else None)

    def with_counts(self, counts: NDArray[np.int64]) -> tuple[FrequencyTable, NDArray[np.int64]]:
        """Return the table with other numbers of rows, and which item of this one each of its items is.

        Parameters
        ----------
        counts : int64 [n_items]
            Rows of each item; items with 0 are left out, and points without items. People keep their numbers.

        Examples
        --------
        >>> tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
        >>> table, _ = FrequencyTable.from_columns({"q": (tree, np.array([0, 0, 1], np.int32))})
        >>> some, item = table.with_counts(np.array([0, 1]))
        >>> some.codes.tolist(), some.counts.tolist(), item.tolist()
        ([[1]], [1], [1])
        """
        item = np.flatnonzero(counts)
        point = self.point_of_item[item]
        at = np.flatnonzero(np.diff(point, prepend=-1))
        table = replace(
            self,
            codes=np.asfortranarray(self.codes[point[at]]),
            offsets=np.append(at, len(item)).astype(np.int64),
            sensitive=np.asfortranarray(self.sensitive[item]),
            counts=counts[item],
            unit=None if self.unit is None else self.unit[item],
        )
        return table, item

    def classes(
        self,
        class_of_item: NDArray[np.int32],
        n_classes: int,
        sensitive: Iterable[str] = (),
        *,
        items: NDArray[np.int64] | None = None,
        counts: NDArray[np.int64] | None = None,
    ) -> Classes:
        """Count equivalence classes.

        Parameters
        ----------
        class_of_item : int32 [n_items], or [n_shares] with *items*
            Class of each item; -1 for items that belong to none (suppressed).
        n_classes : int
        sensitive : iterable of str
            Sensitive columns whose histograms are wanted.
        items, counts : int64 [n_shares], optional
            Which item each share is of and how many rows it holds, where items are split between classes.

        Returns
        -------
        Classes
            People are counted where the table has a unit: a person counts once per class, and once per value
            in each histogram.
        """
        counts = self.counts if counts is None else counts
        rows = sum_by_group(class_of_item, counts, n_classes)
        kept = np.flatnonzero(class_of_item >= 0)
        owner = class_of_item[kept]
        at = kept if items is None else items[kept]
        size = rows
        if self.unit is not None:
            _, first = group_columns([owner, self.unit[at]], [n_classes, self.n_units])
            size = np.bincount(owner[first], minlength=n_classes).astype(np.int64)
        histograms = {
            name: self._histogram(name, owner, at, counts[kept], n_classes) for name in dict.fromkeys(sensitive)
        }
        return Classes(size, rows, histograms)

    def _histogram(
        self,
        name: str,
        owner: NDArray[np.int32],
        at: NDArray[np.int64],
        counts: NDArray[np.int64],
        n_classes: int,
    ) -> Histogram:
        j = self.sensitive_names.index(name)
        hierarchy = self.sensitive_hierarchies[j]
        values = self.sensitive[at, j]
        if self.unit is not None:
            _, first = group_columns([owner, values, self.unit[at]], [n_classes, hierarchy.n_values, self.n_units])
            owner, values = owner[first], values[first]
            counts = np.ones(first.shape[0], np.int64)
        if n_classes * hierarchy.n_values <= len(values):
            # Few enough to add up each pair of class and value in a place of its own.
            sums = sum_by_group(
                owner * np.int64(hierarchy.n_values) + values, counts, n_classes * hierarchy.n_values
            )
            pairs = np.flatnonzero(sums)
            owner, values = np.divmod(pairs, hierarchy.n_values)
            sums = sums[pairs]
        else:
            groups, entries = rank_columns([owner, values], [n_classes, hierarchy.n_values])
            sums = sum_by_group(groups, counts, entries.shape[0])
            owner, values = owner[entries], values[entries]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n_classes))])
        null = hierarchy.n_values - 1 if hierarchy.has_null else None
        return Histogram(offsets.astype(np.int64), values.astype(np.int32), sums, null)

    def coarsen(self, levels: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Group the points by a vector of levels (full-domain generalization).

        Returns
        -------
        class_of_point : int32 [n_points]
        first : int64 [n_classes]
            First point of each class.
        """
        wanted = tuple(levels)
        if self._coarsened.get(wanted) is None:
            # A column at its top tells nothing apart; one is needed all the same where all are.
            told = [j for j, (h, level) in enumerate(self._at(wanted)) if level < h.height] or [0]
            columns = [self.hierarchies[j].levels[wanted[j]][self.codes[:, j]] for j in told]
            # Whoever decides on a level vector asks for it again to rewrite the rows; older ones are let go.
            self._coarsened.clear()
            self._coarsened[wanted] = group_columns(columns, [self.hierarchies[j].lo.shape[0] for j in told])
        return self._coarsened[wanted]

    @cached_property
    def _coarsened(self) -> dict[tuple[int, ...], tuple[NDArray[np.int32], NDArray[np.int64]]]:
        return {}

    def _at(self, levels: Sequence[int]) -> list[tuple[Hierarchy, int]]:
        return list(zip(self.hierarchies, levels, strict=True))
