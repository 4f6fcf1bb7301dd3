"""Shares of items agree with plain Python."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.dealing import dealt
from shoal.kernels.shares import merged_shares, shares_by_item

shares = st.lists(st.tuples(st.integers(0, 4), st.integers(-2, 6), st.integers(1, 9)), min_size=1, max_size=120)


def columns_of(drawn):
    item, place, rows = np.array(drawn, np.int64).T
    return item, place, rows


def by_item(offsets, place, rows):
    return [
        list(zip(place[start:stop].tolist(), rows[start:stop].tolist(), strict=True))
        for start, stop in pairwise(offsets)
    ]


@given(shares)
def test_shares_of_an_item_keep_their_order(drawn):
    found = by_item(*shares_by_item(*columns_of(drawn), 5))
    assert found == [[(place, rows) for i, place, rows in drawn if i == item] for item in range(5)]


@given(shares)
def test_shares_that_go_to_one_place_are_joined(drawn):
    found = by_item(*merged_shares(*shares_by_item(*columns_of(drawn), 5)))
    for item in range(5):
        expected = Counter()
        for i, place, rows in drawn:
            if i == item:
                expected[place] += rows
        assert found[item] == sorted(expected.items())


def test_what_was_given_stays_as_it_was():
    offsets, place, rows = np.array([0, 2]), np.array([1, 0], np.int32), np.array([3, 4])
    merged_shares(offsets, place, rows)
    assert (place.tolist(), rows.tolist()) == ([1, 0], [3, 4])


@given(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=4), min_size=1, max_size=5), st.randoms())
def test_rows_fill_the_shares_of_their_stack_one_after_another(stacks, random):
    rows = [stack for stack, sizes in enumerate(stacks) for _ in range(sum(sizes))]
    random.shuffle(rows)
    first = np.cumsum([0, *(len(sizes) for sizes in stacks[:-1])])
    found = dealt(np.array(rows, np.int32), first, np.array([size for sizes in stacks for size in sizes])).tolist()
    for stack, sizes in enumerate(stacks):
        expected = [first[stack] + i for i, size in enumerate(sizes) for _ in range(size)]
        assert [share for row, share in zip(rows, found, strict=True) if row == stack] == expected
