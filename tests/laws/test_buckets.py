"""Laws of bucket releases: what Anatomy, Slicing and Merging promise on any table.

The numbers M1 to M13 are those of the specification of Merging; M9, no person in the output, is the publisher's.
"""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bucket_rows import published, rows_of, same
from oracles import anatomy as anatomy_oracle
from oracles import bucket_links as links_oracle
from oracles import cell_linking as linking_oracle
from shoal.algorithms import Anatomy, Merging, Slicing
from shoal.algorithms.bucket_partition import buckets_of_points
from shoal.algorithms.bucket_rules import Asked
from shoal.algorithms.cell_linking import heights, linked
from shoal.core.problem import Problem
from shoal.errors import InfeasibleError
from shoal.loss import NCP
from shoal.models import LDiversity
from shoal.risk.bucket_links import bucket_links, links_above
from strategies import table_of, tables

LAW = settings(max_examples=150)
FEW = settings(max_examples=60)

groupings = st.fixed_dictionaries(
    {"grouping": st.sampled_from(["anchored", "pam"]), "c": st.integers(2, 4), "m_s": st.integers(0, 2)}
)
ways = st.fixed_dictionaries(
    {
        "n": st.integers(0, 2),
        "fake_scope": st.sampled_from(["bucket", "table"]),
        "fake_sensitive": st.sampled_from(["domain", "bucket", "none"]),
        "cuts": st.sampled_from(["widest", "gain"]),
    }
)
models = st.builds(
    LDiversity,
    sensitive=st.just("s0"),
    l=st.integers(1, 3),
    kind=st.sampled_from(["distinct", "distinct", "frequency", "entropy"]),
)


def problem_of(table, model):
    return Problem(models=(model,), loss=NCP(), context=table.context())


def search(algorithm, table, model, seed=0):
    try:
        return algorithm.search(table, problem_of(table, model), np.random.default_rng(seed)).recoding
    except InfeasibleError:
        assume(False)


def uncounted_of(table, model):
    hierarchy = table.sensitive_hierarchies[0]
    return hierarchy.n_values - 1 if hierarchy.has_null and model.kind == "distinct" else None


def beside(table, buckets):
    return [table.names.index(name) for name in buckets.groups[-1][:-1]]


def nodes_of(hierarchy):
    return set(zip(hierarchy.lo.tolist(), hierarchy.hi.tolist(), strict=True))


@LAW
@given(tables(unit=False), models, groupings, ways)
def test_buckets_hold_every_record_once_and_each_holds_l_values(drawn, model, grouping, way):
    table, rows = drawn
    merging = Merging(**grouping, **way)
    buckets = search(merging, table, model)
    # M12, M3: every row of every item lies in one bucket, with its own sensitive value.
    found = rows_of(table, buckets)
    assert Counter((row.codes, row.value) for bucket in found for row in bucket) == Counter(
        (codes, values[0]) for codes, values, _ in rows
    )
    # M1: all groups of a bucket have as many entries, and n of a bucket are invented.
    n_fakes = 0 if merging.fake_sensitive == "none" else merging.n
    n_fakes *= buckets.n_buckets if merging.fake_scope == "bucket" else 1
    assert len(buckets.fakes) == n_fakes
    shown = published(table, buckets)
    assert all(len({len(group) for group in groups}) == 1 for groups in shown)
    assert sum(len(groups[0]) for groups in shown) == len(rows) + n_fakes
    # M4
    for bucket in found:
        assert len({row.value for row in bucket} - {uncounted_of(table, model)}) >= model.threshold
    # Every column is in one group.
    assert sorted(name for group in buckets.groups for name in group) == sorted([*table.names, "s0"])
    assert buckets.sensitive == "s0"


@LAW
@given(tables(unit=False), models, groupings, ways)
def test_an_invented_value_is_one_that_the_bucket_lacks_or_has(drawn, model, grouping, way):
    table, rows = drawn
    merging = Merging(**grouping, **way)
    buckets = search(merging, table, model)
    null = table.sensitive_hierarchies[0].n_values - 1 if table.sensitive_hierarchies[0].has_null else None
    known = {s for _, (s,), _ in rows} - {null}
    found = rows_of(table, buckets)
    for bucket, value in zip(buckets.fakes.bucket.tolist(), buckets.fakes.sensitive.tolist(), strict=True):
        own = {row.value for row in found[bucket]} - {null}
        lacking = known - own if merging.fake_sensitive == "domain" else set()
        assert value in (lacking or own or {null})


