"""What every builder promises."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.schema import HierarchyBuilder
from shoal.errors import HierarchyError, ShoalError
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
    write_csv,
)
from unit.hierarchies.building import builds

UNKNOWN = "Zq7-nowhere"


@given(builds())
def test_every_value_is_a_leaf_and_a_missing_one_the_last(drawn):
    builder, values, type_ = drawn
    h = builder.build(values, column="c", type=type_)
    assert isinstance(builder, HierarchyBuilder)
    assert set(values) <= set(h.leaves)
    assert h.has_null == (None in values)
    assert h.type in ("text", "integer", "decimal", "date", "ordered")
    assert type_ in (None, h.type) or builder.__class__.__name__ == "Ordered"


@given(builds())
def test_each_level_partitions_the_leaves_into_intervals_that_nest(drawn):
    builder, values, type_ = drawn
    h = builder.build(values, column="c", type=type_)
    for level in range(h.n_levels):
        for node in np.unique(h.levels[level]):
            members = np.flatnonzero(h.levels[level] == node)
            assert members.tolist() == list(range(h.lo[node], h.hi[node] + 1))
    for below, above in itertools.pairwise(h.levels):
        assert (h.lo[above] <= h.lo[below]).all()
        assert (h.hi[above] >= h.hi[below]).all()
    assert h.levels[0].tolist() == list(range(h.n_values))
    assert np.unique(h.levels[-1]).tolist() == [h.root]


@given(builds())
def test_labels_are_unique_and_the_root_alone_is_the_star(drawn):
    builder, values, type_ = drawn
    h = builder.build(values, column="c", type=type_)
    present = [label for code, label in enumerate(h.labels) if not (h.has_null and code == h.n_values - 1)]
    assert len(set(present)) == len(present)
    if h.n_values > 1:
        assert [node for node, label in enumerate(h.labels) if label == "*"] == [h.root]


@given(builds())
def test_positions_rise_in_code_order_of_an_ordered_column(drawn):
    builder, values, type_ = drawn
    h = builder.build(values, column="c", type=type_)
    if h.ordered:
        places = h.positions[: h.n_values - h.has_null]
        assert (np.diff(places) >= 0).all()
    if h.type == "text":
        assert not h.ordered


@given(builds(), st.randoms())
def test_the_order_of_values_changes_nothing(drawn, random):
    builder, values, type_ = drawn
    shuffled = list(values)
    random.shuffle(shuffled)
    h = builder.build(values, column="c", type=type_)
    assert h.same_as(builder.build(iter(shuffled), column="c", type=type_))


@given(builds(), st.sampled_from(";,\t|"), st.booleans())
def test_a_written_file_reads_back_as_the_same_hierarchy(tmp_path_factory, drawn, delimiter, detected):
    builder, values, type_ = drawn
    h = builder.build(values, column="c", type=type_)
    path = tmp_path_factory.mktemp("written") / "h.csv"
    write_csv(h, path, delimiter)
    again = from_csv(path, delimiter=None if detected else delimiter)
    assert h.same_as(again.build(h.leaves, column="c", type=h.type))


@given(builds())
def test_a_builder_goes_through_a_spec_unchanged(drawn):
    builder, _, _ = drawn
    assert from_spec(to_spec(builder)) == builder
    assert to_spec(from_spec(to_spec(builder))) == to_spec(builder)


@pytest.mark.parametrize(
    "builder",
    [
        intervals(5),
        intervals(cuts=[0, 10]),
        dates(),
        ordered(["a", "b"]),
        tree({"G": ["a"]}),
        parents({"a": "G"}),
        prefix(2, length=3),
    ],
)
def test_a_value_without_a_place_is_counted_but_never_named(builder):
    with pytest.raises(HierarchyError) as caught:
        builder.build([UNKNOWN, None], column="age")
    error = caught.value
    assert error.examples == (UNKNOWN,)
    assert "'age'" in str(error)
    assert "1" in error.problem
    assert UNKNOWN not in str(error) + repr(error) + str(error.as_dict())


@pytest.mark.parametrize(
    "builder",
    [intervals(5), dates(), prefix(2), ordered(["a"]), tree({"G": ["a"]}), parents({"a": "G"}), flat(), auto()],
)
def test_the_mark_of_a_suppressed_cell_is_no_value(builder):
    with pytest.raises(HierarchyError, match="suppressed") as caught:
        builder.build(["*"], column="age")
    assert "missing" in caught.value.fix


@pytest.mark.parametrize("builder", [intervals(5), dates(), prefix(2), flat(), auto()])
def test_a_column_of_missing_values_only_has_one_leaf(builder):
    h = builder.build([None])
    assert h.leaves == (None,)
    assert h.root == 0


@pytest.mark.parametrize("builder", [intervals(5), dates(), prefix(2), flat(), auto()])
def test_a_column_without_values_has_no_hierarchy(builder):
    with pytest.raises(HierarchyError, match="at least one value"):
        builder.build([])


@pytest.mark.parametrize(
    ("builder", "type_"),
    [
        (intervals(5), "text"),
        (intervals(5), "date"),
        (prefix(3), "integer"),
        (dates(), "text"),
        (ordered(["1"]), "integer"),
        (flat(), "ordered"),
        (auto(), "ordered"),
    ],
)
def test_a_type_that_a_builder_cannot_give_is_refused(builder, type_):
    with pytest.raises(ShoalError, match="does not fit") as caught:
        builder.build(["1"], column="age", type=type_)
    assert "'age'" in caught.value.where
