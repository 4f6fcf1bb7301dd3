"""What is refused before the search is infeasible, and the way out that is named leads out."""

import re
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from laws.test_lattice import problems
from shoal.algorithms import ALGORITHMS
from shoal.algorithms.feasibility import check_feasible, smallest_alpha
from shoal.core.context import Context, SensitiveColumn
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.schema import Schema
from shoal.errors import InfeasibleError
from shoal.loss import NCP
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity
from shoal.workflow.anonymize import anonymize
from strategies import tables

LAW = settings(deadline=None, max_examples=80)


def problem_of(counts, *models, limit="0", people=None):
    """The problem of a table with so many rows of each sensitive value v0, v1, ..."""
    tree = Hierarchy.from_paths([f"v{i}" for i in range(len(counts))], [["*"]] * len(counts))
    context = Context({"s": SensitiveColumn(tree, np.array(counts))}, n_rows=sum(counts), people=people)
    return Problem(models=models, loss=NCP(), context=context, suppression_limit=Fraction(limit))


def refused(problem):
    with pytest.raises(InfeasibleError) as caught:
        check_feasible(problem)
    return caught.value


def alpha(share, **settings):
    return AlphaKAnonymity(sensitive="s", alpha=share, **settings)


def test_the_smallest_alpha_and_the_price_in_records_are_told():
    # 6 of 10; with 8 rows left, 4 of v0 and the other 4, one half is met.
    error = refused(problem_of([6, 3, 1], alpha("1/2")))
    assert error.problem == "no recoding meets alpha-k-anonymity on s"
    assert "the most frequent value has 6 of 10 records" in error.where
    assert error.choices == (
        "raise alpha to 3/5 (0.6) on s",
        "raise the suppression limit to at least 0.2 (2 of 10 records)",
    )
    check_feasible(problem_of([6, 3, 1], alpha("3/5")))
    check_feasible(problem_of([6, 3, 1], alpha("1/2"), limit="0.2"))


def test_a_decimal_is_on_the_feasible_side():
    error = refused(problem_of([2, 1], alpha("1/2")))
    assert error.choices[0] == "raise alpha to 2/3 (0.6667) on s"
    error = refused(problem_of([3, 1, 1, 1, 1], LDiversity(sensitive="s", l=3, kind="frequency")))
    assert error.choices[0] == "lower l to 7/3 (2.3333) on s"


def test_what_suppression_allows_already_is_counted_in():
    # One row may go: 5 of 9 are left.
    error = refused(problem_of([6, 3, 1], alpha("1/2"), limit="0.1"))
    assert error.problem.endswith("with at most 1 of 10 records suppressed")
    assert error.choices[0] == "raise alpha to 5/9 (0.5556) on s"


def test_named_values_and_their_union():
    check_feasible(problem_of([6, 3, 1], alpha("1/3", values=["v1"])))
    error = refused(problem_of([6, 3, 1], alpha("1/3", values=["v1", "v2"], reading="union")))
    assert "taken together have 4 of 10" in error.where
    assert error.choices[0] == "raise alpha to 2/5 (0.4) on s"
    # Each value has its own limit: the numbers would tell values, so only the price is told exactly.
    error = refused(problem_of([6, 3, 1], alpha({"v0": "1/2", "v1": "1/5"})))
    assert "v0" not in str(error)
    assert "suppression limit" in str(error)


@pytest.mark.parametrize(
    ("model", "found", "choice"),
    [
        (KAnonymity(k=11), "the table has 10 records and k is 11", "lower k to 10"),
        (alpha(1, k=12), "the table has 10 records and k is 12", "lower k to 10"),
        (LDiversity(sensitive="s", l=4), "column 's' has 3 values that count, and l is 4", "lower l to 3 on s"),
        (LDiversity(sensitive="s", l=2, kind="frequency"), "has 6 of 10", "lower l to 5/3 (1.6666) on s"),
        (LDiversity(sensitive="s", l=3, kind="entropy"), "violate l-diversity on s", "lower l to 2 on s"),
    ],
)
def test_every_model_that_can_say_it(model, found, choice):
    error = refused(problem_of([6, 3, 1], model))
    assert found in error.where
    assert error.choices[0] == choice


def test_people_are_counted_where_they_are_known():
    error = refused(problem_of([6, 3, 1], KAnonymity(k=5), people=4))
    assert "has 4 people and k is 5" in error.where
    # Shares of people need not add up, so nothing is refused on their account.
    check_feasible(problem_of([6, 3, 1], alpha("1/2"), people=4))


