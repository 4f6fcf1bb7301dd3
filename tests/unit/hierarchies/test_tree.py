"""Nested groups and parents by hand."""

import pytest

from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies import parents, tree

WORLD = {
    "Europe": ["DE", "FR"],
    "America": {"North": ["US", "CA"], "South": {"Andes": ["PE"], "Plata": ["AR", "UY"]}},
}


def path(h, leaf):
    return [h.labels[node] for node in h.levels[:, h.codes[leaf]]]


def test_groups_of_unequal_depth():
    h = tree(WORLD).build(["DE"])
    assert h.leaves == ("DE", "FR", "US", "CA", "PE", "AR", "UY")
    # The leaf repeats upward; Andes has one value and is that value.
    assert path(h, "DE") == ["DE", "DE", "DE", "Europe", "*"]
    assert path(h, "US") == ["US", "US", "North", "America", "*"]
    assert path(h, "PE") == ["PE", "PE", "South", "America", "*"]
    assert path(h, "AR") == ["AR", "Plata", "South", "America", "*"]
    # Edges climbed: Andes counts for PE, a repeated leaf does not.
    assert h.steps[:, h.codes["PE"]].tolist() == [0, 1, 2, 3, 4]
    assert h.steps[:, h.codes["DE"]].tolist() == [0, 0, 0, 1, 2]


def test_a_list_may_hold_groups_too():
    h = tree({"Europe": ["DE", {"Nordic": ["SE", "NO"]}]}).build(["SE"])
    assert h.leaves == ("DE", "SE", "NO")
    assert path(h, "SE") == ["SE", "Nordic", "*"]


def test_numbers_in_order_keep_it_and_text_does_not():
    groups = {"minor": [15, 17], "adult": [18, 40]}
    assert tree(groups).build(["15"]).ordered
    assert tree(groups).build(["15"]).type == "integer"
    assert not tree(groups).build(["15"], type="text").ordered
    crossed = tree({"odd": ["1", "3"], "even": ["2", "4"]}).build(["1"])
    assert not crossed.ordered
    assert crossed.positions.tolist() == [1, 3, 2, 4]


def test_a_leaf_may_share_its_text_with_a_group():
    h = tree({"a": ["a", "b"], "c": ["c"]}).build(["a"])
    assert path(h, "a") == ["a", "a (level 1)", "*"]


@pytest.mark.parametrize(
    ("groups", "message", "examples"),
    [
        ({"x": ["a"], "y": ["a", "b"]}, r"1 value\(s\) stand twice", ("a",)),
        ({"x": {"g": ["a"]}, "y": {"g": ["b"]}}, "two parents", ("g",)),
        ({"x": ["a"], " x": ["b"], "": ["c"]}, r"2 label\(s\) .* padded", ("", " x")),
    ],
)
def test_groups_that_are_no_tree(groups, message, examples):
    with pytest.raises(HierarchyError, match=message) as caught:
        tree(groups).build(["a"], column="c")
    assert caught.value.examples == examples


@pytest.mark.parametrize(
    "groups", [{}, {"a": []}, {"a": "DE"}, {"a": [None]}, {"a": [1.5]}, {"a": None}, ["x", [1]]]
)
def test_wrong_settings(groups):
    with pytest.raises(SpecError):
        tree(groups)


def test_parents_climb_to_the_root():
    h = parents({"DE": "Europe", "FR": "Europe", "US": "America", "Europe": "Old World"}).build(["FR", None])
    assert h.leaves == ("DE", "FR", "US", None)
    assert path(h, "DE") == ["DE", "Europe", "Europe", "*"]
    assert path(h, "US") == ["US", "US", "US", "*"]


def test_parents_and_nested_groups_of_one_tree_agree():
    by_parent = {
        "DE": "Europe", "FR": "Europe", "US": "North", "CA": "North", "PE": "Andes", "AR": "Plata", "UY": "Plata",
        "Andes": "South", "Plata": "South", "North": "America", "South": "America", "America": None,
        "Europe": "Europe",
    }  # fmt: skip
    assert parents(by_parent).build(["DE"]).same_as(tree(WORLD).build(["DE"]))


@pytest.mark.parametrize(
    "given", [{"a": "b", "b": "a"}, {"x": "a", "a": "b", "b": "a"}, {"x": "y", "a": "b", "b": "c", "c": "a"}]
)
def test_parents_in_a_circle(given):
    with pytest.raises(HierarchyError, match="circle"):
        parents(given).build(["x"])


def test_a_group_is_no_value():
    with pytest.raises(HierarchyError, match=r"misses 1 value\(s\)") as caught:
        parents({"DE": "Europe"}).build(["Europe"])
    assert caught.value.examples == ("Europe",)


def test_a_leaf_may_be_padded_where_the_table_is():
    assert tree({"x": [" a", "b"]}).build([" a"]).leaves == (" a", "b")


def test_no_parents():
    with pytest.raises(SpecError):
        parents({})
