"""The examples of docs/explanation/privacy_models.md, with the numbers that stand there."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from oracles import ceiling_splits
from shoal.algorithms.feasibility import check_feasible
from shoal.core.classes import Classes
from shoal.core.context import Context, SensitiveColumn
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.errors import InfeasibleError
from shoal.loss import NCP
from shoal.models import AlphaKAnonymity, LDiversity

ROOT = Path(__file__).resolve().parents[2]
TREE = Hierarchy.from_paths(["c", "n"], [["*"], ["*"]])


def passes(model, *classes):
    """Return whether each class passes; a class is how often each sensitive value occurs in it."""
    counted = Classes.from_counts([sum(c) for c in classes], {"s": classes})
    return (~model.violating(counted, Context())).tolist()


def test_merged_classes_need_not_pass_the_ceiling_form():
    model = AlphaKAnonymity(sensitive="s", alpha="1/2", form="ceiling")
    assert passes(model, [2, 1], [2, 1]) == [True, True]
    assert passes(model, [4, 2]) == [False]


def test_the_effective_alphas_of_the_page():
    table = {
        "1/2": {2: "2/3", 3: "2/3", 5: "3/5", 10: "6/11"},
        "1/5": {2: "1/2", 3: "1/3", 5: "1/3", 10: "3/11"},
        "1/10": {2: "1/2", 3: "1/3", 5: "1/5", 10: "2/11"},
    }
    for alpha, by_k in table.items():
        for k, most in by_k.items():
            model = AlphaKAnonymity(sensitive="s", alpha=alpha, k=k, form="ceiling")
            assert model.effective_alpha == Fraction(most) < Fraction(alpha) + Fraction(1, k)
        row = f"| {alpha} | " + " | ".join(by_k.values()) + " |"
        assert row in (ROOT / "docs/explanation/privacy_models.md").read_text("utf-8")


def test_the_most_over_all_splits_is_necessary_and_not_sufficient():
    assert ceiling_splits.most(6, alpha="1/2", k=3) == 4
    assert ceiling_splits.most(9, alpha="1/2", k=2) == 6
    context = Context({"s": SensitiveColumn(TREE, np.array([1, 1]))}, n_rows=9)
    model = AlphaKAnonymity(sensitive="s", alpha="1/2", k=2, form="ceiling", values=["c"])
    most = 0
    for size in range(2, 8):
        for first in range(size + 1):
            for second in range(9 - size + 1):
                parts = ([first, size - first], [second, 9 - size - second])
                counted = Classes.from_counts([size, 9 - size], {"s": parts})
                if not model.violating(counted, context).any():
                    most = max(most, first + second)
    assert most == 5


def test_six_of_ten_need_three_fifths_or_two_records_less():
    context = Context({"s": SensitiveColumn(TREE, np.array([6, 4]))}, n_rows=10)
    model = AlphaKAnonymity(sensitive="s", alpha="1/2", values=["c"])
    with pytest.raises(InfeasibleError, match=r"raise alpha to 3/5 .*\(2 of 10 records\)"):
        check_feasible(Problem(models=(model,), loss=NCP(), context=context))


def test_generalizing_can_raise_the_number_of_suppressed_records():
    model = AlphaKAnonymity(sensitive="s", alpha="1/2")
    assert passes(model, [1, 1], [3, 1]) == [True, False]
    assert passes(model, [4, 2]) == [False]


def test_a_share_of_people_is_not_closed_under_union():
    first, second = {1: True, 2: False}, {2: False, 3: True}
    both = {person: first.get(person, False) or second.get(person, False) for person in {*first, *second}}
    shares = [Fraction(sum(people.values()), len(people)) for people in (first, second, both)]
    assert shares == [Fraction(1, 2), Fraction(1, 2), Fraction(2, 3)]


def test_entropy_of_four_equal_values_is_four():
    model = LDiversity(sensitive="s", l=4, kind="entropy")
    assert passes(model, [1, 1, 1, 1]) == [True]
