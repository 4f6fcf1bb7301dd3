"""What holds of top-down local recoding on random tables, with and without people and missing values."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import (
    check_levels,
    check_order_of_rows,
    counted,
    models,
    needs_of,
    passes_of,
    problem_of,
    published,
    search,
)
from oracles import top_down as oracle
from shoal.algorithms import Mondrian, TopDown
from shoal.core.protocols import Closure
from shoal.loss import NCP
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity, KAnonymity
from strategies import tables

LAW = settings(max_examples=80, deadline=None)

labels = st.sampled_from(["nodes", "ranges", "sets", "stars"])
boxes = st.sampled_from(["cut", "fit", "tight"])
descents = st.builds(
    TopDown,
    labels=labels,
    boxes=boxes,
    remainder=st.sampled_from(["publish", "specialize"]),
    lookahead=st.sampled_from([0, 3]),
)


@LAW
@given(tables(max_rows=24), descents, models | counted)
def test_what_is_published_meets_every_model(drawn, algorithm, models):
    table, rows = drawn
    problem = problem_of(table, models)
    regions = search(algorithm, table, problem)
    root = table.classes(np.zeros(table.n_items, np.int32), 1, problem.columns)
    if regions is None:
        assert problem.violating(root)[0]
        return
    assert not regions.suppressed_rows
    assert regions.labels == algorithm.labels
    passes = passes_of(table, problem)
    assert all(passes(found) for found in published(table, rows, regions, algorithm.labels).values())


def columns_of(table, labels, boxes):
    columns = []
    for h in table.hierarchies:
        children, height, last = {}, {}, h.n_values - 1
        if labels == "nodes":
            for node in range(len(h.lo)):
                below = [(int(h.lo[c]), int(h.hi[c])) for c in h.children(node)]
                side = int(h.lo[node]), int(h.hi[node])
                leaves = np.arange(side[0], side[1] + 1, dtype=np.int32)
                lo, hi = (np.full(len(leaves), end, np.int32) for end in side)
                height[side] = int(h.climbed(leaves, lo, hi).max())
                if below:
                    children[side] = below
        elif last and (labels == "stars" or h.has_null):
            children[0, last] = (
                [(v, v) for v in range(last + 1)] if labels == "stars" else [(0, last - 1), (last, last)]
            )
            height[0, last] = 1
        fit = "tight" if boxes == "fit" and not h.ordered else boxes
        columns.append({"children": children, "height": height, "fit": fit})
    return columns


@LAW
@given(
    tables(max_rows=24, unit=False),
    labels,
    boxes,
    counted | st.builds(lambda k: (KAnonymity(k=k),), st.integers(1, 4)),
)
def test_equals_moving_single_tuples_of_plain_lists(drawn, labels, boxes, models):
    check_against_plain_lists(*drawn, labels, boxes, models, needs_of(drawn[0], models))


whole = models.filter(lambda models: any(m.name in {"t-closeness", "l-diversity"} for m in models)).filter(
    lambda models: all(getattr(m, "kind", "") != "frequency" for m in models)
)


@LAW
@given(tables(max_rows=24), labels, boxes, whole)
def test_equals_returning_whole_children_of_plain_lists(drawn, labels, boxes, models):
    check_against_plain_lists(*drawn, labels, boxes, models, None)


@LAW
@given(tables(max_rows=24, unit=False), labels, st.sampled_from(["1/2", "1/3"]), st.integers(1, 3))
def test_equals_plain_lists_in_ceiling_form(drawn, labels, alpha, k):
    """The whole table may fail although finer classes pass."""
    models = (AlphaKAnonymity(sensitive="s0", alpha=alpha, k=k, form="ceiling"),)
    problem = problem_of(drawn[0], models)
    going_on = search(TopDown(labels=labels), drawn[0], problem)
    assert (going_on is None) == (search(TopDown(labels=labels, remainder="publish"), drawn[0], problem) is None)
    check_against_plain_lists(*drawn, labels, "fit", models, None)


def check_against_plain_lists(table, rows, labels, boxes, models, needs):
    problem = problem_of(table, models)
    algorithm = TopDown(labels=labels, boxes=boxes, remainder="publish")
    regions = search(algorithm, table, problem)
    expected = oracle.top_down(
        rows,
        columns_of(table, labels, boxes),
        [h.n_values for h in table.hierarchies],
        passes_of(table, problem),
        needs,
        invalid_root=not problem.closed_under(Closure.UNION),
    )
    assert (regions is None) == (expected is None)
    if expected is None:
        return
    found = published(table, rows, regions, labels)
    wanted = {}
    for sides, held in expected:
        wanted.setdefault(sides, []).extend(held)
    assert {sides: sorted(held) for sides, held in found.items()} == {
        s: sorted(held) for s, held in wanted.items()
    }


@LAW
@given(tables(), descents, models, st.randoms())
def test_the_order_of_rows_changes_nothing(drawn, algorithm, models, random):
    check_order_of_rows(drawn, algorithm, models, random)


@LAW
@given(tables(max_rows=24), labels, boxes, st.integers(2, 4), st.sampled_from([0, 3]))
def test_going_on_and_settling_loses_no_more_than_cutting_alone(drawn, labels, boxes, k, lookahead):
    table, _ = drawn
    problem = problem_of(table, (KAnonymity(k=k),))
    cut = search(Mondrian(labels=labels, boxes=boxes, lookahead=lookahead), table, problem)
    settled = search(TopDown(labels=labels, boxes=boxes, lookahead=lookahead), table, problem)
    assert (cut is None) == (settled is None)
    if cut is not None:
        assert measure(NCP(), table, settled) <= measure(NCP(), table, cut) + 1e-9


@LAW
@given(tables(), descents, models, st.data())
def test_no_side_is_above_the_highest_allowed_level(drawn, algorithm, models, data):
    table, _ = drawn
    most = {
        name: data.draw(st.integers(0, h.height)) for name, h in zip(table.names, table.hierarchies, strict=True)
    }
    limit = data.draw(st.sampled_from(["0", "1/2"]))
    problem = problem_of(table, models, max_levels=most, suppression_limit=Fraction(limit))
    check_levels(search(algorithm, table, problem), table, problem)
