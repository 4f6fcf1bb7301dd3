"""Which row of the input goes into which box, where the rows of one item are divided between boxes."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from shoal.core.regions import Regions
from shoal.engines.apply import region_of_rows
from shoal.engines.row_hash import hash_rows
from shoal.workflow.prepare import Prepared, text_expressions

__all__ = ["dealt_rows"]


def dealt_rows(prepared: Prepared, regions: Regions, *, seed: int) -> NDArray[np.int32]:
    """Return the box of each row of the input, int32 [n_rows]; below 0 where it is suppressed or withheld.

    Rows of one item are dealt by a keyed hash of what else is read of them, so that neither the order of rows nor
    the engine matters. Where nothing else is, they are alike and any will do.
    """
    untold = _untold(prepared)
    if not untold:
        return region_of_rows(regions, prepared.item_of_row)
    raw = prepared.source.raw()
    texts = raw.select(text_expressions(raw, untold).values())
    return region_of_rows(
        regions, prepared.item_of_row, partial(hash_rows, texts, key=seed.to_bytes(16, "little"))
    )


def _untold(prepared: Prepared) -> list[str]:
    """Return the columns in which rows of one item may differ and that leave as they came, or tell of a survey."""
    source, table, schema = prepared.source, prepared.table, prepared.schema
    read = {*schema.published, schema.weight, schema.household} - set(table.names)
    counted = {name for name in table.sensitive_names if source.is_told(name)}
    return [name for name in source.columns if name in read - counted]
