"""Two classes divided anew, against trying all ways to divide their records."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import problem_of
from shoal.algorithms.improving import Improver
from shoal.algorithms.side_prices import side_prices
from shoal.core.hierarchy import Hierarchy
from shoal.core.recoding import Regions
from shoal.kernels.improving.resplit import resplit
from shoal.models import KAnonymity, LDiversity
from strategies import table_of

N = 6
TREE = Hierarchy.from_paths([str(i) for i in range(N)], [[f"g{i // 2}", "*"] for i in range(N)], order=range(N))
VALUES = Hierarchy.from_paths(["a", "b"], [["*"]] * 2)

records = st.lists(
    st.tuples(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), st.tuples(st.integers(0, 1))),
    min_size=4,
    max_size=9,
    unique=True,
)


def width(codes, labels):
    """The leaves of the side that holds *codes*, less one, by hand: a leaf, a pair or everything."""
    low, high = min(codes), max(codes)
    if labels == "sets" or low == high:
        return high - low
    return 1 if low // 2 == high // 2 else N - 1


def cost_of(group, labels):
    return len(group) * sum(width(codes, labels) / (N - 1) for codes in zip(*(q for q, _ in group), strict=True))


@given(records, st.sampled_from(["nodes", "sets"]), st.integers(1, 2))
@settings(max_examples=60, deadline=None)
def test_no_other_division_loses_less(drawn, labels, l):
    rows = sorted(drawn)
    table = table_of([(q, s, None) for q, s in rows], (TREE, TREE), (VALUES,))
    problem = problem_of(table, (KAnonymity(k=2), LDiversity(sensitive="s0", l=l)))
    item = {(tuple(table.codes[table.point_of_item[i]]), tuple(table.sensitive[i])): i for i in range(len(rows))}
    order = [item[row] for row in rows]

    def passes(group):
        return len(group) >= 2 and len({s for _, s in group}) >= l

    found = [
        (cost_of(a, labels) + cost_of(b, labels), sides)
        for sides in product((0, 1), repeat=len(rows))
        for a, b in [[[r for r, side in zip(rows, sides, strict=True) if side == x] for x in (0, 1)]]
        if passes(a) and passes(b)
    ]
    if not found:
        return
    # The dearest division that passes is the start.
    region = np.empty(len(rows), np.int32)
    region[order] = max(found)[1]
    codes = table.codes[table.point_of_item]
    lo, hi = (np.array([end(codes[region == x], axis=0) for x in (0, 1)], np.int32) for end in (np.min, np.max))
    ones = np.ones(len(rows), np.int64)
    start = Regions(lo, hi, np.arange(len(rows) + 1), region, ones, labels)
    improver = Improver(table, problem, start, side_prices(table, problem, labels, fit=False))
    before = improver.cost
    assert before == pytest.approx(max(found)[0])
    changed = resplit(improver.state, improver.prices.prices, improver.asked, 0, 1)
    assert improver.cost == pytest.approx(min(found)[0])
    assert bool(changed) == (improver.cost < before - 1e-9)
