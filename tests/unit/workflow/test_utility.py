"""Utility through its face: every kind of release, queries of one's own, trees, and what is refused."""

import json

import polars as pl
import pytest

import shoal as sh
from shoal.algorithms import Anatomy, Sampled
from shoal.cli.main import main

W = pl.DataFrame(
    {
        "age": [21, 23, 25, 28, 41, 44, 47, 49],
        "sex": list("MFFMMFFM"),
        "zip": ["Z1", "Z1", "Z2", "Z2", "Z3", "Z3", "Z4", "Z4"],
        "disease": ["flu", "cold", "ulcer", "flu", "cold", "flu", "asthma", "ulcer"],
    }
)
ZIPS = sh.tree({"Z12": ["Z1", "Z2"], "Z34": ["Z3", "Z4"]})
SCHEMA = sh.Schema(quasi_identifiers={"age": sh.flat(), "sex": sh.flat(), "zip": ZIPS}, sensitive=["disease"])
GROUPS = [["age", "zip"], ["sex", "disease"]]
# Example 5 of the specification: sex is widened in the first two buckets, rows sorted by bucket, one order each.
MERGED = W.with_columns(
    sex=pl.when(pl.col("age") < 30).then(pl.lit("*")).otherwise("sex"),
    bucket=pl.Series([0, 0, 1, 1, 2, 3, 3, 2]),
).sort("bucket")
BOXES = W.with_columns(
    age=pl.when(pl.col("age") < 30).then(pl.lit("[21, 28]")).otherwise(pl.lit("[41, 49]")),
    zip=pl.when(pl.col("age") < 30).then(pl.lit("Z12")).otherwise(pl.lit("Z34")),
)
QUERY = {"sex": "F", "disease": "flu"}


def means(found, estimator="expected"):
    return [error.mean for error in found.queries if error.estimator == estimator]


def test_buckets_of_the_worked_example():
    found = sh.measure_utility(W, MERGED, SCHEMA, groups=GROUPS, workload=[QUERY, {"age": 21, "disease": "flu"}])
    assert found.distortion["tree"] == pytest.approx(1 / 6)
    assert means(found) == pytest.approx([(1 + 0.5) / 2])
    assert means(found, "literal") == pytest.approx([(0 + 0.5) / 2])
    # Within a group nothing moved but sex; age and zip were published as they are.
    assert found.distance("age", "zip") == 0
    assert found.distance("age", "disease") > 0


def test_without_groups_a_row_is_read_as_it_stands():
    found = sh.measure_utility(W, MERGED.drop("bucket"), SCHEMA, workload=[{"age": 21, "disease": "flu"}])
    assert means(found) == [0]


