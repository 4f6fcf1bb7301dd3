"""What holds of tables at coarser levels, and of the way back."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.coarsened import Coarsened, coarsened_hierarchy
from shoal.algorithms.grouping import Grouping
from shoal.core.recoding import Generalization
from strategies import hierarchies, tables

LAW = settings(max_examples=150, deadline=None)


@LAW
@given(hierarchies(max_leaves=8, max_inner=3), st.data())
def test_a_coarser_hierarchy_has_the_nodes_of_its_levels(tree, data):
    level = data.draw(st.integers(0, tree.height))
    above, nodes = coarsened_hierarchy(tree, level)
    assert above.n_levels == tree.n_levels - level
    for higher in range(level, tree.n_levels):
        for leaf in range(tree.n_values):
            code = int(np.searchsorted(tree.lo[nodes], leaf, side="right")) - 1
            node = above.levels[higher - level, code]
            same = tree.levels[higher, leaf]
            assert above.labels[node] == tree.labels[same]
            assert tree.lo[nodes[above.lo[node]]] == tree.lo[same]
            assert tree.hi[nodes[above.hi[node]]] == tree.hi[same]
            assert above.node_of(above.lo[node], above.hi[node]) == node
    assert above.labels[above.root] == tree.labels[tree.root]
    assert above.has_null == (tree.has_null and (level < tree.height or tree.n_values == 1))
    assert above.codes.keys() == set(above.leaves)


@LAW
@given(tables(unit=False, n_sensitive=2), st.data())
def test_coarser_rows_are_the_rows_one_level_up(drawn, data):
    table, rows = drawn
    levels = tuple(data.draw(st.integers(0, h.height)) for h in table.hierarchies)
    coarse = Coarsened.of(table, levels, sensitive="s1")
    expected = Counter(
        (*(int(h.levels[level][q]) for h, level, q in zip(table.hierarchies, levels, quasi, strict=True)), s[1])
        for quasi, s, _ in rows
    )
    found = Counter()
    nodes = [
        np.arange(h.n_values) if n is None else n for h, n in zip(table.hierarchies, coarse.nodes, strict=True)
    ]
    for point, value, count in zip(
        coarse.table.point_of_item, coarse.table.sensitive[:, 0], coarse.table.counts, strict=True
    ):
        codes = coarse.table.codes[point]
        found[(*(int(n[c]) for n, c in zip(nodes, codes, strict=True)), int(value))] += int(count)
    assert found == expected


@LAW
@given(tables(unit=False, n_sensitive=2), st.data())
def test_points_as_groups_lead_back_to_full_domain_generalization(drawn, data):
    table, _ = drawn
    levels = tuple(data.draw(st.integers(0, h.height)) for h in table.hierarchies)
    coarse = Coarsened.of(table, levels, sensitive="s0")
    point = coarse.table.point_of_item
    as_they_are = Grouping(
        coarse.table,
        np.arange(coarse.table.n_items + 1),
        point.astype(np.int32),
        coarse.table.counts,
        coarse.table.codes,
        coarse.table.codes,
    )
    found = coarse.regions(as_they_are, "nodes")
    expected = Generalization(levels, np.zeros(table.n_points, bool)).regions(table)
    for name in ("lo", "hi", "offsets", "region", "rows"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
