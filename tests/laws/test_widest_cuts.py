"""Cutting the widest column first gives the buckets of its definition over plain lists."""

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import models, passes_of, problem_of
from oracles import widest_cuts as oracle
from shoal.algorithms import Mondrian
from shoal.algorithms.bucket_partition import boxes_of_records
from shoal.algorithms.from_root import least_rows
from shoal.errors import InfeasibleError
from strategies import tables

LAW = settings(max_examples=150)


def column_of(hierarchy, occurring):
    """What may be cut in a column: its tree, or, where it is ordered, missing values apart and else anywhere."""
    last = hierarchy.n_values - 1
    children = {}
    if hierarchy.ordered:
        if hierarchy.has_null and last:
            children = {(0, last): [(0, last - 1), (last, last)]}
    else:
        for node, (lo, hi) in enumerate(zip(hierarchy.lo.tolist(), hierarchy.hi.tolist(), strict=True)):
            below = [(int(hierarchy.lo[v]), int(hierarchy.hi[v])) for v in hierarchy.children(node)]
            if below:
                children[lo, hi] = below
    place = list(range(hierarchy.n_values))
    known = [v for v in occurring if not (hierarchy.has_null and v == last)] or [0]
    if hierarchy.ordered:
        span = max(known) - min(known)
        place = [(v - min(known)) / span if span else 0 for v in place]
    return {"n": hierarchy.n_values, "children": children, "place": place}


@LAW
@given(tables(max_rows=12), models)
def test_the_buckets_are_those_of_the_definition(drawn, models):
    table, rows = drawn
    problem = problem_of(table, models)
    passes = passes_of(table, problem)
    try:
        bucket, _ = boxes_of_records(table, problem)
    except InfeasibleError:
        assert not passes(rows)
        return
    columns = [column_of(h, {row[0][j] for row in rows}) for j, h in enumerate(table.hierarchies)]
    expected = oracle.mondrian(rows, columns, passes, least=least_rows(problem))
    found = defaultdict(set)
    for codes, number in zip(table.codes.tolist(), bucket.tolist(), strict=True):
        found[number].add(tuple(codes))
    assert {frozenset(points) for points in found.values()} == {
        frozenset(codes for codes, *_ in rows) for rows in expected
    }
    assert sorted(found) == list(range(len(found)))


@LAW
@given(tables(), models, st.sampled_from(["nodes", "ranges", "sets", "stars"]), st.booleans())
def test_published_classes_meet_every_model(drawn, models, labels, strict):
    table, rows = drawn
    problem = problem_of(table, models)
    algorithm = Mondrian(labels=labels, cuts="widest", strict=strict)
    try:
        regions = algorithm.search(table, problem, np.random.default_rng(0)).recoding
    except InfeasibleError:
        assert not passes_of(table, problem)(rows)
        return
    classes = regions.classes(table, problem.columns)
    assert classes.rows.sum() == len(rows)
    assert not problem.violating(classes).any()
