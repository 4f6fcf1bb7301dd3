"""The composition attack and the ledger through the command line."""

import json
import stat

import pytest

from shoal.cli.main import main

QUASI = ["--quasi", "age", "--sensitive", "disease"]

SPEC = """version = 1
[columns.age]
role = "quasi-identifier"
hierarchy = { intervals = [10] }
[columns.disease]
role = "sensitive"
[[models]]
model = "l-diversity"
sensitive = "disease"
l = 2
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.csv").write_text("age,disease\n<30,flu\n<30,cold\n3*,ulcer\n3*,flu\n")
    (tmp_path / "b.csv").write_text('age,disease\n"[20, 35]",cold\n"[20, 35]",ulcer\n')
    (tmp_path / "who.csv").write_text("name,age\nAda,28\nBob,33\n")
    return tmp_path


def test_the_report_names_what_is_left_of_each_target(folder, capsys):
    paths = [str(folder / name) for name in ("a.csv", "b.csv")]
    code = main(
        ["attack", "composition", *paths, "--targets", str(folder / "who.csv"), "--person", "name", *QUASI]
    )
    told = capsys.readouterr().out
    assert code == 0
    assert "for 2 of 2 people (100 %) one value is left" in told
    lines = {line.split()[0]: line.split()[-1] for line in told.splitlines() if line.strip()}
    assert (lines["Ada"], lines["Bob"]) == ("cold", "ulcer")


def test_json_has_all_figures(folder, capsys):
    paths = [str(folder / name) for name in ("a.csv", "b.csv")]
    code = main(["attack", "composition", *paths, "--targets", str(folder / "who.csv"), *QUASI, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert code == 0
    assert (told["command"], told["attack"]) == ("attack", "composition")
    (finding,) = told["result"]["findings"]
    assert finding["disclosure_rate"] == 1
    assert [target["candidates"] for target in finding["targets"]] == [["cold"], ["ulcer"]]
    assert finding["targets"][0]["alone"] == [["cold", "flu"], ["cold", "ulcer"]]
    assert finding["classes"] == {"meeting": 2, "matching": 2, "disclosing": 2, "triples": 2}


def test_the_next_wave_is_warned_of_refused_and_attacked(folder, capsys):
    (folder / "one.csv").write_text("age,disease\n21,flu\n29,cold\n31,ulcer\n38,gout\n")
    (folder / "two.csv").write_text("age,disease\n21,flu\n27,acne\n31,ulcer\n37,acne\n")
    (folder / "shoal.toml").write_text(SPEC)
    ledger, out = folder / "releases.json", folder / "out.csv"

    def publish(name, *more):
        given = ["--spec", str(folder / "shoal.toml"), "-o", str(out), "--force", "--ledger", str(ledger)]
        code = main(["anonymize", str(folder / name), *given, *more])
        return code, capsys.readouterr().err

    assert publish("one.csv")[0] == 0
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    first, held = out.read_bytes(), ledger.read_bytes()
    code, said = publish("two.csv", "--ledger-refuse")
    assert code == 1
    assert "not safe together with release 1" in " ".join(said.split())
    assert (out.read_bytes(), ledger.read_bytes()) == (first, held)
    code, said = publish("two.csv")
    assert code == 0
    assert "not safe together with release 1" in " ".join(said.split())
    verdicts = json.loads((folder / "out.csv.private.json").read_text())["ledger"]
    assert [verdict["safe"] for verdict in verdicts] == [False]
    assert not list(folder.glob(".*"))

    (folder / "ages.csv").write_text("age\n21\n37\n")
    code = main(
        ["attack", "composition", "--ledger", str(ledger), "--targets", str(folder / "ages.csv"), *QUASI, "--json"]
    )
    targets = json.loads(capsys.readouterr().out)["result"]["findings"][0]["targets"]
    assert code == 0
    assert targets[0]["candidates"] == ["flu"]


def test_wrong_use_is_told(folder, capsys):
    assert main(["attack", "composition", str(folder / "a.csv"), *QUASI]) == 2
    assert "needs two releases" in capsys.readouterr().err
    assert main(["anonymize", str(folder / "a.csv"), "-o", "x.csv", *QUASI, "-k", "2", "--ledger-refuse"]) == 2
    assert "--ledger-refuse without a ledger" in capsys.readouterr().err


def test_attacks_are_listed(capsys):
    assert main(["list", "attacks"]) == 0
    assert "composition" in capsys.readouterr().out
