"""Utility of published rows: the definition over lists, the worked examples, and laws for every table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import utility as oracle
from shoal.core.hierarchy import Hierarchy
from shoal.core.published import LeafSets
from shoal.errors import SpecError
from shoal.utility.count_queries import answers, query_error, random_queries
from shoal.utility.distances import column_distances, pair_distances
from shoal.utility.distortion_ratio import distortion_ratio, label_distortions
from shoal.utility.propensity import propensity
from shoal.utility.released import ReleasedRows

TREE = Hierarchy.from_paths(["a", "b", "c", "d"], [["ab"], ["ab"], ["cd"], ["cd"]])
FLAT = Hierarchy.from_paths(["x", "y", "z"], [["*"]] * 3)
SEX = Hierarchy.from_paths(["M", "F"], [["*"]] * 2)
HIERARCHIES = (TREE, FLAT, SEX)
N_VALUES = [h.n_values for h in HIERARCHIES]
NODES = [
    [(2, {0}), (2, {1}), (2, {2}), (2, {3}), (1, {0, 1}), (1, {2, 3}), (0, {0, 1, 2, 3})],
    [(1, {0}), (1, {1}), (1, {2}), (0, {0, 1, 2})],
    [(1, {0}), (1, {1}), (0, {0, 1})],
]
cell = [st.frozensets(st.integers(0, n - 1), min_size=1) for n in N_VALUES]
row = st.tuples(*cell).map(list)
query = st.dictionaries(st.integers(0, 2), st.frozensets(st.integers(0, 1), min_size=1), min_size=1)
partitions = st.sampled_from([((0, 1, 2),), ((0,), (1, 2)), ((0, 1), (2,)), ((0,), (1,), (2,)), ((0, 2),)])


def coded(rows, *, bucket=None, groups=(), rate=1.0):
    """Write a table of sets in code space; a label for each different set of a column."""
    sides, cells = [], []
    for j in range(3):
        labels = sorted({tuple(sorted(r[j])) for r in rows})
        sides.append(LeafSets.from_runs([(v, v) for v in label] for label in labels))
        cells.append([labels.index(tuple(sorted(r[j]))) for r in rows])
    matrix = np.array(cells, np.int32).T.reshape(-1, 3)
    numbers = None if bucket is None else np.array(bucket, np.int64)
    return ReleasedRows(("q", "r", "s"), HIERARCHIES, tuple(sides), matrix, numbers, groups, rate)


@st.composite
def releases(draw, **options):
    rows = draw(st.lists(row, min_size=1, max_size=6, **options))
    if draw(st.booleans()):
        return rows, None, ()
    return rows, draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))), draw(partitions)


def values(found):
    return {j: np.array(sorted(some), np.int32) for j, some in found.items()}


@given(releases(), st.lists(query, min_size=1, max_size=3), st.booleans(), st.sampled_from([1, 0.5]))
def test_estimates_are_those_of_the_definition(release, queries, literal, rate):
    rows, bucket, groups = release
    found = answers(
        coded(rows, bucket=bucket, groups=groups, rate=rate),
        [values(q) for q in queries],
        estimator="literal" if literal else "expected",
    )
    wanted = [
        oracle.estimate(rows, q, bucket=bucket, groups=groups, n_columns=3, literal=literal)
        / (1 if rate == 1 else 0.5)
        for q in queries
    ]
    assert found == pytest.approx([float(w) for w in wanted])


@given(releases(), releases())
def test_distances_are_those_of_the_definition(before, after):
    found = []
    tables = [coded(rows, bucket=bucket, groups=groups) for rows, bucket, groups in (before, after)]
    for distance in (*column_distances(*tables), *pair_distances(*tables)):
        places = [("q", "r", "s").index(name) for name in distance.columns]
        counts = [
            oracle.joint(rows, places, N_VALUES, bucket=bucket, groups=groups, n_columns=3)
            for rows, bucket, groups in (before, after)
        ]
        found.append((distance.distance, oracle.variation(*counts)))
    assert [one for one, _ in found] == pytest.approx([float(other) for _, other in found])


@given(st.lists(row, max_size=6))
def test_the_distortion_is_that_of_the_definition(rows):
    table = coded(rows)
    found = distortion_ratio(table.hierarchies, table.sides, table.cells)
    # TREE numbers its leaves a, b, c, d, so that the hull of {a, c} is all of them.
    hulls = [[set(range(min(c), max(c) + 1)) for c in r] for r in rows]
    assert found == pytest.approx(float(oracle.distortion(hulls, NODES)))
    assert 0 <= found <= 1


@given(st.lists(row, min_size=1, max_size=6), st.data())
def test_coarser_cells_never_lower_the_distortion(rows, data):
    at, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 2))
    more = [list(r) for r in rows]
    more[at][column] |= data.draw(cell[column])
    for reading in ("tree", "ncp"):
        before, after = (
            distortion_ratio(t.hierarchies, t.sides, t.cells, reading=reading) for t in (coded(rows), coded(more))
        )
        assert after >= before - 1e-12


@given(st.lists(st.tuples(*(st.integers(0, n - 1) for n in N_VALUES)), min_size=1, max_size=8))
def test_the_original_loses_nothing(codes):
    table = ReleasedRows.of_values(("q", "r", "s"), HIERARCHIES, np.array(codes, np.int32))
    assert distortion_ratio(table.hierarchies, table.sides, table.cells) == 0
    queries = random_queries(
        N_VALUES, [0, 1], [2], dimension=2, selectivity=0.3, queries=20, rng=np.random.default_rng(1)
    )
    actual = [sum(all(r[j] in q[j] for j in q) for r in codes) for q in queries]
    for estimator in ("expected", "literal"):
        assert answers(table, queries, estimator=estimator).tolist() == actual
    assert {d.distance for d in (*column_distances(table, table), *pair_distances(table, table))} == {0.0}
    assert (table.drawn(np.random.default_rng(0)) == np.array(codes)).all()


@given(releases())
def test_a_query_for_everything_counts_every_row(release):
    rows, bucket, groups = release
    everything = {j: np.arange(n, dtype=np.int32) for j, n in enumerate(N_VALUES)}
    (found,) = answers(coded(rows, bucket=bucket, groups=groups), [everything])
    assert found == pytest.approx(len(rows))


def test_stars_are_all_distortion():
    table = coded([[{0, 1, 2, 3}, {0, 1, 2}, {0, 1}]] * 3)
    assert distortion_ratio(table.hierarchies, table.sides, table.cells) == 1


def test_invented_rows_are_left_out_of_the_distortion_where_they_are_known():
    table = coded([[{0}, {0}, {0}], [{0, 1, 2, 3}, {0, 1, 2}, {0, 1}]])
    fake = np.array([False, True])
    args = (table.hierarchies, table.sides, table.cells)
    assert distortion_ratio(*args, fake=fake) == 0
    assert distortion_ratio(*args, fake=fake, include_fakes=True) == 0.5


def test_worked_example_13_of_the_specification():
    marital = Hierarchy.from_paths(
        ["civ", "AF", "div", "wid", "never"], [["Married"], ["Married"], ["Was"], ["Was"], ["never"]]
    )
    one_up = label_distortions(marital, LeafSets.from_runs([[(0, 1)], [(0, 4)], [(4, 4)]]))
    assert one_up.tolist() == [0.5, 1.0, 0.0]
    age = Hierarchy.from_paths([str(a) for a in range(21, 50)], [["*"]] * 29, order=range(21, 50), type="integer")
    zips = Hierarchy.from_paths(["Z1", "Z2", "Z3", "Z4"], [["Z12"], ["Z12"], ["Z34"], ["Z34"]])
    sides = [LeafSets.from_runs([run]) for run in ([(3, 3)], [(0, 1)], [(0, 1)])]
    assert distortion_ratio([age, SEX, zips], sides, np.zeros((1, 3), np.int32)) == 0.5


# Table W of section 8: ages as they are, sex M and F, postcodes Z1 to Z4.
AGES = [21, 23, 25, 28, 41, 44, 47, 49]
AGE = Hierarchy.from_paths([str(a) for a in range(21, 50)], [["*"]] * 29, order=range(21, 50), type="integer")
ZIP = Hierarchy.from_paths(["Z1", "Z2", "Z3", "Z4"], [["Z12"], ["Z12"], ["Z34"], ["Z34"]])
DISEASES = ["asthma", "cold", "flu", "ulcer"]
DISEASE = Hierarchy.from_paths(DISEASES, [["*"]] * 4)
W = list(
    zip(
        AGES,
        "MFFMMFFM",
        ["Z1", "Z1", "Z2", "Z2", "Z3", "Z3", "Z4", "Z4"],
        ["flu", "cold", "ulcer", "flu", "cold", "flu", "asthma", "ulcer"],
        strict=True,
    )
)
W_HIERARCHIES = (AGE, SEX, ZIP, DISEASE)


def w_rows(rows, **options):
    """Write rows of (age or range of ages, sex or *, postcode or group, disease) in code space."""
    nodes = [
        {**{str(a): (a - 21, a - 21) for a in range(21, 50)}, "21-28": (0, 7), "29-49": (8, 28)},
        {"M": (0, 0), "F": (1, 1), "*": (0, 1)},
        {"Z1": (0, 0), "Z2": (1, 1), "Z3": (2, 2), "Z4": (3, 3), "Z12": (0, 1), "Z34": (2, 3)},
        {text: (code, code) for code, text in enumerate(DISEASES)},
    ]
    assert SEX.leaves == ("M", "F")
    sides = tuple(LeafSets.from_runs([run] for run in node.values()) for node in nodes)
    cells = [[list(node).index(str(text)) for node, text in zip(nodes, r, strict=True)] for r in rows]
    return ReleasedRows(
        ("age", "sex", "zip", "disease"), W_HIERARCHIES, sides, np.array(cells, np.int32), **options
    )


# Example 5: buckets ab, cd, eh, fg; sex is widened in the first two.
MERGED_ROWS = [(age, "*" if age < 29 else sex, zip_, disease) for age, sex, zip_, disease in W]
MERGED = w_rows(MERGED_ROWS, bucket=np.array([0, 0, 1, 1, 2, 3, 3, 2], np.int64), groups=((0, 2), (1, 3)))


def test_worked_example_5_has_a_distortion_of_one_sixth():
    found = distortion_ratio(W_HIERARCHIES[:3], MERGED.sides[:3], MERGED.cells[:, :3])
    assert found == pytest.approx(1 / 6)


def test_worked_example_3_has_the_ncp_of_the_specification():
    boxes = {0: ("21-28", "Z12"), 1: ("29-49", "Z34")}
    rows = [(boxes[age > 28][0], sex, boxes[age > 28][1], disease) for age, sex, _, disease in W]
    table = w_rows(rows)
    found = distortion_ratio(W_HIERARCHIES[:3], table.sides[:3], table.cells[:, :3], reading="ncp")
    assert found == pytest.approx((4 * 0.25 + 4 * 20 / 28 + 0 + 8 * 0.5) / 24)


@pytest.mark.parametrize(
    ("wanted", "actual", "expected", "literal"),
    [
        ({"sex": "F", "disease": "flu"}, 1, 2, 1),
        ({"age": range(21, 24), "disease": "flu"}, 1, 1, 1),
        ({"age": [21], "disease": "flu"}, 1, 0.5, 0.5),
        ({"age": range(41, 50), "sex": "M", "disease": "ulcer"}, 1, 1, 1),
    ],
)
def test_worked_example_7(wanted, actual, expected, literal):
    columns = {"age": 0, "sex": 1, "zip": 2, "disease": 3}
    codes = {
        columns[name]: np.array(
            [
                W_HIERARCHIES[columns[name]].codes[str(v)]
                for v in ([values] if isinstance(values, str) else values)
            ],
            np.int32,
        )
        for name, values in wanted.items()
    }
    original = w_rows(W)
    assert answers(original, [codes]).tolist() == [actual]
    assert answers(MERGED, [codes]).tolist() == pytest.approx([expected])
    assert answers(MERGED, [codes], estimator="literal").tolist() == pytest.approx([literal])
    error = query_error(answers(original, [codes]), answers(MERGED, [codes]), dimension=1, estimator="expected")
    assert error.mean == pytest.approx(abs(expected - actual) / actual)


def test_the_same_seed_draws_the_same_queries():
    def drawn(seed):
        rng = np.random.default_rng(seed)
        found = random_queries([5, 6, 7], [0, 1], [2], dimension=2, selectivity=0.1, queries=5, rng=rng)
        return [{j: codes.tolist() for j, codes in q.items()} for q in found]

    assert drawn(3) == drawn(3) != drawn(4)
    # 0.1 ** (1 / 3) = 0.464: 3 of 5, 3 of 6 and 4 of 7 values.
    assert {tuple(map(len, q.values())) for q in drawn(3)} == {(3, 3, 4)}


@pytest.mark.parametrize("options", [{"dimension": 3}, {"dimension": 0}, {"selectivity": 0}, {"selectivity": 1.1}])
def test_queries_that_cannot_be_drawn(options):
    wanted = {"dimension": 1, "selectivity": 0.1, "queries": 1, **options}
    with pytest.raises(SpecError):
        random_queries([5, 6, 7], [0, 1], [2], rng=np.random.default_rng(0), **wanted)


def test_a_drawn_value_is_one_of_its_cell_and_each_is_drawn():
    table = coded([[{0, 3}, {1}, {0, 1}]] * 200)
    found = table.drawn(np.random.default_rng(0))
    assert [sorted(set(column)) for column in found.T.tolist()] == [[0, 3], [1], [0, 1]]
    assert 60 < (found[:, 0] == 0).sum() < 140


def test_the_propensity_of_a_redrawn_table_is_about_what_is_expected():
    rng = np.random.default_rng(5)
    codes = np.stack([rng.integers(0, n, 4000) for n in N_VALUES], axis=1).astype(np.int32)
    ratios = [propensity(HIERARCHIES, codes, codes[rng.integers(0, 4000, 4000)]).ratio for _ in range(40)]
    # The mean of 40 ratios, each a chi-squared of 6 degrees over 6, has a standard deviation of 0.09.
    assert np.mean(ratios) == pytest.approx(1, abs=0.3)
    assert propensity(HIERARCHIES, codes, codes).pmse == pytest.approx(0, abs=1e-12)
    moved = codes.copy()
    moved[:2000, 1] = 0
    assert propensity(HIERARCHIES, codes, moved).ratio > 50


def test_a_table_without_rows_has_no_propensity_and_no_distance():
    some, none = coded([[{0}, {0}, {0}]]), coded([])
    assert propensity(HIERARCHIES, some.cells, none.cells) is None
    assert {d.distance for d in (*column_distances(some, none), *pair_distances(some, none))} == {None}
