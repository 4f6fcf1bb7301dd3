"""Figures of risk that others published, on their data."""

import numpy as np
import polars as pl
import pytest

import shoal as sh
from shared import ROOT, needs_shared
from shoal.io.frames import from_frame
from shoal.risk import class_sizes, household_risk, individual_risk, suda
from shoal.workflow.prepare import prepare

# SDC practice guide of the IHSN, tables 4.1 and 4.5: https://sdcpractice.readthedocs.io/en/latest/measure_risk.html
GUIDE = [
    # residence, gender, education, labour status, weight; f_k, F_k, risk; SUDA, DIS-SUDA
    ("urban", "female", "secondary incomplete", "employed", 180, 2, 360, 0.0054, 0, 0.0),
    ("urban", "female", "secondary incomplete", "employed", 180, 2, 360, 0.0054, 0, 0.0),
    ("urban", "female", "primary incomplete", "non-LF", 215, 1, 215, 0.0251, 6, 0.0051),
    ("urban", "male", "secondary complete", "employed", 76, 2, 152, 0.0126, 0, 0.0),
    ("rural", "female", "secondary complete", "unemployed", 186, 1, 186, 0.0282, 12, 0.0107),
    ("urban", "male", "secondary complete", "employed", 76, 2, 152, 0.0126, 0, 0.0),
    ("urban", "female", "primary complete", "non-LF", 180, 1, 180, 0.0290, 6, 0.0051),
    ("urban", "male", "post-secondary", "unemployed", 215, 1, 215, 0.0251, 10, 0.0088),
    ("urban", "female", "secondary incomplete", "non-LF", 186, 2, 262, 0.0074, 0, 0.0),
    ("urban", "female", "secondary incomplete", "non-LF", 76, 2, 262, 0.0074, 0, 0.0),
]
KEYS = ["residence", "gender", "education", "labour"]


@pytest.fixture
def guide():
    frame = pl.DataFrame([row[:4] for row in GUIDE], schema=KEYS, orient="row")
    with from_frame(frame) as source:
        return prepare(source, sh.Schema(quasi_identifiers=KEYS), flat_quasi_identifiers=True)


def test_suda_scores_of_the_practice_guide(guide):
    score = suda(guide.table, m=3).score[guide.item_of_row]
    assert score.tolist() == [row[8] for row in GUIDE]


def test_dis_suda_scores_of_the_practice_guide(guide):
    # The guide's column was made with the scores of the IHSN's implementation, its SUDA scores with Elliot's.
    dis = suda(guide.table, scores="ihsn").dis_score[guide.item_of_row]
    assert dis.round(4).tolist() == [row[9] for row in GUIDE]


def suda_of(columns):
    """SUDA of a table, and the score of each of its rows."""
    with from_frame(pl.DataFrame(columns)) as source:
        counted = prepare(source, sh.Schema(quasi_identifiers=list(columns)), flat_quasi_identifiers=True)
    found = suda(counted.table)
    return found, found.score[counted.table.point_of_item[counted.item_of_row]].tolist()


def test_suda_scores_of_templs_book():
    # Templ (2017), Statistical Disclosure Control for Microdata, as the tests of sdcMicro have it.
    _, score = suda_of(
        {
            "age": ["20s"] * 7 + ["60s"],
            "gender": ["male"] * 4 + ["female"] * 3 + ["male"],
            "income": ["50k+"] * 2 + ["50k-"] * 6,
            "education": ["highschool"] * 4 + ["university", "highschool", "middleschool", "university"],
        }
    )
    assert score == [0, 0, 0, 0, 4, 2, 6, 8]


def test_suda_contributions_of_the_tests_of_sdcmicro():
    found, _ = suda_of({"a": ["2", "1", "1"], "b": ["0", "3", "0"], "c": ["0", "6", "0"]})
    assert found.contributions == {"a": 0.5, "b": 0.375, "c": 0.375}


def frequencies(frame, keys, weight):
    """Sample and population frequency of each row."""
    counted = frame.group_by(keys).agg(pl.len().alias("f"), pl.col(weight).sum().alias("F"))
    joined = frame.select(keys).join(counted, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined["f"].to_numpy(), joined["F"].to_numpy()


def test_individual_and_global_risk_of_the_practice_guide():
    frame = pl.DataFrame([row[:5] for row in GUIDE], schema=[*KEYS, "w"], orient="row")
    f, population = frequencies(frame, KEYS, "w")
    assert f.tolist() == [row[5] for row in GUIDE]
    assert population.tolist() == [row[6] for row in GUIDE]
    risk = individual_risk(f, population)
    assert risk.round(4).tolist() == [row[7] for row in GUIDE]
    assert risk.mean().round(5) == 0.01582


def test_household_risk_of_the_practice_guide():
    assert household_risk(np.array([0.02, 0.03, 0.03]), np.zeros(3, np.int64))[0].round(4) == 0.0779


@needs_shared
def test_francdat_of_capobianchi_polettini_and_lucarelli():
    frame = pl.read_csv(ROOT / "data/sdcmicro/francdat.csv")
    f, population = frequencies(frame, ["Key1", "Key2", "Key3", "Key4"], "w")
    assert f.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    assert population.tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]
    expected = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]
    assert individual_risk(f, population) == pytest.approx(expected, abs=1e-8)


