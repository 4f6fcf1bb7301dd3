"""What an audit says: figures that can be counted by hand, sentences, and no cell value."""

import json
import warnings

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as sh
from oracles.survey import household, mean_of_inverse
from shoal.workflow.audit import audit_unknown

ROWS = [
    # age, sex, zip, disease
    ("34", "f", "10115", "flu"),
    ("34", "f", "10115", "flu"),
    ("34", "m", "10115", "cold"),
    ("51", "f", "10117", "HIV"),
    ("51", "f", "10117", "flu"),
    ("72", "m", "10117", "cold"),
]
QUASI = ["age", "sex", "zip"]
SCHEMA = sh.Schema(quasi_identifiers=QUASI, sensitive=["disease"])


def frame(rows=ROWS, columns=("age", "sex", "zip", "disease")):
    return pl.DataFrame(rows, schema=list(columns), orient="row")


def test_three_sentences_for_a_data_steward():
    found = sh.audit(frame(), SCHEMA)
    said = " ".join(found.sentences)
    assert "2 of 6 records (33.3 %) stand alone" in said
    assert "a chance of up to 100 %, and of 66.7 % on average" in said
    assert "The value of disease would be known of 4 records (66.7 %)" in said
    assert "right for 83.3 %; without the quasi-identifiers for 50 %" in said
    assert len(found.sentences) >= 3


def test_columns_that_make_people_stand_alone():
    found = sh.audit(frame(), SCHEMA)
    columns = {column["name"]: column for column in found.columns}
    # Without sex the man of 34 joins the two women; nobody needs age or zip to stand alone but the man of 72.
    assert {name: column["alone_because_of_it"] for name, column in columns.items()} == {
        "age": 0,
        "sex": 1,
        "zip": 0,
    }
    # He of 72 is alone by age, or by (m, 10117); he of 34 by (34, m) or (m, 10115).
    special = found.special_uniques
    assert special.by_size == (1, 3, 0)
    assert special.complete
    assert special.records == 2
    # Scores: 2 for one of three columns, 1 for two.
    assert special.contributions == pytest.approx({"age": 3 / 5, "sex": 3 / 5, "zip": 2 / 5})
    assert columns["sex"]["distinction"] == 2 / 6
    assert columns["sex"]["separation"] == pytest.approx(1 - (4 * 3 + 2 * 1) / 30)


