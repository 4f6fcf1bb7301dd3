"""What holds of progressive local recoding on random tables, with and without people and missing values."""

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
from oracles import progressive as oracle
from shoal.algorithms import Progressive
from shoal.core.protocols import Closure
from shoal.loss import Distortion
from shoal.models import KAnonymity
from strategies import tables

LAW = settings(max_examples=80, deadline=None)

labels = st.sampled_from(["nodes", "stars"])
climbs = st.builds(
    Progressive,
    labels=labels,
    variant=st.sampled_from(["level-wise", "nearest-join"]),
    block=st.sampled_from([1, 512]),
)
sizes = st.builds(lambda k: (KAnonymity(k=k),), st.integers(1, 4))


@LAW
@given(tables(max_rows=24), climbs, models | counted)
def test_what_is_published_meets_every_model(drawn, algorithm, models):
    table, rows = drawn
    problem = problem_of(table, models)
    regions = search(algorithm, table, problem)
    root = table.classes(np.zeros(table.n_items, np.int32), 1, problem.columns)
    if regions is None:
        assert problem.violating(root)[0] or not problem.closed_under(Closure.UNION)
        return
    assert not regions.suppressed_rows
    passes = passes_of(table, problem)
    assert all(passes(found) for found in published(table, rows, regions, algorithm.labels).values())


def columns_of(table, labels):
    columns = []
    for h in table.hierarchies:
        parent, cost, last = {}, {}, h.n_values - 1
        sides = {(int(lo), int(hi)) for lo, hi in zip(h.lo, h.hi, strict=True)}
        if labels == "stars":
            sides = {(v, v) for v in range(last + 1)} | {(0, last)}
        for lo, hi in sides:
            above = [side for side in sides if side[0] <= lo and hi <= side[1] and side != (lo, hi)]
            if above:
                parent[lo, hi] = min(above, key=lambda side: side[1] - side[0])
            for leaf in range(lo, hi + 1):
                one = (np.array([code], np.int32) for code in (leaf, lo, hi))
                cost[leaf, (lo, hi)] = int(h.climbed(*one)[0])
        columns.append({"parent": parent, "cost": cost})
    return columns


def check_against_plain_lists(drawn, algorithm, models, search_plainly):
    table, rows = drawn
    problem = problem_of(table, models, loss=Distortion())
    regions = search(algorithm, table, problem)
    expected = search_plainly(rows, columns_of(table, algorithm.labels), passes_of(table, problem))
    assert (regions is None) == (expected is None)
    if expected is not None:
        found = published(table, rows, regions, algorithm.labels)
        assert {sides: sorted(held) for sides, held in found.items()} == expected


@LAW
@given(tables(max_rows=24), labels, models | counted)
def test_climbing_equals_climbing_on_plain_lists(drawn, labels, models):
    check_against_plain_lists(drawn, Progressive(variant="level-wise", labels=labels), models, oracle.level_wise)


@LAW
@given(tables(max_rows=24, unit=False), labels, st.sampled_from(["shares", "valid"]), counted | sizes)
def test_joining_equals_joining_on_plain_lists(drawn, labels, prefer, models):
    needs = needs_of(drawn[0], models)
    _, group_of, limits = needs

    def no_value_too_often(records):
        shown = [group_of[s[0]] for _, s, _ in records]
        return all(shown.count(group) <= limit * len(records) for group, limit in limits.items())

    def joined(*plain):
        return oracle.nearest_join(*plain, needs, prefer=no_value_too_often if prefer == "shares" else None)

    check_against_plain_lists(drawn, Progressive(labels=labels, prefer=prefer), models, joined)


@LAW
@given(tables(), climbs, models, st.randoms())
def test_the_order_of_rows_changes_nothing(drawn, algorithm, models, random):
    check_order_of_rows(drawn, algorithm, models, random)


@LAW
@given(tables(), climbs, models, st.data())
def test_no_side_is_above_the_highest_allowed_level(drawn, algorithm, models, data):
    table, _ = drawn
    most = {
        name: data.draw(st.integers(0, h.height)) for name, h in zip(table.names, table.hierarchies, strict=True)
    }
    limit = data.draw(st.sampled_from(["0", "1/2"]))
    problem = problem_of(table, models, max_levels=most, suppression_limit=Fraction(limit))
    check_levels(search(algorithm, table, problem), table, problem)
