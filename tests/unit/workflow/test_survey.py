"""Risk by survey weights and of households, before and after a release, counted from the published rows."""

import json
from collections import defaultdict

import polars as pl
import pytest

import shoal as sh
from oracles.survey import household

ROWS = [
    (str(20 + (7 * i) % 30), "ab"[i % 2], f"h{i // 3}", str(1 + i % 4), f"p{i // 2}", "flu" if i % 3 else "cold")
    for i in range(40)
]
TABLE = pl.DataFrame(ROWS, schema=["age", "zone", "home", "w", "who", "illness"], orient="row")
QUASI = {"age": sh.intervals(10), "zone": sh.flat()}


def release_of(**roles):
    schema = sh.Schema(
        quasi_identifiers=QUASI, sensitive=["illness"], types={"age": "integer"}, drop=["who"], **roles
    )
    return sh.anonymize(TABLE, schema, models=sh.KAnonymity(k=4), keep_order=True, seed=1)


def risks(rows, weights):
    """One over the size of a class, or sdcMicro's approximation of the individual risk."""
    classes = defaultdict(list)
    for row, weight in zip(rows, weights, strict=True):
        classes[row].append(float(weight))
    found = []
    for row in rows:
        f, p = len(classes[row]), len(classes[row]) / sum(classes[row])
        assert f > 2
        found.append(p / (f - (1 - p)))
    return found


def test_the_risk_after_is_that_of_the_published_rows():
    release = release_of(weight="w", household="home")
    after = release.population["after"]
    published = list(release.data.select("age", "zone").iter_rows())
    found = risks(published, TABLE["w"])
    assert after["survey_risk"]["expected"] == pytest.approx(sum(found))
    assert after["survey_risk"]["highest"] == pytest.approx(max(found))
    homes = TABLE["home"].to_list()
    together = [household([r for r, h in zip(found, homes, strict=True) if h == mine]) for mine in homes]
    assert after["household_risk"]["expected"] == pytest.approx(sum(together))
    assert after["household_risk"]["households"] == len(set(homes))
    before = release.population["before"]
    assert before["survey_risk"] == sh.audit(TABLE, release_schema()).survey_risk.as_dict()
    assert before["household_risk"]["expected"] > after["household_risk"]["expected"]


def release_schema():
    return sh.Schema(quasi_identifiers=["age", "zone"], sensitive=["illness"], weight="w", household="home")


def test_households_without_weights_bear_one_over_the_size_of_their_groups():
    after = release_of(household="home", insensitive=["w"]).population["after"]
    assert after["survey_risk"] is None
    assert (after["household_risk"]["by"], after["household_risk"]["members"]) == ("groups", 40)


def test_a_table_without_either_tells_nothing_of_them():
    assert release_of(insensitive=["w", "home"]).population == {}


def test_it_is_told_to_the_publisher_alone():
    release = release_of(weight="w", household="home")
    inside = release.account()
    assert inside["population"] == release.population
    assert inside["singled_out"]["special_uniques"]["records"] > 0
    outside = json.dumps(release.account(external=True)) + json.dumps(release.manifest)
    assert not [word for word in ("survey_risk", "household_risk", "singled_out") if word in outside]