def test_people_are_counted_where_there_is_a_unit():
    visits = [(age, sex, zip_, disease, str(i // 2)) for i, (age, sex, zip_, disease) in enumerate(ROWS)]
    schema = sh.Schema(quasi_identifiers=QUASI, sensitive=["disease"], unit="patient")
    found = sh.audit(frame(visits, ("age", "sex", "zip", "disease", "patient")), schema)
    # Patient 0 has both visits of the first class, so all three people are alone somewhere.
    assert (found.people, found.alone) == (3, 3)
    assert found.risk.by_people
    (disease,) = found.sensitive
    assert (disease["known"], disease["known_share"]) == (3, 1.0)
    # Classes of 1, 1, 2 and 1 people; in the class of two either guess is right for one.
    assert (disease["guessed"], disease["guessed_without"]) == (4 / 5, 2 / 3)
    assert "3 of 3 people (100 %) stand alone: in at least one record" in " ".join(found.sentences)


def test_both_readings_of_missing_cells():
    found = sh.audit(frame([("34", "f", "1", "flu"), ("34", None, "1", "flu"), ("34", "f", "1", "cold")]), SCHEMA)
    assert found.missing == {"own": 1, "wildcard": 3, "conservative": 2}
    assert found.alone_by_missing == {"own": 1, "wildcard": 0, "conservative": 0}
    assert any("count on the first" in sentence for sentence in found.sentences)


def test_suppressed_records_are_left_out_of_what_tells_people_apart():
    found = sh.audit(frame([*ROWS[:2], ("*", "*", "*", "flu")]), SCHEMA)
    assert (found.suppressed, found.alone, found.special_uniques.records) == (1, 0, 0)
    assert found.risk_with_suppressed.uniques == 1


def test_a_population_gives_the_journalist_and_the_marketer():
    people = frame(ROWS * 3 + [("72", "m", "10117", "x")] * 7).select(QUASI)
    found = sh.audit(frame(), SCHEMA, models=[sh.KMap(k=3), sh.KMap(k=4)], population=people)
    # Classes of 2, 1, 2, 1 records with 6, 3, 6 and 10 people.
    assert found.population_risk.highest == 1 / 3
    assert found.population_risk.expected == pytest.approx(2 / 6 + 1 / 3 + 2 / 6 + 1 / 10)
    assert [verdict.satisfied for verdict in found.verdicts] == [True, False]
    assert found.verdicts[1].violating_rows == 1


def test_a_published_table_is_found_in_its_population_by_its_labels():
    schema = sh.Schema(quasi_identifiers={"age": sh.intervals(20, low=20, high=79)}, types={"age": "integer"})
    published = pl.DataFrame({"age": ["[20, 39]", "*", "51", "999"]})
    people = pl.DataFrame({"age": ["20", "34", "51", "51"]})
    found = sh.audit(published, schema, population=people)
    # 999 has nobody and counts as one; * holds all, and is the residue.
    assert (found.population_risk.smallest, found.population_risk.unknown) == (0, 1)
    assert found.population_risk.expected == pytest.approx(1 / 2 + 1 / 2 + 1)


def test_weights_give_individual_risk_and_a_sampling_fraction():
    rows = [(*row, weight) for row, weight in zip(ROWS, ["10", "30", "25", "20", "20", "15.5"], strict=True)]
    schema = sh.Schema(quasi_identifiers=QUASI, sensitive=["disease"], weight="w")
    found = sh.audit(frame(rows, ("age", "sex", "zip", "disease", "w")), schema)
    import numpy as np

    from shoal.risk import individual_risk

    risks = individual_risk(np.array([2, 1, 2, 1]), np.array([40, 25, 40, 15.5]))
    assert found.survey_risk.expected == pytest.approx(float((risks * [2, 1, 2, 1]).sum()))
    assert found.population_uniqueness.sampling_fraction == pytest.approx(6 / 120.5)
    assert found.special_uniques.dis is not None
    with pytest.warns(sh.ShoalWarning, match="weight"):
        bad = sh.audit(frame([(*ROWS[0], "many")], ("age", "sex", "zip", "disease", "w")), schema)
    assert bad.survey_risk is None


def test_a_sampling_fraction_gives_population_uniqueness():
    assert sh.audit(frame(), SCHEMA).population_uniqueness is None
    found = sh.audit(frame(), SCHEMA, sampling_fraction="1/2")
    assert 0 < found.population_uniqueness.chosen <= 1
    with pytest.raises(sh.SpecError):
        sh.audit(frame(), SCHEMA, sampling_fraction=2)


def test_models_of_the_whole_table_are_judged():
    models = [sh.KmAnonymity(k=2, m=1), sh.AverageRisk(risk="2/3"), sh.SampleUniqueness(share="1/4")]
    found = sh.audit(frame(), SCHEMA, models=models)
    assert [verdict.satisfied for verdict in found.verdicts] == [False, True, False]
    assert [verdict.achieved for verdict in found.verdicts] == [1, pytest.approx(4 / 6), pytest.approx(2 / 6)]
    visits = frame([(*row, "same") for row in ROWS], ("age", "sex", "zip", "disease", "who"))
    schema = sh.Schema(quasi_identifiers=QUASI, sensitive=["disease"], unit="who")
    (verdict,) = sh.audit(visits, schema, models=sh.KmAnonymity(k=2, m=1)).verdicts
    assert verdict.achieved == 1


def test_direct_identifiers_by_name_and_by_content():
    table = pl.DataFrame(
        {
            "Surname": [f"Name{i}" for i in range(30)],
            "contact": [f"p{i}@example.org" for i in range(30)],
            "born": [f"19{50 + i}-03-01" for i in range(30)],
            "ip": [f"10.0.0.{i}" for i in range(30)],
            "where": [f"52.{i:04d}, 13.4050" for i in range(30)],
            "remark": [f"called about case {i} of last year" for i in range(30)],
            "sex": ["f", "m"] * 15,
        }
    )
    schema = sh.Schema(quasi_identifiers=["sex", "born"], insensitive=["contact"], drop=["remark"])
    found = {one.column: one for one in sh.audit(table, schema).direct_identifiers}
    assert {name: (one.hipaa, one.by) for name, one in found.items()} == {
        "Surname": ("A", "name"),
        "contact": ("F", "content"),
        "born": ("C", "content"),
        "ip": ("O", "content"),
        "where": ("B", "content"),
        "remark": ("R", "content"),
    }
    assert [name for name, one in found.items() if one.published] == ["contact"]
    said = " ".join(sh.audit(table, schema).sentences)
    assert "contact (e-mail addresses) may name people directly, and would be published" in said


def test_roles_are_proposed_where_none_are_given(tmp_path):
    table = pl.DataFrame(
        {
            "name": [f"P{i} Q{i}" for i in range(40)],
            "age": [str(20 + i % 20) for i in range(40)],
            "sex": ["f", "m"] * 20,
            "disease": ["flu", "cold", "HIV", "flu"] * 10,
        }
    )
    found = sh.audit(table)
    assert found.proposed
    assert found.roles["quasi-identifier"] == ("age", "sex")
    assert "proposal" in found.sentences[0]
    table.write_csv(tmp_path / "people.csv")
    of_file = audit_unknown(tmp_path / "people.csv", k=2, sensitive=["sex"])
    assert of_file.roles["sensitive"] == ("sex",)
    assert of_file.roles["insensitive"] == ("disease",)
    assert [verdict.model for verdict in of_file.verdicts] == ["k-anonymity"]
    with pytest.raises(sh.SchemaError, match="not in the table"):
        audit_unknown(tmp_path / "people.csv", sensitive=["ilness"])


def test_an_empty_table_has_nothing_to_tell_apart():
    found = sh.audit(frame().head(0), SCHEMA)
    assert found.sentences[-1] == "The table has no records that could be told apart."
    json.dumps(found.as_dict(), allow_nan=False)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(*(st.sampled_from([f"SECRET{c}{i}" for i in range(3)]) for c in "abcd")), min_size=1, max_size=9
    )
)
def test_no_cell_value_is_told(rows):
    found = sh.audit(frame(rows), SCHEMA, population=frame(rows), sampling_fraction="1/2")
    assert "SECRET" not in json.dumps(found.as_dict(), allow_nan=False)
    assert "SECRET" not in json.dumps(sh.audit(frame(rows * 9)).as_dict(), allow_nan=False)


MEMBERS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from(["0", "1", "2", None])),
    min_size=1,
    max_size=8,
)


