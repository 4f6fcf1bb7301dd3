"""Roles, types and hierarchies by what columns look like, and a spec that tells no cell."""

from __future__ import annotations

import json
import random
import string
import tomllib

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.core.schema import Column, Role
from shoal.errors import InputError
from shoal.examples.hospital import hospital_spec, hospital_visits
from shoal.hierarchies import from_spec
from shoal.workflow.propose import propose
from shoal.workflow.spec import Spec

N = 200
draw = random.Random(7)  # noqa: S311 - a table, no secret


def proposal_of(values, *, name="x", **others):
    columns = {name: [None if v is None else str(v) for v in values], **others}
    return propose(pl.DataFrame(columns)).columns[0]


def words(n, length=8):
    return ["".join(draw.choices(string.ascii_lowercase, k=length)) for _ in range(n)]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        # What names a person, by name and by content.
        ("Nachname", words(N), "identifier"),
        ("contact", [f"{w}@example.org" for w in words(N)], "identifier"),
        ("x", words(N), "identifier"),
        ("x", range(1, N + 1), "identifier"),
        ("x", [draw.randrange(10**8, 10**9) for _ in range(N)], "identifier"),
        ("x", [f"{i:09d}" for i in range(N)], "identifier"),
        ("ip", [f"192.0.2.{i}" for i in range(N)], "identifier"),
        ("lat", [f"52.{i:04d}" for i in range(N)], "identifier"),
        ("order_id", range(N), "identifier"),
        # A key that comes back stands for a person.
        ("patient_id", [i // 4 for i in range(N)], "unit"),
        ("ssn", [f"{100 + i // 4}-45-6789" for i in range(N)], "unit"),
        ("x", [f"1d604da9-9a81-4ba9-80c2-de3375d5{i // 4:04x}" for i in range(N)], "unit"),
        # A short list of codes is no key, whatever it is called.
        ("admission_type_id", [i % 8 for i in range(N)], "quasi-identifier"),
        ("phone", ["yes", "no"] * (N // 2), "quasi-identifier"),
        # Free text.
        ("x", [f"{a} was seen by {b} and left" for a, b in zip(words(N), words(N), strict=True)], "drop"),
        ("Bemerkung", [" ".join(words(3)) for _ in range(N)], "drop"),
        ("x", ["ok", "fine", "none given"] * 66 + ["call 617-555-0100", "x"], "quasi-identifier"),
        ("x", [f"{w} call 617-555-0100" for w in words(N)], "drop"),
        # Measures.
        ("income", [draw.randrange(10**6) for _ in range(N)], "sensitive"),
        ("x", [f"{draw.random() * 1000:.3f}" for _ in range(N)], "quasi-identifier"),
        ("x", [draw.randrange(10**6) for _ in range(N)], "quasi-identifier"),
        ("instance weight", [f"{draw.random() * 1000:.2f}" for _ in range(N)], "weight"),
        ("weight", [f"{draw.random() * 1000:.2f}" for _ in range(N)], "weight"),
        ("weight", [draw.randrange(40, 140) for _ in range(N)], "quasi-identifier"),
        ("weight", ["heavy", "light"] * (N // 2), "quasi-identifier"),
        # What others know, what they must not, what says nothing.
        ("sex", ["F", "M"] * (N // 2), "quasi-identifier"),
        ("disease", ["flu", "cold"] * (N // 2), "sensitive"),
        ("x", [f"E{draw.randrange(10, 99)}.{draw.randrange(10)}" for _ in range(N)], "sensitive"),
        ("x", ["same"] * N, "insensitive"),
        ("disease", ["same"] * N, "sensitive"),
        ("age_at_diagnosis", [i % 80 for i in range(N)], "quasi-identifier"),
        ("date_of_diagnosis", [f"2020-01-{i % 28 + 1:02d}" for i in range(N)], "quasi-identifier"),
        ("Hauptdiagnose", words(40) * 5, "sensitive"),
        ("disease_name", words(40) * 5, "sensitive"),
        ("country_name", words(40) * 5, "quasi-identifier"),
        ("ward name", words(40) * 5, "identifier"),
        ("x", [None] * N, "drop"),
        ("x", ["same", None] * (N // 2), "quasi-identifier"),
        ("x", ["a", "b", "c", "d"] * (N // 4), "quasi-identifier"),
    ],
)
def test_a_column_gets_the_role_that_protects(name, values, role):
    proposal = proposal_of(values, name=name)
    assert proposal.role == role, proposal.reason


@pytest.mark.parametrize(
    ("name", "values", "type_", "hierarchy"),
    [
        ("age", [i % 80 for i in range(N)], "integer", {"intervals": [5, 10, 20]}),
        ("zip", [f"{i % 50:05d}" for i in range(N)], "text", {"prefix": 5}),
        ("plz", [str(10115 + i % 50) for i in range(N)], "text", {"prefix": 5}),
        ("region", [f"{i % 50:03d}" for i in range(N)], "text", {"prefix": 3}),
        ("x", [f"A{i % 50:02d}B" for i in range(N)], "text", {"prefix": 4}),
        ("born", [f"19{i % 90 + 10}-03-05" for i in range(N)], "date", {"dates": ["month", "year"]}),
        ("visit", [f"2024-03-{i % 28 + 1:02d}T10:30" for i in range(N)], "date", {"dates": ["month", "year"]}),
        ("sex", [i % 2 + 1 for i in range(N)], "text", {"auto": True}),
        ("industry code", [i % 50 for i in range(N)], "text", {"auto": True}),
        ("num_visits", [i % 8 for i in range(N)], "integer", {"auto": True}),
        ("x", [i % 100 for i in range(N)], "integer", {"intervals": [5, 10, 20, 40]}),
        ("city", [f"town {w}" for w in words(40)] * 5, None, {"auto": True}),
    ],
)
def test_a_quasi_identifier_gets_the_hierarchy_that_fits(name, values, type_, hierarchy):
    proposal = proposal_of(values, name=name)
    assert (proposal.role, proposal.type, proposal.hierarchy) == ("quasi-identifier", type_, hierarchy)


def test_widths_nest_and_are_exact():
    values = [f"{draw.random() / 10:.4f}" for _ in range(N)]
    frame = pl.DataFrame({"x": values})
    assert tomllib.loads(propose(frame).to_toml())["columns"]["x"]["hierarchy"] == {
        "intervals": [0.005, 0.01, 0.02, 0.04]
    }


def test_a_table_of_hospital_visits():
    n = 400
    frame = pl.DataFrame(
        {
            "visit_id": [str(i) for i in range(n)],
            "patient_id": [f"P{i // 3:05d}" for i in range(n)],
            "age": [str(i // 3 % 90) for i in range(n)],
            "sex": ["F", "M"] * (n // 2),
            "postcode": [f"{i // 3 % 70 + 1067:05d}" for i in range(n)],
            "education": ["primary", "secondary", "tertiary", "none"] * (n // 4),
            "marital_status": ["single", "married", "divorced", "widowed"] * (n // 4),
            "nationality": words(20, 2) * (n // 20),
            "admission_date": [f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(n)],
            "diagnosis": [f"J{i % 30 + 10}.{i % 10}" for i in range(n)],
            "cost": [f"{draw.random() * 9000:.2f}" for _ in range(n)],
        }
    )
    proposal = propose(frame)
    assert proposal.names(Role.IDENTIFIER) == ("visit_id",)
    assert proposal.names(Role.UNIT) == ("patient_id",)
    assert proposal.names(Role.SENSITIVE) == ("diagnosis", "cost")
    assert proposal.names(Role.QUASI_IDENTIFIER) == tuple(frame.columns[2:9])
    assert [dict(column.hierarchy) for column in proposal.columns[2:9]] == [
        {"intervals": [5, 10, 20]},
        {"auto": True},
        {"prefix": 5},
        {"auto": True},
        {"auto": True},
        {"auto": True},
        {"dates": ["month", "year"]},
    ]
    # A measure is never shared by a class, so diversity of it would say nothing.
    assert '# sensitive = "diagnosis"' in proposal.to_toml()
    assert '# sensitive = "cost"' not in proposal.to_toml()


def test_the_proposal_for_the_example_agrees_with_its_own_spec():
    written = Spec.from_toml(hospital_spec()).columns
    for column in propose(hospital_visits(2_000)).columns:
        # What a stay cost is money, so the proposal protects it where the example publishes it as it is.
        role = "sensitive" if column.name == "cost" else written[column.name].role
        assert column.role == role, column.name


def test_one_unit_and_one_weight_are_kept():
    frame = pl.DataFrame(
        {
            "encounter_id": [str(i // 2) for i in range(N)],
            "patient_id": [str(i // 5) for i in range(N)],
            "sampling_weight": ["1.5"] * N,
            "household_weight": ["2.5", "3.5"] * (N // 2),
        }
    )
    assert [column.role for column in propose(frame).columns] == ["identifier", "unit", "weight", "drop"]


def test_a_weight_beside_a_height_is_a_body():
    weight = [f"{draw.random() * 100:.1f}" for _ in range(N)]
    height = [str(150 + i % 50) for i in range(N)]
    proposal = propose(pl.DataFrame({"weight": weight, "height": height}))
    assert proposal.names(Role.QUASI_IDENTIFIER) == ("weight", "height")


def test_marks_of_missing_values_are_named_and_not_decided():
    proposal = propose(pl.DataFrame({"age": [str(i % 60) for i in range(N)] + ["?"] * 40}))
    age = proposal.columns[0]
    assert age.type is None
    assert any('"?" (about 40 rows)' in warning for warning in age.warnings)
    assert any("read as integer" in warning for warning in age.warnings)
    text = proposal.to_toml()
    assert tomllib.loads(text)["input"] == {"missing": [""]}
    assert '# missing = ["", "?"]' in text


def test_declared_missing_texts_are_no_marks():
    proposal = propose(pl.DataFrame({"age": [str(i % 60) for i in range(N)] + ["?"] * 40}), missing=("", "?"))
    assert proposal.columns[0].type == "integer"
    assert proposal.markers == ()
    assert tomllib.loads(proposal.to_toml())["input"] == {"missing": ["", "?"]}


@pytest.mark.parametrize(
    ("values", "warning"),
    [
        (["NA", "DE", "US", "FR"] * 50, "Namibia"),
        (["a", "b", " a", "b "] * 50, "blanks around"),
        (["Private", "private"] * 100, "capitals"),
        (["1305*", "1306*"] * 100, "generalized already"),
        ([f"{i % 28 + 1}.3.2020" for i in range(N)], "YYYY-MM-DD"),
    ],
)
def test_oddities_are_warned_of(values, warning):
    assert any(warning in text for text in proposal_of(values).warnings)


def test_decimal_commas_are_declared_for_the_whole_input():
    values = [f"{draw.randrange(1000)},{draw.randrange(10)}" for _ in range(N)]
    frame = pl.DataFrame({"einkommen": values, "x": ["1"] * N})
    proposal = propose(frame)
    assert proposal.columns[0].type == "decimal"
    assert proposal.input == {"missing": [""], "decimal_comma": True}


def test_commas_beside_decimal_points_may_part_thousands():
    values = [f"{draw.randrange(1, 1000)},{draw.randrange(100, 1000)}" for _ in range(N)]
    proposal = propose(pl.DataFrame({"einkommen": values, "y": ["1.5", "2.5"] * (N // 2)}))
    assert proposal.columns[0].type is None
    assert proposal.input == {"missing": [""]}


def test_counts_are_rounded_and_small_ones_hidden():
    text = propose(pl.DataFrame({"age": ["1"] * 12_345 + ["?"] * 3})).to_toml()
    assert "about 12,000 rows" in text
    assert '"?" (fewer than 10 rows)' in text
    assert "12,34" not in text


def test_a_sensitive_column_suggests_a_model_and_k_anonymity_is_asked():
    text = propose(pl.DataFrame({"age": ["1", "2"] * 50, "disease": ["a", "b"] * 50})).to_toml()
    assert tomllib.loads(text)["models"] == [{"model": "k-anonymity", "k": 5}]
    wanted = text[text.index("# [[models]]") :].split("\n\n")[0].replace("# ", "")
    assert tomllib.loads(wanted)["models"] == [
        {"model": "l-diversity", "sensitive": "disease", "l": 2, "kind": "distinct"}
    ]


@pytest.mark.parametrize("convert", [pl.DataFrame.lazy, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_any_dataframe_gives_the_same_proposal(convert):
    frame = pl.DataFrame({"age": [i % 60 for i in range(N)], "sex": ["F", "M"] * (N // 2)})
    assert propose(convert(frame)) == propose(frame)


def test_typed_frames_are_understood():
    frame = pd.DataFrame(
        {
            "born": pd.date_range("1960-01-01", periods=N),
            "city": pd.Categorical(["a", "b"] * (N // 2)),
            "income": [float(i) + 0.5 for i in range(N)],
        }
    )
    born, city, income = propose(frame).columns
    assert (born.type, born.hierarchy) == ("date", {"dates": ["month", "year"]})
    assert city.role == "quasi-identifier"
    assert (income.role, income.type) == ("sensitive", "decimal")
    assert propose(pl.LazyFrame({"lists": [[1], [2]]})).columns[0].role == "drop"


def test_a_table_without_rows_has_a_proposal_and_one_without_columns_has_none():
    frame = pl.DataFrame({"age": [], "x": []}, schema={"age": pl.String, "x": pl.String})
    assert tomllib.loads(propose(frame).to_toml())["columns"]["age"]["role"] == "quasi-identifier"
    with pytest.raises(InputError, match="no columns"):
        propose(pl.LazyFrame())


def test_the_proposal_as_data_is_json():
    proposal = propose(pl.DataFrame({"x": [f"{draw.random() / 10:.4f}" for _ in range(N)]}))
    data = json.loads(json.dumps(proposal.as_dict()))
    assert data["columns"][0]["hierarchy"] == {"intervals": [0.005, 0.01, 0.02, 0.04]}


names = st.one_of(st.sampled_from(["age", "zip", "name", "note", "disease", "x", ""]), st.text(max_size=8))
SECRET = "Qx7-secret"
cells = st.one_of(
    st.none(),
    st.builds("{}{}".format, st.just(SECRET), st.integers(0, 99)),
    st.builds("{} {}".format, st.just(SECRET), st.text(max_size=3)),
    st.sampled_from(
        [SECRET, f" {SECRET}", f"{SECRET}*", f"{SECRET}@example.org", "", "?", "1", "2020-01-01", "1,5"]
    ),
)


@st.composite
def tables(draw_):
    n = draw_(st.integers(0, 9))
    headers = draw_(st.lists(names, min_size=1, max_size=4, unique=True))
    columns = {
        name: draw_(st.lists(st.one_of(cells, st.text(max_size=5)), min_size=n, max_size=n)) for name in headers
    }
    return pl.DataFrame(columns, schema=dict.fromkeys(headers, pl.String))


@settings(max_examples=120, deadline=None)
@given(tables())
def test_every_table_gets_a_spec_that_parses_and_tells_no_cell(frame):
    proposal = propose(frame.lazy())
    text = proposal.to_toml()
    spec = tomllib.loads(text)
    # Without a quasi-identifier there is nothing to run; the text then says so.
    if proposal.names(Role.QUASI_IDENTIFIER):
        assert list(Spec.from_toml(text).columns) == frame.columns
    else:
        assert "No quasi-identifier was found" in text
    assert list(spec) == ["version", "input", "columns", "models", "method"]
    assert list(spec["columns"]) == frame.columns
    for column in proposal.columns:
        Column(column.name, column.role, column.type)
        assert column.reason
        assert (column.hierarchy is not None) == (column.role == "quasi-identifier")
    assert sum(column.role == "unit" for column in proposal.columns) <= 1
    assert sum(column.role == "weight" for column in proposal.columns) <= 1
    assert SECRET not in text
    assert SECRET not in repr(proposal)
    assert SECRET not in json.dumps(proposal.as_dict())


@settings(max_examples=60, deadline=None)
@given(tables())
def test_every_proposed_hierarchy_can_be_built(frame):
    proposal = propose(frame.lazy())
    for column in proposal.columns:
        values = {None if value in ("", None) else value for value in frame[:, frame.columns.index(column.name)]}
        if column.type == "decimal" and proposal.input.get("decimal_comma"):
            # What the reader does with a declared decimal comma.
            values = {value and value.replace(",", ".") for value in values}
        # A star is the mark of a suppressed cell, which the proposal asks to declare as missing.
        if column.hierarchy is not None and values and "*" not in values:
            hierarchy = from_spec(column.hierarchy).build(values, column=column.name, type=column.type)
            assert hierarchy.n_values == len(values)


@settings(max_examples=40, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_row_order_changes_nothing(frame, rng):
    order = list(range(frame.height))
    rng.shuffle(order)
    assert propose(frame[order].lazy()) == propose(frame.lazy())
