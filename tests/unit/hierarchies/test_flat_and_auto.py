"""Flat and automatic hierarchies by hand."""

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies import Dates, Flat, Intervals, Prefix, auto, flat


def test_flat_numbers_and_dates_keep_their_order():
    h = flat().build(["10", "9", "-1"])
    assert h.leaves == ("-1", "9", "10")
    assert h.ordered
    assert flat().build(["2024-01-02", "2023-12-31"]).ordered
    assert not flat().build(["10", "9"], type="text").ordered


def test_flat_texts_that_are_no_numbers_of_the_type():
    with pytest.raises(HierarchyError, match=r"^1 of 2"):
        flat().build(["1", "x"], type="integer")


def widths(values, type_=None):
    builder = auto().choose(values, type=type_)
    assert isinstance(builder, Intervals)
    return [str(width) for width in builder.widths]


def test_numbers_get_nested_intervals_that_fit_their_spread():
    assert widths([str(age) for age in range(17, 91)]) == ["5", "10", "20"]
    assert widths([str(i) for i in range(0, 100_000, 7)]) == ["10000", "20000"]
    assert widths([str(i) for i in range(0, 5001, 10)]) == ["500", "1000", "2000"]
    assert widths([f"{i / 100:.2f}" for i in range(101)]) == ["0.1", "0.2"]


def test_a_far_value_does_not_widen_the_narrowest_interval():
    near = [str(age) for age in range(17, 91)]
    assert widths([*near, "999999"])[0] == "5"
    assert len(widths([*near, "999999"])) <= 4


@pytest.mark.parametrize(
    ("values", "builder"),
    [
        (["0", "1"], Flat()),
        (["1", "2", "3", "4", "5"], Flat()),
        (["Male", "Female"], Flat()),
        (["a", "b", "c", "d", "e", "f", "g"], Flat()),
        (["02139", "02138", "94110", "10001", "60601", "30303"], Prefix(5)),
        (["I21.9", "I21.4", "J45.0", "J45.1", "E11.9", "E11.8"], Prefix(5)),
        (["9007199254740993", "9007199254740992", "1", "2", "3", "4"], Flat()),
        (["+1", "2", "3", "4", "5", "6"], Flat()),
        (["1e3", "2", "3", "4", "5", "6"], Flat()),
        (["NA", "2", "3", "4", "5", "6"], Flat()),
        (["2024-01-31", "2023-12-01"], Dates(("month", "year"))),
        (["2024-01-31", "1950-12-01"], Dates(("month", "year", "decade"))),
        (["2024-01", "2023-12"], Dates(("month", "year"))),
        (["2024-01-31", "2023-02-30"], Flat()),
        ([None], Flat()),
    ],
)
def test_the_look_of_the_values_decides(values, builder):
    assert auto().choose(values) == builder
    assert auto().choose(values[::-1]) == builder


def test_a_declared_type_wins_over_the_look():
    values = ["21390", "21380", "94110", "10001", "60601", "30303"]
    assert isinstance(auto().choose(values), Intervals)
    assert auto().choose(values, type="text") == Prefix(5)
    assert auto().build(values, type="text").type == "text"
    with pytest.raises(HierarchyError, match=r"^1 of 3"):
        auto().build(["1", "2", "x"], type="integer")


def test_values_of_one_number():
    assert auto().build(["1", "1.0", "1.00", "1.000", "1.0000", "1.00000"]).ordered
