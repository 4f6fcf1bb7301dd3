"""Estimating counts from cells that cover several values, one query at a time."""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

from shoal.kernels.jit import kernel

__all__ = ["estimate_counts"]


@kernel
def estimate_counts(  # pragma: no cover - compiled
    cells: Any,
    starts: Any,
    weight: Any,
    query_starts: Any,
    column: Any,
    group: Any,
    at: Any,
    shares: Any,
    estimates: Any,
) -> None:
    """Add up what each bucket is expected to hold of each query.

    Rows ``starts[b]:starts[b + 1]`` of *cells* are the entries of bucket *b*, which stands for ``weight[b]``
    records. Conditions ``query_starts[q]:query_starts[q + 1]`` are of query *q*, those of one group of columns
    beside each other: label *v* of ``column[c]`` meets condition *c* with probability ``shares[at[c] + v]``. An
    entry meets the conditions of a group together, and groups go together at random.
    """
    for query in range(query_starts.shape[0] - 1):
        first, last = query_starts[query], query_starts[query + 1]
        total = 0.0
        for bucket in range(starts.shape[0] - 1):
            expected = weight[bucket]
            low, high = starts[bucket], starts[bucket + 1]
            begin = first
            while begin < last and expected > 0.0:
                end = begin + 1
                while end < last and group[end] == group[begin]:
                    end += 1
                met = 0.0
                for row in range(low, high):
                    share = 1.0
                    for condition in range(begin, end):
                        share *= shares[at[condition] + cells[row, column[condition]]]
                        if share == 0.0:
                            break
                    met += share
                expected *= met / (high - low)
                begin = end
            total += expected
        estimates[query] = total
