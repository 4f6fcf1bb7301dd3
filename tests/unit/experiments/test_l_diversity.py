"""The experiments run, on a table small enough for a test."""

import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[3] / "experiments" / "l_diversity"
OWN = ("claims", "generate", "measuring", "page", "plots", "real_tables", "sections", "run")


@pytest.fixture
def modules(monkeypatch):
    """The modules of the experiment by name; they are scripts in a folder, not a package."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    monkeypatch.syspath_prepend(str(FOLDER))
    yield {name: __import__(name) for name in OWN}
    for name in OWN:
        sys.modules.pop(name, None)


def test_the_population_has_the_schema_of_the_paper_and_is_the_same_again(modules):
    generate = modules["generate"]
    first, again = (generate.population(5_000, seed=3) for _ in range(2))
    for name, column in first.items():
        np.testing.assert_array_equal(column.codes, again[name].codes)
        assert column.codes.min() >= 0
        assert column.codes.max() < column.hierarchy.n_values
    assert {name: first[name].hierarchy.n_values for name in generate.SIZES} == generate.SIZES
    for sensitive in generate.SENSITIVE.values():
        counts = np.bincount(first[sensitive].codes, minlength=50)
        assert len(counts) == 50
        assert 10 * counts.max() <= 5_000, "l = 10 is feasible"


def test_a_page_is_written_with_every_claim_of_the_paper(modules, tmp_path):
    sections = modules["sections"]
    runs = {}
    for name in modules["generate"].SENSITIVE:
        for section in sections.SECTIONS:
            quasi = tuple(modules["generate"].SIZES)
            methods = tuple(modules["measuring"].GENERAL if section == "kl" else modules["measuring"].STARS)
            for columns in (quasi[:4], quasi[:2] if section == "kl" else quasi):
                task = sections.Task(section, name, 1_000, columns, 3, methods)
                for _, run in sections.carried_out(task, methods):
                    assert run.figures["stars"] <= 1_000 * len(columns)
                    runs.setdefault(section, []).append(run)
    modules["page"].write(tmp_path, runs)
    text = (tmp_path / "results.md").read_text("utf-8")
    assert text.count("\n| TP") >= 4
    assert "never enters phase three" in text
    assert "more stars than TP in 0 of 4, TP+ in 0 of 4, Hilbert, plain in 0 of 4, Hilbert in 0 of 4" in text
    assert len(list(tmp_path.glob("*.svg"))) == 5


def test_a_command_that_was_ended_goes_on_where_it_was(modules, tmp_path):
    run, task = modules["run"], modules["sections"].Task
    wanted = [task("stars by d", "SAL", 500, columns, 2, ("TP", "TP+")) for columns in (("age",), ("race",))]
    kept = tmp_path / "runs.jsonl"
    run.run_missing(wanted[:1], {}, kept, jobs=1)
    done = run.read(kept)
    assert len(done) == 2
    seconds = {key: found["seconds"] for key, found in done.items()}
    run.run_missing(wanted, done, kept, jobs=1)
    assert len(run.read(kept)) == 4
    assert all(run.read(kept)[key]["seconds"] == before for key, before in seconds.items())
    assert [each.method for each in run.sections_of(done)["stars by d"]] == ["TP", "TP+"] * 2