@LAW
@given(tables(unit=False), models, groupings)
def test_cells_are_exact_or_widened_beside_the_sensitive_column(drawn, model, grouping):
    table, _ = drawn
    buckets = search(Merging(n=0, **grouping), table, model)
    assert (buckets.rows > 0).all()
    mine, nodes = beside(table, buckets), [nodes_of(h) for h in table.hierarchies]
    for rows in rows_of(table, buckets):
        for row in rows:
            for j, (code, cell) in enumerate(zip(row.codes, row.cells, strict=True)):
                # M2, M7: cells of other columns are the values; M6: the others are nodes above them.
                assert cell == (code, code) if j not in mine else cell[0] <= code <= cell[1]
                assert cell in nodes[j]
        # M5: everybody is linked with l values of the bucket.
        for row in rows:
            links = {
                other.value
                for other in rows
                if all(other.cells[j][0] <= row.codes[j] <= other.cells[j][1] for j in mine)
            }
            assert len(links - {uncounted_of(table, model)}) >= model.threshold


@LAW
@given(tables(unit=False, max_rows=12), st.integers(1, 4), st.integers(1, 3), st.data())
def test_the_widened_cells_are_those_of_the_definition(drawn, l, n_beside, data):
    table, _ = drawn
    mine = list(range(min(n_beside, table.n_qi)))
    n = data.draw(st.integers(1, 3))
    bucket = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=table.n_points, max_size=table.n_points)))
    bucket = np.unique(bucket, return_inverse=True)[1].astype(np.int32)
    groups = (table.names[len(mine) :], (*table.names[: len(mine)], "s0"))
    uncounted = data.draw(st.sampled_from([-1, table.sensitive_hierarchies[0].n_values - 1]))
    asked = Asked(LDiversity(sensitive="s0", l=l), 0, l, uncounted)
    found = rows_of(table, linked(buckets_of_points(table, bucket, groups), table, asked))
    trees = []
    for h in (table.hierarchies[j] for j in mine):
        lowest = heights(h)
        trees.append(
            [
                sorted(
                    {(int(h.lo[v]), int(h.hi[v]), int(lowest[v])) for v in h.levels[:, leaf]}, key=lambda x: x[2]
                )
                for leaf in range(h.n_values)
            ]
        )
    for rows in found:
        plain = sorted((tuple(row.codes[j] for j in mine), row.value) for row in rows)
        expected = linking_oracle.widen(plain, trees, [table.hierarchies[j].height for j in mine], l, uncounted)
        assert Counter(
            (tuple(row.codes[j] for j in mine), row.value, tuple(row.cells[j] for j in mine)) for row in rows
        ) == Counter((leaf, value, cells) for (leaf, value), cells in zip(plain, expected, strict=True))


@FEW
@given(tables(unit=False), models, groupings, ways, st.booleans())
def test_a_seed_says_everything_and_only_fakes_need_one(drawn, model, grouping, way, strict):
    # M8
    table, _ = drawn
    merging = Merging(**grouping, **way, strict=strict)
    first = search(merging, table, model, 7)
    assert same(first, search(merging, table, model, 7))
    without = replace(merging, n=0)
    assert same(search(without, table, model, 1), search(without, table, model, 2))
    assert published(table, search(without, table, model)) == published(
        table, replace(first, fakes=type(first.fakes).none(len(first.groups)))
    )


@FEW
@given(tables(unit=False), models, groupings, st.randoms(use_true_random=False))
@pytest.mark.parametrize("algorithm", [Merging, Slicing, Anatomy])
def test_the_order_of_the_rows_says_nothing(algorithm, drawn, model, grouping, random):
    # M13, and with fakes too: the table has no order.
    table, rows = drawn
    made = algorithm() if algorithm is Anatomy else algorithm(**grouping)
    first = search(made, table, model)
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = table_of(shuffled, table.hierarchies, table.sensitive_hierarchies)
    assert same(first, search(made, again, model))


