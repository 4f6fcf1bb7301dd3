"""Categories in a declared order, neighbours grouped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shoal.core.hierarchy import Hierarchy
from shoal.core.labels import quoted
from shoal.errors import SpecError
from shoal.hierarchies.reading import check_covered, distinct_values, refuse_type

__all__ = ["Ordered", "ordered"]


@dataclass(frozen=True)
class Ordered:
    """Ordered categories; see :func:`ordered`."""

    values: tuple[str, ...]
    fanout: tuple[int, ...] = (2,)

    def __post_init__(self) -> None:
        if not self.values or not all(isinstance(value, str) for value in self.values):
            raise SpecError("an order lists texts, at least one", fix='ordered(["low", "mid", "high"])')
        if len(set(self.values)) < len(self.values):
            raise SpecError(f"{len(self.values) - len(set(self.values))} value(s) of an order stand twice")
        if not self.fanout or any(isinstance(f, bool) or not isinstance(f, int) or f < 2 for f in self.fanout):
            raise SpecError("the fanout of an order must be a whole number of at least 2", fix="fanout = 2")

    def build(self, values: Iterable[str | None], *, column: str = "", type: str | None = None) -> Hierarchy:  # noqa: A002
        """Return the hierarchy over all declared values, whether they occur or not.

        Raises
        ------
        HierarchyError
            If values are not in the declared order.
        SpecError
            If the column is declared as numbers or dates, which have an order of their own.
        """
        refuse_type("a declared order", type, ("ordered", "text"), column)
        texts, null = distinct_values(values, column)
        check_covered(texts, self.values, column)
        leaves = list(self.values)
        paths: list[list[str]] = [[] for _ in leaves]
        size, level = 1, 0
        while True:
            size *= self.fanout[min(level, len(self.fanout) - 1)]
            level += 1
            if size >= len(leaves):
                break
            for start in range(0, len(leaves), size):
                group = leaves[start : start + size]
                for path in paths[start : start + size]:
                    path.append(_label(group))
        return Hierarchy.from_paths(
            leaves, paths, order=range(len(leaves)), null=null, type="ordered", column=column, declared=True
        )


def _label(group: Sequence[str]) -> str:
    if len(group) == 1:
        return group[0]
    between = ", " if len(group) == 2 else " … "
    return f"{{{quoted(group[0])}{between}{quoted(group[-1])}}}"


def ordered(values: Iterable[str], fanout: int | Sequence[int] = 2) -> Ordered:
    """Generalize ordered categories to groups of neighbours.

    Parameters
    ----------
    values : iterable of str
        All categories from first to last; those that do not occur are part of the domain too.
    fanout : int or sequence of int, default 2
        How many groups of one level form a group of the next; a sequence gives it level by level, its last
        number going on to the root.

    Returns
    -------
    Ordered

    Examples
    --------
    >>> h = ordered(["none", "mild", "moderate", "severe", "critical"]).build(["mild"])
    >>> h.labels[h.n_values:]
    ('{none, mild}', '{moderate, severe}', '{none … severe}', '*')
    """
    return Ordered(tuple(values), tuple(fanout) if isinstance(fanout, Sequence) else (fanout,))
