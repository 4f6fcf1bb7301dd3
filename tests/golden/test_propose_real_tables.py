"""The proposals for real tables, and for the awkward files that speak of roles.

The awkward files and what is right for them are described beside them; the real tables have a SOURCE.txt each.
"""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

from shared import ROOT, needs_shared
from shoal.errors import InputError, SchemaError
from shoal.io.opening import open_source
from shoal.workflow.propose import propose_file
from shoal.workflow.spec import Spec

pytestmark = [pytest.mark.shared, needs_shared]

AWKWARD = ROOT / "awkward"
DATA = ROOT / "data"
READING = {
    "01_semicolon_decimal_comma_latin1.csv": {"encoding": "latin-1"},
    "arx-adult/adult.csv": {"delimiter": ";"},
}


@cache
def proposal_of(path):
    return propose_file(path, **READING.get(path.name, {}))


def roles_of(path):
    return {column.name: str(column.role) for column in proposal_of(path).columns}


AWKWARD_ROLES = {
    "01_semicolon_decimal_comma_latin1.csv": {
        "geschlecht": "quasi-identifier",
        "geburtsdatum": "quasi-identifier",
        "plz": "quasi-identifier",
        "name": "identifier",
        "einkommen": "sensitive",
    },
    "02_utf8_bom_excel.csv": {"id": "identifier", "age": "quasi-identifier", "zip": "quasi-identifier"},
    "06_quoted_newline_separator_quote.csv": {
        "id": "identifier",
        "age": "quasi-identifier",
        "note": "drop",
        "sex": "quasi-identifier",
    },
    "08_missing_markers.csv": {
        "age": "quasi-identifier",
        "workclass": "quasi-identifier",
        "country": "quasi-identifier",
        "zip": "quasi-identifier",
        "disease": "sensitive",
    },
    "09_leading_zeros_bigids.csv": {
        "ssn": "identifier",
        "account": "identifier",
        "zip": "quasi-identifier",
        "fips": "quasi-identifier",
        "sex": "quasi-identifier",
    },
    "15_free_text_pii.csv": {"case": "identifier", "age": "quasi-identifier", "notes": "drop"},
    "23_csv_injection.csv": {"id": "identifier", "name": "identifier", "comment": "drop"},
    "25_tiny_single_row.csv": {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"},
}


@pytest.mark.parametrize("name", AWKWARD_ROLES)
def test_an_awkward_file_gets_the_right_roles(name):
    assert roles_of(AWKWARD / name) == AWKWARD_ROLES[name]


def test_a_decimal_comma_and_a_postcode_are_understood():
    proposal = proposal_of(AWKWARD / "01_semicolon_decimal_comma_latin1.csv")
    columns = {column.name: column for column in proposal.columns}
    assert columns["einkommen"].type == "decimal"
    assert columns["plz"].hierarchy == {"prefix": 5}
    assert columns["geburtsdatum"].hierarchy == {"dates": ["month", "year"]}
    assert proposal.input == {"delimiter": ";", "encoding": "latin-1", "missing": [""], "decimal_comma": True}


def test_free_text_is_dropped_with_the_reason():
    for name, column in (("06_quoted_newline_separator_quote.csv", "note"), ("15_free_text_pii.csv", "notes")):
        reason = next(c.reason for c in proposal_of(AWKWARD / name).columns if c.name == column)
        assert "may name people" in reason


def test_missing_markers_are_listed_and_none_is_chosen():
    proposal = proposal_of(AWKWARD / "08_missing_markers.csv")
    assert set(proposal.markers) == {"NA", "-", "?", "None", "N/A", "nan", "*", "NULL", "."}
    assert proposal.input["missing"] == [""]
    warnings = {column.name: " ".join(column.warnings) for column in proposal.columns}
    assert "Namibia" in warnings["country"]
    assert "generalized already" in warnings["zip"]
    assert "blanks" in warnings["workclass"]
    assert "Namibia" not in warnings["age"]


def test_leading_zeros_stay_text():
    columns = {column.name: column for column in proposal_of(AWKWARD / "09_leading_zeros_bigids.csv").columns}
    assert (columns["zip"].type, columns["zip"].hierarchy) == ("text", {"prefix": 5})
    assert (columns["fips"].type, columns["fips"].hierarchy) == ("text", {"prefix": 5})


def test_a_wide_file_keeps_its_columns_and_says_that_they_are_too_many():
    proposal = proposal_of(AWKWARD / "13_wide_141_columns.csv")
    assert [column.name for column in proposal.columns] == ["id", *(f"q{i:03d}" for i in range(1, 141))]
    assert proposal.columns[0].role == "identifier"
    assert {str(column.role) for column in proposal.columns[1:]} <= {"quasi-identifier", "insensitive"}
    assert "more than a release can keep useful" in proposal.to_toml()


def test_a_file_that_cannot_be_read_has_no_proposal():
    with pytest.raises(InputError):
        propose_file(AWKWARD / "20_empty_and_header_only" / "empty.csv")
    with pytest.raises(SchemaError):
        propose_file(AWKWARD / "11_duplicate_blank_headers.csv")


def test_a_header_alone_has_a_proposal():
    proposal = propose_file(AWKWARD / "20_empty_and_header_only" / "header_only.csv")
    assert proposal.n_rows == 0
    assert proposal.columns


REAL_ROLES = {
    "adult-uci/adult_full.parquet": {
        "fnlwgt": "weight",
        "capital-gain": "sensitive",
        "salary-class": "sensitive",
        **dict.fromkeys(
            ("age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"),
            "quasi-identifier",
        ),
        "native-country": "quasi-identifier",
    },
    "diabetes130/diabetic_data.parquet": {
        "encounter_id": "identifier",
        "patient_nbr": "unit",
        **dict.fromkeys(("race", "gender", "age", "weight", "admission_type_id"), "quasi-identifier"),
        **dict.fromkeys(("diag_1", "diag_2", "diag_3", "A1Cresult", "metformin", "diabetesMed"), "sensitive"),
        "examide": "insensitive",
    },
    "synthea/patients.csv": {
        **dict.fromkeys(
            ("Id", "SSN", "DRIVERS", "PASSPORT", "FIRST", "LAST", "MAIDEN", "ADDRESS", "LAT", "LON"), "identifier"
        ),
        **dict.fromkeys(
            ("BIRTHDATE", "DEATHDATE", "MARITAL", "RACE", "ETHNICITY", "GENDER", "BIRTHPLACE", "CITY", "ZIP"),
            "quasi-identifier",
        ),
        "STATE": "insensitive",
        "HEALTHCARE_EXPENSES": "sensitive",
    },
    "synthea/conditions.parquet": {
        "PATIENT": "unit",
        "ENCOUNTER": "identifier",
        "START": "quasi-identifier",
        "STOP": "quasi-identifier",
        "DESCRIPTION": "sensitive",
    },
    "census-income-kdd/census_income_test.parquet": {
        "instance weight": "weight",
        "income": "sensitive",
        "wage per hour": "sensitive",
        **dict.fromkeys(("age", "race", "sex", "citizenship", "country of birth self"), "quasi-identifier"),
    },
    "sdcmicro/testdata.csv": {
        "ori_hid": "household",
        "sampling_weight": "weight",
        "household_weights": "drop",
        **dict.fromkeys(("expend", "income", "savings"), "sensitive"),
        **dict.fromkeys(("urbrur", "relat", "sex", "age", "hhcivil"), "quasi-identifier"),
    },
    "sdcmicro/free1.csv": {"WEIGHT": "weight", "INCOME": "sensitive", "AGE": "quasi-identifier"},
    "nist-acs-ma2019/ma2019.parquet": {
        "PWGTP": "weight",
        "PINCP": "sensitive",
        **dict.fromkeys(("PUMA", "AGEP", "SEX", "MSP", "RAC1P", "HISP"), "quasi-identifier"),
    },
    "cahousing/cahousing.parquet": {
        "ID": "identifier",
        "longitude": "identifier",
        "latitude": "identifier",
        "median_income": "sensitive",
        "mean_rooms": "quasi-identifier",
    },
    "genetic-benchmark/creditcard_int.parquet": {"AGE": "quasi-identifier", "BILL_AMT1": "sensitive"},
    "sdcmicro/EIA.parquet": {"UTILITYID": "unit", "UTILNAME": "identifier", "YEAR": "insensitive"},
}


@pytest.mark.parametrize("name", REAL_ROLES)
def test_a_real_table_gets_the_roles_that_protect_its_people(name):
    roles = roles_of(DATA / name)
    assert {column: roles[column] for column in REAL_ROLES[name]} == REAL_ROLES[name]


@pytest.mark.parametrize("name", REAL_ROLES)
def test_the_spec_of_a_real_table_parses_and_its_hierarchies_can_be_built(name):
    proposal = proposal_of(DATA / name)
    schema = Spec.from_toml(proposal.to_toml()).schema()
    with open_source(DATA / name) as source:
        rows = source.scan().head(20_000).collect()
    assert [column.name for column in schema.columns] == rows.columns
    for column in schema.columns:
        if column.role == "quasi-identifier":
            texts = rows.get_column(column.name).cast(pl.String).unique().to_list()
            column.hierarchy.build(texts, column=column.name, type=column.type)


def test_no_text_of_a_person_stands_in_the_spec_of_the_patients():
    path = DATA / "synthea" / "patients.csv"
    spec = proposal_of(path).to_toml()
    with open_source(path) as source:
        rows = source.scan().collect()
    personal = [
        name for name, role in roles_of(path).items() if role in ("identifier", "quasi-identifier", "drop")
    ]
    texts = {text for name in personal for text in rows.get_column(name).drop_nulls() if len(text) > 5}
    assert not [text for text in texts if text in spec]