@needs_shared
def test_frequencies_and_risk_of_testdata():
    frame = pl.read_csv(ROOT / "data/sdcmicro/testdata.csv")
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    f, population = frequencies(frame, keys, "sampling_weight")
    assert ((f < 2).sum(), (f < 3).sum()) == (157, 281)
    assert (population == 100 * f).all()
    risk = individual_risk(f, population)
    household = frame["ori_hid"].rank("dense").to_numpy().astype(np.int64) - 1
    together = household_risk(risk, household)
    assert (risk.sum().round(2), together.sum().round(2)) == (10.78, 51.81)
    assert ((100 * risk.mean()).round(2), (100 * together.mean()).round(2)) == (0.24, 1.13)


@needs_shared
def test_an_audit_of_testdata_tells_the_individual_and_the_household_risk_of_sdcmicro():
    frame = pl.read_csv(ROOT / "data/sdcmicro/testdata.csv", infer_schema=False)
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    schema = sh.Schema(quasi_identifiers=keys, household="ori_hid", weight="sampling_weight")
    found = sh.audit(frame, schema)
    assert round(found.survey_risk.expected, 2) == 10.78
    assert round(found.household_risk.expected, 2) == 51.81
    assert round(100 * found.survey_risk.global_risk, 2) == 0.24
    assert round(100 * found.household_risk.average, 2) == 1.13
    assert found.household_risk.households == frame["ori_hid"].n_unique()


@needs_shared
def test_records_of_free1_below_k():
    # sdcTools/UserSupport issue 293: sdcMicro finds 3,452 below k = 3.
    frame = pl.read_csv(ROOT / "data/sdcmicro/free1.csv", infer_schema=False)
    schema = sh.Schema(quasi_identifiers=["REGION", "SEX", "AGE"])
    for k, records in ((2, 2664), (3, 3452), (4, 3770), (5, 3886)):
        (verdict,) = sh.audit(frame, schema, models=sh.KAnonymity(k=k)).verdicts
        assert verdict.violating_rows == records


# sdcMicro's tests of indivRisk: classes of three, one, one and two records.
TESTED = [(3, 108.0, 0.01369863, 0.01355297), (1, 45.5, 0.08579129, 0.08579129), (1, 17.0, 0.17707583, 0.17707583)]
TESTED += [(2, 100.0, 0.01877883, 0.01877883), (1, 123.5, 0.03931625, 0.03931625)]


@pytest.mark.parametrize(("f", "population", "approx", "exact"), TESTED)
def test_individual_risk_of_the_tests_of_sdcmicro(f, population, approx, exact):
    for method, expected in (("approx", approx), ("exact", exact)):
        risk = individual_risk(np.array([f]), np.array([population]), method=method)[0]
        assert risk == pytest.approx(expected, abs=1e-8)


def test_individual_risk_with_missing_cells_of_the_tests_of_sdcmicro():
    # sdcMicro reads a missing cell as one that may be anything.
    columns = {
        "A": ["2", "3", "2", "2", "3", "3", "1", None],
        "B": ["3", "3", "3", "3", "3", "3", "4", "3"],
        "C": ["1", "3", None, "2", "1", "1", None, "1"],
    }
    weights = np.array([18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0])
    with from_frame(pl.DataFrame(columns)) as source:
        counted = prepare(source, sh.Schema(quasi_identifiers=list("ABC")), flat_quasi_identifiers=True)
    of_row = counted.table.point_of_item[counted.item_of_row]
    f = class_sizes(counted.table, "wildcard")
    amounts = np.bincount(of_row, weights)
    population = class_sizes(counted.table, "wildcard", amounts=amounts)
    expected = {
        "approx": [
            0.01369863,
            0.085791288,
            0.01055409,
            0.032466112,
            0.009836066,
            0.009836066,
            0.039316254,
            0.005973716,
        ],
        "exact": [
            0.013552968,
            0.085791288,
            0.010504889,
            0.032466112,
            0.009756889,
            0.009756889,
            0.039316254,
            0.005962551,
        ],
    }
    for method, risks in expected.items():
        assert individual_risk(f, population, method=method)[of_row] == pytest.approx(risks, abs=1e-8)
