"""`incognito` finds the node of `exhaustive` and exactly the valid ones, whatever is asked for."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.test_lattice import answer, problems
from oracles import alpha_k_anonymity, incognito
from shoal.algorithms import ALGORITHMS, Incognito
from shoal.algorithms.exhaustive import Exhaustive
from shoal.core.problem import Problem
from shoal.errors import InfeasibleError
from shoal.loss import LOSSES, Distortion
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness
from strategies import tables

LAW = settings(deadline=None, max_examples=60)

alphas = st.builds(
    AlphaKAnonymity,
    sensitive=st.just("s0"),
    alpha=st.sampled_from(["1/5", "1/3", "2/5", "1/2", "2/3"]),
    k=st.integers(1, 3),
    form=st.sampled_from(["ratio", "ceiling"]),
)


@pytest.mark.parametrize("loss", tuple(LOSSES))
@LAW
@given(data=st.data())
def test_incognito_equals_exhaustive(loss, data):
    table, _ = data.draw(tables())
    problem = data.draw(problems(table, loss))
    expected = answer(Exhaustive(), table, problem)
    found = answer(Incognito(all_valid=data.draw(st.booleans()), reuse=data.draw(st.booleans())), table, problem)
    if expected is None:
        assert found is None
    else:
        assert found[0] == expected[0]
        assert found[1] == pytest.approx(expected[1], abs=1e-12, rel=1e-12)
        assert found[2] == expected[2]


def passes_of(model):
    """The oracle of the model, for a list of sensitive values."""

    def passes(group):
        records = [(value, None) for value in group]
        return not alpha_k_anonymity.violates(
            records, records, alpha=Fraction(model.alpha), k=model.k, form=model.form
        )

    return passes


def plain(table, rows):
    """The rows and trees of a table as the oracle takes them."""
    return [(codes, sensitive[0]) for codes, sensitive, _ in rows], [h.levels.tolist() for h in table.hierarchies]


@settings(deadline=None, max_examples=150)
@given(drawn=tables(unit=False), model=alphas)
def test_the_valid_nodes_are_those_of_the_definition(drawn, model):
    table, rows = drawn
    problem = Problem(models=(model,), loss=Distortion(), context=table.context())
    expected = incognito.valid(*plain(table, rows), passes_of(model))
    assert Incognito().valid_nodes(table, problem) == expected
    if not expected:
        return
    statistics = Incognito(all_valid=True).search(table, problem, np.random.default_rng(0)).statistics
    assert statistics["valid_nodes"] == [list(node) for node in expected]
    assert statistics["valid"] == len(expected)


@LAW
@given(data=st.data())
def test_the_valid_nodes_under_any_models_and_limit_are_those_that_exhaustive_takes(data):
    table, _ = data.draw(tables(max_qi=2))
    problem = data.draw(problems(table, "ncp"))
    valid = Incognito().valid_nodes(table, problem)
    expected = answer(Exhaustive(), table, problem)
    assert valid == sorted(set(valid))
    assert (expected is None) == (not valid)
    if expected is not None:
        assert expected[0] in valid
    for node in np.ndindex(*(h.n_levels for h in table.hierarchies)):
        class_of_point, first = table.coarsen(node)
        classes = table.classes(class_of_point[table.point_of_item], len(first), problem.columns)
        lost = int(classes.rows[problem.violating(classes)].sum())
        highest = problem.max_levels.get("q0", node[0])
        feasible = lost <= problem.allowed and lost < table.n_rows and node[0] <= highest
        assert (node in valid) == feasible


@settings(deadline=None, max_examples=150)
@given(drawn=tables(unit=False), model=alphas.filter(lambda model: model.form == "ratio"))
def test_in_the_ratio_form_the_lemmas_hold(drawn, model):
    table, rows = drawn
    found, tests = incognito.by_the_lemmas(*plain(table, rows), passes_of(model))
    problem = Problem(models=(model,), loss=Distortion(), context=table.context())
    assert found == Incognito().valid_nodes(table, problem)
    if found:
        statistics = Incognito().search(table, problem, np.random.default_rng(0)).statistics
        assert statistics["counted"] <= statistics["tested"] + 1 <= tests + 1
        afresh = Incognito(reuse=False).search(table, problem, np.random.default_rng(0)).statistics
        assert afresh["counted"] == afresh["tested"] + 1 == statistics["tested"] + 1, "and the root before all"
        assert found == Incognito(reuse=False).valid_nodes(table, problem)


@pytest.mark.parametrize(
    "models",
    [
        (KAnonymity(k=2),),
        (KAnonymity(k=2), LDiversity(sensitive="s0", l=2)),
        (AlphaKAnonymity(sensitive="s0", alpha="1/2", k=2, form="ceiling"), TCloseness(sensitive="s0", t="0.4")),
    ],
)
@LAW
@given(data=st.data())
def test_no_seconds_left_gives_a_valid_node_or_says_that_more_may_be_found(models, data):
    table, _ = data.draw(tables(unit=False))
    problem = Problem(models=models, loss=LOSSES.make("ncp"), context=table.context(), budget_s=0.0)
    try:
        solution = ALGORITHMS.make("incognito").search(table, problem, np.random.default_rng(0))
    except InfeasibleError as error:
        assert "was found" in error.problem or answer(Exhaustive(), table, problem) is None
        return
    assert solution.statistics["valid"] is None or solution.optimal
    classes = solution.recoding.regions(table).classes(table, problem.columns)
    assert not problem.violating(classes).any()
