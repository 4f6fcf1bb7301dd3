"""Whether the possible values of a column were listed or read off the table."""

import pytest

from shoal import auto, dates, flat, intervals, ordered, parents, prefix, tree
from shoal.core.hierarchy import Hierarchy
from shoal.hierarchies.csv_file import from_csv


@pytest.fixture
def age_file(tmp_path):
    path = tmp_path / "age.csv"
    path.write_text("1;*\n2;*\n", "utf-8")
    return from_csv(path)


def test_a_file_lists_its_values(age_file):
    assert age_file.build(["1"]).declared


@pytest.mark.parametrize(
    "builder",
    [
        tree({"all": ["1", "2"]}),
        parents({"1": "all", "2": "all"}),
        ordered(["1", "2"]),
        intervals(5, low=0, high=9),
    ],
)
def test_what_lists_its_values_declares_them(builder):
    assert builder.build(["1", "2"]).declared


@pytest.mark.parametrize("builder", [auto(), flat(), prefix(1), intervals(5), intervals(5, low=0)])
def test_what_takes_the_values_that_occur_declares_nothing(builder):
    assert not builder.build(["1", "2"]).declared


def test_dates_and_domains_too_wide_to_list_are_those_that_occur():
    assert not dates("month").build(["2020-01-01"]).declared
    assert not intervals(5, low=0, high=10**6).build(["1", "2"]).declared
    # Nobody declared that a number may be written so.
    assert not intervals(5, low=0, high=9).build(["01", "2"]).declared
    # Decimals between two bounds cannot be listed.
    assert not intervals("0.5", low=0, high=1).build(["0.1", "0.2"]).declared


def test_a_hierarchy_made_by_hand_says_what_it_is_told():
    assert not Hierarchy.from_paths(["a"], [[]]).declared
    assert Hierarchy.from_paths(["a"], [[]], declared=True).declared
