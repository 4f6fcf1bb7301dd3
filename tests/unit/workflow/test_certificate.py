"""A certificate goes with its release: in Python, in JSON, in both manifests and in words."""

import json
from io import StringIO

import polars as pl
import pytest
from rich.console import Console

import shoal as sh
from shoal.report.page import account_page
from shoal.report.terminal import release_report
from shoal.workflow.anonymize import anonymize_file

ROWS = {
    "age": [25, 25, 25, 25, 31, 31, 31, 47, 47, 47, 52],
    "town": ["A", "A", "A", "A", "A", "A", "A", "B", "B", "B", "C"],
    "disease": ["x", "y", "z", "x", "x", "y", "z", "x", "y", "z", "z"],
}
MODELS = [sh.LDiversity(sensitive="disease", l=2, kind="frequency"), sh.KAnonymity(k=2)]
SPEC = """
version = 1
[columns.age]
role = "quasi-identifier"
hierarchy = { intervals = [10, 20] }
[columns.town]
role = "quasi-identifier"
[columns.disease]
role = "sensitive"
[[models]]
model = "l-diversity"
sensitive = "disease"
l = 2
kind = "frequency"
[method]
algorithm = "tp+"
coarsen = { age = 1 }
labels = "sets"
"""


def release(**settings):
    schema = sh.Schema(quasi_identifiers={"age": sh.intervals(10, 20), "town": None}, sensitive=["disease"])
    return sh.anonymize(pl.DataFrame(ROWS), schema, models=MODELS, seed=1, keep_order=True, **settings)


def words(release):
    console = Console(file=StringIO(), width=200)
    console.print(release_report(release.as_dict()))
    return console.file.getvalue()


def test_stars_and_certificate():
    # The last record is alone, so it and a second one have to lose their cells.
    found = release(algorithm="tp")
    assert sorted(found.data["age"].to_list()).count("*") == 2
    proven = found.certificate
    assert (proven.phase, proven.lower_bound, proven.records, proven.stars) == (2, 2, 2, 4)
    assert found.measure("stars") == 4
    assert found.suppressed == 0


def test_in_json_and_manifests():
    found = release(algorithm="tp+")
    record = json.loads(json.dumps(found.as_dict()))
    assert record["certificate"]["lower_bound"] == 2
    assert found.manifest["certificate"]["guarantee"] == "OPT + 1"
    assert found.manifest["method"]["name"] == "tp+"
    assert found.private["notes"] == list(found.notes)


def test_the_public_manifest_holds_no_count_below_the_smallest_class():
    manifest = release(algorithm="tp").manifest
    smallest = next(v["achieved"] for v in manifest["verdicts"] if v["model"] == "k-anonymity")
    # The two starred records are the smallest class, and so the smallest count.
    shown = manifest["certificate"]
    assert (smallest, shown["lower_bound"], shown["records"], shown["stars"]) == (2, 2, 2, 4)


def test_in_words():
    text = words(release(algorithm="tp"))
    assert "Distance from the optimum, proven" in text
    assert "2 records have a suppressed cell: that is optimal." in text
    assert "4 cells are suppressed: at most 2 times the unknown optimum." in text


def test_in_words_of_other_labels():
    assert "2 records have a generalized cell: that is optimal." in words(release(algorithm=sh.TP(labels="sets")))


def test_in_words_of_coarser_columns():
    text = words(release(algorithm=sh.TPPlus(coarsen={"age": 1}, labels="nodes")))
    about = "What follows is about the table with age at level 1: neither this release nor the optimum is charged"
    assert text.index(about) < text.index("records have a generalized cell")


@pytest.mark.parametrize("algorithm", ["tp", "tp+"])
def test_an_infeasible_table_is_refused_with_an_l_that_would_do(algorithm):
    """Four of eleven records have one value: no l above 2.75; TP needs a whole one and suppresses no records."""
    asked = sh.LDiversity(sensitive="disease", l=4, kind="frequency")
    schema = sh.Schema(quasi_identifiers={"age": None, "town": None}, sensitive=["disease"])
    with pytest.raises(sh.InfeasibleError) as refused:
        sh.anonymize(pl.DataFrame(ROWS), schema, models=asked, algorithm=algorithm)
    assert refused.value.choices == ("lower l to 2",)
    feasible = sh.LDiversity(sensitive="disease", l=2, kind="frequency")
    assert sh.anonymize(pl.DataFrame(ROWS), schema, models=feasible, algorithm=algorithm).verdicts[0].satisfied


@pytest.mark.parametrize("external", [False, True])
def test_on_the_page(external):
    text = account_page(release(algorithm="tp").account(external=external))
    assert "4 cells are suppressed: at most 2 times the unknown optimum." in text
    assert "2 records have" in text


@pytest.mark.parametrize("external", [False, True])
def test_the_page_writes_settings_as_a_spec_does(external):
    text = account_page(release(algorithm=sh.TPPlus(coarsen={"age": 1})).account(external=external))
    assert "coarsen = { age = 1 }" in text
    assert "proven_optimal" not in text.split("<script")[0]


def test_a_page_without_one_says_nothing():
    assert "Distance from the optimum" not in account_page(release(algorithm="mondrian").account())


@pytest.mark.parametrize("algorithm", ["tp", "tp+"])
def test_the_release_is_explained_though_k_is_bound_to_l(algorithm):
    explained = release(algorithm=algorithm).explain()
    assert explained.sentences
    # One more than l in a group is nothing that TP could promise.
    assert [other.k for other in explained.other_k] == [1]


def test_other_algorithms_have_none():
    found = release(algorithm="mondrian")
    assert found.certificate is None
    assert found.as_dict()["certificate"] is None
    assert "certificate" not in found.manifest
    assert "Distance from the optimum" not in words(found)


@pytest.mark.parametrize("labels", ["stars", "nodes", "ranges", "sets"])
def test_every_form_passes_the_recount(labels):
    for coarsen in (None, "auto", {"age": 1}):
        assert all(v.satisfied for v in release(algorithm=sh.TPPlus(labels=labels, coarsen=coarsen)).verdicts)


def test_from_a_spec(tmp_path):
    pl.DataFrame(ROWS).write_csv(tmp_path / "in.csv")
    (tmp_path / "shoal.toml").write_text(SPEC)
    spec = sh.Spec.from_toml(tmp_path / "shoal.toml")
    found = anonymize_file(tmp_path / "in.csv", spec, tmp_path / "out.csv", seed=1)
    assert found.certificate.coarsened == {"age": 1}
    manifest = json.loads((tmp_path / "out.csv.manifest.json").read_text())
    assert manifest["method"]["coarsen"] == {"age": 1}
    assert manifest["certificate"]["coarsened"] == {"age": 1}
    again = sh.Spec.from_toml(spec.to_toml())
    assert again.plan().algorithm == spec.plan().algorithm
