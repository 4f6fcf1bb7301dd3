"""Policies: what their files hold, and what each check says of small tables."""

import json
import re
import tomllib
from importlib import resources

import polars as pl
import pytest

from shoal.core.schema import Schema
from shoal.errors import PolicyError, SpecError
from shoal.hierarchies import flat, prefix
from shoal.models import KAnonymity
from shoal.workflow import anonymize, audit
from shoal.workflow.policy import CONFIDENCE, Policy, known_policies
from shoal.workflow.policy_checks import CHECKS

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


@pytest.mark.parametrize("name", known_policies())
def test_a_policy_says_where_it_is_from_and_asks_what_can_be_checked(name):
    policy = Policy.named(name)
    assert policy.id == name
    assert policy.citation
    assert policy.url.startswith("https://")
    assert re.fullmatch(r"\d{4}(-\d\d){0,2}", policy.dated)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", policy.retrieved)
    assert policy.checks
    for check in policy.checks:
        assert check.check in CHECKS
        assert check.confidence in CONFIDENCE
        assert check.severity in ("fail", "warn")
        assert len(check.title) < 90


def test_the_presets_are_there():
    wanted = """ihsn-suf ihsn-puf eurostat-puf hdx-public hipaa-safe-harbor hipaa-expert ema-0070 hc-prci
        ipc-ontario-2025-low ipc-ontario-2025-medium ipc-ontario-2025-high el-emam-public el-emam-researchers
        cihi-pumf pdpc-sg us-pums cms-cell ico-uk aepd nist-800-188 iso-27559 arx-default"""
    assert set(known_policies()) == set(wanted.split())


