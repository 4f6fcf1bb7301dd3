"""Builders as the tables of a spec."""

from pathlib import Path

import pytest

from shoal.errors import SpecError
from shoal.hierarchies import (
    auto,
    dates,
    flat,
    from_csv,
    from_spec,
    intervals,
    ordered,
    parents,
    prefix,
    to_spec,
    tree,
)

TABLES = [
    ({"intervals": [5, 10, 20, 40]}, intervals(5, 10, 20, 40)),
    (
        {"intervals": [0.5], "low": 0, "high": 10, "bottom": 1, "top": 9.5, "origin": 0.25},
        intervals("0.5", low=0, high=10, bottom=1, top="9.5", origin="0.25"),
    ),
    ({"intervals": ["0.10000000000000000001"]}, intervals("0.10000000000000000001")),
    ({"intervals": [], "top": 90}, intervals(top=90)),
    ({"cuts": [0, 18, 65]}, intervals(cuts=[0, 18, 65])),
    ({"cuts": [[0, 18, 65], [0, 65]], "top": 65}, intervals(cuts=[[0, 18, 65], [0, 65]], top=65)),
    ({"prefix": 5}, prefix(5)),
    ({"prefix": 2, "length": 5, "mask": "x"}, prefix(2, length=5, mask="x")),
    ({"dates": ["month", "year"]}, dates("month", "year")),
    ({"tree": {"Europe": ["DE", "FR"]}}, tree({"Europe": ["DE", "FR"]})),
    (
        {"tree": {"E": {"N": ["SE"]}, "A": ["US", {"S": ["BR"]}]}},
        tree({"E": {"N": ["SE"]}, "A": ["US", {"S": ["BR"]}]}),
    ),
    ({"parents": {"DE": "Europe", "Europe": "Europe"}}, parents({"DE": "Europe", "Europe": None})),
    ({"order": ["low", "high"]}, ordered(["low", "high"])),
    ({"order": ["low", "high"], "fanout": 3}, ordered(["low", "high"], fanout=3)),
    ({"order": ["low", "high"], "fanout": [2, 3]}, ordered(["low", "high"], fanout=[2, 3])),
    ({"flat": True}, flat()),
    ({"auto": True}, auto()),
]


@pytest.mark.parametrize(("table", "builder"), TABLES)
def test_tables_and_builders_are_one(table, builder):
    assert from_spec(table) == builder
    assert to_spec(builder) == table


def test_cut_points_beside_an_empty_list_of_widths():
    assert from_spec({"intervals": [], "cuts": [0, 5]}) == intervals(cuts=[0, 5])


def test_files_lie_relative_to_the_spec():
    folder = Path("specs")
    table = {"file": "h/age.csv", "delimiter": ";", "encoding": "latin-1"}
    builder = from_spec(table, folder=folder)
    assert builder == from_csv("specs/h/age.csv", delimiter=";", encoding="latin-1")
    assert to_spec(builder, folder=folder) == table
    elsewhere = Path("/data/age.csv").absolute()
    assert to_spec(from_csv(elsewhere), folder=folder) == {"file": elsewhere.as_posix()}
    assert from_spec({"file": elsewhere.as_posix()}, folder=folder) == from_csv(elsewhere)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"interval": [5]}, "did you mean 'intervals'?"),
        ({}, "names no kind"),
        ({"delimiter": ";"}, "names no kind"),
        ({"prefix": 5, "auto": True}, "two kinds"),
        ({"prefix": 5, "lenght": 3}, "did you mean 'length'?"),
        ({"intervals": [5], "width": 3}, "has no key 'width'"),
        ({"dates": ["month"], "fanout": 2}, "has no key 'fanout'"),
        ({"cuts": [0, 5], "origin": 1}, "has no key 'origin'"),
        ({"intervals": 5}, "not a list"),
        ({"intervals": [5], "cuts": [1, 2]}, "one of the two"),
        ({"intervals": [5], "cuts": 5}, "not a list"),
        ({"intervals": [5], "low": "x"}, "not a number"),
        ({"cuts": 5}, "not a list"),
        ({"dates": "month"}, "not a list"),
        ({"dates": [["month"]]}, "no period"),
        ({"order": "abc"}, "not a list"),
        ({"order": ["a"], "fanout": 1}, "fanout"),
        ({"tree": ["DE"]}, "not a table"),
        ({"parents": ["DE"]}, "not a table"),
        ({"file": 5}, "not a path"),
        ({"file": ""}, "not a path"),
        ({"file": "a", "delimiter": 5}, "not text"),
        ({"prefix": "5"}, "whole number"),
        ({"auto": False}, "not true"),
        ({"flat": 1}, "not true"),
        ("auto", "is a table"),
        ({5: 5}, "names no kind"),
    ],
)
def test_wrong_tables(table, message):
    with pytest.raises(SpecError) as caught:
        from_spec(table)
    assert message in str(caught.value)


def test_a_builder_of_another_package_has_no_table():
    with pytest.raises(SpecError, match="cannot be written"):
        to_spec(object())
