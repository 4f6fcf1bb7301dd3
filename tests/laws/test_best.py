"""What holds of the best recoding on random tables, with and without people and missing values."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from local_recodings import check_levels, models, passes_of, problem_of, published, search
from oracles.best_grouping import least_cost
from shoal.algorithms import ALGORITHMS, Best
from shoal.algorithms.floor import floor_of
from shoal.core.recoding import regions_of
from shoal.core.regions import publishable
from shoal.errors import SpecError
from shoal.loss import LOSSES, NCP
from shoal.loss.measure import measure
from shoal.models import KAnonymity, LDiversity, TCloseness
from strategies import table_of, tables

LAW = settings(max_examples=20, deadline=None)

labels = st.sampled_from(["nodes", "ranges", "sets", "stars"])
searches = st.builds(
    Best, labels=labels, boxes=st.sampled_from(["fit", "tight"]), moves=st.sampled_from([0, 1, 3, 1000])
)
costs = st.sampled_from([name for name in LOSSES if name != "kl-divergence"])


@LAW
@given(tables(max_rows=20), searches, models, costs)
def test_what_is_published_meets_every_model(drawn, algorithm, models, loss):
    table, rows = drawn
    problem = problem_of(table, models, loss=LOSSES.make(loss))
    regions = search(algorithm, table, problem)
    if regions is None:
        return
    passes = passes_of(table, problem)
    assert not regions.suppressed_rows
    assert regions.labels == algorithm.labels
    assert all(passes(found) for found in published(table, rows, regions, regions.labels).values())


@LAW
@given(tables(max_rows=20), searches, models, costs, st.sampled_from(["top-down", "mondrian", "optimal"]))
def test_loses_no_more_than_any_of_its_starts(drawn, algorithm, models, loss, name):
    table, _ = drawn
    # A node that is no leaf is * where stars are asked for.
    assume(name != "optimal" or algorithm.labels != "stars")
    problem = problem_of(table, models, loss=LOSSES.make(loss))
    found = search(algorithm, table, problem)
    settings = {"labels": algorithm.labels, "boxes": algorithm.boxes, "lookahead": 3}
    settings = {} if name == "optimal" else settings
    other = search(ALGORITHMS.make(name, **settings), table, problem)
    assume(other is not None)
    assert found is not None
    of = [measure(problem.loss, table, regions_of(one, table)) for one in (found, other)]
    assert of[0] <= of[1] + 1e-9


@LAW
@given(tables(max_rows=20), searches, models, st.randoms())
def test_the_order_of_rows_changes_nothing(drawn, algorithm, models, random):
    table, rows = drawn
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = table_of(shuffled, table.hierarchies, table.sensitive_hierarchies)
    first, second = (search(algorithm, t, problem_of(t, models)) for t in (table, again))
    assert (first is None) == (second is None)
    if first is not None:
        first, second = regions_of(first, table), regions_of(second, again)
        for name in ("lo", "hi", "offsets", "region", "rows"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@LAW
@given(tables(max_rows=20), labels, models, st.data())
def test_no_side_is_above_the_highest_allowed_level(drawn, labels, models, data):
    table, _ = drawn
    most = {
        name: data.draw(st.integers(0, h.height)) for name, h in zip(table.names, table.hierarchies, strict=True)
    }
    limit = data.draw(st.sampled_from(["0", "1/2"]))
    problem = problem_of(table, models, max_levels=most, suppression_limit=Fraction(limit))
    check_levels(search(Best(labels=labels), table, problem), table, problem)


def least_of(drawn, labels, problem):
    """The least loss of any recoding of a few rows, by trying all ways to group them."""
    table, rows = drawn
    passes = passes_of(table, problem)

    def cost(group):
        total = 0.0
        for j, h in enumerate(table.hierarchies):
            codes = [rows[i][0][j] for i in group]
            lo, hi = publishable(h, np.array([min(codes)], np.int32), np.array([max(codes)], np.int32), labels)
            total += int(hi[0] - lo[0]) / max(1, h.n_values - 1)
        return total * len(group) / (len(rows) * table.n_qi)

    return least_cost(len(rows), lambda group: passes([rows[i] for i in group]), cost)


bounded = st.sampled_from(
    [
        (KAnonymity(k=2),),
        (KAnonymity(k=3),),
        (KAnonymity(k=2), LDiversity(sensitive="s0", l=2)),
        (LDiversity(sensitive="s0", l=2, kind="frequency"),),
        (KAnonymity(k=2), TCloseness(sensitive="s0", t="1/3")),
    ]
)


@LAW
@given(tables(max_rows=7), labels, bounded)
def test_the_optimum_lies_between_the_bound_and_what_is_found(drawn, labels, models):
    table, _ = drawn
    problem = problem_of(table, models)
    regions = search(Best(labels=labels, boxes="tight"), table, problem)
    assume(regions is not None)
    optimum = least_of(drawn, labels, problem)
    floor = floor_of(table, problem, labels, sample=None, rng=np.random.default_rng(0))
    assert floor.proven
    assert floor.loss <= optimum + 1e-9
    assert optimum <= measure(NCP(), table, regions_of(regions, table)) + 1e-9


@LAW
@given(tables(max_rows=20), searches, bounded, costs)
def test_what_is_found_is_never_below_the_bound(drawn, algorithm, models, loss):
    table, _ = drawn
    problem = problem_of(table, models, loss=LOSSES.make(loss))
    found = search(algorithm, table, problem)
    floor = floor_of(table, problem, algorithm.labels, sample=None, rng=np.random.default_rng(0))
    if found is not None and floor is not None:
        assert floor.loss <= measure(problem.loss, table, regions_of(found, table)) + 1e-9


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"labels": "node"}, "unknown labels"),
        ({"boxes": "cut"}, "unknown boxes"),
        ({"bound": "some"}, "unknown bound"),
        ({"moves": -1}, "moves"),
        ({"starts": ("best",)}, "start from itself"),
        ({"starts": ("mondrain",)}, "unknown algorithm"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(SpecError, match=message):
        Best(**settings)