def frame(**columns):
    rows = max(map(len, columns.values()))
    return pl.DataFrame({name: values * (rows // len(values)) for name, values in columns.items()})


def answers(name, table, quasi, **options):
    found = audit(table, Schema(quasi_identifiers=quasi, **options), policy=name).policy
    return {result.check.check: (result.status, result.evidence) for result in found.results}


SAFE = frame(age=["[60, 69]"] * 30, year=["2019"] * 30, sex=["f", "m"] * 15, disease=["flu"] * 30)


def test_a_table_without_identifiers_passes_safe_harbor_but_for_what_a_person_must_answer():
    found = answers("hipaa-safe-harbor", SAFE, ["age", "year", "sex"], sensitive=["disease"])
    assert {name: status for name, (status, _) in found.items()} == {
        "no-identifiers": "pass",
        "dates-to-year": "pass",
        "ages-capped": "pass",
        "postcodes": "not applicable",
        "small-areas": "pass",
        "attested": "warn",
    }


@pytest.mark.parametrize(
    ("check", "column", "values"),
    [
        ("no-identifiers", "email", ["ann@example.org", "bo@example.org"]),
        ("no-identifiers", "contact", [f"person{i}@example.org" for i in range(30)]),
        ("dates-to-year", "admission_date", ["2019-03-04", "2019-05-06"]),
        ("dates-to-year", "birth", ["2019-03", "2019-05"]),
        ("ages-capped", "age", ["34", "93"]),
        ("ages-capped", "age", ["[30, 39]", "[90, 94]"]),
        ("postcodes", "zip", ["02139", "02140"]),
        ("postcodes", "zip", ["036**", "021**"]),
        ("small-areas", "city", ["Aam", "Bex"]),
    ],
)
def test_safe_harbor_finds_what_it_forbids(check, column, values):
    table = SAFE.drop(column, strict=False).with_columns(pl.Series(column, values * (30 // len(values))))
    status, evidence = answers("hipaa-safe-harbor", table, ["sex"], sensitive=["disease"])[check]
    assert status == "fail"
    assert column in evidence
    assert not [value for value in values if value in evidence]


@pytest.mark.parametrize("label", ["90+", ">= 90", "[80, 95]", "*", "34"])
def test_an_age_group_that_is_open_above_89_is_no_age(label):
    table = SAFE.with_columns(pl.lit(label).alias("age"))
    assert answers("hipaa-safe-harbor", table, ["sex"])["ages-capped"][0] == "pass"


def test_three_digits_of_a_postcode_warn_until_somebody_looks_at_the_census():
    table = SAFE.with_columns(pl.lit("021**").alias("zip"))
    assert answers("hipaa-safe-harbor", table, ["sex"])["postcodes"][0] == "warn"


@pytest.mark.parametrize(("size", "status"), [(10, "fail"), (11, "warn"), (12, "pass")])
def test_eleven_is_just_above_a_risk_of_009_and_is_taken_by_convention(size, status):
    table = pl.DataFrame({"sex": ["f"] * size + ["m"] * 30})
    assert answers("ema-0070", table, ["sex"])["highest-risk"][0] == status


def test_risks_are_held_against_exact_thresholds():
    table = pl.DataFrame({"sex": ["f"] * 5 + ["m"] * 95})
    found = answers("arx-default", table, ["sex"])
    assert [found[check][0] for check in ("highest-risk", "share-at-risk", "average-risk")] == ["pass"] * 3
    assert answers("cms-cell", table, ["sex"])["smallest-class"][0] == "fail"
    assert answers("hdx-public", table, ["sex"])["global-risk"][0] == "pass"


def test_the_global_risk_is_that_of_survey_weights_where_there_are_some():
    # Five groups of 20 rows: 0.05 on average, but each row stands for ten people.
    table = pl.DataFrame({"zone": list("abcde") * 20, "w": ["10"] * 100})
    status, evidence = answers("hdx-public", table, ["zone"], weight="w")["global-risk"]
    assert (status, "survey weights" in evidence) == ("pass", True)
    assert answers("hdx-public", table, ["zone"])["global-risk"][0] == "fail"
    bad = table.with_columns(pl.lit("-1").alias("w"))
    assert answers("hdx-public", bad, ["zone"], weight="w")["global-risk"][0] == "fail"
    release = anonymize(
        table, Schema(quasi_identifiers={"zone": flat()}, weight="w"), models=KAnonymity(k=2), policy="hdx-public"
    )
    assert release.policy.satisfied


def test_a_country_is_no_small_area_and_a_county_is():
    table = SAFE.with_columns(pl.Series("native-country", ["Cuba", "Mexico"] * 15))
    assert answers("hipaa-safe-harbor", table, ["sex"])["small-areas"][0] == "pass"
    table = SAFE.with_columns(pl.Series("county", ["Essex", "Norfolk"] * 15))
    assert answers("hipaa-safe-harbor", table, ["sex"])["small-areas"][0] == "fail"


def test_the_seventeen_areas_of_the_guidance_are_named_once_and_newer_ones_warn():
    (check,) = [c for c in Policy.named("hipaa-safe-harbor").checks if c.check == "postcodes"]
    restricted, newer = check.settings["restricted"], check.settings["newer"]
    assert len(restricted) == len(set(restricted)) == 17
    assert not set(restricted) & set(newer)
    assert "2012" in check.source
    table = SAFE.with_columns(pl.lit("205**").alias("zip"))
    status, evidence = answers("hipaa-safe-harbor", table, ["sex"])["postcodes"]
    assert (status, "zip" in evidence) == ("warn", True)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('check = "smallest-class"\n', "", "lacks check"),
        ('confidence = "P"\n\n[[', 'confidence = "P"\n\n[[', None),
        ("k = 11\n", 'k = 11\nseverity = "maybe"\n', "unknown severity"),
        ("k = 11\n", "", "lacks k"),
        ('check = "smallest-class"', 'check = "smallest-clas"', "unknown check"),
    ],
)
def test_a_faulty_policy_file_is_an_error_of_its_own(tmp_path, old, new, problem):
    text = resources.files("shoal.policies").joinpath("cms-cell.toml").read_text("utf-8")
    path = tmp_path / "house.toml"
    path.write_text(text.replace(old, new))
    if problem is None:
        audit(SAFE, Schema(quasi_identifiers=["sex"]), policy=str(path))
        return
    with pytest.raises(SpecError, match=problem):
        audit(SAFE, Schema(quasi_identifiers=["sex"]), policy=str(path))


def test_every_subset_of_three_columns_is_counted():
    # Each two columns are frequent together, all three are not.
    table = pl.DataFrame({"a": list("ppqq") * 5, "b": list("rsrs") * 5, "c": list("tuut") * 5})
    assert answers("eurostat-puf", table, ["a", "b", "c"])["subsets"][0] == "pass"
    rare = pl.concat([table, pl.DataFrame({"a": ["p"], "b": ["r"], "c": ["u"]})])
    status, evidence = answers("eurostat-puf", rare, ["a", "b", "c"])["subsets"]
    assert status == "fail"
    assert "a, b, c" in evidence


ROWS = pl.DataFrame({"town": [str(10_000 + i % 8) for i in range(80)], "disease": ["flu", "cold"] * 40})
ROLES = Schema(quasi_identifiers={"town": prefix(5)}, sensitive=["disease"])


def test_a_policy_brings_its_own_k_and_a_greater_one_is_free():
    assert anonymize(ROWS, ROLES, policy="cms-cell", seed=1).verdicts[0].required == 11
    assert anonymize(ROWS, ROLES, models=KAnonymity(k=20), policy="cms-cell", seed=1).verdicts[0].required == 20


def test_less_than_a_policy_asks_needs_a_reason_which_is_kept_in_private():
    with pytest.raises(SpecError, match="less than policy 'cms-cell' asks, which is 11"):
        anonymize(ROWS, ROLES, models=KAnonymity(k=10), policy="cms-cell", seed=1)
    reason = "The board agreed on 3 May."
    release = anonymize(ROWS, ROLES, models=KAnonymity(k=10), policy="cms-cell", because=reason, seed=1)
    assert release.private["policy"]["because"] == reason
    assert release.account()["policy"]["because"] == reason
    assert reason not in json.dumps(release.account(external=True))
    assert reason not in json.dumps(release.manifest)
    assert {check["check"]: check["status"] for check in release.private["policy"]["checks"]} == {
        "no-identifiers": "pass",
        "smallest-class": "warn",
    }


def test_an_output_that_fails_a_check_does_not_leave():
    roles = Schema(quasi_identifiers={"town": flat()}, insensitive=["email"])
    table = ROWS.with_columns(pl.Series("email", [f"p{i}@example.org" for i in range(80)]))
    with pytest.raises(PolicyError, match="does not meet policy 'pdpc-sg'") as raised:
        anonymize(table, roles, policy="pdpc-sg", seed=1)
    assert "example.org" not in str(raised.value)
    release = anonymize(table, roles, policy="pdpc-sg", because="a test", seed=1)
    assert release.policy.satisfied


def test_a_reason_without_a_policy_is_a_mistake():
    with pytest.raises(SpecError, match="no policy"):
        anonymize(ROWS, ROLES, models=KAnonymity(k=2), because="no reason")


def test_the_published_policy_has_answers_and_no_figures():
    release = anonymize(ROWS, ROLES, policy="cms-cell", seed=1)
    found = release.account(external=True)["policy"]
    assert found["citation"]
    assert [set(check) for check in found["checks"]] == [{"title", "status", "confidence"}] * 2


def test_a_policy_of_ones_own_is_a_file(tmp_path):
    path = tmp_path / "house.toml"
    text = resources.files("shoal.policies").joinpath("cms-cell.toml").read_text("utf-8")
    path.write_text(text.replace("k = 11", "k = 4").replace('id = "cms-cell"', 'id = "house"'))
    assert anonymize(ROWS, ROLES, policy=str(path), seed=1).verdicts[0].required == 4
    path.write_text("id = 1")
    with pytest.raises(SpecError, match="lacks title"):
        Policy.named(path)
    with pytest.raises(SpecError, match="did you mean 'cms-cell'"):
        Policy.named("cms-cel")


def test_every_check_has_a_policy_that_uses_it():
    used = set()
    for entry in resources.files("shoal.policies").iterdir():
        if entry.name.endswith(".toml"):
            used |= {check["check"] for check in tomllib.loads(entry.read_text("utf-8"))["checks"]}
    assert used == set(CHECKS)
