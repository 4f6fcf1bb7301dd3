"""What holds of a sample that another algorithm generalizes."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import models, problem_of
from shoal.algorithms import ALGORITHMS, Hybrid, Sampled
from shoal.core.algorithm import Algorithm, check_support
from shoal.core.hierarchy import Hierarchy
from shoal.core.recoding import regions_of
from shoal.core.regions import WITHHELD
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError
from shoal.loss import LOSSES
from shoal.loss.measure import measure
from shoal.models import KAnonymity, KMap
from strategies import table_of, tables

LAW = settings(max_examples=60, deadline=None)

inner = st.sampled_from(["mondrian", "optimal", "hilbert", {"algorithm": "mondrian", "strict": False}])
rates = st.sampled_from(["1/3", "1/2", "0.9", 1])


def search(algorithm, table, problem, seed=0):
    try:
        return algorithm.search(table, problem, np.random.default_rng(seed))
    except InfeasibleError:
        return None


@LAW
@given(tables(), inner, rates, models, st.integers(0, 3))
def test_every_row_is_published_suppressed_or_withheld_once(drawn, inner, rate, models, seed):
    table, _ = drawn
    found = search(Sampled(inner=inner, rate=rate), table, problem_of(table, models), seed)
    if found is None:
        return
    regions = found.recoding
    assert regions.sampling_rate == float(Fraction(rate))
    assert regions.is_normalized
    rows = np.zeros(table.n_items, np.int64)
    np.add.at(rows, regions.item_of_share, regions.rows)
    np.testing.assert_array_equal(rows, table.counts)
    assert (regions.rows > 0).all()
    assert (regions.region >= WITHHELD).all()
    assert found.statistics["sampled rows"] == table.n_rows - regions.withheld_rows
    twice = Counter(zip(regions.item_of_share.tolist(), regions.region.tolist(), strict=True))
    assert max(twice.values()) == 1


@LAW
@given(tables(), inner, rates, models, st.integers(0, 3))
def test_models_hold_on_the_classes_of_the_sample(drawn, inner, rate, models, seed):
    table, _ = drawn
    problem = problem_of(table, models)
    found = search(Sampled(inner=inner, rate=rate), table, problem, seed)
    if found is None:
        return
    classes = found.recoding.classes(table, problem.columns)
    assert not problem.violating(classes).any()
    part, regions = found.recoding.published_part(table)
    again = regions.classes(part, problem.columns)
    np.testing.assert_array_equal(classes.size, again.size)
    np.testing.assert_array_equal(classes.rows, again.rows)


@LAW
@given(tables(unit=False), inner, models, st.integers(0, 3))
def test_it_is_the_inner_algorithm_on_the_sample(drawn, inner, models, seed):
    table, _ = drawn
    problem = problem_of(table, models)
    found = search(Sampled(inner=inner, rate="1/2"), table, problem, seed)
    if found is None:
        return
    part, regions = found.recoding.published_part(table)
    settings = {} if isinstance(inner, str) else {"strict": False}
    name = inner if isinstance(inner, str) else inner["algorithm"]
    # The models compare with the whole input, so its context is the one that counts.
    direct = ALGORITHMS.make(name, **settings).search(part, problem, np.random.default_rng(1))
    expected = regions_of(direct.recoding, part)
    for name in ("lo", "hi", "offsets", "region", "rows"):
        np.testing.assert_array_equal(getattr(regions, name), getattr(expected, name))
    assert measure(LOSSES.make("ncp"), table, found.recoding) == measure(LOSSES.make("ncp"), part, expected)


@LAW
@given(tables(), models)
def test_taking_every_row_changes_nothing(drawn, models):
    table, _ = drawn
    problem = problem_of(table, models)
    whole, plain = search(Sampled(rate=1), table, problem), search(ALGORITHMS.make("mondrian"), table, problem)
    assert (whole is None) == (plain is None)
    if whole is None:
        return
    np.testing.assert_array_equal(whole.recoding.region, plain.recoding.region)
    assert whole.recoding.withheld_rows == 0


@LAW
@given(tables(), st.integers(0, 5))
def test_a_seed_decides(drawn, seed):
    table, _ = drawn
    problem = problem_of(table, (KAnonymity(k=1),))
    first, second = (search(Sampled(rate="1/2"), table, problem, seed) for _ in range(2))
    assert (first is None) == (second is None)
    if first is not None:
        np.testing.assert_array_equal(first.recoding.region, second.recoding.region)


def flat_table(n):
    tree = Hierarchy.from_paths(["a", "b"], [[], []])
    return FrequencyTable.from_columns({"q": (tree, np.arange(n, dtype=np.int32) % 2)})[0]


def test_the_share_of_rows_that_are_taken_is_the_rate():
    table = flat_table(100_000)
    found = search(Sampled(rate="0.9"), table, problem_of(table, (KAnonymity(k=2),)))
    # Five standard deviations of the binomial distribution are 474.
    assert abs(found.recoding.region_rows.sum() - 90_000) < 474


def test_a_sample_that_fails_as_one_class_is_refused():
    table = flat_table(6)
    with pytest.raises(InfeasibleError, match="k-anonymity"):
        Sampled(rate="1/2").search(table, problem_of(table, (KAnonymity(k=6),)), np.random.default_rng(0))


def test_an_empty_sample_is_refused():
    table = flat_table(1)
    with pytest.raises(InfeasibleError, match="sample holds no record"):
        Sampled(rate="1/1000").search(table, problem_of(table, (KAnonymity(k=1),)), np.random.default_rng(0))


def test_what_the_inner_algorithm_supports_is_supported():
    assert isinstance(Sampled(), Algorithm)
    check_support(Sampled(inner="optimal"), [KMap(k=2)])
    with pytest.raises(SpecError, match="cannot hold"):
        check_support(Sampled(), [KMap(k=2)])


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"rate": 0}, "above 0"),
        ({"rate": "3/2"}, "at most 1"),
        ({"inner": "mondrain"}, "unknown algorithm"),
        ({"inner": {"strict": False}}, "no name"),
        ({"inner": {"algorithm": "mondrian", "srict": False}}, "no setting"),
        ({"inner": "sampled"}, "inside itself"),
        ({"inner": 7}, "no algorithm"),
        ({"inner": "optimal", "labels": "sets"}, "nodes only"),
    ],
)
def test_wrong_settings_are_refused(settings, problem):
    with pytest.raises(SpecError, match=problem):
        Sampled(**settings)


@pytest.mark.parametrize(
    ("algorithm", "problem"),
    [(Hybrid(inner="sampled"), "takes a sample itself"), (Sampled(inner="hybrid"), "publishes something else")],
)
def test_what_is_no_table_of_boxes_of_all_rows_cannot_be_inside(algorithm, problem):
    tree = Hierarchy.from_paths(["a", "b"], [[], []])
    table = table_of([((i % 2,), (i % 2,), None) for i in range(50)], [tree], [tree])
    with pytest.raises(SpecError, match=problem):
        algorithm.search(table, problem_of(table, (KAnonymity(k=2),)), np.random.default_rng(0))
