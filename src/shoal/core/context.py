"""What models may know of the whole input, beside the classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.errors import SpecError, nearest_name

__all__ = ["Context", "SensitiveColumn"]


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """One sensitive column of the input.

    Parameters
    ----------
    hierarchy : Hierarchy
        Its values in code order, with their order or tree where one was declared.
    totals : int64 [n_values]
        How often each value occurs in the whole input, before suppression; people where a unit is given.

    Attributes
    ----------
    derived : dict
        What models work out once per input and read in every call, each under a key that begins with its name.
    """

    hierarchy: Hierarchy
    totals: NDArray[np.int64]
    derived: dict[object, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """Share of each value in the whole input, float64 [n_values], in [0, 1]."""
        return self.totals / max(1, int(self.totals.sum()))


@dataclass(frozen=True, eq=False)
class Context:
    """The input's sensitive distributions and whether people are counted.

    Parameters
    ----------
    sensitive : mapping of str to SensitiveColumn
    n_rows : int
        Rows of the input.
    people : int or None
        Number of people where a unit is given, else None.
    population : FrequencyTable or None
        The population that the table is a sample of, where one is given: its quasi-identifiers in the codes of the
        table's hierarchies, one row per person.
    """

    sensitive: Mapping[str, SensitiveColumn] = field(default_factory=dict)
    n_rows: int = 0
    people: int | None = None
    # A table makes contexts, so the type cannot be named here without a cycle.
    population: Any = None

    @property
    def by_people(self) -> bool:
        """Whether classes count people instead of rows."""
        return self.people is not None

    def column(self, name: str) -> SensitiveColumn:
        """Return a sensitive column.

        Raises
        ------
        SpecError
            If the schema has no sensitive column of that name.
        """
        if name not in self.sensitive:
            raise SpecError(
                f"a model names column {name!r}, which is not sensitive in the schema",
                fix=nearest_name(name, self.sensitive) if self.sensitive else "declare a sensitive column",
            )
        return self.sensitive[name]
