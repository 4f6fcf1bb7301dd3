"""The command line explains a release, and searches with Incognito."""

import json

import pytest

from shoal.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{30 + i % 4},{'fm'[i % 2]},{'flu' if i % 3 else 'SECRET'}" for i in range(24)]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,disease", *rows]) + "\n", encoding="utf-8")
    return tmp_path


BASE = ["anonymize", "people.csv", "--quasi", "age,sex", "--sensitive", "disease", "-k", "7", "--alpha", "0.7"]


def test_explain_tells_why_and_names_sensitive_values_in_the_private_manifest_alone(people, capsys):
    assert main([*BASE, "-o", "out.csv", "--explain", "--algorithm", "incognito"]) == 0
    err = capsys.readouterr().err
    assert "Why" in err
    assert "k-anonymity" in err
    assert "SECRET" not in err
    private = json.loads((people / "out.csv.private.json").read_text("utf-8"))
    assert "value_counts" in private["explanation"]["models"][1]
    assert "explanation" not in json.loads((people / "out.csv.manifest.json").read_text("utf-8"))


@pytest.mark.usefixtures("people")
def test_the_json_has_the_explanation_only_when_asked(capsys):
    assert main([*BASE, "-o", "a.csv", "--json", "--explain"]) == 0
    told = json.loads(capsys.readouterr().out)["result"]["explanation"]
    assert told["sentences"]
    assert "SECRET" not in json.dumps(told)
    assert main([*BASE, "-o", "b.csv", "--json"]) == 0
    assert "explanation" not in json.loads(capsys.readouterr().out)["result"]


def test_incognito_and_optimal_publish_the_same_table(people, capsys):
    for name in ("incognito", "optimal"):
        assert main([*BASE, "-o", f"{name}.csv", "--algorithm", name, "--seed", "1"]) == 0
    assert (people / "incognito.csv").read_bytes() == (people / "optimal.csv").read_bytes()
    capsys.readouterr()
