"""What holds of models that look at the whole table or at a population, on random tables."""

import importlib
from dataclasses import fields, replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.hierarchy import Hierarchy
from shoal.core.population import classes_at
from shoal.core.problem import Problem
from shoal.core.protocols import Closure, scope_of
from shoal.core.recoding import Generalization, regions_of
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.core.verdict import judge
from shoal.errors import InfeasibleError, SpecError
from shoal.loss import LOSSES
from shoal.models import (
    MODELS,
    AlphaKAnonymity,
    AverageRisk,
    DeltaPresence,
    KAnonymity,
    KmAnonymity,
    KMap,
    PopulationUniqueness,
    SampleUniqueness,
)
from strategies import table_of, tables

LAW = settings(max_examples=60, deadline=None)

shares = st.fractions("1/20", 1, max_denominator=20)
MODEL_STRATEGIES = {
    "k-map": st.builds(KMap, k=st.integers(1, 5)),
    "delta-presence": st.one_of(
        st.builds(DeltaPresence, delta_max=shares),
        st.tuples(shares, shares).map(lambda two: DeltaPresence(delta_min=min(two), delta_max=max(two))),
    ),
    "km-anonymity": st.builds(KmAnonymity, k=st.integers(1, 5), m=st.integers(1, 4)),
    "average-risk": st.builds(AverageRisk, risk=shares),
    "sample-uniqueness": st.builds(SampleUniqueness, share=st.fractions(0, 1, max_denominator=20)),
    "population-uniqueness": st.builds(
        PopulationUniqueness,
        share=st.fractions(0, 1, max_denominator=20),
        sampling_fraction=st.sampled_from(["1/2", "1/3", "1/5"]),
        method=st.just("zayatz"),
    ),
}
models = st.one_of(*MODEL_STRATEGIES.values())


class Drawn:
    """A table at one node of its lattice, with a population, as the models and as the oracles see it."""

    def __init__(self, table, rows, people, levels):
        self.table, self.rows, self.people, self.levels = table, rows, people, levels
        self.population = table_of([(q, (), None) for q in people], table.hierarchies)
        self.context = replace(table.context(), population=self.population)

    def labels(self, codes, levels):
        trees = zip(self.table.hierarchies, levels, codes, strict=True)
        return tuple(int(tree.levels[level][code]) for tree, level, code in trees)

    def published(self, levels=None):
        """The rows as (labels, person), and the labels of the population."""
        levels = self.levels if levels is None else levels
        rows = [(self.labels(q, levels), person) for q, _, person in self.rows]
        return rows, [self.labels(q, levels) for q in self.people]

    def classes(self, levels=None):
        """The classes, and the labels of each."""
        levels = self.levels if levels is None else levels
        _, first, classes = classes_at(
            self.table, levels, reads={"cells", "population"}, population=self.population
        )
        return classes, [self.labels(self.table.codes[point].tolist(), levels) for point in first]


@st.composite
def drawn(draw, *, max_rows=10, unit=None):
    table, rows = draw(tables(max_rows=max_rows, unit=unit, max_leaves=4))
    cells = st.tuples(*(st.integers(0, tree.n_values - 1) for tree in table.hierarchies))
    # The people of the table are in the population, as a rule.
    known = [q for q, _, _ in rows] if draw(st.booleans()) else []
    people = known + draw(st.lists(cells, min_size=1, max_size=14))
    levels = tuple(draw(st.integers(0, tree.n_levels - 1)) for tree in table.hierarchies)
    return Drawn(table, rows, people, levels)


def passes(model, rows, population):
    oracle = importlib.import_module(f"oracles.{model.name.replace('-', '_')}")
    return oracle.passes(rows, population, **{f.name: getattr(model, f.name) for f in fields(model)})


def without(rows, gone):
    return [row for row in rows if row[0] not in gone]


def test_every_model_of_tables_or_populations_is_here():
    extra = {name for name, cls in MODELS.items() if getattr(cls, "reads", ()) or hasattr(cls, "scope")}
    assert extra == set(MODEL_STRATEGIES)