@FEW
@given(tables(unit=False), groupings)
def test_one_value_is_linked_without_any_change(drawn, grouping):
    # M10
    table, _ = drawn
    buckets = search(Merging(n=0, **grouping), table, LDiversity(sensitive="s0", l=1, count_nulls=True))
    assert (buckets.lo == buckets.hi).all()


def test_more_values_need_more_widening_on_average():
    # M11: a greedy choice promises nothing for one table.
    rng = np.random.default_rng(3)
    means = []
    tree = table_of([((0,), (0,), None)], [flat(6)], [flat(6)]).hierarchies[0]
    drawn = [rng.integers(0, 6, (30, 2)) for _ in range(40)]
    for l in (2, 3, 4, 5):
        wide = 0
        for codes in drawn:
            table = table_of([((q,), (s,), None) for q, s in codes.tolist()], [tree], [tree])
            whole = buckets_of_points(table, np.zeros(table.n_points, np.int32), ((), ("q0", "s0")))
            buckets = linked(whole, table, Asked(LDiversity(sensitive="s0", l=l), 0, l, -1))
            wide += int(buckets.rows[buckets.lo[:, 0] < buckets.hi[:, 0]].sum())
        means.append(wide)
    assert all(a <= b for a, b in pairwise(means))
    assert means[0] < means[-1]


def flat(n):
    from shoal.core.hierarchy import Hierarchy

    return Hierarchy.from_paths([f"v{i}" for i in range(n)], [[]] * n)


@FEW
@given(tables(), st.integers(1, 3), groupings, ways)
def test_models_hold_in_every_bucket_for_people_too(drawn, l, grouping, way):
    table, _ = drawn
    model = LDiversity(sensitive="s0", l=l)
    buckets = search(Merging(**grouping, **way), table, model)
    classes = buckets.as_classes.classes(table, ["s0"])
    assert not model.violating(classes, table.context()).any()


def alone_in(point, bucket):
    """The probabilities of the values for a point if it lies in this bucket; none if it cannot."""
    possible = all(
        any(links_oracle.covers(entry, shown) for entry in entries)
        for shown, entries in zip(point, bucket[0], strict=True)
    )
    return links_oracle.links(point, [bucket]).values() if possible else ()


def plain(table, buckets):
    """The buckets and the points as the oracle of links wants them."""
    columns = [[table.names.index(name) for name in group if name in table.names] for group in buckets.groups]
    held = []
    for rows in rows_of(table, buckets):
        groups = [[tuple(row.cells[j] for j in mine) for row in rows] for mine in columns]
        held.append((groups, [row.value for row in rows]))
    points = [[tuple(codes[j] for j in mine) for mine in columns] for codes in table.codes.tolist()]
    return points, held


pairs = st.lists(
    st.tuples(
        st.just("q0"), st.sampled_from(["v0", "v1", "v2", "g0.0", "g1.0"]), st.sampled_from(["v0", "v1", "v2"])
    ),
    max_size=4,
)


@LAW
@given(tables(unit=False), models, groupings, pairs)
def test_no_cell_says_who_cannot_have_a_value_of_its_bucket(drawn, model, grouping, forbidden):
    table, _ = drawn
    plain, hidden = (search(Merging(n=1, forbidden=f, **grouping), table, model) for f in ((), forbidden))
    tree, values = table.hierarchies[0], table.sensitive_hierarchies[0].codes
    barred = set()
    for _, label, value in forbidden:
        node = tree.node_of_label.get(label)
        if node is not None and value in values:
            barred |= {(leaf, values[value]) for leaf in range(tree.lo[node], tree.hi[node] + 1)}
    assert (plain.lo[:, 1:] == hidden.lo[:, 1:]).all()
    if 0 in beside(table, hidden):
        assert (plain.hi == hidden.hi).all()
        return
    shown = published(table, hidden)
    mine = next(g for g, group in enumerate(hidden.groups) if "q0" in group)
    for groups in shown:
        # A fake gives itself away as little as a genuine record does, unless no other value is left for it.
        there = {value for _, value in groups[-1]}
        for lo, hi in {entry[0] for entry in groups[mine]}:
            told = {s for s in there if all((leaf, s) in barred for leaf in range(lo, hi + 1))}
            assert (lo, hi) == (0, tree.n_values - 1) or not told


