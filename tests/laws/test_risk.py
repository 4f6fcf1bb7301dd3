"""Every measure of risk, against its definition over plain lists on random tables."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from oracles import special_uniques, survey
from oracles.population_uniqueness import zayatz
from oracles.tables import sizes
from shoal.core.classes import Classes
from shoal.core.population import classes_at
from shoal.risk import (
    column_sets,
    household_risk,
    individual_risk,
    measure_columns,
    measure_households,
    poisson_uniqueness,
    population_risk,
    population_uniqueness,
    suda,
    survey_risk,
)
from shoal.risk.causes import alone_without
from shoal.risk.gamma import digamma, log_gamma
from shoal.risk.pitman import highest_likelihood, log_likelihood, pitman
from shoal.risk.snb import expected_counts, snb
from shoal.risk.uniqueness import estimate_uniqueness
from strategies import table_of, tables

LAW = settings(max_examples=200, deadline=None)

plain = st.one_of(tables(max_rows=10), tables(max_rows=10, max_qi=4, max_leaves=3))


def rows_of(rows):
    return [(q, person) for q, _, person in rows]


@LAW
@given(plain, st.integers(1, 4), st.sampled_from(["elliot", "ihsn"]))
def test_special_uniques_are_those_of_looking_at_every_set(drawn, m, scores):
    table, rows = drawn
    found, plain_rows = suda(table, m=m, scores=scores), rows_of(rows)
    sets = [special_uniques.minimal_uniques(plain_rows, i, m) for i in range(len(rows))]
    of_point = {tuple(table.codes[point].tolist()): point for point in range(table.n_points)}
    entry = {}
    for i, (q, _, person) in enumerate(rows):
        entry.setdefault((of_point[q], person), i)
    expected = [special_uniques.score(plain_rows, i, found.m, scores) for i in entry.values()]
    assert sorted(found.score) == pytest.approx(sorted(expected))
    by_size = [sum(len(chosen) == k for i in entry.values() for chosen in sets[i]) for k in range(1, found.m + 1)]
    assert list(found.by_size) == by_size
    holders = {i if person is None else person for i, (_, _, person) in enumerate(rows) if sets[i]}
    with_score = {
        i if rows[i][2] is None else rows[i][2]
        for i in entry.values()
        if special_uniques.score(plain_rows, i, found.m, scores)
    }
    assert found.records == len(with_score) <= len(holders)
    for listed in found.column_sets:
        columns = tuple(table.names.index(name) for name in listed["columns"])
        alone = {i if rows[i][2] is None else rows[i][2] for i in entry.values() if columns in sets[i]}
        assert listed["records"] == len(alone) > 0
    whole = sum(expected)
    for j, name in enumerate(table.names):
        mine = sum(
            special_uniques.worth(len(chosen), table.n_qi, found.m, scores)
            for i in entry.values()
            for chosen in sets[i]
            if j in chosen
        )
        assert found.contributions[name] == pytest.approx(mine / whole if whole else 0)


@LAW
@given(plain)
def test_distinction_and_separation_are_those_of_all_pairs(drawn):
    table, rows = drawn
    for n in range(1, table.n_qi + 1):
        for chosen in combinations(range(table.n_qi), n):
            found = measure_columns(table, [table.names[j] for j in chosen])
            groups = sizes([(tuple(q[j] for j in chosen), person) for q, _, person in rows])
            total = sum(groups)
            assert found.distinction == pytest.approx(len(groups) / total)
            pairs = total * (total - 1)
            together = sum(size * (size - 1) for size in groups)
            assert found.separation == pytest.approx(1 - together / pairs if pairs else 0)


@LAW
@given(plain, st.integers(0, 20))
def test_the_listed_sets_are_measured_and_ordered(drawn, room):
    table, _ = drawn
    found = column_sets(table, sets=room)
    assert [one.columns for one in found[: table.n_qi]] == [(name,) for name in table.names]
    assert len({one.columns for one in found}) == len(found) <= max(room, table.n_qi) + 1
    assert all(one == measure_columns(table, one.columns) for one in found)
    separations = [one.separation for one in found[table.n_qi :]]
    assert separations == sorted(separations, reverse=True)


@LAW
@given(plain, st.data())
def test_risk_by_a_population_is_one_over_its_classes(drawn, data):
    table, rows = drawn
    cell = st.tuples(*(st.integers(0, tree.n_values - 1) for tree in table.hierarchies))
    people = [q for q, _, _ in rows] + data.draw(st.lists(cell, max_size=8))
    population = table_of([(q, (), None) for q in people], table.hierarchies)
    bottom = (0,) * table.n_qi
    _, _, classes = classes_at(table, bottom, reads={"population"}, population=population)
    found = population_risk(classes, threshold="1/3")
    members = {(q, i if person is None else person) for i, (q, _, person) in enumerate(rows)}
    risks = [Fraction(1, people.count(q)) for q, _ in members]
    assert found.highest == float(max(risks))
    assert found.average == pytest.approx(float(sum(risks) / len(risks)))
    assert found.expected == pytest.approx(float(sum(risks)))
    assert found.share_above == pytest.approx(sum(risk > Fraction(1, 3) for risk in risks) / len(risks))
    assert (found.members, found.uniques) == (len(members), risks.count(1))


def test_a_class_that_the_population_lacks_counts_as_large_as_it_is():
    found = population_risk(Classes.from_counts([2, 3], population=[0, 6]))
    assert (found.highest, found.unknown, found.smallest) == (1 / 2, 2, 0)


@LAW
@given(st.integers(1, 30), st.floats(0.02, 0.999))
def test_the_exact_individual_risk_is_the_mean_of_one_over_the_population(f, p):
    found = individual_risk(np.array([f]), np.array([f / p]), method="exact")[0]
    assert found == pytest.approx(survey.mean_of_inverse(f, p), rel=1e-8)
    approx = individual_risk(np.array([f]), np.array([f / p]))[0]
    assert p / f - 1e-15 <= approx <= 1 / f
    if f <= 2:
        assert approx == pytest.approx(found, rel=1e-9)


def test_weights_below_the_sample_mean_that_there_is_no_other_population():
    assert individual_risk(np.array([2, 4]), np.array([2.0, 1.0])).tolist() == [0.5, 0.25]


@LAW
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3)), min_size=1, max_size=8))
def test_household_risk_is_that_of_at_least_one_member(drawn):
    risk, household = np.array([r for r, _ in drawn]), np.array([h for _, h in drawn])
    for found, (_, mine) in zip(household_risk(risk, household), drawn, strict=True):
        assert found == pytest.approx(survey.household([r for r, h in drawn if h == mine]), abs=1e-12)


@LAW
@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.sampled_from([2, 3, 5]))
def test_zayatz_is_what_the_hypergeometric_distribution_says(found, inverse):
    share = estimate_uniqueness(np.array(found), 1 / inverse, "zayatz")
    expected = float(zayatz(found, Fraction(1, inverse)))
    assert share == pytest.approx(expected, rel=1e-9) if share is not None else expected > 1


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 8), min_size=4, max_size=40))
def test_pitman_has_the_highest_likelihood(found):
    size, times = np.unique(found, return_counts=True)
    if pitman(size, times, 0.1) is None:
        return

    def negative(x):
        alpha = 1 / (1 + np.exp(-x[1]))
        return -log_likelihood(np.exp(x[0]) - alpha, alpha, size, times)

    best = -min(minimize(negative, start, method="Nelder-Mead").fun for start in ([0, 0], [2, 1], [3, -2]))
    likely = highest_likelihood(size, times)
    assert likely >= best - 1e-6 * max(1, abs(best))


@settings(max_examples=100, deadline=None)
@given(st.floats(0.2, 5), st.floats(0.1, 0.9), st.floats(0.15, 0.9))
def test_slide_negative_binomial_expects_what_its_probabilities_say(alpha, beta, fraction):
    # Classes of size 1 + j by their probabilities, each member drawn with the sampling fraction.
    ones = twos = 0.0
    chance = beta**alpha
    for j in range(4000):
        n = j + 1
        ones += chance * n * fraction * (1 - fraction) ** (n - 1)
        twos += chance * n * (n - 1) / 2 * fraction**2 * (1 - fraction) ** (n - 2) if n > 1 else 0
        chance *= (alpha + j) / (j + 1) * (1 - beta)
    found = expected_counts(np.array([alpha]), np.array([beta]), 1.0, fraction)
    assert found[0][0] == pytest.approx(ones, rel=1e-6)
    assert found[1][0] == pytest.approx(twos, rel=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=5, max_size=60), st.sampled_from([0.2, 0.5, 0.8]))
def test_estimates_are_shares_and_dankars_rule_picks_one(found, fraction):
    estimate = population_uniqueness(np.array(found), sampling_fraction=fraction)
    shares = {name: getattr(estimate, name) for name in ("pitman", "zayatz", "snb")}
    assert all(share is None or 0 <= share <= 1 for share in shares.values())
    known = [shares[name] for name in ("zayatz", "snb") if shares[name] is not None]
    assert estimate.chosen == (min(known) if known else 0)
    assert estimate.chosen == estimate_uniqueness(np.array(found), fraction, "dankar")
    size, times = np.unique(found, return_counts=True)
    uniques = snb(size, times, fraction)
    assert uniques is None or uniques >= 0


def test_estimates_come_near_a_population_that_is_known():
    rng = np.random.default_rng(7)
    population = np.minimum(rng.zipf(1.5, 40_000), 10**6)
    _, whole = np.unique(population, return_counts=True)
    truth = (whole == 1).sum() / population.size
    for fraction in (0.05, 0.1, 0.3, 0.6):
        drawn = population[rng.random(population.size) < fraction]
        _, counts = np.unique(drawn, return_counts=True)
        found = population_uniqueness(counts, sampling_fraction=fraction)
        assert found.chosen == pytest.approx(truth, rel=0.3)
        assert found.method == ("pitman" if fraction <= 0.1 else found.method)


@LAW
@given(plain, st.sampled_from(["1/10", "1/2", 1]))
def test_poisson_with_independent_columns(drawn, fraction):
    table, rows = drawn
    q, f = [cells for cells, _, _ in rows], float(Fraction(fraction))
    total = 0.0
    for cells in q:
        if q.count(cells) == 1:
            expected = len(q)
            for j, code in enumerate(cells):
                expected *= sum(other[j] == code for other in q) / len(q)
            total += np.exp(-expected * (1 - f) / f)
    assert poisson_uniqueness(table, sampling_fraction=fraction) == pytest.approx(min(1, total / len(q)))


def test_the_gamma_function_and_its_derivative():
    from scipy import special

    x = np.concatenate([np.geomspace(1e-6, 1e9, 300), np.arange(1, 50) / 7])
    assert log_gamma(x) == pytest.approx(special.gammaln(x), rel=1e-12, abs=1e-12)
    assert digamma(x) == pytest.approx(special.digamma(x), rel=1e-12, abs=1e-12)


def test_survey_risk_sums_up():
    found = survey_risk(np.array([1, 2]), np.array([4.0, 400.0]), threshold="0.3")
    one, two = individual_risk(np.array([1, 2]), np.array([4.0, 400.0]))
    assert found.expected == pytest.approx(one + 2 * two)
    assert (found.highest, found.share_above, found.population) == (one, 1 / 3, 404.0)


@LAW
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=1, max_size=9),
    st.fractions(min_value="0.01", max_value="0.99", max_denominator=100),
)
def test_household_risks_are_summed_up_over_members_and_over_households(drawn, threshold):
    found = measure_households(
        np.array([r for r, _ in drawn]), np.array([h for _, h in drawn]), threshold=threshold
    )
    of_household = {h: survey.household([r for r, other in drawn if other == h]) for _, h in drawn}
    of_members = [of_household[h] for _, h in drawn]
    assert (found.households, found.members) == (len(of_household), len(drawn))
    assert found.largest == max(sum(h == other for _, other in drawn) for h in of_household)
    assert found.highest == pytest.approx(max(of_members), abs=1e-12)
    assert found.expected == pytest.approx(sum(of_members), abs=1e-9)
    assert found.average == pytest.approx(sum(of_members) / len(drawn), abs=1e-9)
    assert found.expected_households == pytest.approx(sum(of_household.values()), abs=1e-9)
    near = any(abs(risk - float(threshold)) < 1e-9 for risk in of_members)
    above = sum(risk > float(threshold) for risk in of_members)
    assert near or found.share_above == pytest.approx(above / len(drawn))


@LAW
@given(plain)
def test_who_stands_alone_without_a_column(drawn):
    table, rows = drawn
    found, without = alone_without(table)

    def people(chosen):
        numbers = [i for i in range(len(rows)) if special_uniques.alone(rows_of(rows), i, chosen)]
        return len({i if rows[i][2] is None else rows[i][2] for i in numbers})

    columns = range(table.n_qi)
    assert found == people(columns)
    assert list(without) == [people([i for i in columns if i != j]) for j in columns]
