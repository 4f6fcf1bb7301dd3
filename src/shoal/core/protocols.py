"""The seams of what is asked: what a model and a loss are. Each implementation is one file."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.hierarchy import Hierarchy
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable

__all__ = [
    "CellLoss",
    "ClassLoss",
    "Closure",
    "LossMetric",
    "PrivacyModel",
    "ReleaseLoss",
    "scope_of",
]


class Closure(Enum):
    """What a model promises when classes grow; a law test holds it to that.

    ``SUPERSET``: a class that contains a passing class passes. ``UNION``: the union of two passing classes
    passes. ``NONE``: neither.
    """

    SUPERSET = "superset"
    UNION = "union"
    NONE = "none"


@runtime_checkable
class PrivacyModel(Protocol):
    """A condition on every equivalence class, tested on all classes at once.

    Implementations are frozen, keyword-only dataclasses whose fields are the parameters of the model. Two further
    attributes are read where they are there:

    * ``scope``: ``"class"``, or ``"table"`` where whether a class violates depends on the other classes. Then
      ``violating`` names classes of the table that have to go, so that what is left passes, or is asked again.
      Closure says what coarser classes of the whole table promise, and only the sum of ``must_suppress`` counts.
    * ``reads``: what ``Classes`` must hold beside sizes and histograms, of ``"population"`` and ``"cells"``.
    """

    name: ClassVar[str]

    @property
    def columns(self) -> tuple[str, ...]:
        """Sensitive columns whose histograms the model reads."""
        ...

    @property
    def required(self) -> float:
        """The threshold, for the verdict."""
        ...

    def closure(self, *, by_people: bool) -> Closure:
        """Return what holds when classes grow, if classes count rows or, *by_people*, people."""
        ...

    def violating(self, classes: Classes, context: Context) -> NDArray[np.bool_]:
        """Return which classes violate the model, bool [n_classes]."""
        ...

    def achieved(self, classes: Classes, context: Context) -> float | None:
        """Return the strictest threshold that every class meets; None where there is no class."""
        ...

    def must_suppress(self, classes: Classes, context: Context) -> NDArray[np.int64]:
        """Return a lower bound on the rows of each class that violate in *any* refinement of it.

        int64 [n_classes]. Refining splits classes; the bound lets a search rule out every node below one that
        it has counted. 0 is always right.
        """
        ...


def scope_of(model: PrivacyModel) -> str:
    """Return ``"class"`` or ``"table"``, see :class:`PrivacyModel`."""
    scope: str = getattr(model, "scope", "class")
    return scope


@runtime_checkable
class CellLoss(Protocol):
    """A loss that is a sum over cells, each judged by its leaf and its published interval."""

    name: ClassVar[str]
    normalized: ClassVar[bool]
    """Whether the sum is divided by the sum of :meth:`full`; else the loss is the sum itself."""

    def costs(
        self,
        hierarchy: Hierarchy,
        marginal: NDArray[np.int64],
        leaf: NDArray[np.int32],
        lo: NDArray[np.int32],
        hi: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return the cost of publishing each *leaf* as ``[lo, hi]``, float64 [n]; never less for a wider one.

        *marginal* is the column's count of each leaf in the input, int64 [n_values].
        """
        ...

    def full(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> float:
        """Return the column's part of the denominator."""
        ...


@runtime_checkable
class ClassLoss(Protocol):
    """A loss that depends on the sizes of the classes alone; never less for coarser classes."""

    name: ClassVar[str]

    def of_sizes(self, rows: NDArray[np.int64], suppressed: int) -> float:
        """Return the loss of classes with these *rows* [n_classes] and *suppressed* further rows."""
        ...


@runtime_checkable
class ReleaseLoss(Protocol):
    """A loss that needs the whole release; it is measured at the end and steers no search."""

    name: ClassVar[str]

    def of_release(self, table: FrequencyTable, regions: Regions) -> float:
        """Return the loss of normalized *regions*."""
        ...


LossMetric = CellLoss | ClassLoss
