"""Columns that go together: against the definitions over plain lists."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import column_groups as oracle
from shoal.kernels.contingency import mean_square_contingency
from shoal.kernels.medoids import medoids_of

codes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=12)


@given(codes)
def test_contingency_is_that_of_its_definition(rows):
    first, second, counts = (np.array(column) for column in zip(*rows, strict=True))
    plain = [(a, b) for a, b, n in rows for _ in range(n)]
    found = mean_square_contingency(first, second, counts, (4, 5))
    assert found == pytest.approx(float(oracle.contingency(*zip(*plain, strict=True))), abs=1e-9)
    assert found == mean_square_contingency(second, first, counts, (5, 4))


def distances(draw_from, n):
    matrix = np.zeros((n, n))
    for (i, j), value in zip(combinations(range(n), 2), draw_from, strict=True):
        matrix[i, j] = matrix[j, i] = value / 4
    return matrix


@given(st.integers(1, 7), st.data())
def test_few_members_get_the_medoids_of_least_cost(n, data):
    n_pairs = n * (n - 1) // 2
    matrix = distances(data.draw(st.lists(st.integers(0, 4), min_size=n_pairs, max_size=n_pairs)), n)
    c = data.draw(st.integers(1, n))
    medoids, cluster = medoids_of(matrix, c)
    assert (medoids.tolist(), cluster.tolist()) == oracle.medoids(matrix.tolist(), c)


def test_many_members_get_medoids_that_no_swap_improves():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(14, 2)) + rng.integers(0, 3, 14)[:, None] * 10
    matrix = np.linalg.norm(points[:, None] - points, axis=2)
    medoids, cluster = medoids_of(matrix, 3)
    cost = matrix[:, medoids].min(axis=1).sum()
    for old in medoids.tolist():
        for new in set(range(14)) - set(medoids.tolist()):
            assert matrix[:, [*(set(medoids.tolist()) - {old}), new]].min(axis=1).sum() >= cost - 1e-9
    assert (matrix[np.arange(14), medoids[cluster]] == matrix[:, medoids].min(axis=1)).all()
