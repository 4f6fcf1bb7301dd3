"""Releases of noisy counts and of samples: rows, what is proven, and what is promised of them."""

import datetime as dt
import io
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import shoal as sh
from bucket_releases import Drawn, Sampled
from shoal.report.terminal import release_report
from shoal.workflow import run as runs
from shoal.workflow.forms.noisy import Noisy


def people(n=40):
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 25, n),
            "note": [f"note {i}" for i in range(n)],
            "disease": rng.choice(["cold", "flu"], n),
            "sex": rng.choice(["F", "M"], n),
        }
    )


def schema(**more):
    return sh.Schema(**{"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"], "drop": ["note"], **more})


def run(algorithm=None, *, frame=None, roles=None, models=None, seed=3, **more):
    return sh.anonymize(
        people() if frame is None else frame,
        roles or schema(),
        models=models or sh.LDiversity(sensitive="disease", l=2),
        algorithm=algorithm or Drawn(),
        seed=seed,
        **more,
    )


class TestNoise:
    def test_rows_are_as_many_as_the_numbers_that_were_drawn_say(self):
        release = run()
        noisy, table = release.recoding, release.table
        meant = Counter()
        for box, value, n in zip(noisy.region, noisy.values, noisy.counts, strict=True):
            cells = [h.leaves[code] for h, code in zip(table.hierarchies, noisy.lo[box], strict=True)]
            meant[(*cells, table.sensitive_hierarchies[0].leaves[value])] += int(n)
        assert Counter(release.data.select("age", "sex", "disease").rows()) == meant
        assert release.data.columns == ["age", "disease", "sex"]
        assert release.rows == release.data.height

    @pytest.mark.parametrize(
        "cells",
        [[True, False], [dt.date(2024, 3, 1), dt.date(2024, 3, 2)], [dt.time(9), dt.time(10, 30)]],
        ids=["truth values", "dates", "times"],
    )
    def test_sensitive_values_keep_their_type(self, cells):
        typed = people().with_columns(disease=pl.Series(cells * 20))
        out = run(frame=typed).data
        assert out.schema["disease"] == typed.schema["disease"]
        assert set(out["disease"]) == set(cells)

    def test_the_order_is_drawn_and_the_seed_repeats_it(self):
        first, again = run().data, run().data
        assert first.equals(again)
        assert not first.equals(first.sort("age", "sex", "disease"))

    def test_values_have_the_type_of_the_column_where_all_of_them_can(self):
        frame = people().with_columns(
            pl.col("disease").replace_strict({"cold": 1, "flu": 2}, return_dtype=pl.Int8)
        )
        assert run(frame=frame).data["disease"].dtype == pl.Int8

    @pytest.mark.parametrize(
        "tamper",
        [
            lambda f: f[1:],
            lambda f: pl.concat([f, f[:1]]),
            lambda f: f.with_columns(pl.lit("flu").alias("disease")),
            lambda f: f.with_columns(pl.lit("*").alias("sex")),
        ],
        ids=["a row is missing", "a row stands twice", "other values", "other labels"],
    )
    def test_rows_that_are_not_what_was_drawn_do_not_leave(self, tamper, monkeypatch):
        class Spoiled(Noisy):
            def publish(self, **settings):
                made = super().publish(**settings)
                return replace(made, frame=tamper(made.frame.collect()).lazy())

        form_of = runs.form_of
        monkeypatch.setattr(
            runs,
            "form_of",
            lambda recoding, prepared, plan: Spoiled(
                prepared, plan, form_of(recoding, prepared, plan).perturbation
            ),
        )
        with pytest.raises(sh.VerificationError, match="nothing was written"):
            run()

    def test_the_guarantee_its_limits_and_the_budget_are_told_everywhere(self, tmp_path):
        release = run(Drawn(sampling_rate=0.5))
        assert release.manifest["perturbation"] == {
            "epsilon": 1.0,
            "holds": True,
            "limits": ["The domain was declared."],
            "ledger": [{"what": "structure", "epsilon": 0.5}, {"what": "counts", "epsilon": 0.5}],
            "sampling_rate": 0.5,
        }
        assert "1-differentially private" in release.promises[0]
        assert any("Not promised" in told and "l-diversity" in told for told in release.promises)
        assert any("divide by 0.5" in told for told in release.promises)
        page = release.to_html(tmp_path / "in.html").read_text("utf-8")
        assert "1-differentially private" in page
        assert "structure" in page
        assert "The domain was declared." in release.to_html(tmp_path / "x.html", external=True).read_text("utf-8")
        assert release._repr_html_()

    def test_a_label_is_not_told_as_a_promise(self):
        release = run(Drawn(holds=False))
        assert "NOT differentially private" in release.promises[0]

    def test_no_verdict_no_loss_and_no_risk_is_told_of_rows_that_stand_for_nobody(self):
        release = run()
        assert release.verdicts == ()
        assert release.losses == {}
        assert release.loss is None
        assert release.risk is None
        assert json.dumps(release.as_dict())
        for ask in (lambda: release.measure("ncp"), release.explain, lambda: release.regions, release.mapping):
            with pytest.raises(sh.SpecError):
                ask()

    def test_the_terminal_tells_it_without_empty_tables(self):
        console = Console(width=80, record=True, file=io.StringIO())
        console.print(release_report(run().as_dict()))
        told = console.export_text()
        assert "Where the privacy budget went" in told
        assert "no published row stands for a record" in told
        assert "Risk of being found" not in told

    @pytest.mark.parametrize(
        "roles", [{"insensitive": ["note"], "drop": []}, {"sensitive": ["disease", "note"], "drop": []}]
    )
    def test_columns_that_no_number_was_drawn_for_are_refused(self, roles):
        with pytest.raises(sh.SchemaError):
            run(roles=schema(**roles))

    def test_a_table_that_is_mostly_noise_is_warned_of(self):
        class Loud(Drawn):
            def search(self, table, problem, rng):
                found = super().search(table, problem, rng)
                return replace(found, recoding=replace(found.recoding, counts=found.recoding.counts * 9))

        with pytest.warns(sh.ShoalWarning, match="most of them are noise"):
            run(Loud())

    def test_a_ledger_is_refused(self, tmp_path):
        with pytest.raises(sh.SpecError, match="ledger"):
            run(ledger=tmp_path / "ledger.json")

    def test_models_need_not_read_the_sensitive_column(self):
        release = run(models=sh.KAnonymity(k=2))
        assert "disease" in release.data.columns


