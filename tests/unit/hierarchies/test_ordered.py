"""Declared orders by hand."""

import pytest

from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies import ordered

PAIN = ["none", "mild", "moderate", "severe", "critical"]


def groups(h):
    return list(h.labels[h.n_values :])


def test_neighbours_are_grouped_until_the_root():
    h = ordered(PAIN).build(["severe", None])
    assert h.leaves == (*PAIN, None)
    # 5 leaves, 3 groups, 2 groups, 1; the left-over keeps its name.
    assert groups(h) == ["{none, mild}", "{moderate, severe}", "{none … severe}", "*"]
    assert h.ordered
    assert h.positions.tolist()[:5] == [0, 1, 2, 3, 4]


def test_fanout_by_level():
    h = ordered([str(i) for i in range(12)], fanout=[3, 2]).build(["0"])
    assert groups(h) == ["{0 … 2}", "{3 … 5}", "{6 … 8}", "{9 … 11}", "{0 … 5}", "{6 … 11}", "*"]


def test_values_that_hold_commas_are_quoted():
    assert groups(ordered(["a, b", "c", "d"]).build(["c"])) == ['{"a, b", c}', "*"]


def test_two_values_need_no_group():
    assert groups(ordered(["a", "b"]).build(["a"])) == ["*"]


def test_one_value():
    h = ordered(["a"]).build(["a"])
    assert h.labels == ("a",)


def test_a_value_out_of_the_order_is_refused():
    with pytest.raises(HierarchyError, match=r"misses 1 value\(s\)") as caught:
        ordered(PAIN).build(["Mild", "mild"])
    assert caught.value.examples == ("Mild",)


@pytest.mark.parametrize(
    "arguments",
    [
        {"values": []},
        {"values": ["a", "a"]},
        {"values": [1, 2]},
        {"values": ["a"], "fanout": 1},
        {"values": ["a"], "fanout": 2.5},
        {"values": ["a"], "fanout": []},
        {"values": ["a"], "fanout": True},
        {"values": ["a"], "fanout": "2"},
    ],
)
def test_wrong_settings(arguments):
    with pytest.raises(SpecError):
        ordered(**arguments)
