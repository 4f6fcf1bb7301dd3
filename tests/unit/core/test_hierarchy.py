"""The tree in code space: its definition by sets of values, and its walks."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.hierarchy import Hierarchy
from shoal.errors import HierarchyError
from strategies import hierarchies


@st.composite
def paths(draw):
    """Leaves and nested labels, in scrambled order, some labels shared between levels."""
    n = draw(st.integers(1, 7))
    leaves = draw(st.permutations([f"v{i}" for i in range(n)]))
    rows = [[] for _ in leaves]
    group = list(range(n))
    for level in range(draw(st.integers(0, 3))):
        target = {g: draw(st.integers(0, 2)) for g in sorted(set(group))}
        group = [target[g] for g in group]
        name = draw(st.sampled_from(["g", "v", f"l{level}-"]))
        for row, g in zip(rows, group, strict=True):
            row.append(f"{name}{g}")
    order = draw(st.none() | st.permutations(range(n)))
    return leaves, rows, order, draw(st.booleans())


@given(paths())
def test_nodes_are_the_sets_of_leaves_that_share_a_label(drawn):
    leaves, rows, order, null = drawn
    h = Hierarchy.from_paths(leaves, rows, order=order, null=null)
    members = {}
    for level in range(len(rows[0])):
        for leaf, row in zip(leaves, rows, strict=True):
            members.setdefault((level + 1, row[level]), set()).add(leaf)
    for leaf, row in zip(leaves, rows, strict=True):
        code = h.codes[leaf]
        for level in range(len(row)):
            top = level == len(row) - 1 and len({r[-1] for r in rows}) == 1
            node = h.levels[level + 1, code]
            covered = {h.leaves[c] for c in range(h.lo[node], h.hi[node] + 1)}
            assert covered == (set(h.leaves) if top else members[level + 1, row[level]])
    assert (h.leaves[-1] is None) == null
    assert sorted(h.leaves[: len(leaves)]) == sorted(leaves)


@given(paths())
def test_order_is_kept_exactly_where_every_group_is_contiguous_in_it(drawn):
    leaves, rows, order, null = drawn
    h = Hierarchy.from_paths(leaves, rows, order=order, null=null)
    if order is None:
        assert not h.ordered
        assert h.positions is None
        return
    place = dict(zip(leaves, order, strict=True))
    assert h.positions[: len(leaves)].tolist() == [place[leaf] for leaf in h.leaves[: len(leaves)]]
    inner = range(len(rows[0]) - (len({row[-1] for row in rows} if rows[0] else {0}) == 1))
    by_order = [row for _, row in sorted(zip(order, rows, strict=True))]
    contiguous = all(
        sum(a[level] != b[level] for a, b in itertools.pairwise(by_order)) + 1 == len({row[level] for row in rows})
        for level in inner
    )
    assert h.ordered == contiguous
    if h.ordered:
        assert sorted(h.positions[: len(leaves)]) == h.positions[: len(leaves)].tolist()


@given(hierarchies())
def test_children_partition_their_parent(h):
    for node in range(len(h.labels)):
        below = h.children(node)
        assert (h.parents[below] == node).all()
        if below.size:
            assert h.lo[below[0]] == h.lo[node]
            assert h.hi[below[-1]] == h.hi[node]
            assert (h.lo[below[1:]] == h.hi[below[:-1]] + 1).all()
        else:
            assert node < h.n_values


@given(hierarchies())
def test_the_smallest_covering_node(h):
    lo, hi = (side.astype(np.int32) for side in np.triu_indices(h.n_values))
    for a, b, node in zip(lo, hi, h.covering(lo, hi), strict=True):
        candidates = [v for v in range(len(h.labels)) if h.lo[v] <= a and h.hi[v] >= b]
        assert node == min(candidates, key=lambda v: h.hi[v] - h.lo[v])


@given(hierarchies())
def test_a_hierarchy_is_the_same_as_itself_and_as_no_other(h):
    assert h.same_as(h)
    other = Hierarchy.from_paths(["x", "y"], [["*"], ["*"]])
    assert not h.same_as(other)


def test_steps_count_chains_but_no_repeated_label():
    h = Hierarchy.from_paths(["a", "b", "c"], [["a", "A", "A2"], ["g", "G", "G2"], ["g", "G", "G2"]])
    # a lies higher: its label repeats once. G and G2 are one node, and two steps.
    assert h.steps.tolist() == [[0, 0, 0], [0, 1, 1], [1, 2, 2], [2, 3, 3], [3, 4, 4]]
    assert h.node_steps.tolist() == [[0, 0, 0], [0, 1, 1], [0, 1, 1], [0, 1, 1], [3, 4, 4]]
    assert h.labels == ("a", "b", "c", "g", "*")


def test_only_missing_values():
    h = Hierarchy.from_paths([], [], null=True)
    assert (h.leaves, h.labels, h.levels.tolist(), h.root) == ((None,), ("",), [[0], [0]], 0)


def test_one_value_is_its_own_root():
    h = Hierarchy.from_paths(["a"], [["*"]])
    assert (h.labels, h.root, h.children(0).tolist()) == (("a",), 0, [])


def test_missing_values_lie_directly_under_the_root():
    h = Hierarchy.from_paths(["a", "b"], [["g", "all"], ["g", "all"]], null=True)
    # The group of all present values is no root: the missing one is beside it.
    assert h.levels.tolist() == [[0, 1, 2], [3, 3, 2], [4, 4, 4]]
    assert h.labels == ("a", "b", "", "g", "*")
    assert h.children(h.root).tolist() == [3, 2]


def test_labels_that_are_taken_show_their_level():
    h = Hierarchy.from_paths(["a", "b", "c"], [["a", "x"], ["a", "x"], ["*", "y"]])
    assert h.labels == ("a", "b", "c", "a (level 1)", "*")
    h = Hierarchy.from_paths(["a", "b", "c", "d"], [["*", "x"], ["*", "x"], ["z", "x"], ["w", "y"]])
    assert h.labels == ("a", "b", "c", "d", "* (level 1)", "x", "*")
    assert h.node_of_label["*"] == h.root


def test_values_of_one_place_keep_the_order_in_which_they_are_given():
    h = Hierarchy.from_paths(["1.00", "1", "0"], [["*"]] * 3, order=[1.0, 1.0, 0.0])
    assert h.leaves == ("0", "1.00", "1")


@pytest.mark.parametrize(
    ("leaves", "rows", "problem", "examples"),
    [
        ([], [], "at least one value", ()),
        (["a", "a"], [["x"], ["x"]], r"1 value\(s\) stand twice", ("a",)),
        (["a", "*"], [["x"], ["x"]], "suppressed", ("*",)),
        (["a", "b"], [["x"], ["x", "y"]], "unequal lengths", ()),
        (["a", "b"], [["x", "p"], ["x", "q"]], r"1 label\(s\) of level 1 have two parents", ("x",)),
    ],
)
def test_what_is_no_tree_is_refused(leaves, rows, problem, examples):
    with pytest.raises(HierarchyError, match=problem) as caught:
        Hierarchy.from_paths(leaves, rows, column="age")
    assert caught.value.examples == examples
    assert caught.value.where == "column 'age'"
