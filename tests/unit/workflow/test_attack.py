"""The composition attack through its face: tables of other tools, truth, targets, and what cannot be read."""

import polars as pl
import pytest

import shoal as sh
from shoal.core.published import Side
from shoal.core.schema import Column, Role
from shoal.workflow.attack_domain import covered, domain_of

SCHEMA = sh.Schema(quasi_identifiers=["age"], sensitive=["disease"])


def table(*classes, column="age"):
    rows = [(label, value) for label, values in classes for value in values.split()]
    return pl.DataFrame(rows, schema=[column, "disease"], orient="row")


def people(*rows, columns=("id", "age", "disease")):
    return pl.DataFrame(rows, schema=columns, orient="row")


# Worked example 8 of the specification, as published tables and private ones.
R1 = table(("[20, 29]", "flu cold"), ("[40, 49]", "flu cold asthma ulcer"))
R2 = table(("[20, 34]", "flu ulcer"), ("[35, 49]", "cold asthma ulcer"))
T1 = people(
    ("a", 21, "flu"),
    ("b", 23, "cold"),
    ("e", 41, "cold"),
    ("f", 44, "flu"),
    ("g", 47, "asthma"),
    ("h", 49, "ulcer"),
)
T2 = people(("a", 21, "flu"), ("p", 30, "ulcer"), ("q", 36, "cold"), ("g", 47, "asthma"), ("r", 48, "ulcer"))


def test_the_example_with_one_private_table_for_each_release():
    (found,) = sh.attack_composition([R1, R2], SCHEMA, truth=[T1, T2], person="id").findings
    risk = found.risk.as_dict()
    assert risk["risk_all"] == 2 / 17
    assert risk["risk_overlap"] == 0.5
    assert risk["risk_class"] == 0.5
    # Of a and g, who are in both, one keeps flu alone; the other three values.
    assert (found.people, found.disclosed, found.newly, found.correct) == (2, 1, 1, 1)
    # E1 meets F1, and E2 meets F2; flu alone is shared by the first pair.
    assert (found.meetings.meeting, found.meetings.matching, found.meetings.disclosing) == (2, 2, 1)


def test_releases_swapped_have_the_same_risk_and_rows_in_any_order_too():
    one = sh.attack_composition([R1, R2], SCHEMA, truth=[T1, T2], person="id").findings[0].risk
    other = sh.attack_composition([R2[::-1], R1[::-1]], SCHEMA, truth=[T2[::-1], T1], person="id").findings[0].risk
    assert one == other


def test_identical_releases_with_one_value_in_each_class_are_all_risk():
    release = table(("[20, 29]", "flu"), ("[40, 49]", "cold"))
    truth = people((21, "flu"), (45, "cold"), columns=("age", "disease"))
    (found,) = sh.attack_composition([release, release], SCHEMA, truth=truth).findings
    assert found.risk.risk_all == found.risk.risk_overlap == found.risk.risk_class == 1
    assert found.disclosed_alone == 2
    assert found.newly == 0


def test_somebody_who_fits_nowhere_is_excluded_and_not_disclosed():
    targets = pl.DataFrame({"age": [35, 47]})
    (found,) = sh.attack_composition([R1, R2], SCHEMA, targets=targets).findings
    assert [target.candidates for target in found.targets] == [(), ("asthma", "cold", "ulcer")]
    assert (found.people, found.excluded, found.disclosed) == (2, 1, 0)


def test_suppressed_records_may_be_anybody():
    releases = [table(("[20, 29]", "flu"), ("*", "cold")), table(("2*", "flu cold"))]
    (found,) = sh.attack_composition(releases, SCHEMA, targets=pl.DataFrame({"age": [25]})).findings
    assert found.targets[0].candidates == ("cold", "flu")


def test_three_releases():
    third = table((">=40", "asthma flu"), ("<40", "cold"))
    (found,) = sh.attack_composition([R1, R2, third], SCHEMA, targets=pl.DataFrame({"age": [47]})).findings
    assert found.targets[0].candidates == ("asthma",)
    assert found.meetings is None


def test_somebody_who_grew_older_is_looked_up_by_each_age():
    later = table(("[20, 21]", "cold"), ("[22, 34]", "flu ulcer"))
    grown = people(("a", 22, "flu"))
    (found,) = sh.attack_composition([R1, later], SCHEMA, truth=[T1, grown], person="id").findings
    assert (found.people, found.disclosed, found.correct) == (1, 1, 1)


def test_groups_are_read_by_their_hierarchy():
    tree = sh.tree({"Europe": ["DE", "FR"], "Asia": ["JP", "CN"]})
    schema = sh.Schema(quasi_identifiers={"country": tree}, sensitive=["disease"])
    releases = [
        table(("Europe", "flu cold"), ("Asia", "cold"), column="country"),
        table(("{FR, JP}", "flu"), ("DE", "cold ulcer"), column="country"),
    ]
    targets = pl.DataFrame({"country": ["DE", "FR", "CN"]})
    (found,) = sh.attack_composition(releases, schema, targets=targets).findings
    assert [target.candidates for target in found.targets] == [("cold",), ("flu",), ()]


def test_groups_without_a_hierarchy_are_told():
    schema = sh.Schema(quasi_identifiers=["country"], sensitive=["disease"])
    releases = [table(("Europe", "flu"), ("JP", "cold"), column="country")] * 2
    attack = sh.attack_composition(releases, schema, targets=pl.DataFrame({"country": ["JP"]}))
    assert "country: 1 label(s) are no value of the people" in attack.notes[0]


