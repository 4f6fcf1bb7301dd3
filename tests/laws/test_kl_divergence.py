"""KL divergence of any release, against its definition over plain lists."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as sh
from laws.test_losses import plain_records, recodings
from oracles import kl_divergence as oracle
from shoal.core.hierarchy import Hierarchy
from shoal.core.recoding import Generalization, regions_of
from shoal.core.regions import Regions
from shoal.loss import MEASURES, KLDivergence
from shoal.loss.measure import measure
from strategies import table_of, tables

LAW = settings(max_examples=150, deadline=None)


def plain(table, regions):
    """(quasi codes, sensitive codes, box) of each row."""
    sensitive = np.repeat(regions.item_of_share, regions.rows)
    for item, (codes, box) in zip(sensitive.tolist(), plain_records(table, regions), strict=True):
        yield codes, table.sensitive[item].tolist(), box


@LAW
@given(n_sensitive=st.integers(0, 2), data=st.data())
def test_equals_the_definition(n_sensitive, data):
    table, _ = data.draw(tables(n_sensitive=n_sensitive))
    regions = regions_of(data.draw(recodings(table)), table)
    expected = oracle.loss(list(plain(table, regions)), [h.n_values for h in table.hierarchies])
    assert measure(KLDivergence(), table, regions) == pytest.approx(expected, abs=1e-12, rel=1e-12)


@LAW
@given(tables())
def test_nothing_is_lost_where_nothing_is_generalized(drawn):
    table, _ = drawn
    identity = Generalization((0,) * table.n_qi, np.zeros(table.n_points, bool))
    assert measure(KLDivergence(), table, regions_of(identity, table)) == pytest.approx(0, abs=1e-12)


@LAW
@given(st.data())
def test_is_never_negative(data):
    table, _ = data.draw(tables())
    regions = regions_of(data.draw(recodings(table)), table)
    assert measure(KLDivergence(), table, regions) >= -1e-12


def ten_patients():
    """The table of Xiao et al.'s introduction, rebuilt from what the text says of it."""
    age = Hierarchy.from_paths(["<30", "30-49", ">=50"], [["*"]] * 3, order=[0, 1, 2])
    gender = Hierarchy.from_paths(["F", "M"], [["*"]] * 2)
    education = Hierarchy.from_paths(["HighSchool", "Bachelor", "Master"], [["*"]] * 3, order=[0, 1, 2])
    disease = Hierarchy.from_paths(["HIV", "pneumonia", "bronchitis", "dyspepsia"], [["*"]] * 4)
    quasi = [(0, 1, 2)] * 2 + [(0, 1, 1), (1, 1, 1)] + [(1, 0, 1)] * 4 + [(2, 0, 0)] * 2
    rows = [(q, (s,), None) for q, s in zip(quasi, [0, 0, 1, 2, 1, 2, 2, 1, 3, 1], strict=True)]
    return table_of(rows, [age, gender, education], [disease])


@pytest.mark.parametrize(("labels", "expected"), [("stars", 0.878890), ("sets", 0.554518)])
def test_the_first_four_of_ten_patients_in_one_class(labels, expected):
    """0.4 ln 9 with stars in two columns of three values each, 0.4 ln 4 with the hulls of two values."""
    table = ten_patients()
    in_first = (table.codes[:, 1] == 1)[table.point_of_item]
    region = np.where(in_first, 0, 1 + table.point_of_item).astype(np.int32)
    first = table.codes[table.codes[:, 1] == 1]
    lo = np.concatenate([first.min(axis=0, keepdims=True), table.codes])
    hi = np.concatenate([first.max(axis=0, keepdims=True), table.codes])
    regions = Regions(lo, hi, np.arange(table.n_items + 1), region, table.counts, labels)
    found = measure(KLDivergence(), table, regions.normalized(table.hierarchies))
    assert found == pytest.approx(expected, abs=5e-7)


def test_a_release_is_measured_by_name():
    frame = pl.DataFrame({"age": [20, 20, 30, 40], "disease": ["flu", "cold", "flu", "cold"]})
    schema = sh.Schema(quasi_identifiers={"age": sh.auto()}, sensitive=["disease"])
    model = sh.LDiversity(sensitive="disease", l=2, kind="frequency")
    release = sh.anonymize(frame, schema, models=model, algorithm=sh.Hilbert(labels="ranges"), seed=1)
    # 30 and 40 are published as [30, 40]: each of their records is expected half as often as it is there.
    assert release.measure("kl-divergence") == pytest.approx(0.5 * np.log(2))
    assert release.measure(sh.KLDivergence()) == release.measure("kl-divergence")
    assert "kl-divergence" in MEASURES
