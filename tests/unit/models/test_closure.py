"""Where the union of two passing classes fails: what the models without a closure claim is true."""

import numpy as np
import pytest

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.hierarchy import Hierarchy
from shoal.core.protocols import Closure
from shoal.core.table import FrequencyTable
from shoal.models import AlphaKAnonymity, LDiversity, TCloseness


def split_and_united(records, *, n_values):
    """Classes 0 and 1 of (class, value, person) records, their union, and the context of all classes."""
    flat = Hierarchy.from_paths(["0", "1", "2"], [["*"]] * 3)
    values = Hierarchy.from_paths([f"v{i}" for i in range(n_values)], [["*"]] * n_values)
    c, value, person = (np.array(column, np.int32) for column in zip(*records, strict=True))
    table, _ = FrequencyTable.from_columns({"q": (flat, c)}, {"s": (values, value)}, unit=person.astype(np.int64))
    two = np.where(table.point_of_item < 2, table.point_of_item, -1).astype(np.int32)
    split = table.classes(two, 2, ["s"])
    united = table.classes(np.minimum(two, 0), 1, ["s"])
    return split, united, table.context()


def assert_union_fails(model, split, united, context):
    assert model.closure(by_people=context.by_people) is Closure.NONE
    assert not model.violating(split, context).any()
    assert model.violating(united, context).all()


@pytest.mark.parametrize("k", [1, 2, 3])
def test_ceiling_alpha_of_two_classes_of_three(k):
    # 2 <= ceil(1.5) in {c,c,n} twice; together 4 > ceil(3).
    model = AlphaKAnonymity(sensitive="s", alpha="1/2", k=k, form="ceiling")
    split = Classes.from_counts([3, 3], {"s": [[2, 1], [2, 1]]})
    assert_union_fails(model, split, Classes.from_counts([6], {"s": [[4, 2]]}), Context())


def test_ceiling_alpha_of_one_tenth():
    model = AlphaKAnonymity(sensitive="s", alpha="0.1", k=2, values=["v0"], form="ceiling")
    split, united, context = split_and_united([(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 3)], n_values=2)
    assert_union_fails(model, split, united, context)


@pytest.mark.parametrize(
    "model",
    [
        AlphaKAnonymity(sensitive="s", alpha="1/2", values=["v0"]),
        AlphaKAnonymity(sensitive="s", alpha="1/2", values=["v0"], reading="union"),
        LDiversity(sensitive="s", l=2, kind="frequency"),
    ],
)
def test_shares_of_people(model):
    # {1:v, 2:-} and {2:-, 3:v} have 1/2 each; their union 2 of 3 people, since person 2 is one person.
    records = [(0, 0, 0), (0, 1, 1), (1, 1, 1), (1, 0, 2)]
    assert_union_fails(model, *split_and_united(records, n_values=2))


@pytest.mark.parametrize(
    "model",
    [
        LDiversity(sensitive="s", l=2, kind="entropy"),
        LDiversity(sensitive="s", l=2, kind="recursive", c="3/2"),
    ],
)
def test_distributions_of_people(model):
    # Values by people: (1, 1) twice, but (2, 1) together, since person 1 is one person.
    records = [(0, 0, 0), (0, 1, 1), (1, 1, 1), (1, 0, 2)]
    assert_union_fails(model, *split_and_united(records, n_values=2))


def test_distance_of_people():
    # The table has two people of each value, person 3 in a third class. The first two classes, (1, 1) each, are
    # no way off; together they show (2, 1), 1/6 off.
    records = [(0, 0, 0), (0, 1, 1), (1, 1, 1), (1, 0, 2), (2, 1, 3)]
    assert_union_fails(TCloseness(sensitive="s", t="0.1"), *split_and_united(records, n_values=2))
