"""The embedded example: invented, seeded, consistent over the visits of a person."""

import subprocess
import sys
import tomllib

import polars as pl
import pytest

from shoal.errors import SpecError
from shoal.examples.hospital import hospital_schema, hospital_spec, hospital_visits, write_hospital_visits
from shoal.examples.population import PEOPLE_PER_BLOCK
from shoal.examples.vocabulary import DIAGNOSES, EDUCATION, INSURANCE, MARITAL_STATUS, NATIONALITY, postcodes


@pytest.fixture(scope="module")
def visits():
    return hospital_visits(30_000)


def test_the_same_seed_gives_the_same_table_and_another_seed_another():
    assert hospital_visits(500, seed=1).equals(hospital_visits(500, seed=1))
    assert not hospital_visits(500, seed=1).equals(hospital_visits(500, seed=2))


def test_a_person_is_the_same_in_every_visit(visits):
    fixed = ["name", "sex", "postcode", "education", "marital_status", "nationality", "insurance"]
    per_person = visits.group_by("patient").agg(pl.col(fixed).n_unique())
    assert per_person.select(pl.col(fixed).max()).row(0) == (1,) * len(fixed)


def test_age_grows_with_the_admission_date(visits):
    # Born on one day, a person of age a at day d is of age a' at d' with |a' - a - years between| < 1.
    born = visits.with_columns(
        earliest=pl.col("admission_date").dt.epoch("d") / 365.2425 - pl.col("age") - 1,
        latest=pl.col("admission_date").dt.epoch("d") / 365.2425 - pl.col("age"),
    )
    per_person = born.group_by("patient").agg(pl.col("earliest").max(), pl.col("latest").min())
    assert (per_person["earliest"] < per_person["latest"]).all()


def test_visits_per_person_are_skewed_and_at_most_twelve(visits):
    sizes = visits.group_by("patient").len()["len"]
    assert sizes.min() == 1
    assert sizes.max() == 12
    assert (sizes == 1).mean() > 0.3


def test_texts_are_those_of_the_vocabulary_and_some_cells_are_missing(visits):
    for column, texts in {
        "postcode": postcodes().texts,
        "education": EDUCATION.texts,
        "marital_status": MARITAL_STATUS.texts,
        "nationality": NATIONALITY.texts,
        "insurance": INSURANCE.texts,
        "diagnosis": tuple(d.code for d in DIAGNOSES),
    }.items():
        assert len(set(texts)) == len(texts)
        assert set(visits[column].drop_nulls()) <= set(texts)
    nulls = {name: count / visits.height for name, count in visits.null_count().row(0, named=True).items()}
    assert {name for name, share in nulls.items() if share} == {"education", "marital_status"}
    assert 0.01 < nulls["marital_status"] < nulls["education"] < 0.08


def test_columns_hang_together(visits):
    births = visits.filter(pl.col("diagnosis").is_in(["O80", "O82"]))
    assert births.height > 100
    assert set(births["sex"]) == {"female"}
    assert visits.filter(pl.col("diagnosis") == "I50")["age"].mean() > 60
    assert visits.filter(pl.col("diagnosis") == "J06")["age"].mean() < 40
    cost = visits.group_by("diagnosis").agg(pl.col("cost").median())
    assert cost.filter(pl.col("diagnosis") == "C92")["cost"][0] > 10_000
    assert (visits["cost"].round(2) == visits["cost"]).all()


def test_one_nationality_dominates_and_the_tail_is_long(visits):
    shares = visits["nationality"].value_counts(sort=True, normalize=True)
    assert shares["proportion"][0] > 0.7
    assert shares.height > 30
    assert "NA" in shares["nationality"].to_list()


@pytest.mark.parametrize(("n", "patients"), [(1, 1), (12, 1), (5, 5), (144, 12), (100, 20)])
def test_any_possible_number_of_patients_is_met_exactly(n, patients):
    table = hospital_visits(n, patients=patients)
    assert (table.height, table["patient"].n_unique()) == (n, patients)


@pytest.mark.parametrize(("n", "patients"), [(0, None), (13, 1), (4, 5), (4, 0)])
def test_impossible_sizes_are_refused(n, patients):
    with pytest.raises(SpecError):
        hospital_visits(n, patients=patients)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_written_file_holds_the_same_rows_over_several_blocks(tmp_path, suffix):
    n = PEOPLE_PER_BLOCK + 5
    path = tmp_path / f"visits.{suffix}"
    write_hospital_visits(path, n, patients=n)
    expected = hospital_visits(n, patients=n)
    found = pl.read_csv(path, schema=expected.schema) if suffix == "csv" else pl.read_parquet(path)
    assert found.equals(expected)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.slow
def test_three_million_visits_are_written_within_a_gigabyte(tmp_path):
    code = """
import resource, sys
from shoal.examples.hospital import write_hospital_visits
write_hospital_visits(sys.argv[1], 3_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "visits.csv")], capture_output=True, text=True, check=True
    )
    kibibytes = int(done.stdout) // (1024 if sys.platform == "darwin" else 1)
    assert kibibytes < 1_000_000


def test_a_file_is_not_replaced_unasked(tmp_path):
    path = tmp_path / "visits.csv"
    write_hospital_visits(path, 3)
    with pytest.raises(SpecError, match="there already"):
        write_hospital_visits(path, 3)
    write_hospital_visits(path, 4, overwrite=True)
    assert len(path.read_text("utf-8").splitlines()) == 5
    with pytest.raises(SpecError, match="file name"):
        write_hospital_visits(tmp_path / "visits.xls", 3)


def test_the_spec_gives_every_column_a_role_and_every_text_a_place(visits):
    columns = tomllib.loads(hospital_spec())["columns"]
    assert set(columns) == set(visits.columns)

    def leaves(tree):
        for below in tree.values():
            yield from below if isinstance(below, list) else leaves(below)

    for name, choice in {
        "marital_status": MARITAL_STATUS,
        "nationality": NATIONALITY,
        "insurance": INSURANCE,
    }.items():
        assert sorted(leaves(columns[name]["hierarchy"]["tree"])) == sorted(choice.texts)
    assert tuple(columns["education"]["hierarchy"]["order"]) == EDUCATION.texts


def test_every_value_of_the_table_has_a_place_in_the_hierarchies_of_the_schema(visits):
    schema = hospital_schema()
    assert len(schema.quasi_identifiers) == 8
    for name in schema.quasi_identifiers:
        column = schema[name]
        texts = visits[name].cast(pl.String).unique()
        hierarchy = column.hierarchy.build(texts, column=name, type=column.type)
        assert set(texts) <= set(hierarchy.leaves)
        assert hierarchy.has_null == (None in texts)
