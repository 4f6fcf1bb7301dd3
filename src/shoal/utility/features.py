"""Records as numbers, for methods that learn from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

__all__ = ["features"]


def features(hierarchies: Sequence[Hierarchy], codes: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return a column for each ordered column, and one for each value of the others.

    Parameters
    ----------
    hierarchies : sequence of Hierarchy
    codes : int32 [n_rows, n_columns]
        Values.

    Returns
    -------
    float32 [n_rows, n_features]
        Numbers and dates by their place, where the missing value stands before the first one and is marked in a
        column of its own; other values as 0 or 1, in code order.
    """
    parts = []
    for hierarchy, column in zip(hierarchies, codes.T, strict=True):
        if hierarchy.ordered and hierarchy.positions is not None:
            missing = np.isnan(hierarchy.positions)
            least = np.nanmin(hierarchy.positions) if not missing.all() else 0.0
            places = np.where(missing, least - 1, hierarchy.positions)
            parts.append(places[column][:, None].astype(np.float32))
            if hierarchy.has_null:
                parts.append(missing[column][:, None].astype(np.float32))
        else:
            parts.append(np.eye(hierarchy.n_values, dtype=np.float32)[column])
    return np.concatenate(parts, axis=1) if parts else np.empty((len(codes), 0), np.float32)
