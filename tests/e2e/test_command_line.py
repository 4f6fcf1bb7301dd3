"""The command line: exit codes, streams, JSON, and that no message holds a cell value."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import typer

import shoal.workflow
from e2e.results import AUDIT, RELEASE, VERIFICATION, Result
from shoal.cli.main import app, main
from shoal.errors import (
    HierarchyError,
    InfeasibleError,
    InputError,
    SchemaError,
    ShoalWarning,
    SpecError,
    VerificationError,
)

CELL = "Aphelion-1934"
SHORT = ["--quasi", "age,sex", "--sensitive", "disease", "-k", "2"]


@pytest.fixture
def called(monkeypatch):
    """Put fixed results, or an error, in the place of the workflow; return what it was called with."""
    calls = {}

    def put(name, result):
        def stand_in(*args, **settings):
            calls[name] = (args, settings)
            if isinstance(result, BaseException):
                raise result
            return Result(result)

        monkeypatch.setattr(shoal.workflow, name, stand_in, raising=False)
        return calls

    return put


def run(capsys, *arguments):
    code = main(list(arguments))
    streams = capsys.readouterr()
    return code, streams.out, streams.err


# What goes where


def test_anonymize_passes_everything_on_and_tells_what_it_did_on_stderr(called, capsys):
    calls = called("anonymize_file", RELEASE)
    code, out, err = run(
        capsys, "anonymize", "in.csv", *SHORT, "-o", "out.csv", "--seed", "7", "--keep-order", "--force",
        "--suppression-limit", "1/25", "--labels", "ranges", "--delimiter", "tab", "--missing", "",
        "--missing", "?",
    )  # fmt: skip
    assert (code, out) == (0, "")
    (source, spec, path), settings = calls["anonymize_file"]
    assert (source, path) == ("in.csv", "out.csv")
    assert settings["seed"] == 7
    assert settings["keep_order"]
    assert settings["force"]
    assert spec.schema().quasi_identifiers == ("age", "sex")
    assert spec.schema().sensitive == ("disease",)
    assert spec.method.labels == "ranges"
    assert spec.suppression_limit * 25 == 1
    assert dict(**spec.input) == {"delimiter": "\t", "missing": ("", "?")}
    for words in (
        "at least 5 records",
        "45.7 %",
        "generalized to level 2 of 4",
        "out.csv.private.json",
        "no role",
    ):
        assert words in err


def test_the_summary_fits_80_columns_and_has_no_colours_in_a_file(called, capsys):
    called("anonymize_file", RELEASE)
    _, _, err = run(capsys, "anonymize", "in.csv", *SHORT, "-o", "out.csv")
    assert max(map(len, err.splitlines())) <= 80
    assert "\x1b" not in err
    assert "nan" not in err


def test_audit_and_verify_tell_on_stdout(called, capsys):
    called("audit_file", AUDIT)
    code, out, _ = run(capsys, "audit", "in.csv", "--quasi", "age")
    assert code == 1
    assert "FAILS in 2 groups, 3 records" in out
    assert "stand alone" in out
    called("verify_file", VERIFICATION)
    code, out, _ = run(capsys, "verify", "in.csv", *SHORT)
    assert code == 1
    assert "9 records with *" in out
    called("verify_file", {**VERIFICATION, "satisfied": True})
    assert run(capsys, "verify", "in.csv", *SHORT)[0] == 0


def test_quiet_says_nothing(called, capsys):
    called("anonymize_file", RELEASE)
    assert run(capsys, "anonymize", "in.csv", *SHORT, "-o", "out.csv", "--quiet") == (0, "", "")
    called("audit_file", AUDIT)
    assert run(capsys, "audit", "in.csv", *SHORT, "--quiet") == (1, "", "")


def test_warnings_are_told_once(monkeypatch, capsys):
    def warn(*_args):
        warnings.warn("mind this", ShoalWarning, stacklevel=1)
        warnings.warn("mind this", ShoalWarning, stacklevel=1)
        return Result({**VERIFICATION, "satisfied": True})

    monkeypatch.setattr(shoal.workflow, "verify_file", warn, raising=False)
    code, _, err = run(capsys, "verify", "in.csv", *SHORT)
    assert code == 0
    assert err.count("mind this") == 1
    assert run(capsys, "verify", "in.csv", *SHORT, "--quiet")[2] == ""


@pytest.mark.parametrize(
    ("command", "name", "result"),
    [
        ("anonymize", "anonymize_file", RELEASE),
        ("audit", "audit_file", AUDIT),
        ("verify", "verify_file", VERIFICATION),
    ],
)
def test_json_is_one_object_without_nan(called, capsys, command, name, result):
    called(name, result)
    arguments = [command, "in.csv", *SHORT, "--json"] + (["-o", "out.csv"] if command == "anonymize" else [])
    _, out, err = run(capsys, *arguments)
    told = json.loads(out, parse_constant=pytest.fail)
    assert (told["format"], told["command"]) == (1, command)
    assert set(told) == {"shoal", "format", "command", "result"}
    assert told["result"]["verdicts"] == result["verdicts"]
    assert err == ""
    if command == "anonymize":
        assert told["result"]["losses"]["average-class-size"] is None


# Exit codes

ERRORS = [
    (SpecError("wrong", fix="right"), 2),
    (SchemaError("wrong"), 2),
    (InfeasibleError("none", choices=["lower k"]), 3),
    (HierarchyError("misses", examples=[CELL]), 4),
    (InputError("unreadable", examples=[CELL]), 4),
    (VerificationError("differs"), 1),
    (KeyboardInterrupt(), 130),
    (ValueError(CELL), 70),
    (PermissionError(13, "Permission denied", "out.csv"), 2),
]


@pytest.mark.parametrize(("error", "code"), ERRORS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("flags", [[], ["--json"], ["--quiet"]], ids=" ".join)
def test_errors_have_their_exit_code_and_never_tell_a_value(called, capsys, error, code, flags):
    called("anonymize_file", error)
    found, out, err = run(capsys, "anonymize", "in.csv", *SHORT, "-o", "out.csv", *flags)
    assert found == code
    assert CELL not in out + err
    if flags == ["--json"]:
        told = json.loads(out)
        assert set(told) == {"shoal", "format", "command", "error"}
        assert set(told["error"]) >= {"error", "problem", "where", "fix"}
        assert err == ""
    else:
        assert out == ""
        assert err != ""


def test_an_unexpected_error_names_its_place_and_debug_shows_more(called, capsys):
    called("anonymize_file", ValueError("inside"))
    _, _, err = run(capsys, "anonymize", "in.csv", *SHORT, "-o", "out.csv")
    assert "ValueError at shoal/cli/anonymize.py" in err
    assert "inside" not in err
    _, _, err = run(capsys, "--debug", "anonymize", "in.csv", *SHORT, "-o", "out.csv")
    assert "inside" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["anonymize"],
        ["anonymize", "in.csv", "--quasi", "a", "-k", "2"],
        ["anonymize", "in.csv", "-o", "out.csv"],
        ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a", "-k", "0"],
        ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a", "-k", "two"],
        ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a", "-k", "2", "--algorithm", "mondrain"],
        ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a", "-k", "2", "--l", "2"],
        ["anonymize", "in.csv", "-o", "-", "--quasi", "a", "-k", "2", "--json"],
        ["audit", "in.csv", "--spec", "none.toml"],
        ["audit", "in.csv", "--spec", "none.toml", "--quasi", "a"],
        ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a"],
        ["verify", "in.csv", "--quasi", "a"],
        ["list", "fish"],
        ["hierarchy", "build", "in.csv", "--column", "a", "-o", "a.csv"],
        ["hierarchy", "build", "in.csv", "--column", "a", "-o", "a.csv", "--intervals", "five"],
        ["hierarchy", "check", "a.csv", "--column", "a"],
    ],
    ids=" ".join,
)
def test_wrong_use_exits_with_2_and_says_how(capsys, arguments):
    code, _, err = run(capsys, *arguments)
    assert code == 2 or "--json" in arguments
    assert ("error:" in err and "\n" in err) or "--json" in arguments


def test_wrong_use_is_json_too(capsys):
    code, out, err = run(capsys, "anonymize", "in.csv", "--json")
    assert (code, err) == (2, "")
    assert json.loads(out)["error"]["error"] == "UsageError"


def test_help_and_version_exit_with_0(capsys):
    assert run(capsys, "--help")[0] == 0
    assert run(capsys, "anonymize", "--help")[0] == 0
    code, out, _ = run(capsys, "--version")
    assert code == 0
    assert out.startswith("shoal ")


def test_a_summary_that_counts_people_speaks_of_people_alone(called, capsys):
    by_people = {**RELEASE["risk_before"], "by_people": True}
    called("anonymize_file", {**RELEASE, "risk_before": by_people, "risk_after": by_people})
    _, _, err = run(capsys, "anonymize", "in.csv", *SHORT, "-o", "out.csv")
    assert "average over all people" in err
    assert "over all records" not in err


def test_a_table_of_which_no_model_is_asked_is_not_said_to_meet_every_model(called, capsys):
    called("verify_file", {**VERIFICATION, "verdicts": [], "satisfied": True})
    _, out, _ = run(capsys, "verify", "out.csv", "--quasi", "age", "-k", "2")
    assert out.startswith("No model was asked for")
    assert "meets every model" not in out


# The spec on the command line


def test_options_replace_keys_of_a_spec(called, capsys, tmp_path):
    calls = called("audit_file", {**AUDIT, "satisfied": True})
    spec = tmp_path / "shoal.toml"
    spec.write_text('version = 1\n[columns.age]\nrole = "quasi-identifier"\n', encoding="utf-8")
    code, _, _ = run(capsys, "audit", "in.csv", "--spec", str(spec), "--encoding", "latin-1")
    assert code == 0
    wanted = calls["audit_file"][0][1]
    assert wanted.input.encoding == "latin-1"
    assert wanted.folder == tmp_path


def test_the_folder_of_hierarchies_says_what_it_does_not_hold(called, capsys, tmp_path):
    called("anonymize_file", RELEASE)
    (tmp_path / "adult_hierarchy_age.csv").write_text("1;*\n2;*\n", encoding="utf-8")
    _, _, err = run(capsys, "anonymize", "in.csv", *SHORT, "-o", "o.csv", "--hierarchies", str(tmp_path))
    assert "no hierarchy file for sex: made automatically" in err
    assert "age:" not in err


def test_control_characters_of_column_names_do_not_reach_the_terminal(called, capsys):
    columns = [{"name": "a\x1b[2J\x07", "role": None, "action": "dropped"}]
    called("anonymize_file", {**RELEASE, "columns": columns})
    _, _, err = run(capsys, "anonymize", "in.csv", *SHORT, "-o", "out.csv")
    assert "\x1b" not in err
    assert "\x07" not in err


# Lists


@pytest.mark.parametrize("kind", ["models", "algorithms", "losses"])
def test_lists_tell_every_entry_of_the_registry(capsys, kind):
    code, out, _ = run(capsys, "list", kind, "--json")
    entries = json.loads(out)["result"]
    assert code == 0
    assert entries
    assert all(set(entry) == {"name", "about", "settings"} for entry in entries)
    _, text, _ = run(capsys, "list", kind)
    assert all(entry["name"] in text for entry in entries)


# How it starts


def test_the_command_line_starts_without_heavy_libraries():
    heavy = {"numpy", "numba", "polars", "pandas", "pyarrow", "narwhals", "rich"}
    code = "import sys, shoal.cli.main; print(*sys.modules)"
    source = Path(shoal.workflow.__file__).parents[2]
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(source)}
    ).stdout.split()
    assert heavy.isdisjoint(loaded)


# Files, streams and words on the command line


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "the people.csv"
    path.write_text("age,sex,disease\n" + "21,F,flu\n22,M,cold\n23,F,flu\n24,M,ulcer\n" * 3, encoding="utf-8")
    return path


def test_no_command_overwrites_the_table_that_it_reads(capsys, tmp_path, people):
    before, table = people.read_bytes(), str(people)
    for arguments in (
        ["anonymize", table, *SHORT, "-o", table],
        ["anonymize", table, *SHORT, "-o", str(tmp_path / "o.csv"), "--mapping", table],
        ["anonymize", table, *SHORT, "-o", table, "--population", table],
        ["init", table, "-o", table],
        ["hierarchy", "build", table, "--column", "age", "--auto", "-o", table],
    ):
        code, _, err = run(capsys, *arguments, "--force")
        assert (code, "replace an input" in err) == (2, True)
    assert people.read_bytes() == before
    assert list(tmp_path.iterdir()) == [people]


def test_a_population_and_a_hierarchy_are_not_overwritten_either(capsys, tmp_path, people):
    everybody, ages = tmp_path / "all.csv", tmp_path / "x_age.csv"
    everybody.write_bytes(people.read_bytes())
    ages.write_text("".join(f"{age};*\n" for age in range(20, 30)), encoding="utf-8")
    for given, out in ((["--population", str(everybody)], everybody), (["--hierarchies", str(tmp_path)], ages)):
        code, _, err = run(capsys, "anonymize", str(people), *SHORT, *given, "-o", str(out), "--force")
        assert (code, "replace an input" in err) == (2, True)


@pytest.mark.parametrize("command", [["audit"], ["sweep", "-k", "2"]])
def test_a_report_that_cannot_be_written_is_told_before_the_work(called, capsys, tmp_path, command):
    calls = called(f"{command[0]}_file", {})
    report = tmp_path / "report.html"
    report.write_text("mine", encoding="utf-8")
    given = ["in.csv", "--quasi", "age", "--report", str(report)]
    code, _, err = run(capsys, command[0], *given, *command[1:])
    assert (code, "exists already" in err, calls) == (2, True, {})
    assert report.read_text(encoding="utf-8") == "mine"
    code, _, err = run(capsys, command[0], *given[:-1], str(tmp_path / "no" / "r.html"), *command[1:])
    assert (code, "cannot be written" in err, calls) == (2, True, {})


def test_a_hierarchy_that_is_there_needs_force_by_the_name_of_the_option(capsys, tmp_path, people):
    out = tmp_path / "age.csv"
    build = ["hierarchy", "build", str(people), "--column", "age", "--auto", "-o", str(out)]
    assert run(capsys, *build)[0] == 0
    code, _, err = run(capsys, *build)
    assert (code, "--force" in err, "overwrite=" in err) == (2, True, False)
    assert run(capsys, *build, "--force")[0] == 0


def test_the_json_of_an_error_names_the_command_as_that_of_a_success(capsys, tmp_path, people):
    build = ["hierarchy", "build", str(people), "--column", "age", "--auto", "--json", "-o"]
    told = [json.loads(run(capsys, *build, str(tmp_path / name))[1]) for name in ("age.csv", "no/age.csv")]
    assert [set(one) - {"shoal", "format", "command"} for one in told] == [{"result"}, {"error"}]
    assert [one["command"] for one in told] == ["hierarchy build"] * 2


def test_the_next_command_that_init_names_can_be_pasted(capsys, tmp_path, people):
    _, _, err = run(capsys, "init", str(people), "-o", str(tmp_path / "a spec.toml"))
    (line,) = [line for line in err.splitlines() if line.startswith("Then: ")]
    assert shlex.split(line)[2:6] == ["anonymize", str(people), "--spec", str(tmp_path / "a spec.toml")]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_report_that_nobody_can_get_is_an_error_and_no_crash(options):
    entry = "import sys; sys.stdout = None; from shoal.cli.main import run; run()"
    command = [sys.executable, "-c", entry, "list", "attacks", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: the system refused: standard output is closed\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_disk_is_an_error_and_no_crash(options):
    entry = "from shoal.cli.main import run; run()"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        command = [sys.executable, "-c", entry, "list", "attacks", *options]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr, "where" in done.stderr) == (2, False, False)
    assert done.stderr.startswith("error: the system refused")


def test_an_unknown_measure_is_told_with_all_that_there_are(capsys):
    _, _, err = run(capsys, "utility", "a.csv", "b.csv", "--quasi", "age", "--propensity", "forest")
    assert "known are: logistic, none, tree" in err


def test_help_says_every_word_of_its_options():
    # Typer takes square brackets for marks of style and leaves them out.
    group = typer.main.get_command(app)
    commands = [*group.commands.values(), *group.commands["hierarchy"].commands.values()]
    helps = [p.help or "" for command in commands for p in command.params if hasattr(p, "help")]
    assert len(helps) > 100
    assert [text for text in helps if "[" in text] == []


def test_presets_have_a_source_and_no_settings(capsys):
    _, out, _ = run(capsys, "list", "presets")
    assert "settings:" not in out
    assert "source:" in out
