"""Bucket releases: what their rows hold, what is proven of them, and what a spoiled one is refused for."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal as sh
from bucket_releases import Dealt
from shoal.core.buckets import Fakes
from shoal.workflow.forms import bucketed
from shoal.workflow.forms.bucket_rows import publish_buckets

GROUPS = (("age", "zip"), ("sex", "disease"))
DISEASES = ["asthma", "cold", "flu", "ulcer"]


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": rng.integers(20, 60, n),
            "disease": [DISEASES[i % 4] for i in range(n)],
            "zip": rng.choice(["A1", "A2", "B1"], n),
            "note": [f"note {i}" for i in range(n)],
            "sex": rng.choice(["F", "M"], n),
        }
    )


def schema(**more):
    roles = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["disease"], "identifiers": ["name"]}
    return sh.Schema(**{**roles, "drop": [] if "insensitive" in more else ["note"], **more})


def run(frame=None, *, seed=3, models=None, sensitive=None, algorithm=None, **more):
    algorithm = algorithm or Dealt(rows=4, groups=GROUPS)
    models = models or sh.LDiversity(sensitive="disease", l=2)
    return sh.anonymize(
        people() if frame is None else frame,
        sensitive or schema(),
        models=models,
        algorithm=algorithm,
        seed=seed,
        **more,
    )


def per_bucket(frame, names):
    return Counter(frame.select("bucket", *names).rows())


class TestRows:
    def test_columns_are_those_of_the_schema_and_the_bucket_last_and_rows_lie_by_bucket(self):
        out = run().data
        assert out.columns == ["age", "disease", "zip", "sex", "bucket"]
        assert out["bucket"].dtype.is_integer()
        assert out["bucket"].is_sorted()
        assert sorted(set(out["bucket"])) == list(range(15))

    def test_each_group_keeps_its_cells_together_and_the_others_apart(self):
        frame = people()
        out = run(frame).data
        text = frame.with_columns(pl.col("age").cast(pl.String))
        for group in GROUPS:
            assert Counter(out.select(group).rows()) == Counter(text.select(group).rows())
        whole = ["age", "zip", "sex", "disease"]
        assert Counter(out.select(whole).rows()) != Counter(text.select(whole).rows())

    def test_the_numbers_of_buckets_and_the_orders_in_them_come_from_the_seed(self):
        first, again, other = run(seed=3).data, run(seed=3).data, run(seed=4).data
        assert first.equals(again)
        assert not first.equals(other)
        # Another seed moves whole buckets and the rows in them, and nothing else.
        inside = [
            Counter(frozenset(Counter(b.select(g).rows()).items()) for b in out.partition_by("bucket"))
            for g in GROUPS
            for out in (first, other)
        ]
        assert inside[0] == inside[1]
        assert inside[2] == inside[3]

    def test_fakes_add_rows_whose_cells_the_bucket_has_already(self):
        plain, more = (run(algorithm=Dealt(rows=4, groups=GROUPS, fakes=n)) for n in (0, 2))
        assert more.data.height == plain.data.height + 2 * 15
        assert set(per_bucket(more.data, ["age", "zip"])) == set(per_bucket(plain.data, ["age", "zip"]))
        assert (more.data["bucket"].value_counts()["count"] == 6).all()

    def test_fakes_do_not_lie_at_the_end_of_their_bucket(self):
        # Were they last, the last rows of the buckets would be those that vary with the fakes' seed.
        lasts = set()
        for seed in range(8):
            out = run(algorithm=Dealt(rows=4, groups=GROUPS, fakes=1), seed=seed)
            lasts |= set(out.data.group_by("bucket", maintain_order=True).last().select("disease").to_series())
        assert lasts == set(DISEASES)

    def test_every_way_in_which_cells_may_go_together_is_drawn_some_time(self):
        frame = pl.DataFrame({"age": [1, 2], "sex": ["F", "M"], "disease": ["flu", "cold"]})
        roles = sh.Schema(quasi_identifiers=["age", "sex"], sensitive=["disease"])
        algorithm = Dealt(rows=2, groups=(("age",), ("sex",), ("disease",)))
        tables = {
            tuple(sorted(run(frame, sensitive=roles, algorithm=algorithm, seed=seed).data.drop("bucket").rows()))
            for seed in range(24)
        }
        assert len(tables) == 4

    def test_cells_that_cannot_be_are_widened_in_other_groups_too(self):
        frame = people()
        merging = sh.Merging(grouping=[["age", "zip"], ["sex", "disease"]], n=0, forbidden=[("zip", "A1", "flu")])
        release = run(frame, algorithm=merging)
        inside = {row["bucket"] for row in release.data.iter_rows(named=True) if row["disease"] == "flu"}
        seen = {row["zip"] for row in release.data.iter_rows(named=True) if row["bucket"] in inside}
        assert "A1" not in seen

    def test_widened_cells_are_labels(self):
        out = run(algorithm=Dealt(rows=4, groups=GROUPS, widened=True)).data
        assert set(out["sex"]) == {"*"}
        assert "*" not in set(out["age"])

    def test_suppressed_rows_are_left_out(self):
        release = run(algorithm=Dealt(rows=4, groups=GROUPS, suppressed=4), suppression_limit="0.1")
        assert release.data.height == 56
        assert release.suppressed == 4
        assert release.manifest["rows"] == 56
        assert release.manifest["method"]["suppressed"] == "drop"

    def test_a_frame_of_pandas_comes_back_as_one_with_the_same_rows(self):
        frame = people().to_pandas()
        out = run(frame).data
        assert isinstance(out, pd.DataFrame)
        assert out.equals(run(people()).data.to_pandas())

    def test_sensitive_cells_keep_their_type_fakes_too(self):
        frame = people().with_columns(pl.Series("disease", [i % 4 for i in range(60)], dtype=pl.Int16))
        out = run(frame, algorithm=Dealt(rows=4, groups=GROUPS, fakes=1)).data
        assert out["disease"].dtype == pl.Int16
        assert set(out["disease"]) == {0, 1, 2, 3}

    @pytest.mark.parametrize("name", ["v", "__who__", "__rows__", "__pairs__"])
    @pytest.mark.parametrize("algorithm", [sh.Merging(), sh.Slicing()], ids=["merging", "slicing"])
    def test_a_column_may_have_any_name(self, algorithm, name):
        # Among them names that are given to what is counted on the way.
        frame = people().with_columns(pl.col("age") // 20)
        for column in ("sex", "disease"):
            roles = sh.Schema(
                quasi_identifiers=[name if q == column else q for q in ("age", "zip", "sex")],
                drop=["name", "note"],
                sensitive=[name if column == "disease" else "disease"],
            )
            models = sh.LDiversity(sensitive=roles.sensitive[0], l="11/10", kind="frequency")
            if algorithm.name == "merging":
                models = replace(models, l=2, kind="distinct")
            out = run(frame.rename({column: name}), sensitive=roles, models=models, algorithm=algorithm).data
            assert name in out.columns

    def test_people_are_counted_where_a_column_says_who_a_row_is_of(self):
        # Each disease is one person's with many visits: four people in each bucket, and two values count for two.
        frame = people().with_columns(pl.Series("who", [f"person {i % 4}" for i in range(60)]))
        release = run(frame, sensitive=schema(unit="who"), algorithm=Dealt(rows=20, groups=GROUPS, fakes=1))
        assert "who" not in release.data.columns
        assert release.manifest["classes"] == 3
        assert release.losses["discernibility"] == 3 * 20**2
        assert release.as_dict()["verdicts"][0]["achieved"] == 4


class TestInsensitiveColumns:
    def test_each_has_an_order_of_its_own_in_its_bucket(self):
        free = schema(insensitive=["note"])
        frame = people().with_columns(other=pl.col("note").str.replace("note", "other"))
        free = schema(insensitive=["note", "other"])
        out = run(frame, sensitive=free).data
        assert Counter(out["note"]) == Counter(frame["note"])
        number = [text.split()[1] for text in out["note"]]
        assert number != [text.split()[1] for text in out["other"]]
        buckets = zip(out["bucket"], number, out["other"], strict=True)
        seen = {}
        for bucket, note, other in buckets:
            notes, others = seen.setdefault(bucket, (set(), set()))
            notes.add(note)
            others.add(other.split()[1])
        assert all(notes == others for notes, others in seen.values())

    def test_they_are_refused_beside_fakes_unless_those_may_copy_them(self):
        free = schema(insensitive=["note"])
        with pytest.raises(sh.SchemaError, match="fake rows have no cells of insensitive columns") as caught:
            run(sensitive=free, algorithm=Dealt(rows=4, groups=GROUPS, fakes=1))
        assert 'insensitive = "copy"' in caught.value.fix
        out = run(sensitive=free, algorithm=Dealt(rows=4, groups=GROUPS, fakes=1), insensitive="copy").data
        counts = Counter(out["note"])
        assert set(counts) == set(people()["note"])
        assert sorted(counts.values())[-15:] == [2] * 15
        # Each fake copies one note of its own bucket.
        assert all(n == 1 for n in Counter(zip(out["note"], out["bucket"], strict=True)).values()) is False
        assert out.group_by("bucket").agg(pl.col("note").n_unique() == pl.len() - 1)["note"].all()

    def test_the_form_is_checked(self):
        with pytest.raises(sh.SpecError, match="insensitive"):
            run(insensitive="invent")


class TestWhatIsTold:
    def test_the_manifest_says_how_to_read_the_table_and_not_which_rows_are_fake(self):
        release = run(algorithm=Dealt(rows=4, groups=GROUPS, fakes=1))
        assert release.manifest["buckets"] == {
            "column": "bucket",
            "groups": [["age", "zip"], ["sex", "disease"]],
            "fakes_per_bucket": 1,
            "fakes": 15,
            "n_buckets": 15,
            "linked_values": 0,
        }
        assert "seed" not in json.dumps(release.manifest)
        assert release.private["seed"] == 3
        assert set(release.private["risks"]) == {"before", "after", "link", "population"}
        assert "link" not in release.manifest

    def test_identity_is_not_told_as_a_small_risk(self):
        release = run()
        assert release.risk is None
        told = " ".join(release.promises)
        assert "Quasi-identifiers are published exactly" in told
        assert "not protected" in told
        assert release.kind == "buckets"

    def test_the_risk_of_the_link_is_that_of_the_probabilities_over_all_buckets(self):
        frame = pl.DataFrame(
            {"age": [1, 2, 3, 4], "sex": ["F", "M", "F", "M"], "disease": ["flu", "cold", "flu", "ulcer"]}
        )
        roles = sh.Schema(quasi_identifiers=["age", "sex"], sensitive=["disease"])
        release = run(frame, sensitive=roles, algorithm=Dealt(rows=4, groups=(("age",), ("sex", "disease"))))
        # In the only bucket both women have flu, and the men one of two values each.
        assert release.link == {
            "sensitive": "disease",
            "highest": 1.0,
            "average": 0.75,
            "highest_in_bucket": 1.0,
            "fewest_values": 1,
        }

    def test_losses_of_cells_are_measured_on_cells_and_those_of_classes_on_buckets(self):
        exact, wide = run(), run(algorithm=Dealt(rows=4, groups=GROUPS, widened=True))
        assert exact.loss == 0
        assert wide.loss == pytest.approx(1 / 3)
        assert exact.losses["discernibility"] == 15 * 16
        assert exact.measure("precision") == 0
        with pytest.raises(sh.SpecError, match="one record"):
            exact.measure("kl-divergence")

    def test_columns_say_in_which_group_they_are(self):
        columns = {column["name"]: column for column in run().columns}
        assert [columns[name]["group"] for name in ("age", "zip", "sex", "disease")] == [1, 1, 2, 2]
        assert columns["age"]["action"] == "kept"

    def test_reports_are_written_and_the_external_one_tells_no_risk(self, tmp_path):
        release = run(algorithm=Dealt(rows=4, groups=GROUPS, fakes=1))
        inside = release.to_html(tmp_path / "in.html").read_text("utf-8")
        assert "guesses disease right" in inside
        outside = release.to_html(tmp_path / "out.html", external=True).read_text("utf-8")
        assert "guesses disease right" not in outside
        assert "Records were put into buckets" in outside
        account = release.account(external=True)
        assert account["distributions"] == []
        assert all(entry["levels"] is None for entry in account["codebook"])
        assert "link" not in account

    def test_a_mapping_says_what_each_value_was_published_as(self):
        entries = run(algorithm=Dealt(rows=4, groups=GROUPS, widened=True)).mapping()
        assert {e["published"] for e in entries if e["column"] == "sex"} == {"*"}

    def test_the_order_of_rows_is_not_kept_and_a_warning_says_so(self):
        with pytest.warns(sh.ShoalWarning, match="rows lie by bucket"):
            kept = run(keep_order=True).data
        assert kept.equals(run().data)


class TestWhatCannotBeAsked:
    def test_a_policy_is_refused_since_it_speaks_of_look_alikes(self):
        with pytest.raises(sh.SpecError, match="a policy speaks of groups of look-alikes"):
            run(policy="hipaa-expert")

    def test_an_explanation_is_refused(self):
        with pytest.raises(sh.SpecError, match="explanation"):
            run().explain()

    def test_a_column_called_bucket_is_refused_before_the_search(self):
        frame = people().rename({"zip": "bucket"})
        roles = schema(quasi_identifiers=["age", "bucket", "sex"])
        with pytest.raises(sh.SpecError, match="'bucket'") as caught:
            run(frame, sensitive=roles, algorithm=Dealt(groups=(("age", "bucket"), ("sex", "disease"))))
        assert "rename" in caught.value.fix

    def test_a_second_sensitive_column_is_refused(self):
        with pytest.raises(sh.SchemaError, match="one sensitive column"):
            run(sensitive=schema(sensitive=["disease", "note"], drop=[]))

    def test_pseudonyms_are_refused(self):
        with pytest.raises(sh.SchemaError, match="pseudonyms"):
            run(sensitive=schema(identifiers=[], pseudonyms=["name"]), pseudonym_key=b"0" * 32)


def spoiled(**changes):
    return lambda buckets: replace(buckets, **{name: change(buckets) for name, change in changes.items()})


def without_a_row(buckets):
    rows = buckets.rows.copy()
    rows[0] += 1
    return rows


def moved_cell(buckets):
    lo = buckets.lo.copy()
    lo[0, 0] = lo[0, 0] + 1 if lo[0, 0] == 0 else lo[0, 0] - 1
    return lo


def all_ages(end):
    """Return a change that widens every age to the ages that there are, one end of it."""

    def change(buckets):
        sides = (buckets.lo if end == 0 else buckets.hi).copy()
        sides[:, 0] = 0 if end == 0 else buckets.hi[:, 0].max()
        return sides

    return change


class TestDecisionsThatDoNotFitTheInput:
    @pytest.mark.parametrize(
        ("change", "where"),
        [
            (spoiled(rows=without_a_row), "missing or stand twice"),
            (spoiled(lo=moved_cell, hi=moved_cell), "do not cover"),
            (spoiled(lo=all_ages(0), hi=all_ages(-1)), "widened that need not be"),
            (spoiled(groups=lambda _: (("age",), ("sex", "disease"))), "in no group"),
            (
                spoiled(fakes=lambda b: Fakes(b.fakes.bucket[::-1].copy(), b.fakes.source, b.fakes.sensitive)),
                "other buckets",
            ),
        ],
    )
    def test_they_are_refused(self, change, where):
        with pytest.raises(sh.VerificationError) as caught:
            run(algorithm=Dealt(rows=4, groups=GROUPS, fakes=1, change=change))
        assert where in caught.value.where

    def test_more_suppressed_rows_than_allowed_are_refused(self):
        with pytest.raises(sh.VerificationError) as caught:
            run(algorithm=Dealt(rows=4, groups=GROUPS, suppressed=4), suppression_limit="0.05")
        assert "suppressed" in caught.value.where

    def test_a_bucket_that_violates_a_model_is_refused(self):
        with pytest.raises(sh.VerificationError, match="l-diversity"):
            run(models=sh.LDiversity(sensitive="disease", l=3), algorithm=Dealt(rows=2, groups=GROUPS))

    def test_fakes_do_not_help_a_model(self):
        # Two rows a bucket have two values; the fakes among them have others.
        with pytest.raises(sh.VerificationError, match="l-diversity"):
            run(models=sh.LDiversity(sensitive="disease", l=3), algorithm=Dealt(rows=2, groups=GROUPS, fakes=4))

    def test_a_promised_link_that_does_not_hold_is_refused(self):
        with pytest.raises(sh.VerificationError, match="linked with 4 different values"):
            run(algorithm=Dealt(rows=4, groups=GROUPS, linked=4))
        kept = run(algorithm=Dealt(rows=4, groups=GROUPS, linked=4, widened=True))
        assert kept.link["fewest_values"] == 4

    def test_a_promised_probability_that_does_not_hold_is_refused(self):
        with pytest.raises(sh.VerificationError, match="probability"):
            run(algorithm=Dealt(rows=4, groups=GROUPS, change=spoiled(surest=lambda _: 0.2)))


def swapped(frame, column):
    """Swap the first cell of a column with the first other one of another bucket."""
    cells, buckets = frame[column].to_list(), frame["bucket"].to_list()
    at = next(i for i in range(len(cells)) if cells[i] != cells[0] and buckets[i] != buckets[0])
    cells[0], cells[at] = cells[at], cells[0]
    return frame.with_columns(pl.Series(column, cells))


def swapped_inside(frame, column):
    """Swap two cells of one bucket, so that its cells no longer stand beside those of their group."""
    for b in sorted(set(frame["bucket"])):
        at = [i for i, found in enumerate(frame["bucket"]) if found == b]
        cells = frame[column].to_list()
        for i in at:
            for j in at:
                mixed = cells.copy()
                mixed[i], mixed[j] = mixed[j], mixed[i]
                out = frame.with_columns(pl.Series(column, mixed))
                if any(per_bucket(out, g) != per_bucket(frame, g) for g in GROUPS):
                    return out
    raise AssertionError("no swap changes anything")


TAMPERINGS = {
    "a quasi-identifier of another bucket": lambda f: swapped(f, "zip"),
    "a quasi-identifier beside the sensitive one": lambda f: swapped_inside(f, "sex"),
    "a sensitive value of another bucket": lambda f: swapped(f, "disease"),
    "a sensitive value beside another cell": lambda f: swapped_inside(f, "disease"),
    "a value that nobody has": lambda f: f.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("plague")).otherwise("disease").alias("disease")
    ),
    "a row in another bucket": lambda f: f.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(f["bucket"].max()).otherwise("bucket").alias("bucket")
    ),
    "a row is missing": lambda f: f[1:],
    "a row stands twice": lambda f: pl.concat([f[:1], f]),
    "a cell is coarser": lambda f: f.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("*")).otherwise("age").alias("age")
    ),
}


class TestTampering:
    @pytest.mark.parametrize("tamper", TAMPERINGS.values(), ids=TAMPERINGS)
    @pytest.mark.parametrize("fakes", [0, 1])
    def test_rows_that_are_not_what_was_decided_do_not_leave(self, tamper, fakes, monkeypatch):
        def publish(*args, **more):
            made = publish_buckets(*args, **more)
            rows = tamper(made.frame.collect())
            unit = made.unit
            fake = np.resize(made.fake, rows.height)
            return replace(made, frame=rows.lazy(), fake=fake, unit=unit)

        monkeypatch.setattr(bucketed, "publish_buckets", publish)
        with pytest.raises(sh.VerificationError, match="nothing was written"):
            run(algorithm=Dealt(rows=4, groups=GROUPS, fakes=fakes))


class TestLedger:
    def test_it_remembers_what_each_bucket_published(self, tmp_path):
        path = tmp_path / "ledger.json"
        first = run(algorithm=Dealt(rows=4, groups=GROUPS, widened=True), ledger=path)
        entry = json.loads(path.read_text("utf-8"))["releases"][0]
        assert len(entry["groups"]) == 2
        assert len(entry["classes"]) == first.manifest["buckets"]["n_buckets"]
        assert "rows" not in json.dumps(entry)

    def test_a_second_release_is_held_against_the_first(self, tmp_path):
        path = tmp_path / "ledger.json"
        run(algorithm=Dealt(rows=4, groups=GROUPS, widened=True), ledger=path)
        again = run(algorithm=Dealt(rows=4, groups=GROUPS, widened=True), ledger=path, seed=4)
        verdict = again.private["ledger"][0]
        # The same buckets once more tell nothing new.
        assert (verdict["safe"], verdict["records"]) == (True, 60)

    def test_values_that_one_bucket_has_and_the_other_not_give_people_away(self, tmp_path):
        path, frame = tmp_path / "ledger.json", pl.DataFrame({"age": [1, 2], "disease": ["flu", "cold"]})
        roles = sh.Schema(quasi_identifiers=["age"], sensitive=["disease"])
        algorithm = Dealt(rows=2, groups=(("age",), ("disease",)))
        run(frame, sensitive=roles, algorithm=algorithm, ledger=path)
        other = frame.with_columns(disease=pl.Series(["flu", "ulcer"]))
        with pytest.warns(sh.ShoalWarning, match="not safe together with release 1"):
            found = run(other, sensitive=roles, algorithm=algorithm, ledger=path)
        assert found.private["ledger"][0]["newly_disclosed"] == 2


class TestVerify:
    def test_buckets_are_judged_by_their_column(self):
        out = run().data
        models = sh.LDiversity(sensitive="disease", l=4)
        assert sh.verify(out, schema(), models=models, bucket="bucket").satisfied
        assert not sh.verify(out, schema(), models=models).satisfied
        found = sh.verify(out, schema(), models=sh.LDiversity(sensitive="disease", l=5), bucket="bucket")
        assert not found.satisfied
        assert found.classes == 15
        assert found.risk is None
        assert any("fake rows" in note for note in found.notes)

    def test_a_table_without_the_column_is_refused(self):
        with pytest.raises(sh.SpecError, match="no column 'bucket'"):
            sh.verify(run().data.drop("bucket"), schema(), models=sh.KAnonymity(k=2), bucket="bucket")
