"""The experiments run, on a table small enough for a test."""

import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[3] / "experiments" / "l_diversity"
OWN = ("claims", "generate", "measuring", "page", "plots", "sections")


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
    sections, measuring = modules["sections"], modules["measuring"]
    runs = {"stars by l": [], "stars by d": [], "time": [], "kl": []}
    for table in sections.generated(1_000):
        for method, algorithm in measuring.STARS.items():
            for quasi in (table.quasi[:4], table.quasi):
                run = table.run(method, algorithm, quasi, 3)
                assert run.figures["stars"] <= 1_000 * len(quasi)
                for section in ("stars by l", "stars by d", "time"):
                    runs[section].append(run)
        for method, algorithm in measuring.GENERAL.items():
            runs["kl"] += [table.run(method, algorithm, table.quasi[:d], 3, kl=True) for d in (2, 4)]
    modules["page"].write(tmp_path, runs)
    text = (tmp_path / "results.md").read_text("utf-8")
    assert text.count("\n| TP") >= 4
    assert "never enters phase three" in text
    assert len(list(tmp_path.glob("*.svg"))) == 5