class TestSamples:
    def test_withheld_rows_are_gone_and_every_figure_is_that_of_the_others(self):
        release = run(Sampled(), models=sh.KAnonymity(k=1))
        table = people().with_columns(pl.col("age").cast(pl.String)).group_by("age", "sex").len()
        taken = int(((table["len"] + 1) // 2).sum())
        assert release.data.height == taken == release.rows == release.table.n_rows
        assert release.manifest["rows"] == taken
        assert release.manifest["sampling_rate"] == 0.5
        assert release.as_dict()["withheld"] == 40 - taken
        assert release.losses["ncp"] == 0.5
        sizes = release.data.group_by("age").len()["len"]
        assert release.losses["discernibility"] == (sizes**2).sum()
        assert release.risk_after.smallest == sizes.min()
        assert release.suppressed == 0
        assert {e["rows"] for e in release.codebook()[0]["levels"]} == set(sizes)
        assert sum(e["rows"] for e in release.mapping() if e["column"] == "age") == taken

    def test_how_many_were_left_out_is_not_public(self):
        release = run(Sampled(), models=sh.KAnonymity(k=1))
        assert "withheld" not in release.manifest
        assert release.private["withheld"] > 0

    def test_the_other_columns_are_those_of_the_rows_that_were_taken(self):
        release = run(Sampled(), models=sh.KAnonymity(k=1), roles=schema(insensitive=["note"], drop=[]))
        before = people().with_columns(pl.col("age").cast(pl.String))
        joined = release.data.join(before, on="note", suffix="_before")
        assert joined.height == release.rows
        assert (joined["age"] == joined["age_before"]).all()
        assert (joined["disease"] == joined["disease_before"]).all()
        assert set(release.data["sex"]) == {"*"}

    def test_rows_keep_their_order_where_that_is_asked(self):
        release = run(
            Sampled(), models=sh.KAnonymity(k=1), roles=schema(insensitive=["note"], drop=[]), keep_order=True
        )
        numbers = [int(text.split()[1]) for text in release.data["note"]]
        assert numbers == sorted(numbers)

    def test_reports_and_explanations_speak_of_the_sample(self, tmp_path):
        release = run(Sampled(), models=sh.KAnonymity(k=1))
        assert release.explain().rows == release.rows
        release.to_html(tmp_path / "in.html")
        release.to_html(tmp_path / "out.html", external=True)
        assert "probability 0.5" in " ".join(release.promises)
