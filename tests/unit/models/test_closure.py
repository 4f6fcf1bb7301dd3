"""Where the union of two passing classes fails: what the models without a closure claim is true."""

import numpy as np
import pytest

from shoal.core.classes import Classes
from shoal.core.context import Context, SensitiveColumn
from shoal.core.hierarchy import Hierarchy
from shoal.core.protocols import Closure
from shoal.core.table import FrequencyTable
from shoal.models import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    LDiversity,
    SampleUniqueness,
    TCloseness,
)


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


def test_present_values_of_delta_disclosure():
    # Either class has one value alone, twice its share of a half; together the rare one has 1/7.
    tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    context = Context({"s": SensitiveColumn(tree, np.array([100, 100]))}, n_rows=200)
    model = DeltaDisclosure(sensitive="s", delta="0.7", present_only=True)
    split = Classes.from_counts([1, 6], {"s": [[1, 0], [0, 6]]})
    assert_union_fails(model, split, Classes.from_counts([7], {"s": [[1, 6]]}), context)


def test_gains_of_people():
    # Half of either class has v0; of the three people together two have it, a third more than in the whole table.
    records = [(0, 0, 0), (0, 1, 1), (1, 1, 1), (1, 0, 2), (2, 1, 3)]
    assert_union_fails(BetaLikeness(sensitive="s", beta="0.2"), *split_and_united(records, n_values=2))
    assert_union_fails(DeltaDisclosure(sensitive="s", delta="0.25"), *split_and_united(records, n_values=2))


def both_and_united(*members):
    """Classes of these people, and one table in which the first two are one class."""
    tree = Hierarchy.from_paths([str(i) for i in range(len(members))], [["*"]] * len(members))
    q, person = zip(*[(i, who) for i, people in enumerate(members) for who in people], strict=True)
    table, _ = FrequencyTable.from_columns({"q": (tree, np.array(q, np.int32))}, unit=np.array(person, np.int64))
    point = table.point_of_item.astype(np.int32)
    fine = table.classes(point, len(members))
    return fine, table.classes(np.maximum(point - 1, 0), len(members) - 1), table.context()


def test_average_risk_of_people():
    # Three classes among 3 + 3 + 1 members are 0.43; merged, two among 3 + 1 are 0.5.
    fine, coarse, context = both_and_united([0, 1, 2], [0, 1, 2], [3])
    model = AverageRisk(risk="0.45")
    assert not model.violating(fine, context).any()
    assert model.violating(coarse, context).any()


def test_uniques_among_people():
    # One of 3 + 3 + 1 members is alone; merged, one of 3 + 1.
    fine, coarse, context = both_and_united([0, 1, 2], [0, 1, 2], [3])
    model = SampleUniqueness(share="0.2")
    assert not model.violating(fine, context).any()
    assert model.violating(coarse, context).any()


def test_presence_of_people_with_a_lower_bound():
    # One person of four in each class; the same person of eight together.
    model = DeltaPresence(delta_min="1/4", delta_max=1)
    assert model.closure(by_people=True) is Closure.NONE
    assert not model.violating(Classes.from_counts([1, 1], population=[4, 4]), Context()).any()
    assert model.violating(Classes.from_counts([1], population=[8]), Context()).all()