def test_boxes_stars_and_the_original_itself():
    same = sh.measure_utility(W, W[::-1], SCHEMA, queries=50)
    assert same.distortion == {"tree": 0, "ncp": 0}
    assert set(means(same)) == {0}
    assert {d.distance for d in same.distances} == {0}
    assert same.propensity.pmse == pytest.approx(0, abs=1e-9)
    boxes = sh.measure_utility(W, BOXES, SCHEMA, queries=50)
    # age is flat, so a range is the root; zip climbs one of two levels; sex stays.
    assert boxes.distortion["tree"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert boxes.distortion["ncp"] == pytest.approx((7.5 / 28 + 0.5 + 0) / 3)
    stars = W.with_columns(pl.lit("*").alias(name) for name in ("age", "sex", "zip"))
    assert sh.measure_utility(W, stars, SCHEMA, queries=50).distortion["tree"] == 1


def test_a_sample_is_scaled_and_invented_rows_are_left_out_where_they_are_known():
    half = W.filter(pl.col("age") % 2 == 1)
    found = sh.measure_utility(W, half, SCHEMA, sampling_rate=0.75, workload=[{"disease": ["flu", "cold"]}])
    # 21 flu, 23 cold, 41 cold of 5 such rows: 3 / 0.75 = 4.
    assert means(found) == pytest.approx([1 / 5])
    more = pl.concat([W.cast({"age": pl.String}), pl.DataFrame([["*", "*", "*", "flu"]], W.columns, orient="row")])
    fake = [False] * 8 + [True]
    assert sh.measure_utility(W, more, SCHEMA, fake=fake).distortion["tree"] == 0
    assert sh.measure_utility(W, more, SCHEMA, fake=fake, include_fakes=True).distortion["tree"] > 0


def test_noise_may_publish_values_that_the_original_has_not():
    noisy = BOXES.with_columns(disease=pl.Series(["flu", "plague", "flu", "flu", "cold", "flu", "cold", "cold"]))
    found = sh.measure_utility(W, noisy, SCHEMA, workload=[QUERY])
    assert "disease: 1 published label(s) are no value of the original" in found.notes
    assert found.distance("disease") == pytest.approx(3 / 8)


def test_groups_and_ranges_are_values_of_a_query():
    queries = [{"age": "[20, 30)", "zip": ["Z12", "Z3"]}, {"age": 21}]
    (error,) = [
        e for e in sh.measure_utility(W, BOXES, SCHEMA, workload=queries).queries if e.estimator == "expected"
    ]
    # Four of four; and a quarter of the four rows of the box, of one.
    assert (error.dimension, error.queries, error.mean) == (None, 2, 0)


@pytest.mark.parametrize(
    ("query", "where"),
    [({"age": "secretive"}, "query 2"), ({"agge": 21}, "query 2"), ({}, "query 2"), (3, "query 2")],
)
def test_a_query_that_names_what_is_not_there(query, where):
    with pytest.raises(sh.SpecError) as caught:
        sh.measure_utility(W, BOXES, SCHEMA, workload=[QUERY, query])
    assert where in str(caught.value)
    assert "secretive" not in str(caught.value)


def test_the_same_seed_measures_the_same():
    one, other = (sh.measure_utility(W, BOXES, SCHEMA, queries=20, seed=4).as_dict() for _ in range(2))
    assert one == other
    assert one != sh.measure_utility(W, BOXES, SCHEMA, queries=20, seed=5).as_dict()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"groups": [["age", "zip"], ["disease"]]}, "in no group"),
        ({"groups": [["age", "zip", "sex"], ["sex", "disease"]]}, "in two groups"),
        ({"groups": GROUPS, "bucket": "number"}, "no column 'number'"),
        ({"sampling_rate": 0}, "sampling rate"),
        ({"targets": ["height"]}, "no column 'height'"),
        ({"propensity": "forest"}, "unknown method"),
        ({"dimensions": [4]}, "4 quasi-identifiers of 3"),
        ({"fake": [True]}, "fake tells of 1 rows"),
    ],
)
def test_options_that_do_not_fit(options, words):
    with pytest.raises(sh.ShoalError, match=words):
        sh.measure_utility(W, MERGED, SCHEMA, **{"groups": GROUPS, **options})


def test_a_published_table_without_a_quasi_identifier():
    with pytest.raises(sh.SchemaError, match="not in the published table"):
        sh.measure_utility(W, BOXES.drop("zip"), SCHEMA)


