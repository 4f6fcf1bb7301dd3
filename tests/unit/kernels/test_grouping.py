"""Grouping agrees with plain Python, whether it hashes, sorts or packs in stages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels import grouping
from shoal.kernels.grouping import distinct_rows, group_columns, group_keys, rank_columns, sort_keys, sum_by_group

rows = st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=30)


def columns_of(drawn):
    return [np.array([row[j] for row in drawn], np.uint8) for j in range(3)]


@given(rows)
def test_groups_are_numbered_by_first_appearance(drawn):
    groups, first = group_columns(columns_of(drawn), [4, 4, 4])
    seen = list(dict.fromkeys(drawn))
    assert groups.tolist() == [seen.index(row) for row in drawn]
    assert first.tolist() == [drawn.index(row) for row in seen]


@pytest.mark.parametrize("large", [0, 1 << 20], ids=["sorted", "hashed"])
@pytest.mark.parametrize("limit", [8, 1 << 63], ids=["in stages", "one key"])
@given(drawn=rows)
def test_ranks_are_in_the_order_of_the_rows(large, limit, drawn):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_LARGE", large or 1)
        patch.setattr(grouping, "_SAMPLE", 1)
        patch.setattr(grouping, "KEY_LIMIT", limit)
        groups, some = rank_columns(columns_of(drawn), [4, 4, 4])
        same, distinct = distinct_rows(columns_of(drawn), [4, 4, 4])
    ordered = sorted(set(drawn))
    assert groups.tolist() == same.tolist() == [ordered.index(row) for row in drawn]
    assert [drawn[i] for i in some] == ordered
    assert [tuple(row) for row in distinct.tolist()] == ordered


def test_a_table_of_groups_grows_with_them():
    keys = np.arange(100_000, dtype=np.uint64) % np.uint64(60_001)
    groups, first = group_keys(keys)
    assert np.array_equal(groups, keys)
    assert np.array_equal(first, np.arange(60_001))


def test_sums_are_exact_and_leave_out_rows_of_no_group():
    big = 2**53
    assert sum_by_group(np.array([0, 0, -1]), np.array([big, 1, 5]), 1).tolist() == [big + 1]


@pytest.mark.parametrize("large", [1, 1 << 20], ids=["halves", "at once"])
@given(st.lists(st.sampled_from([0, 1, 5, 1 << 40, (1 << 63) - 1, (1 << 64) - 1]), max_size=40))
def test_equal_keys_keep_the_order_of_their_rows(large, drawn):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_LARGE", large)
        patch.setattr(grouping, "_SAMPLE", 1)
        order, ordered = sort_keys(np.array(drawn, np.uint64))
    assert order.tolist() == sorted(range(len(drawn)), key=drawn.__getitem__)
    assert ordered.tolist() == sorted(drawn)
