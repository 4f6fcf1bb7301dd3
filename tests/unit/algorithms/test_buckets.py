"""Anatomy, Slicing and Merging on the worked examples, and what they refuse."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest

from bucket_rows import published, rows_of
from hospital_example import TREES, patients, problem, together
from oracles import column_groups as oracle
from shoal.algorithms import Anatomy, Merging, Slicing
from shoal.algorithms.bucket_partition import buckets_of_points
from shoal.algorithms.bucket_rules import Asked
from shoal.algorithms.cell_linking import linked
from shoal.algorithms.column_groups import column_groups, correlations
from shoal.core.hierarchy import Hierarchy
from shoal.core.regions import Regions
from shoal.errors import InfeasibleError, SpecError
from shoal.kernels.contingency import mean_square_contingency
from shoal.kernels.medoids import medoids_of
from shoal.loss import Precision
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity, KAnonymity, KMap, LDiversity, TCloseness
from shoal.risk.bucket_links import bucket_links
from strategies import table_of

TWO = LDiversity(sensitive="disease", l=2)
GROUPS = (("age", "zip"), ("sex", "disease"))
ALGORITHMS = [Anatomy(), Slicing(), Merging()]


def search(algorithm, *models, table=None, **settings):
    table = table or patients()
    return algorithm.search(table, problem(table, *models, **settings), np.random.default_rng(0)).recoding


class TestGroupsOfColumns:
    """Whether somebody is younger than 35, the sex, the place and the disease of the eight patients."""

    YOUNG, SEX, ZIP, DISEASE = (
        [0, 0, 0, 0, 1, 1, 1, 1],
        [0, 1, 1, 0, 0, 1, 1, 0],
        [0, 0, 1, 1, 2, 2, 3, 3],
        [2, 1, 3, 2, 1, 2, 0, 3],
    )

    def matrix(self):
        columns = [np.array(c) for c in (self.YOUNG, self.SEX, self.ZIP, self.DISEASE)]
        ones = np.ones(8, np.int64)
        return np.array([[mean_square_contingency(a, b, ones, (4, 4)) for b in columns] for a in columns])

    def test_how_strongly_they_go_together(self):
        found = self.matrix()
        expected = {(0, 2): 1, (0, 1): 0, (1, 2): 0, (0, 3): 1 / 6, (1, 3): 1 / 6, (2, 3): 1 / 3}
        for (i, j), value in expected.items():
            assert found[i, j] == found[j, i] == pytest.approx(value)

    def test_the_clusters_of_least_cost(self):
        # Medoids sex and zip cost 2/3; the next best pair costs 5/6.
        medoids, cluster = medoids_of(1 - self.matrix(), 2)
        assert medoids.tolist() == [1, 2]
        assert cluster.tolist() == [1, 0, 1, 1]

    def test_the_disease_stays_with_the_place(self):
        tree = [Hierarchy.from_paths([str(i) for i in range(n)], [[]] * n) for n in (2, 2, 4, 4)]
        rows = [
            ((a, b, c), (d,), None)
            for a, b, c, d in zip(self.YOUNG, self.SEX, self.ZIP, self.DISEASE, strict=True)
        ]
        table = table_of(rows, tree[:3], tree[3:])
        assert column_groups(table, "s0") == (("q0", "q1"), ("q2", "s0"))
        assert column_groups(table, "s0", grouping="pam") == (("q1",), ("q0", "q2", "s0"))
        assert column_groups(table, "s0", m_s=0) == (("q0", "q1", "q2"), ("s0",))
        # At least one stays away, and there are no more groups than columns.
        assert column_groups(table, "s0", m_s=9, c=9) == (("q1",), ("q0", "q2", "s0"))

    def test_numbers_are_sorted_into_ten_intervals(self):
        table = patients()
        ages = [21, 23, 25, 28, 41, 44, 47, 49]
        places = oracle.bins(ages, ages)
        found = correlations(table, "disease")
        assert found[0, 1] == pytest.approx(float(oracle.contingency(places, self.SEX)))
        assert found[0, 3] == pytest.approx(float(oracle.contingency(places, self.DISEASE)))

    def test_groups_may_be_given(self):
        table = patients()
        given = [["disease", "sex"], ["zip", "age"]]
        assert column_groups(table, "disease", grouping=given) == GROUPS
        for wrong in (
            [["age", "zip"], ["disease"]],
            [["age", "sex", "zip", "disease"]],
            [["age", "zip"], ["sex", "diseases"]],
        ):
            with pytest.raises(SpecError) as refused:
                column_groups(table, "disease", grouping=wrong)
            assert refused.value.where == "grouping"
        assert refused.value.fix == "did you mean 'disease'?"


class TestMerging:
    def test_the_buckets_and_cells_of_the_example(self):
        table = patients()
        buckets = search(Merging(grouping=GROUPS, n=0), TWO, table=table)
        assert together(buckets.bucket) == {"ab", "cd", "eh", "fg"}
        assert buckets.groups == GROUPS
        star = (0, 1)
        sex = [row.cells[1] for row in chain(*rows_of(table, buckets))]
        assert sex == [star] * 4 + [(0, 0), (0, 0), (1, 1), (1, 1)]
        # Four of 24 cells are at the root.
        assert measure(Precision(), table, buckets.regions) == pytest.approx(1 / 6)

    def test_one_fake_a_bucket_makes_twelve_rows(self):
        table = patients()
        shown = published(table, search(Merging(grouping=GROUPS), TWO, table=table))
        assert [len(groups[0]) for groups in shown] == [3, 3, 3, 3]
        assert all(len({s for _, s in groups[1]}) == 3 for groups in shown)

    @pytest.mark.parametrize(
        ("rows", "expected"),
        [
            (
                [("M", "flu"), ("M", "cold"), ("F", "flu"), ("F", "flu")],
                [("*", "cold"), ("F", "flu"), ("F", "flu"), ("M", "flu")],
            ),
            ([("M", "flu"), ("F", "cold")], [("*", "cold"), ("*", "flu")]),
        ],
    )
    def test_single_buckets(self, rows, expected):
        sex, disease = TREES[1], TREES[3]
        table = table_of([((0, sex.codes[a]), (disease.codes[s],), None) for a, s in rows], TREES[:2], [disease])
        whole = buckets_of_points(table, np.zeros(table.n_points, np.int32), (("q0",), ("q1", "s0")))
        buckets = linked(whole, table, Asked(LDiversity(sensitive="s0", l=2), 0, 2, -1))
        names = {(0, 0): "M", (1, 1): "F", (0, 1): "*"}
        assert (
            sorted((names[row.cells[1]], disease.leaves[row.value]) for row in rows_of(table, buckets)[0])
            == expected
        )

    def test_the_links_of_the_example(self):
        table = patients()
        bucket = search(Merging(grouping=GROUPS, n=0), TWO, table=table).bucket
        before = bucket_links(table, buckets_of_points(table, bucket, GROUPS))
        # Patient a is the only man of a bucket whose other group says man and flu; e may have either of two.
        assert before[0] == 1
        assert before[4] == 0.5
        after = bucket_links(table, search(Merging(grouping=GROUPS, n=0), TWO, table=table))
        assert after.tolist() == [0.5] * 8

    def test_strict_widens_and_joins_until_no_link_is_stronger(self):
        # Three of four men of the bucket have flu: two values each, and still a link of 3/4.
        rows = [((q, 0), (s,), None) for q, s in [(0, 2), (1, 2), (2, 2), (3, 0), (4, 1), (5, 3), (6, 1), (7, 0)]]
        table = table_of(rows, TREES[:2], TREES[3:])
        model = LDiversity(sensitive="s0", l=2)
        loose = search(Merging(n=0), model, table=table)
        strict = search(Merging(n=0, strict=True), model, table=table)
        assert bucket_links(table, strict).max() <= 0.5
        assert strict.n_buckets <= loose.n_buckets

    def test_strict_says_what_l_can_be(self):
        rows = [((q, 0), (int(q > 4),), None) for q in range(8)]
        table = table_of(rows, TREES[:2], TREES[3:])
        with pytest.raises(InfeasibleError, match="too frequent") as refused:
            search(Merging(strict=True), LDiversity(sensitive="s0", l=2), table=table)
        assert "5 of 8" in refused.value.where

    def test_nothing_stays_with_the_sensitive_column_on_request(self):
        buckets = search(Merging(m_s=0), TWO)
        assert buckets.groups == (("age", "sex", "zip"), ("disease",))
        assert (buckets.lo == buckets.hi).all()

    def test_a_model_on_shares_holds_in_every_bucket(self):
        table = patients()
        models = TWO, TCloseness(sensitive="disease", t="0.5")
        buckets = search(Merging(), *models, table=table)
        classes = buckets.as_classes.classes(table, ["disease"])
        assert not any(model.violating(classes, table.context()).any() for model in models)


class TestFacts:
    def test_cells_that_tell_who_cannot_have_a_value_are_widened(self):
        table = patients()
        # No child of Z1 has asthma, say, and nobody who is 44: only their bucket is touched.
        pairs = (("zip", "Z3", "asthma"), ("age", "44", "asthma"), ("age", "44", "gout"))
        buckets = search(Merging(n=0, grouping=GROUPS, forbidden=pairs), TWO, table=table)
        f, g = rows_of(table, buckets)[3]
        assert f.cells == ((0, 7), (1, 1), (2, 3))
        assert g.cells == ((6, 6), (1, 1), (3, 3))
        assert (buckets.lo[:5] == search(Merging(n=0, grouping=GROUPS), TWO, table=table).lo[:5]).all()

    def test_a_parent_that_says_the_same_is_left_too(self):
        table = patients()
        pairs = (("zip", "Z34", "asthma"),)
        buckets = search(Merging(n=0, grouping=GROUPS, forbidden=pairs), TWO, table=table)
        assert {row.cells[2] for row in rows_of(table, buckets)[3]} == {(0, 3)}

    def test_beside_the_sensitive_column_every_row_is_true(self):
        pairs = (("sex", "F", "asthma"),)
        plain, hidden = (search(Merging(n=0, grouping=GROUPS, forbidden=p), TWO) for p in ((), pairs))
        assert (plain.lo == hidden.lo).all()
        assert (plain.hi == hidden.hi).all()

    def test_no_fake_gives_itself_away(self):
        table = patients()
        pairs = tuple(("zip", "Z12", value) for value in ("asthma", "ulcer", "cold"))
        for seed in range(20):
            rng = np.random.default_rng(seed)
            found = Merging(grouping=GROUPS, forbidden=(("zip", "Z12", "asthma"),)).search(
                table, problem(table, TWO), rng
            )
            buckets = found.recoding
            asthma = set(buckets.fakes.bucket[buckets.fakes.sensitive == 0].tolist())
            assert not asthma & {int(buckets.bucket[i]) for i in range(4)}
        assert len(search(Merging(grouping=GROUPS, forbidden=pairs), TWO, table=table).fakes) == 4

    def test_a_pair_must_name_a_quasi_identifier(self):
        with pytest.raises(SpecError, match="no quasi-identifier") as refused:
            search(Merging(forbidden=(("sexes", "F", "asthma"),)), TWO)
        assert refused.value.fix == "did you mean 'sex'?"
        with pytest.raises(SpecError, match="not \\(column, label, sensitive value\\)"):
            Merging(forbidden=("sex", "F", "asthma"))
        with pytest.raises(SpecError, match="each as its text"):
            Merging(forbidden=(("sex", "F", 1),))


class TestAnatomy:
    def test_the_groups_of_the_example(self):
        table = patients()
        found = rows_of(table, search(Anatomy(), TWO, table=table))
        names = [sorted(TREES[3].leaves[row.value] for row in rows) for rows in found]
        assert names == [["cold", "flu"], ["flu", "ulcer"], ["asthma", "cold"], ["flu", "ulcer"]]

    def test_which_record_of_a_value_is_taken_is_drawn(self):
        table = patients()
        found = {
            tuple(Anatomy().search(table, problem(table, TWO), np.random.default_rng(seed)).recoding.bucket)
            for seed in range(20)
        }
        assert len(found) > 5

    def test_three_of_eight_are_too_many_for_three_values(self):
        with pytest.raises(InfeasibleError, match="too frequent") as refused:
            search(Anatomy(), LDiversity(sensitive="disease", l=3))
        assert refused.value.where.startswith("the most frequent value has 3 of 8 records")
        assert refused.value.choices[0] == "lower l to 2"
        assert '"merging"' in refused.value.choices[1]

    def test_another_model_is_tested_on_the_buckets(self):
        with pytest.raises(InfeasibleError, match="buckets violate t-closeness"):
            search(Anatomy(), TWO, TCloseness(sensitive="disease", t="0.01"))


class TestSlicing:
    def test_a_link_that_is_too_strong_for_one_bucket_names_what_would_do(self):
        # Every woman has the flu.
        sex, disease = TREES[1], TREES[3]
        rows = [((q, q % 2), (2 if q % 2 else q // 2,), None) for q in range(8)]
        table = table_of(rows, [TREES[0], sex], [disease])
        model = LDiversity(sensitive="s0", l=2)
        with pytest.raises(InfeasibleError, match="linked too surely") as refused:
            search(Slicing(grouping=[["q0"], ["q1", "s0"]]), model, table=table)
        assert "1.0000" in refused.value.where
        assert refused.value.choices[0].startswith("set m_s = 0")

    def test_buckets_of_the_example(self):
        # With nothing beside the disease a link is a share in the bucket, so the split by sex is refused for the
        # younger half, as in Merging.
        buckets = search(Slicing(m_s=0), TWO)
        assert together(buckets.bucket) == {"ab", "cd", "eh", "fg"}


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
class TestRefusals:
    @pytest.mark.parametrize(
        "model",
        [KAnonymity(k=2), KMap(k=2), AlphaKAnonymity(sensitive="disease", alpha="1/2", k=2)],
        ids=lambda model: model.name,
    )
    def test_models_of_identity(self, algorithm, model):
        with pytest.raises(SpecError) as refused:
            search(algorithm, TWO, model)
        assert model.name in str(refused.value)

    def test_no_l_diversity(self, algorithm):
        with pytest.raises(SpecError, match="one l-diversity model"):
            search(algorithm, TCloseness(sensitive="disease", t="0.5"))

    def test_two_sensitive_columns(self, algorithm):
        table = table_of([((q,), (0, q % 2), None) for q in range(4)], TREES[:1], [TREES[1], TREES[1]])
        with pytest.raises(SpecError, match="2 sensitive column"):
            search(algorithm, LDiversity(sensitive="s0", l=1), table=table)

    def test_fewer_values_than_l(self, algorithm):
        with pytest.raises(InfeasibleError, match="no bucket can hold 5 different values") as refused:
            search(algorithm, LDiversity(sensitive="disease", l=5))
        assert refused.value.choices[0] == "lower l to 4"

    def test_a_missing_value_is_none_of_l(self, algorithm):
        tree = Hierarchy.from_paths(["a"], [[]], null=True)
        table = table_of([((q,), (q % 2,), None) for q in range(8)], TREES[:1], [tree])
        with pytest.raises(InfeasibleError, match="no bucket can hold 2"):
            search(algorithm, LDiversity(sensitive="s0", l=2), table=table)
        found = search(algorithm, LDiversity(sensitive="s0", l=2, count_nulls=True), table=table)
        assert Counter(len({row.value for row in rows}) for rows in rows_of(table, found)) == {2: found.n_buckets}

    def test_highest_levels(self, algorithm):
        with pytest.raises(SpecError, match="below its highest level"):
            search(algorithm, TWO, max_levels={"zip": 1})


@pytest.mark.parametrize("what", [Anatomy(), Slicing(), Merging(strict=True)], ids=lambda a: a.name)
def test_shares_are_of_records_not_of_people(what):
    table = table_of([((q,), (q % 4,), q // 2) for q in range(8)], TREES[:1], TREES[3:])
    with pytest.raises(SpecError, match="counts records"):
        search(what, LDiversity(sensitive="s0", l=2), table=table)


@pytest.mark.parametrize(
    "settings",
    [
        {"grouping": "pams"},
        {"c": 1},
        {"m_s": -1},
        {"n": -1},
        {"fake_scope": "buckets"},
        {"fake_sensitive": "any"},
        {"cuts": "wide"},
        {"cuts_per_column": 0},
    ],
    ids=lambda s: next(iter(s)),
)
def test_wrong_settings_are_refused_with_a_fix(settings):
    with pytest.raises(SpecError) as refused:
        Merging(**settings)
    assert refused.value.fix
    if next(iter(settings)) in ("grouping", "c", "m_s", "cuts", "cuts_per_column"):
        with pytest.raises(SpecError):
            Slicing(**settings)


def test_distortion_is_levels_climbed_by_height():
    # One level up of two: 1/2. A row with age as it is, sex *, zip one of two levels up: (0 + 1 + 1/2) / 3.
    table = patients()
    lo, hi = table.codes.copy(), table.codes.copy()
    lo[:, 2], hi[:, 2] = table.codes[:, 2] // 2 * 2, table.codes[:, 2] // 2 * 2 + 1
    zips = Regions(lo[:, :3], hi, np.arange(9), np.arange(8, dtype=np.int32), table.counts)
    assert measure(Precision(), table, zips) == pytest.approx(0.5 / 3)
    lo, hi = lo.copy(), hi.copy()
    lo[:, 1], hi[:, 1] = 0, 1
    both = Regions(lo, hi, np.arange(9), np.arange(8, dtype=np.int32), table.counts)
    assert measure(Precision(), table, both) == pytest.approx(0.5)
