"""What the best recoding makes of attribute weights."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from local_recodings import models, problem_of, search
from shoal.algorithms import ALGORITHMS, Best
from shoal.core.regions import Regions
from shoal.loss import NCP
from shoal.loss.measure import measure
from strategies import tables

LAW = settings(max_examples=40, deadline=None)

labels = st.sampled_from(["nodes", "ranges", "sets", "stars"])
weights = st.lists(st.sampled_from([0.25, 1.0, 3.0, 100.0]), min_size=3, max_size=3)


def weighed(table, values):
    return dict(zip(table.names, values, strict=False))


@LAW
@given(tables(max_rows=20), labels, models, weights, st.sampled_from(["top-down", "mondrian"]))
def test_under_any_weights_it_loses_no_more_than_its_starts(drawn, labels, models, weights, name):
    table, _ = drawn
    problem = problem_of(table, models, weights=weighed(table, weights))
    found = search(Best(labels=labels), table, problem)
    other = search(ALGORITHMS.make(name, labels=labels, lookahead=3), table, problem)
    assume(other is not None)
    of = [measure(NCP(), table, one.normalized(table.hierarchies), problem.weights) for one in (found, other)]
    assert of[0] <= of[1] + 1e-9


@LAW
@given(tables(max_rows=20), labels, models, weights)
def test_only_the_ratios_of_weights_matter(drawn, labels, models, weights):
    table, _ = drawn
    first, second = (
        search(
            Best(labels=labels), table, problem_of(table, models, weights=weighed(table, [f * w for w in weights]))
        )
        for f in (1, 4)
    )
    assert (first is None) == (second is None)
    if first is not None:
        for name in ("lo", "hi", "offsets", "region", "rows"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@LAW
@given(tables(max_rows=20), labels, models, weights)
def test_weights_give_a_mean_of_the_columns(drawn, labels, models, weights):
    """The weighted loss is the weighted mean of what the columns lose, by hand from the sides."""
    table, _ = drawn
    assume(all(h.n_values > 1 for h in table.hierarchies))
    problem = problem_of(table, models, weights=weighed(table, weights))
    found = search(Best(labels=labels), table, problem)
    assume(found is not None)
    assert isinstance(found, Regions)
    wide = [(found.hi[:, j] - found.lo[:, j]) / (h.n_values - 1) for j, h in enumerate(table.hierarchies)]
    of_column = [float(found.region_rows @ w) / table.n_rows for w in wide]
    mine = weights[: table.n_qi]
    expected = sum(w * loss for w, loss in zip(mine, of_column, strict=True)) / sum(mine)
    assert abs(measure(NCP(), table, found, problem.weights) - expected) < 1e-9
