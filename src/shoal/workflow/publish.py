"""The published rows: labels, the other columns as they were, and a shuffled order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.regions import SUPPRESSED, WITHHELD, Regions
from shoal.engines.apply import label_columns
from shoal.engines.free_name import free_name
from shoal.engines.shuffle import shuffled
from shoal.workflow.dealt import dealt_rows
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import Prepared
from shoal.workflow.pseudonyms import pseudonymized

__all__ = ["Published", "publish"]


@dataclass(frozen=True, eq=False)
class Published:
    """Rows ready to be written, and the person of each where there is one.

    Parameters
    ----------
    frame : LazyFrame
        Columns of the schema in the input's order.
    columns : tuple of str
    unit : integer array [n_published] or None
        Person of each published row, of its sensitive cell where the columns come from different records. Never
        written.
    region_of_row : int32 [n_rows] or None
        Region of each row of the input, below 0 where it is suppressed or withheld; only where weights or
        households ask for it.
    fake : bool [n_published] or None
        Which rows have a sensitive cell of no record. Never written.
    """

    frame: pl.LazyFrame
    columns: tuple[str, ...]
    unit: NDArray[Any] | None
    region_of_row: NDArray[np.int32] | None = None
    fake: NDArray[np.bool_] | None = None


def publish(
    prepared: Prepared, regions: Regions, plan: Plan, *, seed: int, keep_order: bool, key: bytes | None = None
) -> Published:
    """Rewrite every row.

    Parameters
    ----------
    prepared : Prepared
    regions : Regions
        Normalized boxes.
    plan : Plan
        Says what becomes of suppressed rows.
    seed : int
        Of the shuffle and of dealing the rows of split items.
    keep_order : bool
        Keep the input's order of rows. Order may tell who is who, so the default elsewhere is to shuffle.
    key : bytes, optional
        Secret of the pseudonyms, where the schema asks for some.
    """
    source, table, schema = prepared.source, prepared.table, prepared.schema
    # Columns that are not generalized leave exactly as they came: missing texts and decimal commas too.
    scan = source.raw()
    with ThreadPoolExecutor(1) as beside:
        drawn = None if keep_order else beside.submit(shuffled, prepared.n_rows, np.random.default_rng([seed, 2]))
        region_of_row = dealt_rows(prepared, regions, seed=seed)
    suppressed = region_of_row == SUPPRESSED
    quasi = set(table.names)
    columns = [name for name in source.columns if name in set(schema.published)]
    others = [name for name in columns if name not in quasi]
    rest = scan.select(others)
    if schema.pseudonyms and key is not None:
        rest = _with_pseudonyms(rest, source.scan(), schema.pseudonyms, key)
    if plan.suppressed == "blank-sensitive" and suppressed.any():
        rest = _blanked(rest, suppressed, [name for name in others if name in schema.sensitive])

    unit, regions_in_order = prepared.unit_of_row, region_of_row
    gone = region_of_row == WITHHELD
    if plan.suppressed == "drop":
        gone |= suppressed
    order = _without(gone, None if drawn is None else drawn.result())
    if order is not None:
        regions_in_order = region_of_row[order]
        unit = None if unit is None else unit[order]
        if others:
            # In one piece: of many each cell would be looked for.
            rest = rest.collect(engine="streaming").rechunk()[order].lazy()
    labels = label_columns(table, regions, regions_in_order, table.names)
    frame = pl.concat([labels, rest], how="horizontal") if others else labels
    asked = schema.weight is not None or schema.household is not None
    return Published(frame.select(columns), tuple(columns), unit, region_of_row if asked else None)


def _with_pseudonyms(rest: pl.LazyFrame, scan: pl.LazyFrame, names: tuple[str, ...], key: bytes) -> pl.LazyFrame:
    # From the scan, where missing texts are null: a pseudonym of "?" would join all who lack one.
    made = pseudonymized(scan, names, key)
    return pl.concat([rest.drop(names), made.lazy()], how="horizontal").select(rest.collect_schema().names())


def _without(gone: NDArray[np.bool_], order: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
    """Return the input rows in the order in which they are published; None for all of them as they come."""
    if not gone.any():
        return order
    return np.flatnonzero(~gone) if order is None else order[~gone[order]]


def _blanked(rest: pl.LazyFrame, suppressed: NDArray[np.bool_], sensitive: list[str]) -> pl.LazyFrame:
    mark = free_name(rest.collect_schema().names())
    marked = pl.concat([rest, pl.LazyFrame({mark: suppressed})], how="horizontal")
    return marked.with_columns(
        pl.when(pl.col(mark)).then(None).otherwise(pl.col(name)).alias(name) for name in sensitive
    ).drop(mark)
