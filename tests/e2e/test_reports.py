"""Reports, policies, sweeps and pseudonyms on the command line: the files that are asked for, and no other."""

import csv
import hashlib
import json
import re
import stat

import pytest

from shoal.cli.main import main
from shoal.workflow.policy import known_policies

SECRET = "Aphelion-1934"
KEY = "0123456789abcdef-a-secret"
SPEC = """
version = 1
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = [10, 20] }
[columns.city]
role = "quasi-identifier"
hierarchy = { flat = true }
[columns.disease]
role = "sensitive"
[[models]]
model = "k-anonymity"
k = 3
[method]
algorithm = "optimal"
suppression_limit = "1/10"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table, one row of which holds a secret in every text, and a spec, as the current one."""
    rows = [
        [f"person {i}", 20 + i % 40, "Kiel" if i % 2 else "Bonn", ("flu", "cold")[i % 3 % 2]] for i in range(80)
    ]
    rows.append([SECRET, 97, SECRET, SECRET])
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([["name", "age", "city", "disease"], *rows])
    (tmp_path / "shoal.toml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "pseudonyms.toml").write_text(
        SPEC.replace('role = "identifier"', 'role = "identifier"\npseudonym = true'), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    code = main(list(arguments))
    streams = capsys.readouterr()
    return code, streams.out, streams.err


def anonymize(capsys, *options, spec="shoal.toml"):
    return run(capsys, "anonymize", "people.csv", "--spec", spec, "-o", "out.csv", "--seed", "987654321", *options)


def names(folder):
    return {path.name for path in folder.iterdir()} - {"people.csv", "shoal.toml", "pseudonyms.toml"}


def test_reports_stand_beside_the_table_and_only_one_of_them_is_to_be_read_by_others(folder, capsys):
    code, _, err = anonymize(capsys, "--report", "in.html", "--external-report", "ex.html", "--mapping", "map.csv")
    assert code == 0, err
    assert names(folder) == {
        "out.csv",
        "out.csv.manifest.json",
        "out.csv.private.json",
        "in.html",
        "ex.html",
        "map.csv",
    }
    modes = {name: stat.S_IMODE((folder / name).stat().st_mode) for name in names(folder)}
    assert [modes[name] for name in ("in.html", "map.csv", "out.csv.private.json")] == [0o600] * 3
    outside = (folder / "ex.html").read_text("utf-8")
    inside = (folder / "in.html").read_text("utf-8")
    assert "987654321" in inside
    assert "Private: do not publish" in inside
    for secret in (SECRET, "987654321", "97"):
        assert not re.search(
            rf"(?<![\w.#]){secret}(?![\w.])",
            re.sub(r"<svg.*?</svg>|<style.*?</style>", "", outside, flags=re.DOTALL),
        )
    assert SECRET not in outside
    assert SECRET not in err
    assert SECRET not in (folder / "out.csv.manifest.json").read_text("utf-8")
    assert SECRET not in (folder / "out.csv.private.json").read_text("utf-8")


def test_a_report_as_json_is_what_the_page_tells(folder, capsys):
    assert anonymize(capsys, "--report", "in.json", "--external-report", "ex.json")[0] == 0
    inside, outside = (json.loads((folder / name).read_text("utf-8")) for name in ("in.json", "ex.json"))
    assert (inside["kind"], outside["kind"]) == ("internal", "external")
    assert inside["reproduction"]["seed"] == 987654321
    published = hashlib.sha256((folder / "out.csv").read_bytes()).hexdigest()
    assert inside["sha256"] == outside["sha256"] == published
    assert SECRET not in json.dumps(outside)


def test_a_report_of_another_kind_is_refused_before_anything_is_read(folder, capsys):
    code, _, err = anonymize(capsys, "--report", "in.pdf")
    assert code == 2
    assert ".html or .json" in err
    assert names(folder) == set()


def test_a_policy_that_fails_leaves_no_file_and_says_which_check(folder, capsys):
    code, _, err = anonymize(capsys, "--policy", "cms-cell", "--report", "in.html")
    assert code == 2
    assert "which is 11" in err
    (folder / "shoal.toml").write_text(SPEC.replace("k = 3", "k = 12"), encoding="utf-8")
    assert anonymize(capsys, "--policy", "cms-cell")[0] == 0
    (folder / "loose.toml").write_text(SPEC.replace('"identifier"', '"insensitive"'), encoding="utf-8")
    code, _, err = anonymize(capsys, "--policy", "ihsn-suf", "--force", spec="loose.toml")
    assert code == 1
    assert "No column names a person" in err
    assert "person 1" not in err


def test_a_reason_lets_less_through_and_stays_private(folder, capsys):
    reason = "the board agreed"
    code, _, err = anonymize(
        capsys, "--policy", "cms-cell", "--because", reason, "--report", "in.html", "--external-report", "ex.html"
    )
    assert code == 0, err
    assert reason in err
    assert reason in (folder / "in.html").read_text("utf-8")
    assert json.loads((folder / "out.csv.private.json").read_text("utf-8"))["policy"]["because"] == reason
    for name in ("ex.html", "out.csv.manifest.json"):
        assert reason not in (folder / name).read_text("utf-8")


def test_an_audit_under_a_policy_tells_the_evidence(folder, capsys):
    code, out, _ = run(
        capsys,
        "audit",
        "people.csv",
        "--spec",
        "shoal.toml",
        "--policy",
        "hipaa-safe-harbor",
        "--report",
        "a.html",
    )
    assert code == 1
    assert "HIPAA, safe harbor" in out
    assert out.count("fail") >= 2
    assert SECRET not in out
    assert SECRET not in (folder / "a.html").read_text("utf-8")
    code, out, _ = run(capsys, "audit", "people.csv", "--spec", "shoal.toml", "--policy", "pdpc-sg", "--json")
    found = json.loads(out)["result"]["policy"]
    assert {check["check"]: check["status"] for check in found["checks"]} == {
        "no-identifiers": "fail",
        "smallest-class": "fail",
    }


def test_presets_are_listed_with_their_sources(capsys):
    code, out, _ = run(capsys, "list", "presets")
    assert code == 0
    assert all(name in out for name in known_policies())
    code, out, _ = run(capsys, "list", "presets", "--json")
    assert [entry["name"] for entry in json.loads(out)["result"]] == list(known_policies())


def test_a_sweep_prints_a_table_and_writes_a_page(folder, capsys):
    code, out, err = run(
        capsys, "sweep", "people.csv", "--spec", "shoal.toml", "--k", "2,3,5,500",
        "--algorithms", "optimal,mondrian", "--report", "sweep.html",
    )  # fmt: skip
    assert code == 0, err
    assert "recommended" in out
    assert SECRET not in out + (folder / "sweep.html").read_text("utf-8")
    code, out, _ = run(capsys, "sweep", "people.csv", "--quasi", "age,city", "--k", "2,3", "--json")
    found = json.loads(out)["result"]
    assert [point["k"] for point in found["points"]] == [2, 3]
    assert names(folder) == {"sweep.html"}


@pytest.mark.parametrize(("k", "code"), [("2,x", 2), ("0", 2), ("500", 3)])
@pytest.mark.usefixtures("folder")
def test_a_sweep_of_nothing_says_so(capsys, k, code):
    assert run(capsys, "sweep", "people.csv", "--spec", "shoal.toml", "--k", k)[0] == code


def test_pseudonyms_take_their_key_from_a_file_or_the_environment_and_keep_it_nowhere(folder, capsys, monkeypatch):
    code, _, err = anonymize(capsys, spec="pseudonyms.toml")
    assert code == 2
    assert "SHOAL_PSEUDONYM_KEY" in err
    monkeypatch.setenv("SHOAL_PSEUDONYM_KEY", KEY)
    assert anonymize(capsys, "--external-report", "ex.html", "--report", "in.html", spec="pseudonyms.toml")[0] == 0
    first = (folder / "out.csv").read_text("utf-8")
    assert "person 1" not in first
    for name in names(folder):
        assert KEY not in (folder / name).read_text("utf-8")
    assert json.loads((folder / "out.csv.manifest.json").read_text("utf-8"))["anonymous"] is False
    assert "Not anonymous" in (folder / "ex.html").read_text("utf-8")
    monkeypatch.delenv("SHOAL_PSEUDONYM_KEY")
    (folder / "key").write_text(KEY + "\n", encoding="utf-8")
    assert anonymize(capsys, "--pseudonym-key-file", "key", "--force", spec="pseudonyms.toml")[0] == 0
    assert (folder / "out.csv").read_text("utf-8") == first
