"""The ledger of releases: what it holds, what it says of the next wave, and that it stays private."""

import json
import stat

import polars as pl
import pytest

import shoal as sh
from shoal.workflow.ledger import Ledger

AGES = sh.intervals(10)


def wave(*rows):
    return pl.DataFrame(rows, schema=["name", "age", "city", "disease"], orient="row")


def schema(ages=AGES):
    return sh.Schema(quasi_identifiers={"age": ages, "city": None}, sensitive=["disease"], identifiers=["name"])


FIRST = wave(
    ("a", 21, "Bern", "flu"), ("b", 29, "Bern", "cold"), ("c", 31, "Bern", "ulcer"), ("d", 38, "Bern", "asthma")
)
# Of the same ages, with one disease of the first wave in each group.
SECOND = wave(
    ("a", 21, "Bern", "flu"), ("x", 27, "Bern", "gout"), ("c", 31, "Bern", "ulcer"), ("y", 37, "Bern", "acne")
)


def publish(frame, path, **settings):
    models = [sh.KAnonymity(k=2), sh.LDiversity(sensitive="disease", l=2)]
    return sh.anonymize(frame, settings.pop("schema", schema()), models=models, ledger=path, seed=1, **settings)


def test_the_first_release_is_remembered_as_boxes_and_sets(tmp_path):
    path = tmp_path / "releases.json"
    release = publish(FIRST, path)
    assert release.private["ledger"] == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    held = json.loads(path.read_text())
    assert held["about"].startswith("Private")
    (entry,) = held["releases"]
    assert set(entry) == {"release", "columns", "classes", "sensitive"}
    assert {"label": "[20, 29]", "ends": ["21", "29"]} in entry["columns"]["age"]
    assert len(entry["classes"]) == 2
    assert sorted(entry["sensitive"]["disease"]["texts"]) == ["asthma", "cold", "flu", "ulcer"]
    assert not any(name in path.read_text() for name in ('"a"', '"b"', "rows", 'count"'))


def test_the_next_wave_is_warned_of_and_remembered(tmp_path):
    path = tmp_path / "releases.json"
    publish(FIRST, path)
    with pytest.warns(sh.ShoalWarning, match=r"disease: not safe together with release 1; .* 4 of 4 records"):
        release = publish(SECOND, path)
    (verdict,) = release.private["ledger"]
    assert (verdict["safe"], verdict["newly_disclosed"], verdict["records"]) == (False, 4, 4)
    assert any("not safe" in text for text in release.warnings)
    assert len(Ledger.read(path).releases) == 2


def test_a_refused_wave_is_not_remembered(tmp_path):
    path = tmp_path / "releases.json"
    publish(FIRST, path)
    before = path.read_bytes()
    with pytest.raises(sh.PolicyError, match="not safe together") as caught:
        publish(SECOND, path, ledger_refuse=True)
    assert not any(value in str(caught.value) for value in ("flu", "gout", "Bern"))
    assert path.read_bytes() == before


def test_the_same_table_again_is_safe_together_with_itself(tmp_path):
    path = tmp_path / "releases.json"
    publish(FIRST, path)
    release = publish(FIRST, path, ledger_refuse=True)
    assert [v["safe"] for v in release.private["ledger"]] == [True]
    third = publish(FIRST, path, ledger_refuse=True)
    assert [v["releases"] for v in third.private["ledger"]] == [[1], [2], [1, 2]]


def test_a_ledger_is_read_over_the_domain_of_another_table(tmp_path):
    path = tmp_path / "releases.json"
    publish(FIRST, path)
    # Other ages, other bands, another city: nobody of Basel was in the first release.
    other = wave(
        ("p", 22, "Bern", "flu"), ("q", 24, "Bern", "acne"), ("r", 33, "Basel", "flu"), ("s", 34, "Basel", "gout")
    )
    with pytest.warns(sh.ShoalWarning, match="2 of 4 records"):
        publish(other, path, schema=schema(sh.intervals(5)))


def test_releases_of_a_ledger_are_attacked_like_published_tables(tmp_path):
    path = tmp_path / "releases.json"
    publish(FIRST, path)
    with pytest.warns(sh.ShoalWarning):
        second = publish(SECOND, path)
    targets = pl.DataFrame({"age": [21, 38], "city": ["Bern", "Bern"]})
    plain = sh.Schema(quasi_identifiers=["age", "city"], sensitive=["disease"])
    attack = sh.attack_composition([], plain, targets=targets, ledger=path)
    assert [target.candidates for target in attack.findings[0].targets] == [("flu",), ("ulcer",)]
    one = tmp_path / "one.json"
    publish(FIRST, one)
    beside = sh.attack_composition([second.data], plain, targets=targets, ledger=one)
    assert [t.candidates for t in beside.findings[0].targets] == [("flu",), ("ulcer",)]


def test_what_is_no_ledger_is_refused_before_anything_is_published(tmp_path):
    path = tmp_path / "releases.json"
    for text in ("not json", "[]", '{"format": 2}', '{"format": 1, "releases": [{}]}'):
        path.write_text(text)
        with pytest.raises(sh.SpecError, match="ledger"):
            publish(FIRST, path)
        assert path.read_text() == text
    with pytest.raises(sh.SpecError, match="is not there"):
        Ledger.read(tmp_path / "none.json")
