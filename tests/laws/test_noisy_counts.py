"""What holds of dp-counts, hybrid and diffgen on random tables."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import models, problem_of
from shoal.algorithms import DiffGen, DPCounts, Hybrid, Mondrian
from shoal.core.algorithm import Algorithm
from shoal.core.hierarchy import Hierarchy
from shoal.errors import InfeasibleError, SpecError
from shoal.models import KAnonymity
from strategies import table_of, tables

LAW = settings(max_examples=60, deadline=None)

EPSILONS = ["1/10", "0.3", 1, 3]
ONE = (KAnonymity(k=1),)

epsilons = st.sampled_from(EPSILONS)
labels = st.sampled_from(["nodes", "ranges"])
diffgens = st.builds(
    DiffGen,
    epsilon=epsilons,
    h=st.integers(0, 12),
    score=st.sampled_from(["max", "information-gain"]),
    labels=labels,
)
noisy = st.one_of(
    st.builds(DPCounts, epsilon=epsilons, labels=labels),
    st.builds(Hybrid, epsilon=epsilons, beta=st.sampled_from(["1/2", "0.9"]), labels=labels),
    diffgens,
)


def search(algorithm, table, problem, seed=0):
    try:
        return algorithm.search(table, problem, np.random.default_rng(seed)).recoding
    except InfeasibleError:
        return None


def entries(found):
    """The published rows of each (box, value)."""
    boxes = list(zip(map(tuple, found.lo.tolist()), map(tuple, found.hi.tolist()), strict=True))
    keys = [(boxes[r], v) for r, v in zip(found.region.tolist(), found.values.tolist(), strict=True)]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found.counts.tolist(), strict=True))


@LAW
@given(tables(unit=False), noisy, st.integers(0, 3))
def test_counts_are_whole_and_positive_and_each_box_has_some(drawn, algorithm, seed):
    table, _ = drawn
    found = search(algorithm, table, problem_of(table, ONE), seed)
    if found is None:
        return
    assert found.counts.dtype == np.int64
    assert (found.counts > 0).all()
    assert sorted(set(found.region.tolist())) == list(range(found.n_regions))
    assert ((found.values >= 0) & (found.values < table.sensitive_hierarchies[0].n_values)).all()
    assert found.sensitive == "s0"
    order = np.lexsort((found.values, found.region))
    assert (order == np.arange(len(order))).all()
    entries(found)
    for j, hierarchy in enumerate(table.hierarchies):
        assert ((found.lo[:, j] >= 0) & (found.hi[:, j] < hierarchy.n_values)).all()
        if found.labels == "nodes":
            sides = zip(found.lo[:, j].tolist(), found.hi[:, j].tolist(), strict=True)
            assert all(hierarchy.node_of(lo, hi) is not None for lo, hi in sides)


@LAW
@given(tables(unit=False), noisy, st.integers(0, 3))
def test_the_ledger_adds_up_to_the_budget(drawn, algorithm, seed):
    table, _ = drawn
    found = search(algorithm, table, problem_of(table, ONE), seed)
    if found is None:
        return
    guarantee = found.guarantee
    assert guarantee.epsilon == float(Fraction(str(algorithm.epsilon)))
    assert sum(spent.epsilon for spent in guarantee.ledger) == pytest.approx(guarantee.epsilon, rel=1e-12)
    assert all(spent.epsilon > 0 for spent in guarantee.ledger)
    assert guarantee.limits


@LAW
@given(tables(unit=False), noisy, st.integers(0, 3))
def test_a_seed_decides(drawn, algorithm, seed):
    table, _ = drawn
    first, second = (search(algorithm, table, problem_of(table, ONE), seed) for _ in range(2))
    assert (first is None) == (second is None)
    if first is not None:
        assert entries(first) == entries(second)


@LAW
@given(tables(unit=False), models, labels)
def test_without_noise_to_speak_of_the_counts_are_those_of_the_classes(drawn, models, labels):
    table, _ = drawn
    problem = problem_of(table, models)
    found = search(DPCounts(epsilon=1000, labels=labels), table, problem)
    plain = search(Mondrian(labels=labels), table, problem)
    assert (found is None) == (plain is None)
    if found is None:
        return
    of_region = list(zip(map(tuple, plain.lo.tolist()), map(tuple, plain.hi.tolist()), strict=True))
    expected = Counter()
    for item, region, count in zip(plain.item_of_share, plain.region, plain.rows, strict=True):
        if region >= 0:
            expected[of_region[region], int(table.sensitive[item, 0])] += int(count)
    assert entries(found) == expected


@LAW
@given(tables(unit=False), diffgens, st.integers(0, 3))
def test_without_noise_to_speak_of_boxes_of_diffgen_tile_the_domain_and_count_every_record(drawn, algorithm, seed):
    table, rows = drawn
    found = search(replace(algorithm, epsilon=1000), table, problem_of(table, ONE), seed)
    expected = Counter()
    for quasi, sensitive, _ in rows:
        inside = (found.lo <= quasi).all(axis=1) & (np.array(quasi) <= found.hi).all(axis=1)
        (box,) = np.flatnonzero(inside)
        expected[(tuple(found.lo[box].tolist()), tuple(found.hi[box].tolist())), sensitive[0]] += 1
    assert entries(found) == expected
    for leaf in product(*(range(h.n_values) for h in table.hierarchies)):
        inside = (found.lo <= leaf).all(axis=1) & (np.array(leaf) <= found.hi).all(axis=1)
        assert inside.sum() <= 1


@LAW
@given(tables(unit=False, max_qi=2), diffgens)
def test_enough_divisions_tell_every_vector_apart(drawn, algorithm):
    table, rows = drawn
    found = search(replace(algorithm, epsilon=1000, h=1000), table, problem_of(table, ONE))
    assert (found.lo == found.hi).all()
    assert found.counts.sum() == len(rows)


DECLARED = Hierarchy.from_paths(["a", "b", "c", "d"], [["ab"], ["ab"], ["cd"], ["cd"]], declared=True)
READ = Hierarchy.from_paths(["a", "b"], [[], []])
WITH_NULL = Hierarchy.from_paths(["a", "b"], [[], []], null=True, declared=True)


def small(quasi, sensitive, unit=None):
    people = range(6) if unit else [None] * 6
    return table_of([((i % 2,), (i % 2,), person) for i, person in enumerate(people)], [quasi], [sensitive])


@pytest.mark.parametrize(
    ("quasi", "sensitive", "names"),
    [
        (DECLARED, DECLARED, ""),
        (READ, DECLARED, "q0"),
        (DECLARED, READ, "s0"),
        (WITH_NULL, READ, "q0, s0"),
    ],
)
def test_diffgen_promises_nothing_of_domains_that_were_read_off_the_table(quasi, sensitive, names):
    table = small(quasi, sensitive)
    guarantee = DiffGen().search(table, problem_of(table, ONE), np.random.default_rng(0)).recoding.guarantee
    assert guarantee.holds == (not names)
    told = [limit for limit in guarantee.limits if "read off the table" in limit]
    assert len(told) == bool(names)
    assert not names or f"Which values {names} can have" in told[0]
    vouched = DiffGen(public_domain=True).search(table, problem_of(table, ONE), np.random.default_rng(0)).recoding
    assert vouched.guarantee.holds
    assert any("You vouch" in limit for limit in vouched.guarantee.limits) == bool(names)


def test_classes_that_depend_on_the_records_promise_nothing():
    table = small(DECLARED, DECLARED)
    for algorithm in (DPCounts(), Hybrid()):
        guarantee = search(algorithm, table, problem_of(table, ONE)).guarantee
        assert not guarantee.holds
        assert "no promise" in guarantee.limits[0]
    assert "from 1 to 0.9347" in guarantee.limits[-1]


def test_the_budget_of_a_step_is_that_of_the_paper():
    # Two columns are cut, h = 3: eps/(2 (2 + 2 * 3)) = eps/16 for each of 8 draws.
    tree = Hierarchy.from_paths([str(i) for i in range(9)], [[]] * 9, order=range(9), declared=True)
    table = table_of([((i, i), (i % 2,), None) for i in range(9)], [tree, tree], [DECLARED])
    found = DiffGen(labels="ranges", h=3).search(table, problem_of(table, ONE), np.random.default_rng(0)).recoding
    assert [spent.epsilon for spent in found.guarantee.ledger] == [2 / 16, 3 / 16, 3 / 16, 1 / 2]


@pytest.mark.parametrize("algorithm", [DPCounts(), Hybrid(), DiffGen()])
@pytest.mark.parametrize("n", [0, 2])
def test_exactly_one_sensitive_column_is_needed(algorithm, n):
    assert isinstance(algorithm, Algorithm)
    table = table_of([((i % 2,), (0,) * n, None) for i in range(4)], [READ], [READ] * n)
    with pytest.raises(SpecError, match=f"one sensitive column, and the table has {n}"):
        algorithm.search(table, problem_of(table, ONE), np.random.default_rng(0))


def test_people_are_refused_or_told():
    table = small(DECLARED, DECLARED, unit=True)
    with pytest.raises(SpecError, match="people"):
        DiffGen().search(table, problem_of(table, ONE), np.random.default_rng(0))
    assert any(
        "Counts are of records" in limit
        for limit in search(DPCounts(), table, problem_of(table, ONE)).guarantee.limits
    )


def test_diffgen_begins_at_the_roots():
    table = small(DECLARED, DECLARED)
    with pytest.raises(SpecError, match="levels cannot be limited"):
        DiffGen().search(table, problem_of(table, ONE, max_levels={"q0": 1}), np.random.default_rng(0))


def test_a_table_without_a_positive_count_is_not_published():
    table = table_of([((0,), (0,), None)], [READ], [READ])
    # The count of 1 falls to 0 with this seed.
    with pytest.raises(InfeasibleError, match="no noisy count is positive"):
        DPCounts().search(table, problem_of(table, ONE), np.random.default_rng(2))


def test_too_many_inventions_are_refused():
    # 20 * 20 * 20 * 20 boxes of 500 values.
    tree = Hierarchy.from_paths([str(i) for i in range(20)], [[]] * 20)
    wide = Hierarchy.from_paths([str(i) for i in range(500)], [[]] * 500)
    table = table_of([((i,) * 4, (i,), None) for i in range(20)], [tree] * 4, [wide])
    with pytest.raises(SpecError, match=r"all 80,000,000 cells"):
        DiffGen(h=4).search(table, problem_of(table, ONE), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("cls", "settings", "problem"),
    [
        (DPCounts, {"epsilon": 0}, "above 0"),
        (DPCounts, {"epsilon": "much"}, "not a number"),
        (DPCounts, {"inner": "dp-counts"}, "inside itself"),
        (Hybrid, {"beta": 0}, "beta must"),
        (Hybrid, {"epsilon": 2000}, "at most 1000"),
        (DiffGen, {"h": -1}, "h must"),
        (DiffGen, {"h": True}, "h must"),
        (DiffGen, {"score": "maximum"}, "unknown score"),
        (DiffGen, {"labels": "sets"}, "unknown labels"),
    ],
)
def test_wrong_settings_are_refused(cls, settings, problem):
    with pytest.raises(SpecError, match=problem):
        cls(**settings)
