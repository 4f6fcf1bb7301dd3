"""The composition attack on tables in buckets, through its face, beside other tables and in a ledger."""

import json

import polars as pl
import pytest

import shoal as sh
from shoal.cli.main import main
from shoal.engines.published import read_buckets
from shoal.workflow.ledger import Ledger

# Table W of the specification, and its buckets ab, cd, eh, fg.
W = pl.DataFrame(
    {
        "age": [21, 23, 25, 28, 41, 44, 47, 49],
        "sex": list("MFFMMFFM"),
        "zip": ["Z1", "Z1", "Z2", "Z2", "Z3", "Z3", "Z4", "Z4"],
        "disease": ["flu", "cold", "ulcer", "flu", "cold", "flu", "asthma", "ulcer"],
    }
)
SCHEMA = sh.Schema(quasi_identifiers=["age", "sex", "zip"], sensitive=["disease"])
GROUPS = [["age", "zip"], ["sex", "disease"]]
BUCKET = pl.Series("bucket", [0, 0, 1, 1, 2, 3, 3, 2])
SLICED = W.with_columns(BUCKET).sort("bucket")
MERGED = SLICED.with_columns(sex=pl.when(pl.col("age") < 30).then(pl.lit("*")).otherwise("sex"))
BOXES = W.with_columns(
    age=pl.when(pl.col("age") < 30).then(pl.lit("[21, 28]")).otherwise(pl.lit("[41, 49]")), zip=pl.lit("*")
)


def attack(releases, **options):
    (found,) = sh.attack_composition(releases, SCHEMA, groups=GROUPS, **options).findings
    return found


def test_two_merged_releases_of_everybody():
    found = attack([MERGED, MERGED], truth=W)
    # Everybody has one bucket in each, and two values in it: 8 true matches of 16.
    assert (found.risk.true_matches, found.risk.matches, found.disclosed) == (8, 16, 0)
    # Each pair of a bucket with itself shares two values, and each is that of somebody.
    assert (found.meetings.meeting, found.risk.triples, found.risk.risk_class) == (4, 8, 1)


def test_a_value_beside_the_cells_of_its_own_group_gives_away_whom_the_bucket_does_not():
    found = attack([SLICED, SLICED], truth=W)
    # In buckets ab and cd a man and a woman have one value each; in eh and fg all are of one sex.
    assert (found.disclosed, found.disclosed_alone, found.correct) == (4, 4, 4)
    # The risk is defined on the values of the bucket.
    assert (found.risk.true_matches, found.risk.matches) == (8, 16)


def test_buckets_beside_boxes():
    found = attack([MERGED, BOXES], truth=W)
    # A box holds the diseases of the men, or of the women, of one half; the bucket leaves of them
    # a flu; b cold; c ulcer; d flu; e cold, ulcer; f flu, asthma; g flu, asthma; h cold, ulcer.
    assert (found.risk.true_matches, found.risk.matches, found.disclosed) == (8, 12, 4)
    assert found.meetings.meeting == 6


def test_releases_that_are_grouped_differently():
    groups = [GROUPS, [["age", "sex", "zip"], ["disease"]]]
    anatomized = W.with_columns(bucket=pl.Series([5, 5, 6, 6, 7, 7, 8, 8])).sample(
        fraction=1, shuffle=True, seed=1
    )
    schema = sh.Schema(quasi_identifiers=["age", "sex", "zip"], sensitive=["disease"])
    (found,) = sh.attack_composition([MERGED, anatomized], schema, groups=groups, truth=W).findings
    # ab and cd are the same in both; e has cold, f flu, g asthma and h ulcer in common.
    assert found.risk.matches == 4 * 2 + 4
    assert found.meetings.meeting == 6
    (turned,) = sh.attack_composition([anatomized, MERGED], schema, groups=groups[::-1], truth=W).findings
    assert turned.risk == found.risk


def test_who_was_left_out_has_no_true_match():
    # Of a truth that says in which bucket each row was published, the last row was in none.
    truth = W.with_columns(where=pl.Series([0, 0, 1, 1, 2, 3, 3, None]))
    found = attack([MERGED, MERGED], truth=truth, own="where")
    assert (found.risk.true_matches, found.risk.matches) == (7, 16)
    assert attack([MERGED, BOXES], truth=truth, own="where").risk.true_matches == 7


def test_targets_of_whom_a_column_is_not_known():
    targets = pl.DataFrame({"age": [21, 41]})
    found = attack([SLICED, SLICED], targets=targets)
    # Without the sex, both values of a bucket are left.
    assert [target.candidates for target in found.targets] == [("cold", "flu"), ("cold", "ulcer")]
    known = attack([SLICED, SLICED], targets=pl.DataFrame({"age": [21], "sex": ["M"]}))
    assert known.targets[0].candidates == ("flu",)


def test_a_release_that_lacks_a_column_fits_everybody_there():
    found = attack([MERGED, MERGED.drop("zip")], truth=W)
    assert (found.risk.matches, found.disclosed) == (16, 0)


def test_a_bucket_column_without_groups_is_told():
    found = sh.attack_composition([MERGED, MERGED], SCHEMA, truth=W)
    assert any("if it numbers buckets" in note for note in found.notes)


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([["age"], ["sex", "disease"]], "in no group"),
        ([["age", "zip"], ["sex", "zip", "disease"]], "in two groups"),
        ([GROUPS], "groups for 1 of 2 releases"),
    ],
)
def test_groups_that_do_not_fit(groups, words):
    with pytest.raises(sh.ShoalError, match=words):
        sh.attack_composition([MERGED, MERGED], SCHEMA, truth=W, groups=groups)


def test_a_ledger_remembers_buckets_and_the_order_of_rows_changes_nothing(tmp_path):
    def read(frame):
        texts = frame.select(pl.all().cast(pl.String)).lazy()
        return read_buckets(texts, ["age", "sex", "zip"], ["disease"], name="it", groups=GROUPS, bucket="bucket")

    for frame in (SLICED, SLICED[::-1]):
        path = tmp_path / "ledger.json"
        path.write_text(json.dumps(Ledger((read(frame),)).as_dict()))
        found = attack([SLICED], truth=W, ledger=path)
        assert (found.risk.true_matches, found.risk.matches, found.disclosed) == (8, 16, 4)


def test_the_command_reads_groups_from_manifests_or_from_its_option(tmp_path, capsys):
    W.write_csv(tmp_path / "people.csv")
    for name in ("a.csv", "b.csv"):
        MERGED.write_csv(tmp_path / name)
        manifest = {"buckets": {"column": "bucket", "groups": GROUPS, "fakes_per_bucket": 0}}
        (tmp_path / f"{name}.manifest.json").write_text(json.dumps(manifest))
    names = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    options = ["--quasi", "age,sex,zip", "--sensitive", "disease", "--truth", str(tmp_path / "people.csv")]
    assert main(["attack", "composition", *names, *options, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["result"]["findings"][0]["risk"]
    assert (told["true_matches"], told["matches"]) == (8, 16)
    for name in ("a.csv", "b.csv"):
        (tmp_path / f"{name}.manifest.json").unlink()
    assert main(["attack", "composition", *names, *options, "--groups", "age,zip|sex,disease", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["result"]["findings"][0]["risk"] == told
