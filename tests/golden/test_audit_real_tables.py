"""Audits of real tables: figures that Polars counts by itself, and a table of many columns."""

import polars as pl

import shoal as sh
from shared import ROOT, needs_shared
from shoal.workflow.audit import audit_unknown


@needs_shared
def test_patients_of_diabetes130_are_counted_and_not_their_visits():
    frame = pl.read_parquet(ROOT / "data/diabetes130/diabetic_data.parquet")
    quasi = ["race", "gender", "age", "medical_specialty", "num_lab_procedures"]
    schema = sh.Schema(quasi_identifiers=quasi, sensitive=["diag_1"], unit="patient_nbr")
    found = sh.audit(frame, schema)
    groups = frame.group_by(quasi).agg(
        pl.col("patient_nbr").n_unique().alias("people"), pl.col("patient_nbr").first().alias("who")
    )
    assert (found.people, found.rows) == (frame["patient_nbr"].n_unique(), frame.height)
    assert found.risk.uniques == (groups["people"] == 1).sum()
    assert found.alone == groups.filter(pl.col("people") == 1)["who"].n_unique()
    pairs = frame.group_by(["age", "gender"]).agg(pl.col("patient_nbr").n_unique().alias("people"))
    measured = {one.columns: one for one in found.column_sets}.get(("gender", "age"))
    if measured is not None:
        assert measured.distinction == pairs.height / pairs["people"].sum()
    without = frame.group_by(quasi[:-1]).agg(
        pl.col("patient_nbr").n_unique().alias("people"), pl.col("patient_nbr").first().alias("who")
    )
    left = without.filter(pl.col("people") == 1)["who"].n_unique()
    columns = {column["name"]: column for column in found.columns}
    assert columns["num_lab_procedures"]["alone_because_of_it"] == found.alone - left


@needs_shared
def test_a_table_of_141_columns_is_audited_without_a_word():
    found = audit_unknown(ROOT / "awkward/13_wide_141_columns.csv")
    assert found.proposed
    assert (found.alone, found.rows) == (12, 12)
    assert len(found.columns) == len(found.roles["quasi-identifier"]) > 100
    assert found.special_uniques.m == 2
    assert not found.special_uniques.complete
