"""`optimal` gives the answer of `exhaustive`, whatever is asked for."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.bounds import Bounds, LazyBounds
from shoal.algorithms.lattice import Lattice
from shoal.algorithms.node_counts import NodeCounter
from shoal.algorithms.optimal import Optimal
from shoal.core.problem import Problem
from shoal.core.protocols import ClassLoss
from shoal.core.recoding import Generalization, regions_of
from shoal.errors import InfeasibleError
from shoal.loss import LOSSES, NCP
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity, BetaLikeness, DeltaDisclosure, KAnonymity, LDiversity, TCloseness
from strategies import tables

LAW = settings(deadline=None, max_examples=60)

SENSITIVE_MODELS = (
    st.builds(
        LDiversity, sensitive=st.just("s0"), l=st.integers(1, 3), kind=st.sampled_from(["distinct", "frequency"])
    ),
    st.builds(
        LDiversity, sensitive=st.just("s0"), l=st.sampled_from(["1.2", "1.5", "2"]), kind=st.just("entropy")
    ),
    st.builds(
        LDiversity,
        sensitive=st.just("s0"),
        l=st.integers(1, 2),
        c=st.sampled_from(["1/2", 1, 2, 3]),
        kind=st.just("recursive"),
    ),
    st.builds(
        TCloseness,
        sensitive=st.just("s0"),
        t=st.sampled_from(["0.1", "0.2", "1/3", "0.5"]),
        ground=st.sampled_from(["equal", "hierarchical"]),
    ),
    st.builds(
        AlphaKAnonymity,
        sensitive=st.just("s0"),
        alpha=st.sampled_from(["1/3", "1/2", "2/3"]),
        k=st.integers(1, 3),
        form=st.sampled_from(["ratio", "ceiling"]),
    ),
    st.builds(
        BetaLikeness,
        sensitive=st.just("s0"),
        beta=st.sampled_from(["1/4", "1/2", 1]),
        kind=st.sampled_from(["basic", "enhanced"]),
    ),
    st.builds(
        DeltaDisclosure,
        sensitive=st.just("s0"),
        delta=st.sampled_from(["1/4", "1/2", 1, 2]),
        present_only=st.booleans(),
    ),
)


@st.composite
def problems(draw, table, loss):
    models = [KAnonymity(k=draw(st.integers(1, 4)))] if draw(st.booleans()) else []
    if draw(st.booleans()) or not models:
        models.append(draw(st.one_of(SENSITIVE_MODELS)))
    limit = draw(st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(2, 3), Fraction(1)]))
    weights = draw(st.sampled_from([{}, {"q0": 3.0}, {"q0": 0.0}]))
    highest = {"q0": draw(st.integers(0, 2))} if draw(st.integers(0, 3)) == 0 else {}
    return Problem(
        models=tuple(models),
        loss=LOSSES.make(loss),
        context=table.context(),
        suppression_limit=limit,
        weights=weights,
        max_levels=highest,
    )


def answer(algorithm, table, problem):
    """Return levels, loss and suppressed rows of the result, or None where there is none."""
    try:
        solution = algorithm.search(table, problem, np.random.default_rng(0))
    except InfeasibleError as error:
        return None if error.choices else pytest.fail("no way out is named")
    regions = regions_of(solution.recoding, table)
    assert solution.optimal
    assert not problem.violating(regions.classes(table, problem.columns)).any()
    assert regions.suppressed_rows <= problem.allowed
    assert regions.n_regions > 0
    return (
        solution.recoding.levels,
        measure(problem.loss, table, regions, problem.weights),
        regions.suppressed_rows,
    )


@pytest.mark.parametrize("loss", tuple(LOSSES))
@LAW
@given(data=st.data())
def test_optimal_equals_exhaustive(loss, data):
    table, _ = data.draw(tables())
    problem = data.draw(problems(table, loss))
    expected = answer(ALGORITHMS.make("exhaustive"), table, problem)
    found = answer(ALGORITHMS.make("optimal"), table, problem)
    if expected is None:
        assert found is None
    else:
        assert found[0] == expected[0]
        assert found[1] == pytest.approx(expected[1], abs=1e-12, rel=1e-12)
        assert found[2] == expected[2]


@LAW
@given(data=st.data(), places=st.integers(2, 4), memory=st.integers(0, 60))
def test_forgetting_sources_changes_no_answer(data, places, memory):
    table, _ = data.draw(tables())
    problem = data.draw(problems(table, "ncp"))
    expected = answer(ALGORITHMS.make("optimal"), table, problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.algorithms.sources.REMEMBERED", places)
        patch.setattr("shoal.algorithms.sources.MEMORY", memory)
        found = answer(ALGORITHMS.make("optimal"), table, problem)
    assert found == expected


@LAW
@given(data=st.data(), loss=st.sampled_from(tuple(LOSSES)))
def test_lazy_bounds_lead_to_the_same_answer(data, loss):
    table, _ = data.draw(tables())
    problem = data.draw(problems(table, loss))
    expected = answer(ALGORITHMS.make("exhaustive"), table, problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.algorithms.search.IN_MEMORY", 0)
        found = answer(Optimal(max_nodes=10**6), table, problem)
    assert found is None if expected is None else found[0] == expected[0]


def learned(table, problem, lattice, bounds, nodes):
    """Count *nodes* and let the bounds learn from them, as the search does."""
    counter = NodeCounter(table, problem, lattice)
    for node in nodes:
        counted = counter.count(node)
        must = int(counter.judge(counted)[1].sum())
        bounds.learn_must(node, must, counter.floor(must))
        if isinstance(problem.loss, ClassLoss):
            bounds.learn_base(node, problem.loss.of_sizes(counted.classes.rows, 0))


@pytest.mark.parametrize("kind", [Bounds, LazyBounds])
@LAW
@given(data=st.data())
def test_bounds_never_exceed_what_a_node_really_costs(kind, data):
    table, _ = data.draw(tables())
    problem = data.draw(problems(table, data.draw(st.sampled_from(tuple(LOSSES)))))
    lattice = Lattice.of(table, problem)
    bounds = kind(lattice, table.n_rows)
    nodes = st.tuples(*(st.integers(0, top) for top in lattice.top))
    learned(table, problem, lattice, bounds, data.draw(st.lists(nodes, max_size=4)))
    node = data.draw(nodes)
    counter = NodeCounter(table, problem, lattice)
    counted = counter.count(node)
    violating, _ = counter.judge(counted)
    suppressed = int(counted.classes.rows[violating].sum())
    base, least = bounds.parts(node)
    assert base + suppressed * least <= counter.loss(node, counted, violating) + 1e-9
    if kind is Bounds:
        assert bounds.must[node] <= suppressed
        assert bounds.lower[node] <= counter.loss(node, counted, violating) + 1e-9


@LAW
@given(data=st.data(), loss=st.sampled_from(tuple(LOSSES)))
def test_a_node_costs_the_same_from_any_finer_one(data, loss):
    """Counting by merging remembered classes, and pricing by class, equal measuring the recoding."""
    table, _ = data.draw(tables())
    problem = data.draw(problems(table, loss))
    lattice = Lattice.of(table, problem)
    counter = NodeCounter(table, problem, lattice)
    nodes = st.tuples(*(st.integers(0, top) for top in lattice.top))
    for node in data.draw(st.lists(nodes, min_size=1, max_size=4)):
        counted = counter.count(node)
        violating, _ = counter.judge(counted)
        recoding = Generalization(lattice.levels_of(node), counter.suppressed_points(node))
        regions = regions_of(recoding, table)
        assert regions.suppressed_rows == counted.classes.rows[violating].sum()
        assert sorted(regions.region_rows) == sorted(counted.classes.rows[~violating])
        expected = measure(problem.loss, table, regions, problem.weights)
        assert counter.loss(node, counted, violating) == pytest.approx(expected, abs=1e-12, rel=1e-12)


@LAW
@given(drawn=tables(), k=st.integers(15, 30))
def test_k_above_the_number_of_records_is_infeasible(drawn, k):
    table, _ = drawn
    problem = Problem(
        models=(KAnonymity(k=k),), loss=LOSSES.make("ncp"), context=table.context(), suppression_limit=Fraction(1)
    )
    for name in ("exhaustive", "optimal"):
        assert answer(ALGORITHMS.make(name), table, problem) is None


@given(tables(), st.data())
def test_merging_in_parts_gives_the_same_classes(drawn, data):
    table, _ = drawn
    problem = Problem(models=(KAnonymity(k=2),), loss=NCP(), context=table.context())
    lattice = Lattice.of(table, problem)
    node = tuple(data.draw(st.integers(0, top)) for top in lattice.top)
    whole = NodeCounter(table, problem, lattice).count(node)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.kernels.parts.MANY", 2)
        parts = NodeCounter(table, problem, lattice).count(node)
    np.testing.assert_array_equal(whole.representative, parts.representative)
    np.testing.assert_array_equal(whole.classes.rows, parts.classes.rows)
    np.testing.assert_array_equal(whole.classes.size, parts.classes.size)
