"""The workflow: what comes in comes out in kind, what is unsafe does not leave, what fails leaves nothing."""

import json
from dataclasses import replace

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal as sh
from shoal.workflow import publish
from shoal.workflow.anonymize import anonymize_file
from shoal.workflow.spec import Spec
from shoal.workflow.verify import verify_file

PEOPLE = {
    "name": ["Ann", "Bob", "Cem", "Dan", "Eva", "Fay"],
    "age": ["34", "35", None, "36", "61", "62"],
    "city": ["Kiel", "Kiel", "Bonn", "Bonn", "Kiel", "Bonn"],
    "pay": ["1,50", "2,75", "3,00", "", "5,25", "NA"],
    "disease": ["flu", "cold", "flu", "flu", "cold", "hiv"],
}
SCHEMA = sh.Schema(
    quasi_identifiers={"age": sh.intervals(10, 20), "city": sh.flat()},
    sensitive=["disease"],
    insensitive=["pay"],
    identifiers=["name"],
    types={"age": "integer"},
)


def published(frame, **options):
    return sh.anonymize(frame, SCHEMA, models=sh.KAnonymity(k=2), seed=1, keep_order=True, **options)


KINDS = {
    "pandas": lambda: pd.DataFrame(PEOPLE, index=[7, 3, 3, 0, 9, 1]),
    "pandas categories": lambda: pd.DataFrame(PEOPLE).astype({"city": "category"}),
    "polars": lambda: pl.DataFrame(PEOPLE),
    "pyarrow": lambda: pa.table(PEOPLE),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_kind_of_frame_comes_out(kind):
    given = KINDS[kind]()
    data = published(given).data
    assert type(data) is type(given)
    columns = list(data.column_names if kind == "pyarrow" else data.columns)
    assert columns == ["age", "city", "pay", "disease"]
    as_polars = pl.DataFrame(data) if kind != "pyarrow" else pl.from_arrow(data)
    assert as_polars["disease"].to_list() == PEOPLE["disease"]


def test_all_kinds_of_frames_are_published_alike():
    tables = [published(make()).data for make in KINDS.values()]
    rows = [
        (pl.from_arrow(t) if isinstance(t, pa.Table) else pl.DataFrame(t)).select("age", "city").rows()
        for t in tables
    ]
    assert all(other == rows[0] for other in rows)


def test_insensitive_cells_leave_exactly_as_they_came():
    assert published(pl.DataFrame(PEOPLE)).data["pay"].to_list() == PEOPLE["pay"]


def strict(disease="disease", **options):
    """One record, Fay with hiv, is in the way of two of a kind with two values."""
    frame = pl.DataFrame({"city": ["Kiel"] * 4 + ["Bonn"], disease: ["flu", "cold", "flu", "cold", "hiv"]})
    schema = sh.Schema(quasi_identifiers={"city": sh.flat()}, sensitive=[disease])
    models = [sh.KAnonymity(k=2), sh.LDiversity(sensitive=disease, l=2)]
    return sh.anonymize(
        frame, schema, models=models, algorithm="optimal", suppression_limit="1/5", keep_order=True, **options
    )


@pytest.mark.filterwarnings("ignore:the suppressed records:shoal.errors.ShoalWarning")
def test_a_suppressed_record_is_starred():
    release = strict()
    assert release.suppressed == 1
    assert release.data.rows()[-1] == ("*", "hiv")


def test_the_run_warns_that_the_sensitive_cells_of_suppressed_records_still_speak():
    with pytest.warns(sh.ShoalWarning, match="still speak"):
        strict()


def test_a_suppressed_record_is_left_out_where_that_is_asked():
    release = strict(suppressed="drop")
    assert release.data.rows() == [("Kiel", d) for d in ("flu", "cold", "flu", "cold")]
    assert release.manifest["rows"] == 4, "the manifest must not tell how few were left out"


def test_a_suppressed_record_loses_its_sensitive_cells_where_that_is_asked():
    assert strict(suppressed="blank-sensitive").data.rows()[-1] == ("*", None)


def test_a_column_of_any_name_loses_them():
    # Among them the name under which the suppressed records were marked.
    assert strict("__suppressed__", suppressed="blank-sensitive").data.rows()[-1] == ("*", None)


def test_rows_are_shuffled_by_the_seed_unless_their_order_is_kept():
    frame = pl.DataFrame({"q": ["a"] * 50, "n": [str(i) for i in range(50)]})
    schema = sh.Schema(quasi_identifiers=["q"], insensitive=["n"])

    def order(**options):
        return sh.anonymize(frame, schema, models=sh.KAnonymity(k=2), **options).data["n"].to_list()

    assert order(seed=1, keep_order=True) == frame["n"].to_list()
    assert order(seed=1) == order(seed=1) != order(seed=2)
    assert sorted(order(seed=2)) == sorted(frame["n"].to_list())


def test_people_are_counted_where_a_unit_is_given():
    frame = pl.DataFrame({"city": ["Kiel"] * 6 + ["Bonn"] * 2, "person": ["p"] * 6 + ["q", "r"]})
    schema = sh.Schema(quasi_identifiers={"city": sh.flat()}, unit="person")
    assert sh.audit(frame, schema, models=sh.KAnonymity(k=2)).verdicts[0].achieved == 1
    release = sh.anonymize(frame, schema, models=sh.KAnonymity(k=3), keep_order=True)
    assert release.data["city"].to_list() == ["*"] * 8
    assert release.verdicts[0].achieved == 3


SPEC = """
version = 1
[columns.age]
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = [10, 20] }
[columns.city]
role = "quasi-identifier"
hierarchy = { flat = true }
[columns.disease]
role = "sensitive"
[columns.pay]
role = "insensitive"
[columns.name]
role = "identifier"
[[models]]
model = "k-anonymity"
k = 2
"""


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    pl.DataFrame(PEOPLE).write_csv(path)
    return path


def test_a_file_and_a_frame_are_published_alike(people, tmp_path):
    anonymize_file(people, Spec.from_toml(SPEC), tmp_path / "out.csv", seed=1, keep_order=True)
    written = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert (
        written.select("age", "city").rows() == published(pl.DataFrame(PEOPLE)).data.select("age", "city").rows()
    )
    assert json.loads((tmp_path / "out.csv.manifest.json").read_text())["rows"] == 6
    assert oct((tmp_path / "out.csv.private.json").stat().st_mode)[-3:] == "600"


def test_parquet_in_and_out(people, tmp_path):
    pl.read_csv(people, infer_schema=False).with_columns(pl.col("age").cast(pl.Int64)).write_parquet(
        tmp_path / "people.parquet"
    )
    spec = Spec.from_toml(SPEC)
    anonymize_file(tmp_path / "people.parquet", spec, tmp_path / "out.parquet", seed=1, keep_order=True)
    anonymize_file(people, spec, tmp_path / "out.csv", seed=1, keep_order=True)
    assert (
        pl.read_parquet(tmp_path / "out.parquet").select("age", "city").rows()
        == pl.read_csv(tmp_path / "out.csv", infer_schema=False).select("age", "city").rows()
    )


def test_the_public_manifest_tells_neither_seed_nor_exact_risk(people, tmp_path):
    release = anonymize_file(people, Spec.from_toml(SPEC), tmp_path / "out.csv", seed=987654321)
    assert "987654321" not in (tmp_path / "out.csv.manifest.json").read_text()
    assert "seed" not in release.manifest
    assert release.private["seed"] == 987654321


def tampered(monkeypatch, change):
    """Let the rewriting of rows go wrong behind the search's back."""
    honest = publish.label_columns
    monkeypatch.setattr(publish, "label_columns", lambda *given: change(honest(*given)))


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.with_columns(pl.lit("Kiel").alias("city")),
        lambda frame: frame.with_columns(
            city=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("x")).otherwise("city")
        ),
    ],
    ids=["classes joined", "one record torn off"],
)
def test_an_output_that_differs_from_the_decision_never_leaves(people, tmp_path, monkeypatch, change):
    tampered(monkeypatch, change)
    with pytest.raises(sh.VerificationError, match="nothing was written"):
        anonymize_file(people, Spec.from_toml(SPEC), tmp_path / "out.csv", seed=1)
    with pytest.raises(sh.VerificationError):
        published(pl.DataFrame(PEOPLE))
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_record_in_a_box_that_does_not_hold_it_never_leaves():
    """A search that swaps its boxes: every model holds, but the cells are untrue."""

    class Careless(sh.Mondrian):
        def search(self, table, problem, rng):
            found = super().search(table, problem, rng)
            boxes = found.recoding
            assert boxes.n_regions > 1
            return replace(found, recoding=replace(boxes, lo=boxes.lo[::-1], hi=boxes.hi[::-1]))

    with pytest.raises(sh.VerificationError, match="boxes that do not hold them"):
        sh.anonymize(pl.DataFrame(PEOPLE), SCHEMA, models=sh.KAnonymity(k=2), algorithm=Careless())


