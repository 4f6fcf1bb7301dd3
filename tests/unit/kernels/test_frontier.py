"""Groups of different values, against forming them one row at a time."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracles import frontier as oracle
from shoal.kernels.frontier import frontier_groups

records = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 6)), min_size=1, max_size=14)


def eligible(value, rows, l):
    counted = Counter(np.repeat(value, rows).tolist())
    return l * max(counted.values()) <= sum(counted.values())


@settings(max_examples=400)
@given(records, st.integers(1, 4))
def test_equals_forming_groups_row_by_row(drawn, l):
    value, rows = (np.array(column) for column in zip(*drawn, strict=True))
    assume(eligible(value, rows, l))
    record_of_row = np.repeat(np.arange(len(value)), rows)
    expected = Counter(
        tuple(sorted(record_of_row[group].tolist())) for group in oracle.groups(value[record_of_row].tolist(), l)
    )
    shares, times = frontier_groups(value.astype(np.int32), rows, l=l)
    found = Counter()
    for group, repeat in enumerate(times.tolist()):
        record, _, taken = shares[shares[:, 1] == group].T
        assert not (taken % repeat).any()
        found[tuple(sorted(np.repeat(record, taken // repeat).tolist()))] += repeat
    assert found == expected


@given(records, st.integers(1, 4))
def test_groups_are_small_and_no_value_is_frequent(drawn, l):
    value, rows = (np.array(column) for column in zip(*drawn, strict=True))
    assume(eligible(value, rows, l))
    shares, times = frontier_groups(value.astype(np.int32), rows, l=l)
    assert np.bincount(shares[:, 0], shares[:, 2]).tolist() == rows.tolist()
    for group, repeat in enumerate(times.tolist()):
        record, _, taken = shares[shares[:, 1] == group].T
        assert l <= taken.sum() / repeat <= 2 * l - 1
        assert l * np.bincount(value[record], taken).max() <= taken.sum()


def test_nothing_to_group():
    shares, times = frontier_groups(np.empty(0, np.int32), np.empty(0, np.int64), l=3)
    assert shares.shape == (0, 3)
    assert times.tolist() == []


def test_a_value_that_is_too_frequent_is_refused():
    with pytest.raises(ValueError, match="share"):
        frontier_groups(np.array([0, 0, 1], np.int32), np.array([1, 1, 1]), l=2)