@FEW
@given(tables(unit=False, max_rows=10), models, groupings, pairs, st.sampled_from([0.3, 0.5, 0.7]))
def test_links_are_those_of_the_definition(drawn, model, grouping, forbidden, limit):
    table, _ = drawn
    buckets = search(Merging(n=0, forbidden=forbidden, **grouping), table, model)
    points, held = plain(table, buckets)
    found, blamed = links_above(table, buckets, limit)
    assert (found == bucket_links(table, buckets)).all()
    to_blame = set()
    for point, most in zip(points, found.tolist(), strict=True):
        links = links_oracle.links(point, held)
        if most > limit:
            alone = {b for b, bucket in enumerate(held) if max(alone_in(point, bucket), default=0) > limit}
            assert alone
            to_blame |= alone
        assert sum(links_oracle.bucket_chances(point, held)) == 1
        assert sum(links.values()) == 1
        assert float(max(links.values())) == pytest.approx(most)
    assert set(np.flatnonzero(blamed).tolist()) == to_blame
    # A record's own bucket is possible for it, and so is its own value.
    for number, rows in enumerate(rows_of(table, buckets)):
        for row in rows:
            point = points[table.codes.tolist().index(list(row.codes))]
            assert links_oracle.bucket_chances(point, held)[number] > 0
            assert links_oracle.links(point, held)[row.value] > 0


@LAW
@given(tables(unit=False), models, groupings, st.booleans(), st.sampled_from(["widest", "gain"]))
def test_a_slicing_links_nobody_more_surely_than_one_in_l(drawn, model, grouping, local, cuts):
    table, rows = drawn
    slicing = Slicing(local_check=local, cuts=cuts, **grouping)
    try:
        solution = slicing.search(table, problem_of(table, model), np.random.default_rng(0))
    except InfeasibleError:
        assume(False)
    buckets = solution.recoding
    assert bucket_links(table, buckets).max() <= 1 / float(model.threshold) + 1e-9
    assert (buckets.lo == buckets.hi).all()
    assert sum(map(len, rows_of(table, buckets))) == len(rows)
    assert not model.violating(buckets.as_classes.classes(table, ["s0"]), table.context()).any()
    # Where every split is judged by all records, nothing is left to be joined again.
    assert local or solution.statistics["buckets joined again"] == 0


@FEW
@given(tables(unit=False), models, groupings)
def test_strict_merging_links_nobody_more_surely_than_one_in_l(drawn, model, grouping):
    table, rows = drawn
    buckets = search(Merging(n=0, strict=True, **grouping), table, model)
    assert bucket_links(table, buckets).max() <= 1 / float(model.threshold) + 1e-9
    assert sum(map(len, rows_of(table, buckets))) == len(rows)
    mine = beside(table, buckets)
    others = [j for j in range(table.n_qi) if j not in mine]
    assert (buckets.lo[:, others] == buckets.hi[:, others]).all()


@LAW
@given(tables(unit=False, max_rows=20), st.integers(1, 4), st.sampled_from(["distinct", "frequency"]))
def test_anatomy_makes_the_groups_of_its_definition(drawn, l, kind):
    table, rows = drawn
    model = LDiversity(sensitive="s0", l=l, kind=kind)
    null = uncounted_of(table, model)
    values = [s for _, (s,), _ in rows if s != null]
    eligible = values and len(values) >= l * max(Counter(values).values())
    if not eligible:
        with pytest.raises(InfeasibleError):
            Anatomy().search(table, problem_of(table, model), np.random.default_rng(0))
        return
    buckets = search(Anatomy(), table, model)
    made, left = anatomy_oracle.groups(values, l)
    found = rows_of(table, buckets)
    assert len(left) <= l - 1
    assert len(found) == len(made)
    n_null = len(rows) - len(values)
    more = Counter()
    for rows_there, expected in zip(found, made, strict=True):
        there = [row.value for row in rows_there if row.value != null]
        assert len(set(there)) == len(there) >= l
        assert set(expected) <= set(there)
        more += Counter(there) - Counter(expected)
        nulls = len(rows_there) - len(there)
        assert n_null // len(made) <= nulls <= -(-n_null // len(made))
    assert sorted(more.elements()) == left
    assert (buckets.lo == buckets.hi).all()
    assert buckets.groups == (table.names, ("s0",))
