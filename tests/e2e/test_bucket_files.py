"""The commands on buckets and noisy counts: both kinds of files, specs, and the same bytes from the same seed."""

import json
import os
import subprocess
import sys

import polars as pl
import pytest

from shoal.cli.main import main

SHORT = ["--quasi", "age,city,sex", "--sensitive", "disease"]
DIVERSE = ["--l", "2"]
SPEC = """
version = 1
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
[columns.city]
role = "quasi-identifier"
[columns.sex]
role = "quasi-identifier"
[columns.disease]
role = "sensitive"
[columns.note]
role = "insensitive"
[[models]]
model = "l-diversity"
sensitive = "disease"
l = 2
[method]
algorithm = "merging"
grouping = [["age", "city"], ["sex", "disease"]]
n = 1
insensitive = "copy"
"""


def people(n=60):
    cities, diseases = ["Bonn", "Kiel", "Ulm"], ["cold", "flu", "ulcer", "asthma"]
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": [20 + (7 * i) % 5 for i in range(n)],
            "city": [cities[(i * i) % 3] for i in range(n)],
            "sex": ["FM"[(i // 3) % 2] for i in range(n)],
            "disease": [diseases[(i * 5 + i // 7) % 4] for i in range(n)],
            "note": [f"note {i}" for i in range(n)],
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table as CSV and as Parquet and a spec, as the current one."""
    people().write_csv(tmp_path / "people.csv")
    people().write_parquet(tmp_path / "people.parquet")
    (tmp_path / "shoal.toml").write_text(SPEC, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    code = main(list(arguments))
    streams = capsys.readouterr()
    return code, streams.out, streams.err


def published(folder, name):
    path = folder / name
    return pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)


@pytest.mark.parametrize("algorithm", ["anatomy", "slicing", "merging"])
@pytest.mark.parametrize(("given", "out"), [("people.csv", "out.csv"), ("people.parquet", "out.parquet")])
def test_buckets_are_published_and_verified(folder, capsys, algorithm, given, out):
    code, text, err = run(
        capsys, "anonymize", given, *SHORT, *DIVERSE, "--algorithm", algorithm, "-o", out, "--seed", "5", "--json"
    )
    assert code == 0, err
    result = json.loads(text)["result"]
    rows = published(folder, out)
    assert rows.columns == ["age", "city", "sex", "disease", "bucket"]
    assert rows["bucket"].is_sorted()
    assert rows.height == result["published"] == 60 + result["buckets"]["fakes"]
    assert result["kind"] == "buckets"
    manifest = json.loads((folder / f"{out}.manifest.json").read_text("utf-8"))
    assert manifest["buckets"]["n_buckets"] == rows["bucket"].n_unique()
    assert "seed" not in manifest
    assert "link" not in manifest
    assert json.loads((folder / f"{out}.private.json").read_text("utf-8"))["seed"] == 5
    code, text, _ = run(capsys, "verify", out, *SHORT, *DIVERSE)
    assert code == 0
    assert "tested on buckets" in " ".join(text.split())
    assert run(capsys, "verify", out, *SHORT, "--l", "5")[0] == 1


@pytest.mark.parametrize("algorithm", ["dp-counts", "hybrid"])
def test_noisy_counts_are_published_with_their_budget(folder, capsys, algorithm):
    asked = [*SHORT, "-k", "4", "--algorithm", algorithm, "--seed", "5"]
    code, _, err = run(capsys, "anonymize", "people.csv", *asked, "-o", "out.csv")
    told = " ".join(err.split())
    assert code == 0
    assert "NOT differentially private" in told
    assert "Where the privacy budget went" in told
    assert "Not promised of the published rows" in told
    assert json.loads((folder / "out.csv.manifest.json").read_text("utf-8"))["perturbation"]["holds"] is False
    code, text, _ = run(capsys, "verify", "out.csv", *SHORT, "-k", "1")
    assert "noisy counts" in " ".join(text.split())


def test_diffgen_needs_no_model(folder, capsys):
    assert not (folder / "out.csv").exists()
    code, _, err = run(capsys, "anonymize", "people.csv", *SHORT, "--algorithm", "diffgen", "-o", "out.csv")
    assert code == 0, err
    assert "Not promised" not in err


def test_a_spec_says_everything_that_a_method_of_buckets_takes(folder, capsys):
    code, _, err = run(capsys, "anonymize", "people.csv", "--spec", "shoal.toml", "-o", "out.csv")
    assert code == 0, err
    manifest = json.loads((folder / "out.csv.manifest.json").read_text("utf-8"))
    assert manifest["buckets"]["groups"] == [["age", "city"], ["sex", "disease"]]
    rows = published(folder, "out.csv")
    assert set(rows["note"]) == set(people()["note"])
    told = " ".join(err.split())
    assert "Quasi-identifiers are published exactly" in told
    assert "Risk that disease of a person becomes known" in told
    assert "Risk of being found" not in told
    # Without the manifest the spec says what kind of table it is.
    (folder / "out.csv.manifest.json").unlink()
    assert run(capsys, "verify", "out.csv", "--spec", "shoal.toml")[0] == 0


def test_what_buckets_cannot_have_is_refused_and_nothing_is_written(folder, capsys):
    asked = ["anonymize", "people.csv", *SHORT, *DIVERSE, "--algorithm", "merging", "-o", "out.csv"]
    for more, words in (
        (["--explain"], "explanation"),
        (["--policy", "hipaa-expert"], "policy speaks of groups"),
        (["-k", "3"], "k-anonymity"),
    ):
        code, _, err = run(capsys, *asked, *more)
        assert code != 0
        assert words in err
        assert not (folder / "out.csv").exists()
    (folder / "shoal.toml").write_text(SPEC.replace('insensitive = "copy"', ""), encoding="utf-8")
    code, _, err = run(capsys, "anonymize", "people.csv", "--spec", "shoal.toml", "-o", "out.csv")
    assert code != 0
    assert "insensitive" in err
    assert not (folder / "out.csv").exists()


def test_reports_and_the_mapping_are_written_beside_buckets(folder, capsys):
    code, _, err = run(
        capsys, "anonymize", "people.csv", *SHORT, *DIVERSE, "--algorithm", "merging", "-o", "out.csv",
        "--report", "in.html", "--external-report", "outside.json", "--mapping", "mapping.csv",
    )  # fmt: skip
    assert code == 0, err
    assert "guesses disease right" in (folder / "in.html").read_text("utf-8")
    assert "guesses disease right" not in (folder / "outside.json").read_text("utf-8")
    assert (folder / "mapping.csv").read_text("utf-8").startswith("column,value,published,records")


@pytest.mark.parametrize("algorithm", ["merging", "hybrid"])
def test_the_same_seed_gives_the_same_bytes_with_any_number_of_threads(folder, algorithm):
    found = set()
    for threads in ("1", "4"):
        out = f"out-{threads}.csv"
        start = "import sys; from shoal.cli.main import main; sys.exit(main(sys.argv[1:]))"
        command = [sys.executable, "-c", start, "anonymize", "people.csv", *SHORT, *DIVERSE, "--seed", "5", "-q"]
        subprocess.run(
            [*command, "--algorithm", algorithm, "-o", out],
            check=True,
            env={**os.environ, "POLARS_MAX_THREADS": threads, "NUMBA_NUM_THREADS": threads},
        )
        found.add((folder / out).read_bytes())
    assert len(found) == 1


@pytest.mark.parametrize(
    "algorithm", ["anatomy", "slicing", "merging", "sampled", "dp-counts", "hybrid", "diffgen"]
)
@pytest.mark.parametrize("how", [[], ["--json"]], ids=["words", "json"])
def test_a_secret_in_a_cell_is_neither_said_nor_told_to_the_public(folder, capsys, algorithm, how):
    secret = "Zq7Aphelion"
    planted = people().with_columns(
        pl.when(pl.col("name") == "person 7").then(pl.lit(secret)).otherwise(pl.col(name)).alias(name)
        # One record with a city of its own would be linked with its disease, which slicing refuses.
        for name in ("name", "disease", "note", *(["city"] if algorithm != "slicing" else []))
    )
    planted.write_csv(folder / "people.csv")
    asked = [*SHORT, *DIVERSE, "--algorithm", algorithm, "--seed", "5", "--external-report"]
    told = []
    for report in ("x.html", "x.json"):
        code, out, err = run(capsys, "anonymize", "people.csv", *asked, report, "-o", f"{report}.csv", *how)
        assert code == 0, err
        told += [out, err, (folder / report).read_text("utf-8")]
        told.append((folder / f"{report}.csv.manifest.json").read_text("utf-8"))
        told.append((folder / f"{report}.csv.private.json").read_text("utf-8"))
        told += run(capsys, "verify", f"{report}.csv", *SHORT, *DIVERSE, *how)[1:]
    assert not [text for text in told if secret in text]
    assert not [text for text in told[2:4] if '"seed"' in text]