def test_all_that_fails_has_to_give_way():
    error = refused(problem_of([6, 3, 1], KAnonymity(k=20), alpha("1/2"), LDiversity(sensitive="s", l=3)))
    assert error.problem == "no recoding meets k-anonymity and alpha-k-anonymity on s"
    assert error.choices == ("lower k to 10 and raise alpha to 3/5 (0.6) on s",)


def test_a_model_that_fails_twice_has_to_give_way_twice():
    error = refused(problem_of([6, 3, 1], alpha("1/2", k=20)))
    assert error.choices == ("lower k to 10 and raise alpha to 3/5 (0.6) on s",)
    check_feasible(problem_of([6, 3, 1], alpha("3/5", k=10)))
    # What two models have in common is said once.
    error = refused(problem_of([6, 3, 1], KAnonymity(k=11), alpha("1/2", k=20)))
    assert error.choices == ("lower k to 10 and raise alpha to 3/5 (0.6) on s",)


def test_where_every_sensitive_cell_is_missing_no_l_is_advised():
    nothing = Hierarchy.from_paths([], [], null=True)
    context = Context({"s": SensitiveColumn(nothing, np.array([4]))}, n_rows=4)
    model = LDiversity(sensitive="s", l=2)
    error = refused(Problem(models=(model,), loss=NCP(), context=context, suppression_limit=Fraction(0)))
    assert error.choices == ("drop l-diversity on s, or add records: no weaker setting would do",)


def test_the_ceiling_form_is_refused_by_its_necessary_condition_alone():
    # Two classes of three may show 2 each, so 4 of 6 pass although the whole table does not; 5 do not.
    check_feasible(problem_of([4, 2], alpha("1/2", values=["v0"], k=2, form="ceiling")))
    error = refused(problem_of([5, 1], alpha("1/2", values=["v0"], k=2, form="ceiling")))
    assert error.choices[0].startswith("raise alpha to ")
    check_feasible(problem_of([5, 1], alpha("0.8334", values=["v0"], k=2, form="ceiling")))


@LAW
@given(data=st.data())
def test_nothing_feasible_is_refused(data):
    table, _ = data.draw(tables())
    problem = data.draw(problems(table, "ncp"))
    name = data.draw(st.sampled_from(["exhaustive", "mondrian"]))
    try:
        ALGORITHMS.make(name).search(table, problem, np.random.default_rng(0))
    except InfeasibleError:
        return
    check_feasible(problem)


counts = st.lists(st.integers(0, 12), min_size=1, max_size=5).filter(any)


@LAW
@given(counts, st.integers(0, 6), st.data())
def test_the_smallest_alpha_is_that_of_the_best_choice_of_rows(named, free, data):
    n = sum(named) + free
    keep = data.draw(st.integers(1, n))
    found = smallest_alpha(np.array(named), free=free, keep=keep)

    def possible(share):
        """Whether enough rows can stay: most of them are kept by taking n' and what it allows of each value."""
        return any(free + sum(min(c, int(share * m)) for c in named) >= m for m in range(keep, n + 1))

    assert possible(found)
    assume(found > Fraction(1, 1000))
    assert not possible(found - Fraction(1, 10**6))


@LAW
@given(
    counts, st.sampled_from(["1/5", "1/3", "1/2", "2/3"]), st.sampled_from(["0", "1/10", "1/3"]), st.integers(1, 4)
)
def test_the_named_ways_out_are_not_refused(named, share, limit, k):
    model = alpha(share, k=k)
    problem = problem_of(named, model, limit=limit)
    try:
        check_feasible(problem)
    except InfeasibleError as error:
        choices = list(error.choices)
    else:
        return
    settings_of_choice = re.findall(r"(?:raise|lower) (k|alpha) to (\S+)", choices[0])
    assert settings_of_choice
    weaker = {"k": k, "alpha": share, **dict(settings_of_choice)}
    check_feasible(problem_of(named, alpha(weaker["alpha"], k=int(weaker["k"])), limit=limit))
    for choice in choices[1:]:
        again = re.search(r"at least ([0-9.]+) ", choice)[1]
        check_feasible(problem_of(named, model, limit=again))


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_every_algorithm_is_spared_the_search(algorithm):
    frame = pl.DataFrame({"a": ["x", "y"] * 5, "s": ["SECRET"] * 6 + ["q"] * 4})
    schema = Schema(quasi_identifiers=["a"], sensitive=["s"])
    model = AlphaKAnonymity(sensitive="s", alpha="1/2", values=["SECRET"])
    with pytest.raises(InfeasibleError, match="no recoding meets") as caught:
        anonymize(frame, schema, models=model, algorithm=algorithm)
    assert "SECRET" not in str(caught.value)
    assert caught.value.choices[0] == "raise alpha to 3/5 (0.6) on s"
