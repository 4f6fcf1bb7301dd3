"""The prosecutor's risk, DIS-SUDA and the estimates of a population, against their definitions."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import fsolve

from oracles import dis_suda, reidentification, special_uniques
from oracles.shlosser import classes_of_population
from shoal.risk import risk_of, suda
from shoal.risk.snb import expected_counts, shlosser, snb
from strategies import tables

LAW = settings(max_examples=200, deadline=None)
plain = st.one_of(tables(max_rows=10), tables(max_rows=10, max_qi=4, max_leaves=3))
samples = st.lists(st.integers(1, 6), min_size=4, max_size=40)


@LAW
@given(plain, st.fractions(min_value=0, max_value=1, max_denominator=20))
def test_the_prosecutors_risk_is_that_of_every_member(drawn, threshold):
    table, rows = drawn
    classes = table.classes(table.point_of_item.astype(np.int32), table.n_points)
    found = risk_of(classes, threshold=threshold, by_people=table.unit is not None)
    expected = reidentification.figures([(q, person) for q, _, person in rows], threshold)
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(float(value)), name


@LAW
@given(plain, st.sampled_from([0.01, 0.1, 0.5, 1.0]), st.sampled_from(["elliot", "ihsn"]))
def test_dis_and_dis_suda_are_those_of_their_definition(drawn, fraction, scores):
    table, rows = drawn
    found = suda(table, sampling_fraction=fraction, scores=scores)
    plain_rows = [(q, person) for q, _, person in rows]
    groups = reidentification.figures(plain_rows, 1)
    assert found.uniques == groups["uniques"]
    chance = dis_suda.dis(found.uniques, found.pairs, fraction)
    assert found.dis == (None if chance is None else pytest.approx(chance))
    entries = {}
    for i, (q, person) in enumerate(plain_rows):
        entries.setdefault((q, person if person is not None else q), i)
    each = [special_uniques.score(plain_rows, i, table.n_qi, scores) for i in entries.values()]
    if chance and any(each):
        expected = dis_suda.spread(each, found.uniques, chance, table.n_qi)
        assert sorted(found.dis_score) == pytest.approx(sorted(expected))
        assert found.highest_dis == pytest.approx(max(expected))
    else:
        assert not found.dis_score.any()


@LAW
@given(samples, st.floats(0.05, 0.95))
def test_shlossers_number_of_classes_is_that_of_its_formula(found, fraction):
    size, times = np.unique(found, return_counts=True)
    assert shlosser(size, times, fraction) == pytest.approx(classes_of_population(found, fraction))


@settings(max_examples=25, deadline=None)
@given(samples, st.sampled_from([0.2, 0.4, 0.6, 0.8]))
def test_the_slide_negative_binomial_estimate_solves_both_of_its_equations(found, fraction):
    size, times = np.unique(found, return_counts=True)
    estimate = snb(size, times, fraction)
    assume(estimate is not None)
    classes = classes_of_population(found, fraction)
    ones, twos = found.count(1), found.count(2)

    def gaps(x):
        alpha, beta = np.exp(x[0]), 1 / (1 + np.exp(-x[1]))
        one, two = expected_counts(np.array([alpha]), np.array([beta]), classes, fraction)
        return [one[0] - ones, two[0] - twos]

    # A solver that knows nothing of the search finds the same number of uniques from some start.
    near = []
    for start in [(a, b) for a in (-4, -1, 0, 1, 3, 6) for b in (-6, -2, 0, 2, 6)]:
        with np.errstate(all="ignore"):
            x, _, done, _ = fsolve(gaps, start, full_output=True)
        if done == 1 and max(map(abs, gaps(x))) < 1e-6:
            near.append(classes * (1 / (1 + np.exp(-x[1]))) ** np.exp(x[0]))
    assume(near)
    assert min(abs(uniques - estimate) for uniques in near) <= 1e-3 * max(1.0, estimate)
