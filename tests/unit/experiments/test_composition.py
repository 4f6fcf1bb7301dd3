"""The experiment on composition attacks runs, on people who are generated."""

import json
from dataclasses import replace

import numpy as np
import pytest

from experiments import modules_of


@pytest.fixture
def modules(monkeypatch, tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    monkeypatch.setenv("SHOAL_SHARED", str(tmp_path / "nothing"))
    with modules_of("composition", monkeypatch) as found:
        yield found


def test_generated_people_are_the_same_again_and_look_like_those_of_adult(modules):
    tables = modules["tables"]
    first, again = (tables.look_alike(5_000, seed=3) for _ in range(2))
    assert first.equals(again)
    people = tables.coded(first, "generated")
    assert {name: people.hierarchies[name].height for name in tables.QUASI} == {
        "age": 5,
        "sex": 1,
        "marital-status": 2,
        "workclass": 2,
        "relationship": 2,
        "salary-class": 1,
    }
    counts = np.bincount(people.codes["occupation"])
    assert len(counts) >= 14
    assert counts.max() < 0.2 * len(people)


def test_sets_are_disjoint_and_share_those_of_the_pool(modules):
    measures = modules["measures"]
    found = measures.wave("occupation", 100, 3)
    people = [set(table.people.tolist()) for table in found.tables]
    assert [len(some) for some in people] == [4_100] * 3
    assert len(people[0] & people[1]) == len(people[0] & people[1] & people[2]) == 100


def test_the_safe_orders_hold_for_generated_people(modules):
    measures, methods = modules["measures"], modules["methods"].METHODS
    found = measures.wave("occupation", 500, 5)
    risk = {
        name: measures.risks(methods[name], found, "occupation", 6)
        for name in ("DP", "Hybrid", "Merging", "Mondrian")
    }
    assert {each["pairs"] for each in risk.values()} == {10}
    for name in ("DP", "Hybrid", "Merging"):
        assert risk[name]["risk_overlap"] < risk["Mondrian"]["risk_overlap"]
    fewer = measures.risks(methods["Merging"], measures.wave("occupation", 100, 5), "occupation", 6)
    assert fewer["risk_all"] < risk["Merging"]["risk_all"]


def test_own_classes_hold_the_value_of_their_people(modules):
    measures, methods = modules["measures"], modules["methods"]
    table = measures.wave("occupation", 100, 2).tables[0]
    for name in ("Merging", "Mondrian", "Composition", "Anatomy"):
        release = methods.publish((methods.METHODS | methods.BESIDE)[name], table, "occupation", 4, seed=1)
        seen, there = release.seen, release.own >= 0
        assert there.all() == (name != "Composition")
        held = {
            (c, v) for c in range(len(seen)) for v in seen.values[seen.offsets[c] : seen.offsets[c + 1]].tolist()
        }
        assert set(zip(release.own[there].tolist(), table.codes[there, -1].tolist(), strict=True)) <= held
        # A release of everybody, without fakes, has the columns that it was made of.
        if name in ("Mondrian", "Anatomy"):
            assert len(release.rows) == len(table.people)


def test_a_small_run_goes_on_where_it_was_stopped_and_writes_its_page(modules, tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    run, sections = modules["run"], modules["sections"]
    small = replace(sections.QUICK, n_sets=2, overlaps=(100,), queries=20, rows=(700, 1_400))
    monkeypatch.setattr(run, "QUICK", small)
    words = ["run.py", "--quick", "--out", str(tmp_path), "--work", str(tmp_path)]
    monkeypatch.setattr("sys.argv", [*words, "--only", "time"])
    assert run.main() == 0
    kept = json.loads((tmp_path / "quick.json").read_text("utf-8"))
    monkeypatch.setattr("sys.argv", [*words, "--only", "risk,time"])
    assert run.main() == 0
    more = json.loads((tmp_path / "quick.json").read_text("utf-8"))
    assert kept.items() < more.items()
    page = (tmp_path / "results.md").read_text("utf-8")
    assert "| risk_overlap: Merging below Mondrian | 1 of 1 | holds |" in page
    assert (tmp_path / "risk_all.svg").exists()
    assert (tmp_path / "time.svg").exists()
