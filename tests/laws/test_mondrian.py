"""What holds of Mondrian on random tables, with and without people and missing values."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import check_levels, check_order_of_rows, models, passes_of, problem_of, published, search
from oracles import mondrian as oracle
from shoal.algorithms import Mondrian
from shoal.core.hierarchy import Hierarchy
from shoal.core.protocols import Closure
from shoal.core.regions import publishable
from shoal.loss import NCP
from shoal.loss.measure import measure
from shoal.models import KAnonymity, LDiversity
from strategies import hierarchies, table_of, tables

LAW = settings(max_examples=80, deadline=None)

labels = st.sampled_from(["nodes", "ranges", "sets", "stars"])
boxes = st.sampled_from(["cut", "fit", "tight"])
mondrians = st.builds(
    Mondrian, labels=labels, boxes=boxes, strict=st.booleans(), lookahead=st.sampled_from([0, 3])
)


@LAW
@given(tables(), mondrians, models)
def test_what_is_published_meets_every_model(drawn, algorithm, models):
    table, rows = drawn
    problem = problem_of(table, models)
    regions = search(algorithm, table, problem)
    root = table.classes(np.zeros(table.n_items, np.int32), 1, problem.columns)
    assert (regions is None) == bool(problem.violating(root)[0])
    if regions is None:
        return
    passes = passes_of(table, problem)
    assert all(passes(found) for found in published(table, rows, regions, algorithm.labels).values())


@LAW
@given(tables(), mondrians, models)
def test_sides_are_what_the_labels_can_say(drawn, algorithm, models):
    table, _ = drawn
    regions = search(algorithm, table, problem_of(table, models))
    if regions is None:
        return
    assert regions.labels == algorithm.labels
    for j, h in enumerate(table.hierarchies):
        for lo, hi in zip(regions.lo[:, j].tolist(), regions.hi[:, j].tolist(), strict=True):
            if algorithm.labels == "nodes":
                assert h.node_of(lo, hi) is not None
            elif algorithm.labels == "stars":
                assert lo == hi or (lo, hi) == (0, h.n_values - 1)
            elif h.has_null and hi == h.n_values - 1:
                assert lo in (0, hi)


@st.composite
def tables_without_nulls(draw):
    trees = [draw(hierarchies(max_leaves=5, null=False)) for _ in range(draw(st.integers(1, 3)))]
    row = st.tuples(st.tuples(*(st.integers(0, h.n_values - 1) for h in trees)), st.just(()), st.just(None))
    return table_of(draw(st.lists(row, min_size=1, max_size=14)), trees)


@LAW
@given(tables_without_nulls(), st.sampled_from(["ranges", "sets"]), st.integers(1, 4))
def test_cut_boxes_tile_the_domain(table, labels, k):
    regions = search(Mondrian(labels=labels, boxes="cut"), table, problem_of(table, (KAnonymity(k=k),)))
    if regions is None:
        return
    for leaf in product(*(range(h.n_values) for h in table.hierarchies)):
        covering = (regions.lo <= leaf).all(axis=1) & (np.array(leaf) <= regions.hi).all(axis=1)
        assert covering.sum() == 1


def columns_of(table, labels, boxes):
    columns = []
    for h in table.hierarchies:
        children, last = {}, h.n_values - 1
        if labels == "nodes":
            for node in range(len(h.lo)):
                below = [(int(h.lo[c]), int(h.hi[c])) for c in h.children(node)]
                if below:
                    children[int(h.lo[node]), int(h.hi[node])] = below
        elif labels == "stars" and last:
            children[0, last] = [(v, v) for v in range(h.n_values)]
        elif h.has_null and last:
            children[0, last] = [(0, last - 1), (last, last)]
        fit = "tight" if boxes == "fit" and not h.ordered else boxes
        columns.append({"n": h.n_values, "children": children, "fit": fit})
    return columns


def boxes_of(table, regions):
    """The published boxes with the points in them."""
    found = defaultdict(set)
    point = table.point_of_item
    for i, box in enumerate(regions.region.tolist()):
        sides = tuple(zip(regions.lo[box].tolist(), regions.hi[box].tolist(), strict=True))
        found[sides].add(tuple(table.codes[point[i]].tolist()))
    return dict(found)


def check_against_plain_lists(table, rows, algorithm, models):
    problem = problem_of(table, models)
    least = max([1, *(int(np.ceil(m.required)) for m in models if m.name in {"k-anonymity", "l-diversity"})])
    least = max([least, *(m.k for m in models if m.name == "alpha-k-anonymity")])
    regions = search(algorithm, table, problem)
    columns = columns_of(table, algorithm.labels, algorithm.boxes)
    expected = oracle.mondrian(
        rows, columns, passes_of(table, problem), least=least, lend=problem.closed_under(Closure.UNION)
    )
    assert (regions is None) == (expected is None)
    if expected is None:
        return
    wanted = defaultdict(set)
    for sides, found in expected:
        wide = []
        for (lo, hi), h in zip(sides, table.hierarchies, strict=True):
            low, high = publishable(h, np.array([lo], np.int32), np.array([hi], np.int32), algorithm.labels)
            wide.append((int(low[0]), int(high[0])))
        wanted[tuple(wide)] |= {record[0] for record in found}
    assert boxes_of(table, regions) == dict(wanted)


@LAW
@given(tables(max_rows=24), labels, boxes, models)
def test_equals_cutting_plain_lists(drawn, labels, boxes, models):
    check_against_plain_lists(*drawn, Mondrian(labels=labels, boxes=boxes), models)


@pytest.mark.parametrize("labels", ["nodes", "sets", "stars"])
@pytest.mark.parametrize("seed", range(4))
def test_equals_cutting_plain_lists_on_a_skewed_table(labels, seed):
    rng = np.random.default_rng(seed)
    # The last column has so many values that they are sorted instead of counted.
    trees = [
        Hierarchy.from_paths(
            [f"v{i}" for i in range(n)], [[f"g{i // 3}"] for i in range(n)], order=order, null=null
        )
        for n, order, null in [(7, None, False), (12, range(12), True), (900, range(900), False)]
    ]
    skewed = [np.minimum(rng.geometric(0.3, 60) - 1, h.n_values - 1) for h in trees[:2]]
    codes = np.stack([*skewed, rng.integers(0, 900 if seed % 2 else 2, 60)], axis=1)
    rows = [(tuple(row), (), None) for row in codes.tolist()]
    check_against_plain_lists(table_of(rows, trees), rows, Mondrian(labels=labels), (KAnonymity(k=3 + seed % 2),))


class CountedK(KAnonymity):
    """k-anonymity that is tested on counts of classes."""


class CountedL(LDiversity):
    """l-diversity that is tested on counts of classes."""


@LAW
@given(tables(max_rows=24), mondrians, st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_seeing_enough_equals_counting_all(drawn, algorithm, k, l, count_nulls):
    table, _ = drawn
    found = []
    for people, values in ((KAnonymity, LDiversity), (CountedK, CountedL)):
        models = (people(k=k), values(sensitive="s0", l=l, count_nulls=count_nulls))
        found.append(search(algorithm, table, problem_of(table, models)))
    first, second = found
    assert (first is None) == (second is None)
    if first is not None:
        for name in ("lo", "hi", "offsets", "region", "rows"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@LAW
@given(tables(), mondrians, models, st.randoms())
def test_the_order_of_rows_changes_nothing(drawn, algorithm, models, random):
    check_order_of_rows(drawn, algorithm, models, random)


@LAW
@given(tables(), labels, st.sampled_from(["fit", "tight"]), st.booleans())
def test_nothing_is_lost_where_nothing_is_asked(drawn, labels, boxes, strict):
    table, _ = drawn
    algorithm = Mondrian(labels=labels, boxes=boxes, strict=strict)
    regions = search(algorithm, table, problem_of(table, (KAnonymity(k=1),)))
    assert measure(NCP(), table, regions) == pytest.approx(0, abs=1e-12)


@LAW
@given(tables(), mondrians, models, st.data())
def test_no_side_is_above_the_highest_allowed_level(drawn, algorithm, models, data):
    table, _ = drawn
    most = {
        name: data.draw(st.integers(0, h.height)) for name, h in zip(table.names, table.hierarchies, strict=True)
    }
    limit = data.draw(st.sampled_from(["0", "1/2"]))
    problem = problem_of(table, models, max_levels=most, suppression_limit=Fraction(limit))
    check_levels(search(algorithm, table, problem), table, problem)
