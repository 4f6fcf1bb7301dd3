"""One step from each value to everything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shoal.core.hierarchy import Hierarchy
from shoal.hierarchies.reading import distinct_values, place_values, refuse_type

__all__ = ["Flat", "flat"]


@dataclass(frozen=True)
class Flat:
    """A value or ``*``; see :func:`flat`."""

    def build(self, values: Iterable[str | None], *, column: str = "", type: str | None = None) -> Hierarchy:  # noqa: A002
        """Return the hierarchy over *values*, in numeric or calendar order where they have one.

        Raises
        ------
        HierarchyError
            If values do not fit the declared type.
        SpecError
            If the column is declared ordered: its order has to be listed.
        """
        refuse_type("a flat hierarchy", type, ("text", "integer", "decimal", "date"), column)
        texts, null = distinct_values(values, column)
        stated, order = place_values(texts, type, column)
        return Hierarchy.from_paths(texts, [[] for _ in texts], order=order, null=null, type=stated, column=column)


def flat() -> Flat:
    """Generalize a value to ``*`` in one step.

    Examples
    --------
    >>> flat().build(["b", "a", None]).leaves
    ('a', 'b', None)
    """
    return Flat()
