"""KL divergence: how far what a release says of the records lies from the records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.grouping import group_columns, rank_columns, sum_by_group
from shoal.kernels.overlap import add_up_boxes

__all__ = ["KLDivergence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KLDivergence:
    """Sum over distinct records of f ln(f / f*), in nats.

    ``f`` is the share of the records that are equal in quasi-identifiers and sensitive values, ``f*`` what a
    reader of the release expects: each published record is taken as spread evenly over its box, so that a box of
    *r* records with the sensitive values of a vector inside it adds ``(r / n) / cells``, where ``cells`` is the
    number of vectors of leaves in the box. Boxes of different classes may overlap, and all that hold the vector
    add up. Suppressed records are spread over the whole domain.

    The sensitive columns are those that some model of the run reads. Domains are those of the hierarchies.

    Notes
    -----
    Range: 0 to infinity; nats, not normalized.
    0 means: a reader who spreads records evenly gets the table back.
    Weights: neither attribute nor record weights.
    Nulls: the missing value is a value like any other.
    People: records are counted, whoever bears them.
    Cost: O(2^q n) at most for q quasi-identifiers, and the pairs of records and boxes that agree in the sensitive
    values and in every column that the box does not generalize.

    References
    ----------
    .. [1] Kifer, D., Gehrke, J. (2006), Injecting utility into anonymized datasets. doi:10.1145/1142473.1142499

    Examples
    --------
    Two records that share the box of both lose nothing: spread evenly, one is expected at each place.

    >>> from shoal.core.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    >>> table, _ = FrequencyTable.from_columns({"q": (tree, np.array([0, 1], np.int32))})
    >>> lo, hi, both = np.array([[0]], np.int32), np.array([[1]], np.int32), np.zeros(2, np.int32)
    >>> box = Regions(lo, hi, np.arange(3), both, np.array([1, 1]))
    >>> round(KLDivergence().of_release(table, box), 6)
    0.0
    """

    name: ClassVar[str] = "kl-divergence"

    def of_release(self, table: FrequencyTable, regions: Regions) -> float:
        """Return the divergence of the table from normalized *regions*."""
        n = table.n_rows
        if not n:
            return 0.0
        values = _sensitive_values(table)
        record, first = rank_columns(
            [table.point_of_item, values], [table.n_points, int(values.max(initial=0)) + 1]
        )
        share = sum_by_group(record, table.counts, len(first)) / n
        said = _expected(table.codes[table.point_of_item[first]], values[first], table, regions, values)
        return float((share * np.log(share / said)).sum())


def _sensitive_values(table: FrequencyTable) -> NDArray[np.int32]:
    """Number the distinct vectors of sensitive values of the items."""
    if not table.sensitive_names:
        return np.zeros(table.n_items, np.int32)
    sizes = [h.n_values for h in table.sensitive_hierarchies]
    return group_columns(list(table.sensitive.T), sizes)[0]


def _expected(
    codes: NDArray[np.int32],
    values: NDArray[np.int32],
    table: FrequencyTable,
    regions: Regions,
    value_of_item: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return the share of records that the release lets expect at each point with each sensitive value."""
    last = np.array([h.n_values - 1 for h in table.hierarchies], np.int32)
    lo = np.concatenate([regions.lo, np.zeros((1, table.n_qi), np.int32)])
    hi = np.concatenate([regions.hi, last[None, :]])
    # Suppressed shares have a negative region, so their box stands last.
    region = np.where(regions.region < 0, regions.n_regions, regions.region)
    n_values = int(values.max(initial=0)) + 1
    entry, first = group_columns([region, value_of_item[regions.item_of_share]], [len(lo), n_values])
    box, value = region[first], value_of_item[regions.item_of_share[first]]
    cells = (hi - lo + 1).astype(np.float64).prod(axis=1)
    weight = sum_by_group(entry, regions.rows, len(first)) / table.n_rows / cells[box]
    wide = lo < hi
    form, form_first = group_columns(list(wide.T), [2] * table.n_qi)
    whole = (~wide | ((lo == 0) & (hi == last))).all(axis=1)
    found = np.zeros(len(codes))
    for at in range(len(form_first)):
        # Boxes that generalize the same columns are found by the other columns' codes.
        mine = np.flatnonzero(form[box] == at)
        if not mine.size:
            continue
        same = np.flatnonzero(~wide[form_first[at]])
        columns = [np.concatenate([lo[box[mine], j], codes[:, j]]) for j in same]
        columns.append(np.concatenate([value[mine], values]))
        group, seen = group_columns(columns, [int(last[j]) + 1 for j in same] + [n_values])
        of_entry, of_point = group[: len(mine)], group[len(mine) :]
        if whole[box[mine]].all():
            found += sum_by_group(of_entry, weight[mine], len(seen))[of_point]
            continue
        order = mine[np.argsort(of_entry, kind="stable")]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(of_entry, minlength=len(seen)))])
        open_ = np.flatnonzero(wide[form_first[at]])
        low, high, inner = (np.ascontiguousarray(a[:, open_]) for a in (lo[box[order]], hi[box[order]], codes))
        add_up_boxes(inner, of_point, offsets, low, high, weight[order], found)
    return found