@settings(max_examples=40, deadline=None)
@given(MEMBERS, st.booleans())
def test_the_risk_of_a_household_is_that_at_least_one_member_is_found(members, weighted):
    rows = [(a, b, home, str(2 + i)) for i, (a, b, home) in enumerate(members)]
    schema = sh.Schema(quasi_identifiers=["a", "b"], household="home", weight="w" if weighted else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sh.ShoalWarning)
        found = sh.audit(pl.DataFrame(rows, schema=["a", "b", "home", "w"], orient="row"), schema).household_risk
    risks = []
    for a, b, _, _ in rows:
        weights = [float(w) for x, y, _, w in rows if (x, y) == (a, b)]
        f = len(weights)
        risks.append(mean_of_inverse(f, f / sum(weights)) if weighted and f < 3 else None)
        if not weighted:
            risks[-1] = 1 / f
        elif f >= 3:
            # sdcMicro's approximation: p/(f - (1 - p)).
            p = f / sum(weights)
            risks[-1] = p / (f - (1 - p))
    homes = [row[2] if row[2] is not None else i for i, row in enumerate(rows)]
    expected = [
        household([risk for risk, home in zip(risks, homes, strict=True) if home == mine]) for mine in homes
    ]
    assert found.expected == pytest.approx(sum(expected), rel=1e-6)
    assert found.highest == pytest.approx(max(expected), rel=1e-6)
    assert found.households == len(set(homes))
    assert found.by == ("weights" if weighted else "groups")


def test_a_household_is_told_in_words_and_never_published():
    rows = [(*row, home) for row, home in zip(ROWS, ["1", "1", "2", "2", "3", "3"], strict=True)]
    schema = sh.Schema(quasi_identifiers=QUASI, sensitive=["disease"], household="home")
    table = frame(rows, ("age", "sex", "zip", "disease", "home"))
    found = sh.audit(table, schema)
    # Members' risks are 1/2, 1/2, 1, 1/2, 1/2 and 1, so the first home has 3/4 and the others are found.
    assert found.household_risk.average == pytest.approx((2 * 0.75 + 4) / 6)
    assert found.household_risk.expected_households == pytest.approx(2.75)
    assert "about 2.8 of 3 households would be found" in " ".join(found.sentences)
    assert found.survey_risk is None
    release = sh.anonymize(table, schema, models=sh.KAnonymity(k=2), seed=1)
    assert "home" not in release.data.columns
    assert sh.verify(release.data, schema, models=sh.KAnonymity(k=2)).satisfied


def test_people_of_a_household_are_found_by_any_of_their_classes():
    rows = [("a", "p1", "h1"), ("b", "p1", "h1"), ("a", "p2", "h1"), ("b", "p3", "h2")]
    schema = sh.Schema(quasi_identifiers=["q"], unit="person", household="home")
    found = sh.audit(pl.DataFrame(rows, schema=["q", "person", "home"], orient="row"), schema).household_risk
    # Both classes have two people, so each pair of a person and a class has risk 1/2: 7/8 for three, 1/2 for one.
    assert (found.members, found.households) == (4, 2)
    assert found.expected_households == pytest.approx(7 / 8 + 1 / 2)


def test_the_largest_sets_that_are_looked_at_can_be_chosen():
    found = sh.audit(frame(), SCHEMA, suda_max_size=1)
    assert (found.special_uniques.m, found.special_uniques.complete) == (1, False)
    # Only he of 72 is alone by a single column.
    assert found.special_uniques.records == 1
    assert "can be singled out with a single column" in " ".join(found.sentences)
    with pytest.raises(sh.SpecError, match="at least 1"):
        sh.audit(frame(), SCHEMA, suda_max_size=0)
