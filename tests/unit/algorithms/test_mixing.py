"""Classes like the table: how close one of a given size can come, and what mixing promises."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import problem_of, search
from shoal.algorithms import TopDown
from shoal.algorithms.mixing import closest_mix, rows_within
from shoal.algorithms.quotas import deal_by_quotas
from shoal.core.recoding import regions_of
from shoal.models import KAnonymity, TCloseness
from strategies import tables


def distance(counts, shares):
    return sum(abs(c / sum(counts) - p) for c, p in zip(counts, shares, strict=True)) / 2


counted = st.lists(st.integers(1, 9), min_size=2, max_size=4)


@given(counted, st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_no_class_of_so_many_rows_is_closer(counts, rows):
    shares = np.array(counts) / sum(counts)
    least = min(distance(c, shares) for c in product(range(rows + 1), repeat=len(counts)) if sum(c) == rows)
    assert closest_mix(shares, rows) == pytest.approx(least)


@given(counted, st.floats(0.01, 1.0))
def test_smaller_classes_are_too_far(counts, t):
    shares = np.array(counts) / sum(counts)
    rows = rows_within(shares, t)
    assert closest_mix(shares, rows) <= t + 1e-9
    assert all(closest_mix(shares, fewer) > t for fewer in range(1, rows))


@given(tables(max_rows=24, unit=False), st.sampled_from(["1/5", "1/3"]), st.sampled_from([-math.inf, math.inf]))
@settings(max_examples=30, deadline=None)
def test_mixed_classes_pass_even_where_there_is_no_time(drawn, t, deadline):
    table = drawn[0]
    problem = problem_of(table, (KAnonymity(k=2), TCloseness(sensitive="s0", t=t)))
    whole = search(TopDown(), table, problem)
    if whole is None:
        return
    regions = deal_by_quotas(table, problem, "nodes", regions_of(whole, table), boxes="fit", deadline=deadline)
    assert regions.rows.sum() == table.n_rows
    assert not regions.suppressed_rows
    assert not problem.violating(regions.classes(table, problem.columns)).any()
