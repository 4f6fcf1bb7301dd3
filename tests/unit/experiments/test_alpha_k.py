"""The page of the experiments on (α, k)-anonymity, from searches that are made up."""

import sys
from dataclasses import asdict
from json import dumps
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "experiments" / "alpha_k"
OWN = ("jobs", "page", "plots", "run", "searches", "tables")


@pytest.fixture
def modules(monkeypatch):
    """The modules of the experiment by name; they are scripts in a folder, not a package."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    monkeypatch.syspath_prepend(str(FOLDER))
    yield {name: __import__(name) for name in OWN}
    for name in OWN:
        sys.modules.pop(name, None)


def searched(modules):
    """Every job, where every algorithm loses a quarter of what Incognito does and a second per 10,000 rows."""
    jobs, searches = modules["jobs"], modules["searches"]
    whole = {searches.FULL_DOMAIN, searches.PUBLISHED}
    return [
        (job, searches.Found(name, 0.8 if name in whole else 0.2, 0.1, 0, job.rows / 10_000))
        for job in jobs.jobs(quick=False, large=True)
        for name in searches.ALGORITHMS
    ]


def test_a_page_holds_the_claims_and_the_growth(modules, tmp_path):
    found = searched(modules)
    text = modules["page"].page(found)
    points = len({job.key for job, _ in found})
    assert f"| top-down | 0.250 | 0.250 | {points} of {points} | 1.00 | 1.00 | 1.00 | 1.00 |" in text
    assert "top-down n^1.00" in text
    assert text.count("\n## ") == 1 + len({job.sweep for job, _ in found})
    modules["plots"].plot(found, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1_000


def test_a_grid_of_alpha_and_k_and_every_sweep_of_the_issue_are_run(modules):
    jobs = list(modules["jobs"].jobs(quick=False, large=True))
    grid = {(job.alpha, job.k) for job in jobs if job.sweep == modules["jobs"].GRID}
    assert grid == {(alpha, k) for alpha in ("0.1", "0.2", "0.3", "0.5") for k in (5, 10, 50)}
    assert {job.n_quasi for job in jobs} == set(range(3, 9))
    assert {job.rows for job in jobs} >= {45_222, 1_000_000, 10_000_000}
    assert {2, 100} <= {job.k for job in jobs}


def test_searches_of_an_earlier_run_are_read_again(modules, tmp_path):
    job, found = searched(modules)[0]
    kept = tmp_path / "searches.jsonl"
    kept.write_text(dumps({"job": job.key, **asdict(found)}) + "\n", "utf-8")
    assert modules["run"].read(kept) == {(job.key, found.algorithm): found}
    assert modules["run"].read(tmp_path / "nothing") == {}
