"""What holds of Hilbert on random tables, with and without people and missing values."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import frontier as oracle
from shoal.algorithms import Hilbert
from shoal.algorithms.cube import coordinates
from shoal.algorithms.hilbert import _of_segments
from shoal.algorithms.line import line_along_curve
from shoal.algorithms.segments import Segments
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.regions import SUPPRESSED, publishable
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError
from shoal.kernels.frontier import joined_runs
from shoal.loss import NCP
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness
from strategies import hierarchies, table_of, tables

LAW = settings(max_examples=80, deadline=None)

labels = st.sampled_from(["nodes", "ranges", "sets", "stars"])
cubes = st.sampled_from(["tree", "domain", "codes"])
hilberts = st.builds(Hilbert, labels=labels, method=st.sampled_from(["best", "segments"]), cube=cubes)
models = st.sampled_from(
    [
        (KAnonymity(k=1),),
        (KAnonymity(k=3),),
        (KAnonymity(k=2), LDiversity(sensitive="s0", l=2)),
        (LDiversity(sensitive="s0", l=2, kind="frequency"),),
        (KAnonymity(k=3), LDiversity(sensitive="s0", l=2, kind="frequency")),
        (LDiversity(sensitive="s0", l="3/2", kind="entropy"),),
        (LDiversity(sensitive="s0", l=2, kind="recursive", c=1),),
        (AlphaKAnonymity(sensitive="s0", alpha="2/3", k=2),),
        (AlphaKAnonymity(sensitive="s0", alpha="1/2", k=2, form="ceiling"),),
        (KAnonymity(k=2), TCloseness(sensitive="s0", t="1/3")),
    ]
)


def problem_of(table, models, **settings):
    return Problem(models=models, loss=NCP(), context=table.context(), **settings)


def search(algorithm, table, problem):
    """The regions that are found, or None where it says that there are none."""
    try:
        return algorithm.search(table, problem, np.random.default_rng(0)).recoding
    except InfeasibleError:
        return None


def check_regions(table, problem, regions):
    """Every row is in a box around it or suppressed, boxes differ and can be labelled, and classes pass."""
    item = regions.item_of_share
    np.testing.assert_array_equal(np.bincount(item, regions.rows, table.n_items), table.counts)
    kept = regions.region != SUPPRESSED
    box = regions.region[kept]
    codes = table.codes[table.point_of_item[item[kept]]]
    assert ((regions.lo[box] <= codes) & (codes <= regions.hi[box])).all()
    for j, h in enumerate(table.hierarchies):
        wide = publishable(h, regions.lo[:, j], regions.hi[:, j], regions.labels)
        np.testing.assert_array_equal(wide, (regions.lo[:, j], regions.hi[:, j]))
    sides = np.concatenate([regions.lo, regions.hi], axis=1)
    assert len(np.unique(sides, axis=0)) == len(sides)
    assert not problem.violating(regions.classes(table, problem.columns)).any()
    assert regions.suppressed_rows <= problem.allowed
    last = np.array([h.n_values - 1 for h in table.hierarchies])
    alike = ((regions.lo == 0) & (regions.hi == last) & (last > 0)).all(axis=1)
    assert not (alike.any() and regions.suppressed_rows), "published alike, but meant as two things"


@LAW
@given(tables(), hilberts, models)
def test_what_is_published_meets_every_model(drawn, algorithm, models):
    table, _ = drawn
    problem = problem_of(table, models)
    regions = search(algorithm, table, problem)
    root = table.classes(np.zeros(table.n_items, np.int32), 1, problem.columns)
    assert (regions is None) == bool(problem.violating(root)[0])
    if regions is not None:
        assert regions.labels == algorithm.labels
        check_regions(table, problem, regions)


@LAW
@given(tables(), hilberts, models, st.sampled_from([Fraction(1, 5), Fraction(1, 2), Fraction(1)]), st.data())
def test_limits_on_levels_and_on_suppressed_rows_are_kept(drawn, algorithm, models, limit, data):
    table, _ = drawn
    highest = {
        name: data.draw(st.integers(0, h.height)) for name, h in zip(table.names, table.hierarchies, strict=True)
    }
    problem = problem_of(table, models, suppression_limit=limit, max_levels=highest)
    regions = search(algorithm, table, problem)
    if regions is None:
        return
    check_regions(table, problem, regions)
    for j, (name, h) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        top = h.levels[highest[name]][regions.lo[:, j]]
        assert (h.lo[top] <= regions.lo[:, j]).all()
        assert (regions.hi[:, j] <= h.hi[top]).all()


@LAW
@given(tables(), hilberts, models, st.randoms())
def test_the_order_of_rows_changes_nothing(drawn, algorithm, models, random):
    table, rows = drawn
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = table_of(shuffled, table.hierarchies, table.sensitive_hierarchies)
    first, second = (search(algorithm, t, problem_of(t, models)) for t in (table, again))
    assert (first is None) == (second is None)
    if first is not None:
        for name in ("lo", "hi", "offsets", "region", "rows"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@LAW
@given(tables(max_rows=24, unit=False), labels, cubes, st.integers(1, 3))
def test_the_frontier_equals_forming_groups_of_plain_rows(drawn, labels, cube, l):
    table, _ = drawn
    models = (LDiversity(sensitive="s0", l=l, kind="frequency"),)
    regions = search(Hilbert(labels=labels, method="frontier", cube=cube), table, problem_of(table, models))
    if regions is None:
        return
    line = line_along_curve(table, problem_of(table, models), cube=cube, stars=False)
    item = np.repeat(line.item, line.rows)
    expected = Counter()
    for group in oracle.groups(table.sensitive[item, 0].tolist(), l):
        codes = table.codes[table.point_of_item[item[group]]]
        box = []
        for j, h in enumerate(table.hierarchies):
            lo, hi = publishable(h, codes[:, j].min(keepdims=True), codes[:, j].max(keepdims=True), labels)
            box.append((int(lo[0]), int(hi[0])))
        expected.update((tuple(box), i) for i in item[group].tolist())
    found = Counter()
    for i, region, rows in zip(regions.item_of_share, regions.region, regions.rows, strict=True):
        found[tuple(zip(regions.lo[region].tolist(), regions.hi[region].tolist(), strict=True)), int(i)] += int(
            rows
        )
    assert found == expected


@LAW
@given(tables(max_rows=24, unit=False), labels, st.integers(1, 2), st.integers(2, 6))
def test_the_frontier_joins_neighbours_where_more_rows_than_values_are_asked_for(drawn, labels, l, k):
    table, rows = drawn
    models = (LDiversity(sensitive="s0", l=l, kind="frequency"), KAnonymity(k=k))
    problem = problem_of(table, models)
    regions = search(Hilbert(labels=labels, method="frontier"), table, problem)
    counts = Counter(s[0] for _, s, _ in rows)
    assert (regions is None) == (len(rows) < k or l * max(counts.values()) > len(rows))
    if regions is not None:
        check_regions(table, problem, regions)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=12), st.integers(1, 8))
def test_runs_of_groups_are_as_short_as_they_can_be(rows, k):
    expected, at, size = [], 0, 0
    for i, n in enumerate(rows):
        if size >= k and sum(rows[i:]) >= k:
            at, size = at + 1, 0
        expected.append(at)
        size += n
    assert joined_runs(np.array(rows), k).tolist() == expected


@LAW
@given(tables(max_rows=9), labels, models)
def test_no_division_into_segments_that_pass_costs_less(drawn, labels, models):
    table, _ = drawn
    problem = problem_of(table, models)
    line = line_along_curve(table, problem, cube="tree", stars=False)
    segments = Segments(table, problem, line, labels=labels, deadline=np.inf)
    known = segments.joined(np.arange(len(line)))
    if known is None:
        return
    found = measure(NCP(), table, _of_segments(line, segments.cheapest(known), labels))
    for n_cuts in range(len(line)):
        for cuts in combinations(range(1, len(line)), n_cuts):
            starts = np.array([0, *cuts])
            owner = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(line)))).astype(np.int32)
            classes = table.classes(owner, len(starts), problem.columns, items=line.item, counts=line.rows)
            if not problem.violating(classes).any():
                regions = _of_segments(line, starts, labels)
                assert found <= measure(NCP(), table, regions) + 1e-12


@LAW
@given(tables(unit=False), labels, st.integers(1, 4))
def test_the_fewest_rows_are_suppressed_that_leave_a_diverse_table(drawn, labels, l):
    table, rows = drawn
    counts = Counter(s[0] for _, s, _ in rows)
    kept = max(
        sum(min(n, most) for n in counts.values())
        for most in range(len(rows) + 1)
        if l * most <= sum(min(n, most) for n in counts.values())
    )
    models = (LDiversity(sensitive="s0", l=l, kind="frequency"),)
    needed = Fraction(len(rows) - kept, len(rows))
    problem = problem_of(table, models, suppression_limit=needed)
    try:
        regions = Hilbert(labels=labels).search(table, problem, np.random.default_rng(0)).recoding
    except InfeasibleError as error:
        assert kept == 0 or "* in every column" in str(error)
    else:
        assert regions.suppressed_rows == len(rows) - kept
        check_regions(table, problem, regions)
    if needed:
        less = problem_of(table, models, suppression_limit=needed - Fraction(1, 2 * len(rows)))
        assert search(Hilbert(labels=labels), table, less) is None


@LAW
@given(st.lists(hierarchies(max_leaves=8), min_size=1, max_size=3), st.data())
def test_every_node_is_one_stretch_of_the_side_of_the_cube(trees, data):
    tree = data.draw(st.sampled_from(trees))
    codes = np.zeros((tree.n_values, len(trees)), np.int32)
    j = trees.index(tree)
    codes[:, j] = np.arange(tree.n_values)
    for cube in ("tree", "domain", "codes"):
        places = coordinates(codes, trees, cube=cube)[:, j]
        assert (np.diff(places) > 0).all()
    places = coordinates(codes, trees)[:, j]
    for lo, hi in zip(tree.lo.tolist(), tree.hi.tolist(), strict=True):
        # A stretch of a power of two that starts at a multiple of it holds the node's leaves and no others.
        size = 1 << int(places[lo] ^ places[hi]).bit_length()
        inside = places // size == places[lo] // size
        assert inside.tolist() == [lo <= leaf <= hi for leaf in range(tree.n_values)]


def test_the_frontier_alone_refuses_what_it_cannot_meet():
    table = table_of([((0,), (0,), None)], [hierarchy()], [hierarchy()])
    problem = problem_of(table, (TCloseness(sensitive="s0", t=1),))
    with pytest.raises(SpecError, match="frontier"):
        Hilbert(method="frontier").search(table, problem, np.random.default_rng(0))


def hierarchy(leaves="ab"):
    return Hierarchy.from_paths(list(leaves), [["*"]] * len(leaves))


def test_where_groups_of_different_values_are_not_enough_the_frontier_says_so():
    # Three different values in equal shares are asked for, and one value has half of the rows; all as one pass.
    table = table_of([((0,), (v,), None) for v in (0, 0, 1, 2)], [hierarchy()], [hierarchy("abcd")])
    problem = problem_of(table, (LDiversity(sensitive="s0", l=3),))
    with pytest.raises(InfeasibleError, match="frontier"):
        Hilbert(method="frontier").search(table, problem, np.random.default_rng(0))


def test_a_table_without_records_has_no_classes():
    table, _ = FrequencyTable.from_columns({"q0": (hierarchy(), np.empty(0, np.int32))})
    found = Hilbert().search(table, problem_of(table, (KAnonymity(k=2),)), np.random.default_rng(0))
    assert found.recoding.n_regions == 0


@pytest.mark.parametrize("settings", [{"labels": "node"}, {"method": "dp"}, {"cube": "leaf"}])
def test_unknown_settings_are_refused(settings):
    with pytest.raises(SpecError, match="unknown"):
        Hilbert(**settings)