def test_groups_among_numbers_are_an_error_without_their_text():
    with pytest.raises(sh.HierarchyError, match="1 label") as caught:
        sh.attack_composition([R1, table(("secretive", "flu"))], SCHEMA, targets=pl.DataFrame({"age": [21]}))
    assert "secretive" not in str(caught.value)
    assert caught.value.examples == ("secretive",)


@pytest.mark.parametrize(
    ("labels", "common"),
    [
        (["[20, 30)", "[30, 40)"], False),
        (["[20, 30]", "[30, 40)"], True),
        (["<30", ">=30"], False),
        (["<=30", ">=30"], True),
        (["< 35", "3*"], True),
        (["2*", "3*"], False),
        (["[0.5, 1)", "(0.7, 0.9)"], True),
        (["130**", "1301*"], True),
        (["130**", "1311*"], False),
        (["{a, b}", "b"], True),
        (["*", "{x}"], True),
    ],
)
def test_without_people_two_labels_meet_if_a_value_fits_both(labels, common):
    sides = [Side(label) for label in labels]
    hierarchy, _ = domain_of(Column("x", Role.QUASI_IDENTIFIER), (), sides)
    sets = covered(hierarchy, sides, column="x")
    leaves = [
        {leaf for r in range(sets.offsets[v], sets.offsets[v + 1]) for leaf in range(sets.lo[r], sets.hi[r] + 1)}
        for v in range(2)
    ]
    assert all(leaves)
    assert bool(leaves[0] & leaves[1]) == common


@pytest.mark.parametrize(
    ("builder", "labels", "common"),
    [
        (sh.intervals(10), ["[20, 29]", "[25, 34]"], True),
        (sh.intervals(10), ["<30", ">=30"], False),
        (sh.prefix(3), ["130**", "1301*"], True),
        (sh.tree({"x": ["a", "b"], "y": ["c", "d"]}), ["x", "{a, c}"], True),
        (sh.tree({"x": ["a", "b"], "y": ["c", "d"]}), ["x", "y"], False),
    ],
)
def test_without_people_a_declared_hierarchy_says_what_labels_cover(builder, labels, common):
    schema = sh.Schema(quasi_identifiers={"x": builder}, sensitive=["disease"])
    releases = [table((label, "flu"), column="x") for label in labels]
    assert sh.attack_composition(releases, schema).findings[0].meetings.meeting == common


HALVES = pl.DataFrame({"size": [0.0, 1.0, 2.0, 3.0] * 3, "disease": ["cold", "flu", "ulcer"] * 4})


@pytest.mark.parametrize(
    "known", [{"truth": HALVES}, {"targets": HALVES}, {}], ids=["private table", "targets", "releases alone"]
)
@pytest.mark.parametrize("k", [3, 12])
def test_a_column_is_read_by_the_type_that_it_had_when_it_was_published(known, k):
    # By their texts the sizes are whole numbers, which intervals of halves do not fit.
    schema = sh.Schema(quasi_identifiers={"size": sh.intervals("0.5", "1.5")}, sensitive=["disease"])
    release = sh.anonymize(HALVES, schema, models=sh.KAnonymity(k=k), algorithm="optimal", seed=1)
    assert sh.attack_composition([release, release], schema, **known).columns == ("size",)


def test_what_is_missing_or_asked_twice_is_said():
    with pytest.raises(sh.SpecError, match="needs two releases"):
        sh.attack_composition([R1], SCHEMA)
    with pytest.raises(sh.SpecError, match="no column says who is who"):
        sh.attack_composition([R1, R2], SCHEMA, truth=[T1, T2])
    with pytest.raises(sh.SpecError, match="3 private tables for 2 releases"):
        sh.attack_composition([R1, R2], SCHEMA, truth=[T1, T2, T2], person="id")
    with pytest.raises(sh.InputError, match="1 row"):
        sh.attack_composition([R1, R2], SCHEMA, truth=[pl.concat([T1, T1[:1]]), T2], person="id")
    with pytest.raises(sh.SchemaError, match="no sensitive column"):
        sh.attack_composition([R1, R2.rename({"disease": "illness"})], SCHEMA)
    with pytest.raises(sh.SchemaError, match="no quasi-identifier"):
        sh.attack_composition([R1, R2], SCHEMA, targets=pl.DataFrame({"height": [180]}))


def test_words_hold_no_value():
    attack = sh.attack_composition([R1, R2], SCHEMA, truth=[T1, T2], targets=T1, person="id")
    words = " ".join([*attack.as_dict()["sentences"], *attack.notes])
    assert not any(value in words for value in ("flu", "asthma", "ulcer", "21", "47"))
    assert "11.8 % of all matches are true" in words


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"person": "idd", "targets": T1}, "no column 'idd'"),
        ({"person": "id"}, "none are given"),
        ({"own": "bucket"}, "private table, which is not given"),
        ({"groups": [["age"], ["disease"]]}, "no release has a column that numbers buckets"),
    ],
)
def test_what_is_named_and_stands_nowhere_is_refused_and_not_passed_over(given, problem):
    with pytest.raises(sh.errors.ShoalError, match=problem) as caught:
        sh.attack_composition([R1, R2], SCHEMA, **given)
    assert caught.value.fix


def test_targets_may_lack_the_column_that_joins_private_tables():
    known = T1.drop("id", "disease")
    attack = sh.attack_composition([R1, R2], SCHEMA, truth=[T1, T2], person="id", targets=known)
    assert [target.person for target in attack.findings[0].targets] == [None] * 6