@pytest.mark.parametrize("name", MODEL_STRATEGIES)
@LAW
@given(st.data())
def test_a_table_passes_where_the_definition_says_so(name, data):
    table, model = data.draw(drawn()), data.draw(MODEL_STRATEGIES[name])
    classes, _ = table.classes()
    (verdict,) = judge([model], classes, table.context)
    assert verdict.satisfied == passes(model, *table.published())


@pytest.mark.parametrize("name", MODEL_STRATEGIES)
@LAW
@given(st.data())
def test_without_the_classes_that_are_named_the_table_passes(name, data):
    table, model = data.draw(drawn()), data.draw(MODEL_STRATEGIES[name])
    classes, labels = table.classes()
    problem = Problem(models=(model,), loss=LOSSES.make("ncp"), context=table.context)
    gone = {label for label, fails in zip(labels, problem.violating(classes), strict=True) if fails}
    rows, population = table.published()
    assert passes(model, without(rows, gone), population)


@LAW
@given(drawn(max_rows=8), MODEL_STRATEGIES["km-anonymity"])
def test_no_larger_set_of_classes_passes_all_m(table, model):
    classes, labels = table.classes()
    gone = {label for label, fails in zip(labels, model.violating(classes, table.context), strict=True) if fails}
    rows, population = table.published()
    for n in range(len(gone)):
        for fewer in combinations(sorted(gone), n):
            assert not passes(model, without(rows, set(fewer)), population)


@LAW
@given(drawn(), models)
def test_the_order_of_classes_changes_nothing(table, model):
    classes, _ = table.classes()
    order = np.arange(len(classes))[::-1]
    turned = Classes(
        classes.size[order],
        classes.rows[order],
        population=classes.population[order],
        outside=classes.outside,
        cells=classes.cells[order],
        members=None if classes.members is None else (order[classes.members[0]], classes.members[1]),
    )
    context = table.context
    assert model.violating(turned, context)[order].tolist() == model.violating(classes, context).tolist()
    assert model.achieved(turned, context) == pytest.approx(model.achieved(classes, context))
    assert model.must_suppress(turned, context).sum() == model.must_suppress(classes, context).sum()


@pytest.mark.parametrize("name", MODEL_STRATEGIES)
@LAW
@given(st.data())
def test_the_claimed_closure_holds_for_coarser_tables(name, data):
    table, model = data.draw(drawn()), data.draw(MODEL_STRATEGIES[name])
    closure = model.closure(by_people=table.context.by_people)
    tops = [tree.n_levels - 1 for tree in table.table.hierarchies]
    above = tuple(data.draw(st.integers(i, top)) for i, top in zip(table.levels, tops, strict=True))
    (fine, _), (coarse, _) = table.classes(), table.classes(above)
    problem = Problem(models=(model,), loss=LOSSES.make("ncp"), context=table.context)
    if closure is not Closure.NONE and not model.violating(fine, table.context).any():
        assert not model.violating(coarse, table.context).any()
    if closure is Closure.SUPERSET:
        suppressed = [int(c.rows[problem.violating(c)].sum()) for c in (fine, coarse)]
        assert suppressed[0] >= suppressed[1]


@pytest.mark.parametrize("name", MODEL_STRATEGIES)
@LAW
@given(st.data())
def test_no_finer_table_suppresses_less_than_must_suppress(name, data):
    table, model = data.draw(drawn(max_rows=7)), data.draw(MODEL_STRATEGIES[name])
    classes, _ = table.classes()
    bound = int(model.must_suppress(classes, table.context).sum())
    for below in product(*(range(level + 1) for level in table.levels)):
        rows, population = table.published(below)
        labels = sorted({label for label, _ in rows})
        for n in range(len(labels) + 1):
            for gone in combinations(labels, n):
                lost = len(rows) - len(without(rows, set(gone)))
                if lost < bound:
                    assert not passes(model, without(rows, set(gone)), population)


