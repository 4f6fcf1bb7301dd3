"""The examples of docs/explanation/privacy_models.md, with the numbers that stand there."""

from fractions import Fraction

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.models import AlphaKAnonymity, LDiversity


def passes(model, *classes):
    """Return whether each class passes; a class is how often each sensitive value occurs in it."""
    counted = Classes.from_counts([sum(c) for c in classes], {"s": classes})
    return (~model.violating(counted, Context())).tolist()


def test_merged_classes_need_not_pass_the_ceiling_form():
    model = AlphaKAnonymity(sensitive="s", alpha="1/2", form="ceiling")
    assert passes(model, [2, 1], [2, 1]) == [True, True]
    assert passes(model, [4, 2]) == [False]


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
