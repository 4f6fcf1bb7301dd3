"""The commands on real files: what is asked is done, and what fails says no value and leaves no file."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.cli.main import main
from shoal.errors import ShoalWarning

SHORT = ["--quasi", "age,city", "--sensitive", "disease", "-k", "2"]
PEOPLE = """name;age;city;disease;note
Ann;34;Kiel;flu;x
Bob;35;Kiel;cold;y
Cem;34;Bonn;flu;x
Dan;36;Bonn;flu;y
Eva;61;Kiel;cold;x
Fay;62;Bonn;flu;y
"""
SPEC = """
version = 1
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
type = "integer"
hierarchy = { file = "age.csv" }
[columns.city]
role = "quasi-identifier"
hierarchy = { flat = true }
[columns.disease]
role = "sensitive"
[[models]]
model = "k-anonymity"
k = 2
[method]
algorithm = "optimal"
suppression_limit = "1/3"
"""
AGES = "".join(f"{age};{'young' if age < 50 else 'old'};*\n" for age in (34, 35, 36, 61, 62))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table, a spec and a hierarchy, as the current one."""
    for name, text in (("people.csv", PEOPLE), ("shoal.toml", SPEC), ("age.csv", AGES)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    code = main(list(arguments))
    streams = capsys.readouterr()
    return code, streams.out, streams.err


def read(text):
    return list(csv.DictReader(io.StringIO(text), delimiter=";"))


def test_an_optimum_without_its_proof_is_written_and_exits_with_5(folder, capsys):
    spec = SPEC.replace('suppression_limit = "1/3"', 'suppression_limit = "1/3"\nmax_nodes = 1')
    (folder / "shoal.toml").write_text(spec, encoding="utf-8")
    code, _, err = run(capsys, "anonymize", "people.csv", "--spec", "shoal.toml", "-o", "safe.csv")
    assert code == 5
    assert "its budget ended" in " ".join(err.split())
    assert main(["verify", "safe.csv", "--spec", "shoal.toml", "--json"]) == 0


def test_a_run_with_a_spec_publishes_and_verifies(folder, capsys):
    code, out, err = run(capsys, "anonymize", "people.csv", "--spec", "shoal.toml", "-o", "safe.csv", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)["result"]
    rows = read((folder / "safe.csv").read_text("utf-8"))
    assert list(rows[0]) == ["age", "city", "disease"]
    kept = Counter((row["age"], row["city"]) for row in rows if row["age"] != "*" or row["city"] != "*")
    assert min(kept.values()) >= 2
    assert result["verdicts"][0]["achieved"] == min(kept.values())
    assert {column["name"]: column["role"] for column in result["columns"]}["note"] is None
    assert (folder / "safe.csv.manifest.json").exists()
    assert (folder / "safe.csv.private.json").exists()
    assert run(capsys, "verify", "safe.csv", "--spec", "shoal.toml")[0] == 0


def test_the_short_form_runs_on_stdin_and_stdout(folder, monkeypatch, capfdbinary):
    binary = io.BytesIO((folder / "people.csv").read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(binary, encoding="utf-8"))
    assert main(["anonymize", "-", *SHORT, "-o", "-", "--quiet"]) == 0
    rows = read(capfdbinary.readouterr().out.decode())
    assert len(rows) == 6
    assert list(rows[0]) == ["age", "city", "disease"]


def test_the_same_seed_gives_the_same_bytes_from_toml_and_from_the_script(folder, capsys):
    from shoal.workflow.spec import Spec

    base = ["anonymize", "people.csv", "--spec", "shoal.toml", "--seed", "7", "--quiet"]
    assert run(capsys, *base, "-o", "a.csv")[0] == 0
    assert run(capsys, *base, "-o", "b.csv")[0] == 0
    script = Spec.from_toml(folder / "shoal.toml").to_python()
    script = script.replace("sys.argv[1], spec, sys.argv[2]", "'people.csv', spec, 'c.csv', seed=7")
    with pytest.warns(ShoalWarning, match="have no role"):
        exec(compile(script, "script", "exec"), {"__name__": "__main__", "__file__": str(folder / "s.py")})  # noqa: S102
    assert "k-anonymity required 2" in capsys.readouterr().out
    written = [(folder / name).read_bytes() for name in ("a.csv", "b.csv", "c.csv")]
    assert written[0] == written[1] == written[2]


def test_nothing_is_overwritten_without_force(folder, capsys):
    base = ["anonymize", "people.csv", "--spec", "shoal.toml", "-o", "safe.csv"]
    (folder / "safe.csv").write_text("mine", encoding="utf-8")
    assert run(capsys, *base)[0] == 2
    assert (folder / "safe.csv").read_text("utf-8") == "mine"
    assert run(capsys, *base, "--force")[0] == 0


@pytest.mark.usefixtures("folder")
def test_an_audit_of_the_raw_table_fails_and_says_why(capsys):
    code, out, _ = run(capsys, "audit", "people.csv", *SHORT)
    assert code == 1
    assert "stand alone" in out
    assert "FAILS" in out
    assert run(capsys, "audit", "people.csv", "--quasi", "city")[0] == 0


def test_infeasible_exits_with_3_and_names_choices(folder, capsys):
    code, out, _ = run(
        capsys, "anonymize", "people.csv", "--quasi", "age", "--sensitive", "disease", "-k", "7", "-o", "o.csv",
        "--json",
    )  # fmt: skip
    assert code == 3
    assert json.loads(out)["error"]["choices"]
    assert not (folder / "o.csv").exists()


def test_bad_input_exits_with_4_and_leaves_nothing(folder, capsys):
    (folder / "bad.csv").write_text("age;city;disease\n34;Kiel;flu\n35;Kiel\n", encoding="utf-8")
    before = sorted(folder.iterdir())
    for command in (["anonymize", "bad.csv", *SHORT, "-o", "o.csv"], ["audit", "bad.csv", *SHORT]):
        assert run(capsys, *command)[0] == 4
    (folder / "age.csv").write_text("34;young;*\n", encoding="utf-8")
    code, _, err = run(capsys, "anonymize", "people.csv", "--spec", "shoal.toml", "-o", "o.csv")
    assert code == 4
    assert "'age'" in err
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("folder")
def test_an_unknown_column_exits_with_2_and_the_nearest_name(capsys):
    code, _, err = run(capsys, "audit", "people.csv", "--quasi", "aeg", "-k", "2")
    assert code == 2
    assert "did you mean 'age'?" in err


# Hierarchies


@pytest.mark.usefixtures("folder")
def test_a_hierarchy_is_built_checked_and_shown(capsys):
    build = ["hierarchy", "build", "people.csv", "--column", "age", "--intervals", "5,10", "-o", "new.csv"]
    code, out, _ = run(capsys, *build, "--json")
    assert code == 0
    assert json.loads(out)["result"]["values"] >= 5
    assert run(capsys, *build)[0] == 2
    assert run(capsys, *build, "--force")[0] == 0
    code, out, _ = run(capsys, "hierarchy", "check", "new.csv", "--against", "people.csv", "--column", "age")
    assert code == 0
    assert "in order" in out
    code, out, _ = run(capsys, "hierarchy", "show", "new.csv", "--depth", "1")
    assert code == 0
    assert out.startswith("*")
    code, out, _ = run(capsys, "hierarchy", "show", "age.csv", "--json")
    assert [child["label"] for child in json.loads(out)["result"]["tree"]["children"]] == ["young", "old"]


@pytest.mark.usefixtures("folder")
def test_a_hierarchy_can_be_taken_from_the_spec_and_go_to_stdout(capsys):
    code, out, _ = run(
        capsys, "hierarchy", "build", "people.csv", "--column", "age", "--spec", "shoal.toml", "-o", "-"
    )
    assert code == 0
    assert out == AGES


def test_a_hierarchy_that_misses_values_exits_with_4_and_names_none(folder, capsys):
    (folder / "short.csv").write_text("34;*\n35;*\n", encoding="utf-8")
    code, _, err = run(capsys, "hierarchy", "check", "short.csv", "--against", "people.csv", "--column", "age")
    assert code == 4
    assert "3 value(s)" in err
    assert "61" not in err


# No cell value in any message

CELL = "Qx7Zr"
cells = st.sampled_from(
    [CELL, f"{CELL}1", f" {CELL}", f"{CELL};", f'"{CELL}', "", "*", f"{CELL}\x00", f"\r{CELL}"]
)


@given(rows=st.lists(st.lists(cells, min_size=1, max_size=3), max_size=5), data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_message_holds_a_cell(tmp_path, capsys, rows, data):
    table = tmp_path / "cells.csv"
    table.write_text("a;b;c\n" + "".join(";".join(row) + "\n" for row in rows), encoding="utf-8", newline="")
    kind = data.draw(st.sampled_from(["intervals = [5]", "dates = ['year']", "order = ['x']", "prefix = 2"]))
    spec = tmp_path / "s.toml"
    spec.write_text(
        f"version = 1\n[columns.a]\nrole='quasi-identifier'\nhierarchy={{ {kind} }}\n"
        "[columns.b]\nrole='sensitive'\n[[models]]\nmodel='k-anonymity'\nk=2\n",
        encoding="utf-8",
    )
    command = data.draw(st.sampled_from(["anonymize", "audit", "verify"]))
    arguments = [command, str(table), "--spec", str(spec), *data.draw(st.sampled_from([[], ["--json"]]))]
    if command == "anonymize":
        arguments += ["-o", str(tmp_path / "out.csv"), "--force"]
    code = main(arguments)
    streams = capsys.readouterr()
    assert code in {0, 1, 2, 3, 4}, streams.err
    assert CELL not in streams.out + streams.err


# A first spec


def test_init_writes_a_spec_that_the_other_commands_take(folder, capsys):
    code, out, err = run(capsys, "init", "people.csv", "-o", "first.toml")
    assert (code, out) == (0, "")
    assert "first.toml" in err
    assert run(capsys, "init", "people.csv", "-o", "first.toml")[0] == 2
    assert run(capsys, "init", "people.csv", "-o", "first.toml", "--force", "--quiet") == (0, "", "")
    assert run(capsys, "audit", "people.csv", "--spec", "first.toml")[0] in {0, 1}
    code, out, _ = run(capsys, "init", "people.csv", "-o", "-")
    assert code == 0
    assert out == (folder / "first.toml").read_text("utf-8")
    code, out, _ = run(capsys, "init", "people.csv", "-o", "first.toml", "--force", "--json")
    assert [column["name"] for column in json.loads(out)["result"]["columns"]] == PEOPLE.splitlines()[0].split(";")
