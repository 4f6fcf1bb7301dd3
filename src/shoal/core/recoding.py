"""What an algorithm decides: how records are rewritten. A closed union that every engine applies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.buckets import Buckets
from shoal.core.perturbation import Perturbation
from shoal.core.regions import SUPPRESSED, Regions
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError

__all__ = ["Generalization", "Recoding", "regions_of"]


@dataclass(frozen=True, eq=False)
class Generalization:
    """Full-domain recoding: each column climbs to one level; whole points may be suppressed.

    Parameters
    ----------
    levels : tuple of int
        Level of each quasi-identifier.
    suppressed : bool [n_points]
        Points whose rows are suppressed.
    """

    levels: tuple[int, ...]
    suppressed: NDArray[np.bool_]

    def regions(self, table: FrequencyTable) -> Regions:
        """Return the same recoding as boxes."""
        class_of_point, first = table.coarsen(self.levels)
        lo = np.empty((first.shape[0], table.n_qi), np.int32)
        hi = np.empty_like(lo)
        for j, (hierarchy, level) in enumerate(zip(table.hierarchies, self.levels, strict=True)):
            nodes = hierarchy.levels[level][table.codes[first, j]]
            lo[:, j], hi[:, j] = hierarchy.lo[nodes], hierarchy.hi[nodes]
        region = np.where(self.suppressed, np.int32(SUPPRESSED), class_of_point)[table.point_of_item]
        offsets = np.arange(table.n_items + 1)
        return Regions(lo, hi, offsets, region.astype(np.int32), table.counts).normalized(table.hierarchies)


Recoding = Generalization | Regions | Buckets | Perturbation


def regions_of(recoding: Recoding, table: FrequencyTable) -> Regions:
    """Return a recoding as normalized boxes, the one form in which models and losses measure it.

    Raises
    ------
    SpecError
        If it is none of boxes.
    """
    if isinstance(recoding, Generalization):
        return recoding.regions(table)
    if isinstance(recoding, Regions):
        return recoding.normalized(table.hierarchies)
    raise SpecError(
        "a step that works on generalized cells was given an algorithm that publishes something else",
        where="[method]",
        fix="name an algorithm that generalizes, such as mondrian",
    )
