"""A secret planted in a row, in a column of every role, appears in nothing that is said, logged or published.

Cells may stand in the published table, in the private report and the private mapping, and on ``err.examples``;
nowhere else. What `shoal attack` tells of the people it is asked about is its answer, so it is asked about nobody.
"""

import csv
import json
import logging
import sys

import polars as pl
import pytest

import shoal as sh
from shoal.cli.main import main
from shoal.workflow.policy import known_policies

TEXT, NUMBER, DATE = "Zq7Aphelion", "8675309", "2044-08-08"
SECRETS = (TEXT, NUMBER, DATE)
COLUMNS = ["name", "mail", "patient", "home", "w", "age", "city", "birth", "disease", "grade", "note", "other"]
ROLES = """
version = 1
[columns.name]
role = "identifier"
[columns.mail]
role = "identifier"
pseudonym = true
[columns.patient]
role = "unit"
[columns.home]
role = "household"
[columns.w]
role = "weight"
[columns.age]
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = [10, 20] }
[columns.city]
role = "quasi-identifier"
hierarchy = { flat = true }
[columns.birth]
role = "quasi-identifier"
type = "date"
hierarchy = { dates = ["month", "year"] }
[columns.disease]
role = "sensitive"
[columns.grade]
role = "sensitive"
[columns.note]
role = "insensitive"
[[models]]
model = "k-anonymity"
k = 3
[[models]]
model = "l-diversity"
sensitive = "disease"
l = 2
[method]
algorithm = "optimal"
suppression_limit = "1/5"
"""
RECORDS = ROLES.replace('role = "unit"', 'role = "drop"').replace("pseudonym = true\n", "")


def _row(i):
    mine = f"{TEXT}{i}"
    return [
        mine,
        f"{mine}@example.org",
        f"{mine}p{i // 2}",
        f"{mine}h",
        "12.5",
        20 + i % 20,
        "Kiel" if i % 2 else "Bonn",
        f"19{60 + i % 20}-03-01",
        "flu" if i % 3 else "cold",
        "abc"[i % 3],
        f"{mine} and a few words",
        mine,
    ]


RARE = [TEXT, f"{TEXT}@example.org", TEXT, TEXT, "3", NUMBER, TEXT, DATE, TEXT, TEXT, TEXT, TEXT]