def many(copies=40):
    """People whose job follows from sex and age alone."""
    ages = list(range(20, 60)) * copies
    sexes = ["M", "F"] * (len(ages) // 2)
    jobs = [
        "nurse" if sex == "F" else "smith" if age < 40 else "judge" for age, sex in zip(ages, sexes, strict=True)
    ]
    return pl.DataFrame({"age": ages, "sex": sexes, "job": jobs})


JOBS = sh.Schema(quasi_identifiers={"age": sh.intervals(20, 40), "sex": sh.flat()}, sensitive=["job"])


def test_a_release_brings_its_groups_and_its_sampling_rate():
    people = many(5)
    models = [sh.LDiversity(sensitive="job", l=2, kind="distinct")]
    release = sh.anonymize(people, JOBS, models=models, algorithm=Anatomy(), seed=1)
    found = sh.measure_utility(people, release, JOBS, queries=20)
    same = sh.measure_utility(people, release.data, JOBS, queries=20, groups=release.manifest["buckets"]["groups"])
    assert found.as_dict() == same.as_dict()
    # Read as rows, it would be said that columns go together as they stand.
    assert found.as_dict() != sh.measure_utility(people, release.data, JOBS, queries=20).as_dict()
    (attacked,) = sh.attack_composition([release, release], JOBS, truth=people).findings
    assert attacked.risk.true_matches == len(people)
    sample = sh.anonymize(people, JOBS, models=[sh.KAnonymity(k=2)], algorithm=Sampled(rate="0.5"), seed=1)
    (error,) = sh.measure_utility(people, sample, JOBS, workload=[{"sex": ["M", "F"]}]).queries[:1]
    assert error.mean == pytest.approx(abs(len(sample.data) / 0.5 / len(people) - 1))


def test_trees_are_never_scored_on_generalized_labels():
    pytest.importorskip("sklearn")
    people = many()
    wide = people.with_columns(age=pl.lit("*"))
    found = sh.measure_utility(people, wide, JOBS, targets=["job", "age"], holdout=many(5), queries=0)
    by = {(a.target, a.protocol): a for a in found.accuracies}
    # Who is a woman is a nurse; of a man's age nothing is left, so half of the men are guessed.
    assert by["job", "drawn"].original == by["job", "held out"].original == 1
    assert by["job", "held out"].published == pytest.approx(0.75, abs=0.1)
    # A column of one label would be predicted always if labels were scored; of 40 ages one in 40 is right.
    assert by["age", "drawn"].published < 0.1
    assert by["age", "held out"].published < 0.1
    assert by["job", "held out"].majority == 0.5


def test_without_rows_held_out_the_second_protocol_is_not_measured():
    pytest.importorskip("sklearn")
    found = sh.measure_utility(many(2), many(2), JOBS, targets=["job"], queries=0)
    assert [a.protocol for a in found.accuracies] == ["drawn"]
    assert any("none that were not released were given" in note for note in found.notes)


def test_a_tree_tells_tables_apart_that_no_column_does():
    pytest.importorskip("sklearn")
    people = many()
    shuffled = people.with_columns(pl.col("job").shuffle(seed=1))
    by_column = sh.measure_utility(people, shuffled, JOBS, queries=0)
    together = sh.measure_utility(people, shuffled, JOBS, queries=0, propensity="tree")
    assert by_column.propensity.ratio < 1
    assert together.propensity.ratio > 10


def test_without_scikit_learn_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sklearn.tree", None)
    with pytest.raises(sh.EngineError, match=r"shoal\[learn\]"):
        sh.measure_utility(W, BOXES, SCHEMA, targets=["disease"], queries=0)


def test_the_command_reads_the_manifest_beside_the_table(tmp_path, capsys):
    W.write_csv(tmp_path / "people.csv")
    MERGED.write_csv(tmp_path / "out.csv")
    manifest = {"buckets": {"column": "bucket", "groups": GROUPS}}
    (tmp_path / "out.csv.manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "mine.toml").write_text('[[queries]]\nage = 21\ndisease = "flu"\n')
    (tmp_path / "mine.json").write_text('[{"age": 21, "disease": ["flu"]}]')
    names = [str(tmp_path / name) for name in ("people.csv", "out.csv")]
    options = ["--quasi", "age,sex,zip", "--sensitive", "disease"]
    for workload in ("mine.toml", "mine.json"):
        assert main(["utility", *names, *options, "--workload", str(tmp_path / workload), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["result"]
        assert [e["mean"] for e in told["queries"]] == [0.5, 0.5]
    (tmp_path / "out.csv.manifest.json").unlink()
    assert main(["utility", *names, *options, "--groups", "age,zip|sex,disease", "--dimensions", "1,2"]) == 0
    shown = capsys.readouterr().out
    assert "COUNT queries over" in shown
    assert "8 rows were published of 8" in shown


@pytest.mark.parametrize("content", ["{", "[1", '{"other": []}'])
def test_a_workload_that_cannot_be_read(tmp_path, capsys, content):
    for name, frame in (("people.csv", W), ("out.csv", BOXES)):
        frame.write_csv(tmp_path / name)
    (tmp_path / "mine.json").write_text(content)
    names = [str(tmp_path / name) for name in ("people.csv", "out.csv")]
    code = main(["utility", *names, "--quasi", "age", "--workload", str(tmp_path / "mine.json")])
    assert code == 2
    assert "queries" in capsys.readouterr().err