def test_an_algorithm_that_breaks_a_model_never_leaves():
    """A search that returns the identity: every record stands alone, and the recount sees it."""

    class Careless(sh.Optimal):
        def search(self, table, problem, rng):
            return super().search(table, replace(problem, models=(sh.KAnonymity(k=1),)), rng)

    with pytest.raises(sh.VerificationError, match="does not meet k-anonymity"):
        sh.anonymize(pl.DataFrame(PEOPLE), SCHEMA, models=sh.KAnonymity(k=2), algorithm=Careless())


@pytest.mark.parametrize("k", [7, 100])
def test_what_cannot_be_met_is_an_error_that_names_what_can_be(people, tmp_path, k):
    with pytest.raises(sh.InfeasibleError, match="lower k to 6"):
        anonymize_file(people, Spec.from_toml(SPEC.replace("k = 2", f"k = {k}")), tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


@pytest.mark.parametrize("out", ["o.csv", "o.tsv", "o.parquet"])
@pytest.mark.parametrize("source", ["i.csv", "i.parquet"])
@pytest.mark.parametrize("missing", [None, ["?"], ["?", "NA"], ["", "?"]])
def test_texts_that_mean_missing_mean_it_in_the_output_too(tmp_path, source, missing, out):
    rows = [("a", "x"), ("?", "?"), ("NA", "NA"), (None, None), ("b", "y"), ("", "")] * 4
    frame = pl.DataFrame(rows, schema=["q", "s"], orient="row")
    frame.write_csv(tmp_path / "i.csv")
    frame.write_parquet(tmp_path / "i.parquet")
    reads = {} if missing is None else {"missing": missing}
    spec = Spec.quick(["q"], sensitive=["s"], k=3, l=1, input=reads)
    anonymize_file(tmp_path / source, spec, tmp_path / out, seed=1)
    assert verify_file(tmp_path / out, spec).satisfied


def test_groups_of_automatic_hierarchies_are_found_in_the_population_again():
    frame = pl.DataFrame({"age": [20, 21, 22, 23, 40, 41, 42, 43]})
    schema = sh.Schema(quasi_identifiers=["age"])
    release = sh.anonymize(frame, schema, models=sh.KMap(k=4), population=frame, seed=1)
    assert "*" not in set(release.data["age"])
    assert sh.verify(release.data, schema, models=sh.KMap(k=4), population=frame).satisfied
