"""Sizes of classes and the curve of risk, over plain lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.classes import Classes
from shoal.utility.class_sizes import edges_for, risk_curve, size_bins

sizes = st.lists(st.integers(1, 3000), min_size=1, max_size=30)


@given(sizes, st.integers(1, 40))
def test_every_class_is_in_one_bin_and_one_bin_begins_at_k(found, k):
    array = np.array(found, np.int64)
    edges = edges_for(array, k=k)
    bins = size_bins(array, edges)
    assert k in edges
    for b in bins:
        inside = [size for size in found if size >= b.low and (b.high is None or size <= b.high)]
        assert (b.classes, b.members) == (len(inside), sum(inside))
    assert sum(b.members for b in bins) == sum(found)


@given(sizes, st.lists(st.integers(1, 200), min_size=1))
def test_the_curve_is_the_share_of_members_with_a_higher_risk(found, inverse):
    # At exactly 1 / size nobody is above: the threshold of k = 5 is met by classes of 5.
    at = np.array([1 / n for n in inverse])
    curve = risk_curve(Classes.from_counts(found), at)
    for n, share in zip(inverse, curve, strict=True):
        assert share == sum(size for size in found if size < n) / sum(found)