def _write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A folder with tables, specs and hierarchies."""
    folder = tmp_path_factory.mktemp("planted")
    rows = [_row(i) for i in range(90)]
    _write(folder / "p.csv", [*rows, RARE])
    _write(folder / "weights.csv", [[*row[:4], TEXT, *row[5:]] for row in rows])
    _write(folder / "everywhere.csv", [RARE] * 7)
    typed = pl.read_csv(folder / "p.csv", try_parse_dates=True)
    typed.write_parquet(folder / "p.parquet")
    header = ",".join(COLUMNS)
    (folder / "short.csv").write_text(f"{header}\n{TEXT}\n", "utf-8")
    (folder / "long.csv").write_text(f"{header}\n{','.join([TEXT] * 20)}\n", "utf-8")
    (folder / "quoted.csv").write_text(f'{header}\n"{TEXT}x"y,\n', "utf-8")
    (folder / "open.csv").write_text(f'{header}\n"{TEXT}\n', "utf-8")
    (folder / "latin.csv").write_bytes(f"{header}\n{TEXT}\xff,1\n".encode("latin-1"))
    (folder / "headless.csv").write_text("\n".join(",".join([f"{TEXT}{i}"] * 12) for i in range(9)), "utf-8")
    (folder / "city.csv").write_text("Kiel;*\nBonn;*\n", "utf-8")
    (folder / "s.toml").write_text(ROLES, "utf-8")
    (folder / "r.toml").write_text(RECORDS, "utf-8")
    flat = "hierarchy = { flat = true }"
    for name, old, new in (
        ("file", flat, 'hierarchy = { file = "city.csv" }'),
        ("order", flat, 'hierarchy = { order = ["Kiel", "Bonn"] }'),
        ("tree", flat, 'hierarchy = { tree = { g = ["Kiel", "Bonn"] } }'),
        ("integer", flat, 'type = "integer"\nhierarchy = { intervals = [5] }'),
        ("date", flat, 'type = "date"\nhierarchy = { dates = ["year"] }'),
        ("domain", "intervals = [10, 20]", "intervals = [10, 20], low = 0, high = 99"),
        ("cuts", "intervals = [10, 20]", "cuts = [10, 20], low = 0, high = 99"),
        ("ranks", 'disease]\nrole = "sensitive"', 'disease]\nrole = "sensitive"\nhierarchy = { order = ["flu"] }'),
        ("strict", 'suppression_limit = "1/5"', "suppression_limit = 0"),
        ("large", "k = 3", "k = 500"),
        ("known", 'note]\nrole = "insensitive"', 'note]\nrole = "quasi-identifier"'),
    ):
        assert old in RECORDS
        (folder / f"{name}.toml").write_text(RECORDS.replace(old, new), "utf-8")
    return folder


@pytest.fixture
def said(planted, monkeypatch, capsys, caplog):
    """Run a command, and return its exit code with everything that it said, as on a terminal."""
    monkeypatch.chdir(planted)
    monkeypatch.setenv("SHOAL_PSEUDONYM_KEY", "0123456789abcdef-a-key")
    caplog.set_level(logging.DEBUG)

    def run(*arguments):
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        code = main(list(arguments))
        streams = capsys.readouterr()
        return code, streams.out + streams.err + caplog.text

    return run


def quiet(text):
    found = [secret for secret in SECRETS if secret in text]
    return not found


SHORT = ["--quasi", "age,city,birth", "--sensitive", "disease,grade"]
AUDITS = [
    ["--spec", "s.toml"],
    ["--spec", "r.toml"],
    [],
    ["--unit", "patient", "--household", "home", "--weight", "w"],
    [*SHORT, "-k", "3", "--l", "2", "--t", "0.1", "--alpha", "0.5", "--sampling-fraction", "0.1"],
    [*SHORT, "--population", "p.csv"],
]


@pytest.mark.parametrize("how", [[], ["--json"]], ids=["words", "json"])
@pytest.mark.parametrize("options", AUDITS, ids=str)
def test_an_audit(said, options, how):
    code, text = said("audit", "p.csv", *options, *how)
    assert code in (0, 1), text
    assert quiet(text)


@pytest.mark.parametrize("name", ["a.html", "a.json"])
def test_the_page_of_an_audit(said, planted, name):
    code, _ = said("audit", "p.csv", "--spec", "r.toml", "--policy", "ihsn-puf", "--report", name, "--force")
    assert code == 1
    assert quiet((planted / name).read_text("utf-8"))


@pytest.mark.parametrize("policy", known_policies())
def test_the_evidence_of_a_policy(said, policy):
    code, text = said("audit", "p.csv", "--spec", "r.toml", "--policy", policy, "--json")
    assert code in (0, 1)
    assert json.loads(text)["result"]["policy"]["checks"]
    assert quiet(text)


def test_a_policy_that_is_not_met(said):
    code, text = said(
        "anonymize", "p.csv", "--spec", "r.toml", "-o", "o.csv", "--policy", "hipaa-safe-harbor", "--force"
    )
    assert code == 1
    assert quiet(text)


@pytest.mark.parametrize("spec", ["s.toml", "r.toml"])
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "top-down", "best", "tds", "hilbert", "incognito"])
def test_a_release_and_what_may_be_published_of_it(said, planted, algorithm, spec):
    out = f"{algorithm}-{spec}.csv"
    code, text = said(
        "anonymize", "p.csv", "--spec", spec, "-o", out, "--algorithm", algorithm, "--explain",
        "--report", f"{out}.in.html", "--external-report", f"{out}.ex.html", "--mapping", f"{out}.map.csv",
    )  # fmt: skip
    assert code == 0, text
    assert quiet(text)
    code, text = said(
        "anonymize", "p.csv", "--spec", spec, "-o", out, "--algorithm", algorithm, "--explain", "--json",
        "--force", "--external-report", f"{out}.ex.json",
    )  # fmt: skip
    assert code == 0
    assert quiet(text)
    for name in (f"{out}.manifest.json", f"{out}.ex.html", f"{out}.ex.json"):
        assert quiet((planted / name).read_text("utf-8")), name
    published = (planted / out).read_text("utf-8").splitlines()[0].split(",")
    assert not {"name", "patient", "home", "other"}.intersection(published)
    code, text = said("verify", out, "--spec", spec, "--json")
    assert code == 0
    assert quiet(text)


@pytest.mark.parametrize("how", [[], ["--json"]], ids=["words", "json"])
@pytest.mark.parametrize(
    "command",
    [
        ["init", "p.csv", "-o", "-"],
        ["init", "everywhere.csv", "-o", "-"],
        ["audit", "everywhere.csv"],
        ["audit", "everywhere.csv", "--spec", "r.toml"],
        ["audit", "p.parquet", "--spec", "r.toml"],
        ["audit", "weights.csv", "--spec", "r.toml"],
        ["anonymize", "p.parquet", "--spec", "r.toml", "-o", "o.parquet", "--force"],
        ["anonymize", "everywhere.csv", "--spec", "r.toml", "-o", "o.csv", "--force"],
        ["anonymize", "p.csv", "--spec", "s.toml", "-o", "o.csv", "--force", "--algorithm", "tp"],
        ["anonymize", "p.csv", *SHORT, "-k", "3", "-o", "o.csv", "--force", "--suppression-limit", "0.5"],
        ["anonymize", "p.csv", *SHORT, "-k", "3", "-o", "o.csv", "--force", "--hierarchies", "."],
        ["anonymize", "p.csv", "--spec", "r.toml", "-o", "o.csv", "--force", "--ledger", "ledger.json"],
        ["verify", "p.csv", "--spec", "r.toml"],
        ["verify", "everywhere.csv", "--spec", "r.toml"],
        ["sweep", "p.csv", "--spec", "r.toml", "--k", "2,3,200", "--algorithms", "optimal,mondrian,tp"],
        ["sweep", "p.csv", "--spec", "r.toml", "--k", "2,3,5", "--report", "sweep.html", "--force"],
        ["sweep", "p.csv", "--spec", "s.toml", "--k", "2,3,5", "--report", "sweep.json", "--force"],
        ["hierarchy", "build", "p.csv", "--column", "city", "--order", "Kiel,Bonn", "-o", "h.csv"],
        ["hierarchy", "build", "p.csv", "--column", "city", "--intervals", "5", "-o", "h.csv"],
        ["hierarchy", "check", "city.csv", "--against", "p.csv", "--column", "city"],
        ["hierarchy", "check", "p.csv"],
        ["attack", "composition", "p.csv", "p.csv", "--quasi", "age,city", "--sensitive", "disease"],
        ["attack", "composition", "p.csv", "p.csv", "--spec", "r.toml", "--truth", "p.csv", "--person", "name"],
    ],
    ids=lambda command: " ".join(command)[:50],
)
def test_a_command(said, planted, command, how):
    if command[0] == "init" and how:
        pytest.skip("init has no --json")
    _, text = said(*command, *how)
    assert "this is a fault of shoal" not in text
    assert text
    assert quiet(text)
    for name in ("sweep.html", "sweep.json", "o.csv.manifest.json", "o.parquet.manifest.json"):
        assert not (planted / name).exists() or quiet((planted / name).read_text("utf-8"))


FAULTY = ["file", "order", "tree", "integer", "date", "domain", "cuts", "ranks", "strict", "large", "known"]
COMMANDS = [["audit"], ["anonymize", "-o", "f.csv", "--force"], ["sweep", "--k", "2,3"], ["verify"]]


@pytest.mark.parametrize("how", [[], ["--json"]], ids=["words", "json"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("spec", FAULTY)
def test_a_spec_that_does_not_fit(said, spec, command, how):
    _, text = said(command[0], "p.csv", "--spec", f"{spec}.toml", *command[1:], *how)
    assert "this is a fault of shoal" not in text
    assert quiet(text)


@pytest.mark.parametrize("command", [["init", "-o", "-"], ["audit"], *COMMANDS], ids=lambda command: command[0])
@pytest.mark.parametrize("name", ["short", "long", "quoted", "open", "latin", "headless"])
def test_a_file_that_cannot_be_read(said, name, command):
    spec = [] if command == ["audit"] or command[0] == "init" else ["--spec", "r.toml"]
    code, text = said(command[0], f"{name}.csv", *spec, *command[1:])
    assert code in (2, 4), text
    assert quiet(text)


def test_what_an_error_means_is_kept_for_the_caller():
    table = pl.DataFrame({"age": ["20", "21", TEXT]})
    schema = sh.Schema(quasi_identifiers={"age": sh.intervals(5)}, types={"age": "integer"})
    with pytest.raises(sh.ShoalError) as raised:
        sh.anonymize(table, schema, models=sh.KAnonymity(k=1))
    assert raised.value.examples == [TEXT] or tuple(raised.value.examples) == (TEXT,)
    assert quiet(str(raised.value) + repr(raised.value) + json.dumps(raised.value.as_dict()))


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_a_result_in_a_notebook():
    rows = [_row(i) for i in range(90)]
    table = pl.DataFrame([*map(list, rows), RARE], schema=COLUMNS, orient="row", strict=False).cast(pl.String)
    schema = sh.Schema(
        quasi_identifiers={"age": sh.intervals(10), "city": sh.flat()},
        sensitive=["disease", "grade"],
        insensitive=["note"],
        identifiers=["name"],
        types={"age": "integer"},
    )
    release = sh.anonymize(table, schema, models=sh.KAnonymity(k=3), suppression_limit="1/5", seed=1)
    found = sh.audit(table, schema, models=sh.KAnonymity(k=3))
    swept = sh.sweep(table, schema, k=[2, 3, 200], suppression_limit="1/5", seed=1)
    for told in (release, found, swept):
        assert quiet(told._repr_html_() + repr(told) + str(told))
