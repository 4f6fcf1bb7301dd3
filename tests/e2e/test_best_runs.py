"""The default search from the command line: weights, highest levels, sizes that are capped, an interrupt."""

from __future__ import annotations

import io
import json
import sys
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

from shoal.algorithms import improving
from shoal.cli.main import main
from shoal.cli.say import progress_bar

PEOPLE = 240
SPEC = """
version = 1
[columns.age]
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = [5, 10, 20, 40] }
[columns.place]
role = "quasi-identifier"
hierarchy = { prefix = 3 }
[columns.disease]
role = "sensitive"
[[models]]
model = "k-anonymity"
k = 4
"""
PLAIN = ["anonymize", "people.csv", "--spec", "spec.toml", "-o", "out.csv", "--seed", "1", "--force", "--json"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table of invented people and a spec that names no algorithm, in the current folder."""
    rng = np.random.default_rng(5)
    pl.DataFrame(
        {
            "age": rng.integers(20, 60, PEOPLE),
            "place": [f"{code:03}" for code in rng.integers(0, 30, PEOPLE) * 7],
            "disease": rng.choice(["flu", "cold", "cough"], PEOPLE),
        }
    ).write_csv(tmp_path / "people.csv")
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    code = main(list(arguments))
    streams = capsys.readouterr()
    return code, json.loads(streams.out)


def lost(result, name):
    return next(column["loss"] for column in result["columns"] if column["name"] == name)


def test_best_is_the_default_and_the_same_seed_gives_the_same_bytes(folder, capsys):
    code, told = run(capsys, *PLAIN)
    first = (folder / "out.csv").read_bytes()
    assert (code, told["result"]["algorithm"]) == (0, "best")
    run(capsys, *PLAIN)
    assert (folder / "out.csv").read_bytes() == first
    named = run(capsys, *PLAIN, "--algorithm", "mondrian")[1]["result"]
    assert told["result"]["loss"] <= named["loss"]


def test_the_private_manifest_alone_tells_the_loss_against_time(folder, capsys):
    _, told = run(capsys, *PLAIN)
    private = json.loads((folder / "out.csv.private.json").read_text("utf-8"))
    trace = private["statistics"]["trace"]
    assert trace[-1][1] == pytest.approx(told["result"]["loss"])
    assert "trace" not in (folder / "out.csv.manifest.json").read_text("utf-8")


@pytest.mark.parametrize("labels", ["nodes", "ranges", "sets"])
@pytest.mark.usefixtures("folder")
def test_what_weighs_more_keeps_more(capsys, labels):
    age = run(capsys, *PLAIN, "--labels", labels, "--attribute-weight", "age=20")[1]["result"]
    place = run(capsys, *PLAIN, "--labels", labels, "--attribute-weight", "place=20")[1]["result"]
    assert lost(age, "age") < lost(place, "age")
    assert lost(place, "place") < lost(age, "place")


@pytest.mark.parametrize("labels", ["nodes", "ranges", "sets", "stars"])
def test_nothing_is_published_above_a_highest_level(folder, capsys, labels):
    code, told = run(
        capsys,
        *PLAIN,
        "--labels",
        labels,
        "--max-level",
        "place=2",
        "--suppression-limit",
        "0.5",
        "--report",
        "r.json",
    )
    assert code == 0
    rows = pl.read_csv(folder / "out.csv", infer_schema=False)
    kept = rows.filter(pl.col("age") != "*") if told["result"]["suppressed"] else rows
    assert "*" not in kept["place"].to_list()


def test_the_command_line_and_the_spec_say_the_same(folder, capsys):
    run(
        capsys,
        *PLAIN,
        "--attribute-weight",
        "age=3",
        "--max-level",
        "age=3",
        "--set",
        "max_class_size=9",
        "--set",
        "rounds=2",
    )
    first = (folder / "out.csv").read_bytes()
    spec = (
        SPEC.replace("type =", "weight = 3\nmax_level = 3\ntype =") + "[method]\nmax_class_size = 9\nrounds = 2\n"
    )
    (folder / "spec.toml").write_text(spec, encoding="utf-8")
    run(capsys, *PLAIN)
    assert (folder / "out.csv").read_bytes() == first


def test_a_setting_may_be_a_table(folder, capsys):
    asked = 'model = "l-diversity"\nkind = "frequency"\nsensitive = "disease"\nl = 2'
    (folder / "spec.toml").write_text(SPEC.replace('model = "k-anonymity"\nk = 4', asked), encoding="utf-8")
    code, told = run(capsys, *PLAIN, "--algorithm", "tp+", "--set", "coarsen={ age = 2, place = 1 }")
    assert code == 0
    assert told["result"]["certificate"]["coarsened"] == {"age": 2, "place": 1}


def test_classes_are_no_larger_than_wished(folder, capsys):
    _, told = run(capsys, *PLAIN, "--labels", "sets", "--set", "max_class_size=7")
    sizes = pl.read_csv(folder / "out.csv", infer_schema=False).group_by("age", "place").len()["len"]
    assert sizes.min() >= 4
    assert sizes.max() <= 7
    assert told["result"]["notes"] == []
    code, told = run(capsys, *PLAIN, "--set", "max_class_size=3")
    assert code == 2
    assert "max_class_size is 3" in told["error"]["problem"]


@pytest.mark.parametrize(
    "option", [["--attribute-weight", "age"], ["--max-level", "=3"], ["--set", "max_class_size"]]
)
@pytest.mark.usefixtures("folder")
def test_an_option_without_name_or_value_is_refused(capsys, option):
    code, told = run(capsys, *PLAIN, *option)
    assert code == 2
    assert "needs a name and a value" in told["error"]["problem"]


@pytest.mark.parametrize(
    "option", [["--attribute-weight", "aeg=3"], ["--max-level", "aeg=3"], ["--set", "max_clas_size=3"]]
)
@pytest.mark.usefixtures("folder")
def test_a_name_that_is_not_there_is_refused_with_the_nearest(capsys, option):
    code, told = run(capsys, *PLAIN, *option)
    assert code == 2
    assert "did you mean" in told["error"]["fix"]


def test_an_interrupt_leaves_nothing_half_written(folder, capsys):
    """It comes when a second part is to be improved, while a budget is running."""
    calls = []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(*arguments)

    original = improving.improve_hoods
    before = {path.name for path in folder.iterdir()}
    with patch.object(improving, "improve_hoods", interrupted):
        code = main([*PLAIN, "--budget", "600", "--set", "moves=1000000000"])
    assert len(calls) == 2
    assert code == 130
    assert json.loads(capsys.readouterr().out)["error"]["error"] == "Interrupted"
    assert {path.name for path in folder.iterdir()} == before


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


def test_the_bar_on_a_terminal_shows_the_loss(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress_bar(quiet=False) as report:
        report(None, "loss 0.1885 from top-down")
        report(0.5, "loss 0.1234 after 10 changes")
    assert "loss 0.1234 after 10 changes" in sys.stderr.getvalue()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_bar(quiet=False) as report:
        assert report is None