@LAW
@given(models)
def test_without_classes_nothing_is_achieved_and_nothing_violates(model):
    none = Classes.from_counts([], population=[], cells=np.empty((0, 2)))
    assert model.achieved(none, Context()) is None
    assert model.violating(none, Context()).tolist() == []
    assert model.must_suppress(none, Context()).tolist() == []


def answer(algorithm, table, problem):
    try:
        solution = ALGORITHMS.make(algorithm).search(table.table, problem, np.random.default_rng(0))
    except InfeasibleError as error:
        assert error.choices
        return None
    regions = regions_of(solution.recoding, table.table)
    assert solution.optimal
    assert regions.suppressed_rows <= problem.allowed
    classes = regions.classes(
        table.table, problem.columns, reads=problem.reads, population=problem.context.population
    )
    for verdict in judge(problem.models, classes, problem.context):
        assert verdict.satisfied, verdict.model
    return solution.recoding.levels, regions.suppressed_rows


others = st.one_of(
    st.builds(KAnonymity, k=st.integers(1, 3)),
    st.builds(AlphaKAnonymity, sensitive=st.just("s0"), alpha=st.sampled_from(["1/2", "2/3"])),
)


@pytest.mark.parametrize("loss", ["ncp", "discernibility"])
@settings(max_examples=150, deadline=None)
@given(table=drawn(), first=models, more=st.lists(st.one_of(models, others), max_size=1), data=st.data())
def test_optimal_equals_exhaustive(loss, table, first, more, data):
    limit = data.draw(st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(2, 3)]))
    problem = Problem(
        models=(first, *more), loss=LOSSES.make(loss), context=table.context, suppression_limit=limit
    )
    assert answer("optimal", table, problem) == answer("exhaustive", table, problem)


@LAW
@given(drawn())
def test_boxes_and_levels_count_the_population_alike(table):
    nothing = np.zeros(table.table.n_points, bool)
    regions = regions_of(Generalization(table.levels, nothing), table.table)
    of_boxes = regions.classes(table.table, reads={"population", "cells"}, population=table.population)
    of_levels, _ = table.classes()
    assert sorted(of_boxes.population.tolist()) == sorted(of_levels.population.tolist())
    assert of_boxes.outside == of_levels.outside


def test_a_row_of_the_population_counts_in_every_box_that_it_lies_in():
    tree = Hierarchy.from_paths(["a", "b", "c"], [["*"]] * 3)
    table, _ = FrequencyTable.from_columns({"q": (tree, np.array([0, 1, 2], np.int32))})
    people, _ = FrequencyTable.from_columns({"q": (tree, np.array([0, 0, 1, 2, 2], np.int32))})
    lo, hi = np.array([[0], [0]], np.int32), np.array([[0], [2]], np.int32)
    shares = np.arange(4), np.array([0, 1, 1], np.int32), np.ones(3, np.int64)
    classes = Regions(lo, hi, *shares).classes(table, reads={"population"}, population=people)
    assert classes.population.tolist() == [2, 5]
    assert classes.outside == 0


@given(models)
@settings(deadline=None, max_examples=20)
def test_mondrian_refuses_them(model):
    flat = Hierarchy.from_paths(["a"], [["*"]])
    table, _ = FrequencyTable.from_columns({"q": (flat, np.zeros(3, np.int32))})
    problem = Problem(models=(model,), loss=LOSSES.make("ncp"), context=table.context())
    with pytest.raises(SpecError, match="cannot hold"):
        ALGORITHMS.make("mondrian").search(table, problem, np.random.default_rng(0))
    assert scope_of(model) == "table" or model.reads


def test_a_model_of_a_population_without_one_says_so():
    with pytest.raises(SpecError, match="population"):
        KMap(k=2).violating(Classes.from_counts([2]), Context())
    with pytest.raises(SpecError, match="labels"):
        KmAnonymity(k=2, m=1).violating(Classes.from_counts([1]), Context())
