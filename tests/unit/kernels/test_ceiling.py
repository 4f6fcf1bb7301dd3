"""The bound of the ceiling form is what its definition says, grows with unions, and repeats itself."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import ceiling_splits
from shoal.core.classes import Classes
from shoal.core.context import Context, SensitiveColumn
from shoal.core.hierarchy import Hierarchy
from shoal.kernels.ceiling import CeilingBound, ceiling_bound, effective_alpha, largest_under
from shoal.models import AlphaKAnonymity

LAW = settings(deadline=None, max_examples=60)

alphas = st.fractions(min_value="1/30", max_value=1, max_denominator=30)
sizes = st.integers(1, 7)


def bounds(alpha, k, n):
    return ceiling_bound(alpha, k, n)(np.arange(n + 1)).tolist()


def context_of(*totals):
    tree = Hierarchy.from_paths(["c", "n"], [["*"], ["*"]])
    return Context({"s": SensitiveColumn(tree, np.array(totals))}, n_rows=sum(totals))


@LAW
@given(alphas, sizes)
def test_the_bound_is_the_most_over_all_splits(alpha, k):
    expected = [ceiling_splits.most(n, alpha=alpha, k=k) or 0 for n in range(41)]
    assert bounds(alpha, k, 40) == expected


@LAW
@given(alphas, sizes, st.integers(1, 200))
def test_the_bound_repeats_itself_beyond_its_table(alpha, k, more):
    short = ceiling_bound(alpha, k, 10**6)
    assert short.table.shape[0] <= (2 * k) ** 2
    # A table of 600 rows by the same steps, without the period.
    whole = np.zeros(600 + 1, np.int64)
    for n in range(k, 601):
        parts = range(k, min(n, 2 * k - 1) + 1)
        whole[n] = max(whole[n - 1], *(whole[n - a] - (-alpha.numerator * a // alpha.denominator) for a in parts))
    assert short(np.arange(601)).tolist() == whole.tolist()
    assert int(short(np.array([10**6 + more]))[0]) <= effective_alpha(alpha, k) * (10**6 + more)


@LAW
@given(alphas, sizes)
def test_the_bound_grows_with_unions_and_stays_below_its_line(alpha, k):
    most = bounds(alpha, k, 60)
    for n in range(k, 61):
        assert most[n] < (alpha + Fraction(1, k)) * n
        assert most[n] <= effective_alpha(alpha, k) * n
        for first in range(k, n - k + 1):
            assert most[first] + most[n - first] <= most[n]


def test_a_table_that_would_take_too_long_gives_way_to_the_line():
    bound = ceiling_bound(Fraction(1, 2), 10**5, 10**7)
    assert not bound.table.size
    assert Fraction(bound.gain, bound.period) == effective_alpha(Fraction(1, 2), 10**5)
    n = np.array([10**7])
    assert 5 * 10**6 <= bound(n)[0] <= 6 * 10**6


@LAW
@given(
    st.lists(st.tuples(alphas, sizes), min_size=1, max_size=2), st.lists(st.integers(1, 30), max_size=4), st.data()
)
def test_nothing_needs_to_go_exactly_where_no_count_exceeds_its_bound(limits, counts, data):
    which = [data.draw(st.integers(-1, len(limits) - 1)) for _ in counts]
    made = [ceiling_bound(alpha, k, 200) for alpha, k in limits]
    size = sum(counts) + data.draw(st.integers(0, 20))
    kept = largest_under(
        np.array([0, len(counts)]), np.array(counts, np.int64), np.array(which, np.int64), made, np.array([size])
    )[0]

    def fits(n):
        room = [c if w < 0 else min(c, int(made[w](np.array([n]))[0])) for c, w in zip(counts, which, strict=True)]
        return n <= size - sum(counts) + sum(room)

    assert kept == max(n for n in range(size + 1) if fits(n))
    exceeded = any(w >= 0 and c > made[w](np.array([size]))[0] for c, w in zip(counts, which, strict=True))
    assert (kept < size) == exceeded


@LAW
@given(alphas, sizes, st.integers(0, 24), st.integers(0, 24))
def test_the_model_prunes_with_this_bound(alpha, k, sensitive, others):
    n = sensitive + others
    model = AlphaKAnonymity(sensitive="s", alpha={"c": alpha}, k=k, form="ceiling")
    classes = Classes.from_counts([n], {"s": [[sensitive, others]]})
    flat = context_of(sensitive, others)
    most = ceiling_splits.most(n, alpha=alpha, k=k)
    necessary = most is not None and sensitive <= most
    assert (model.must_suppress(classes, flat)[0] == 0) == (necessary or n == 0)


@pytest.mark.parametrize("size", [0, 1, 5])
def test_an_empty_table_is_a_line(size):
    line = CeilingBound(np.empty(0, np.int64), period=3, gain=2)
    assert line(np.array([size])).tolist() == [size * 2 // 3]
