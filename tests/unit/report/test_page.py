"""The page of a report: it tells the account, escapes every text and needs nothing else."""

import csv
import html
import json
import re
import stat
from html.parser import HTMLParser

import polars as pl
import pytest

from shoal.algorithms import ALGORITHMS
from shoal.core.schema import Schema
from shoal.errors import SpecError
from shoal.models import KAnonymity, LDiversity
from shoal.report.page import account_page
from shoal.workflow import anonymize, sweep
from unit.report.releases import HOSTILE, ROLES, hostile, release, visits

VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(HTMLParser):
    """Collects what a page holds, and that its elements nest."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.references, self.open, self.texts = [], [], [], [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append((tag, found))
        self.ids += [found["id"]] if "id" in found else []
        for key in ("aria-labelledby", "aria-describedby"):
            self.references += found.get(key, "").split()
        if found.get("href", "").startswith("#"):
            self.references.append(found["href"][1:])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text)


@pytest.fixture(scope="module")
def made():
    return release()


@pytest.fixture(scope="module", params=["internal", "external"])
def text(request, made):
    return account_page(made.account(external=request.param == "external"))


def test_the_page_needs_no_network_and_runs_no_script(text):
    page = Page(text)
    for tag, found in page.tags:
        assert not {"src", "srcset", "action", "xlink:href"} & set(found), tag
        assert not [name for name in found if name.startswith("on")], tag
        assert found.get("href", "#").startswith("#")
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        assert tag != "script" or found["type"] == "application/json"
    assert "default-src 'none'" in text
    styles = re.findall(r"<style>.*?</style>", text, re.DOTALL)
    assert not re.search(r"url\(|@import", "".join(styles))


def test_ids_are_unique_and_whatever_is_referred_to_is_there(text):
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert set(page.references) <= set(page.ids)


def test_every_plot_has_a_title_a_text_and_a_table(text):
    figures = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    assert len(figures) >= 4
    for figure in figures:
        page = Page(figure)
        drawn = next(found for tag, found in page.tags if found.get("role") == "img")
        assert {"aria-labelledby", "aria-describedby"} <= set(drawn)
        assert {"svg", "table", "h3", "caption"} <= {tag for tag, _ in page.tags}
        assert re.search(r"\d", figure.split('class="unseen">')[1])


def test_the_account_stands_in_the_page_as_json(made):
    for external in (False, True):
        account = made.account(external=external)
        data = re.search(
            r'<script type="application/json" id="account">(.*?)</script>', account_page(account), re.DOTALL
        )
        assert json.loads(data[1]) == account


def test_a_plot_takes_its_colours_from_the_page(text):
    drawn = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert not re.search(r"#0[0-9a-f]{5}", drawn), "a stand-in for a colour was left"
    assert set(re.findall(r"var\(--(\w+)\)", drawn)) <= set(re.findall(r"--(\w+):", text))


def test_hostile_texts_are_text(tmp_path):
    made = hostile()
    for external in (False, True):
        text = made.to_html(tmp_path / f"{external}.html", external=external).read_text("utf-8")
        page = Page(text)
        assert [found for tag, found in page.tags if tag == "script"] == [
            {"type": "application/json", "id": "account"}
        ]
        assert "img" not in {tag for tag, _ in page.tags}
        assert "<b>" not in text
        assert "{{ 7 * 7 }}" in html.unescape(text)
        assert "<b>note</b>" in html.unescape(text)
    assert "<b>" not in made._repr_html_()


def test_a_mapping_leaves_values_as_they_are_and_is_private(tmp_path):
    made = hostile()
    path = made.to_mapping(tmp_path / "mapping.csv")
    with path.open(encoding="utf-8", newline="") as read:
        rows = list(csv.DictReader(read))
    assert {row["value"] for row in rows if row["column"] == "town"} == set(HOSTILE)
    assert sum(int(row["records"]) for row in rows if row["column"] == "age") == 240
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_mapping_tells_what_was_published_for_each_value():
    made = release()
    published = {}
    for row in made.mapping():
        published.setdefault((row["column"], row["published"]), 0)
        published[row["column"], row["published"]] += row["rows"]
    for column in ("age", "town"):
        counted = dict(made.data[column].value_counts().iter_rows())
        assert {label: n for (name, label), n in published.items() if name == column} == counted


def test_a_codebook_counts_the_published_table():
    made = release()
    for entry in made.codebook():
        counted = dict(made.data[entry["name"]].value_counts().iter_rows())
        assert {level["label"]: level["rows"] for level in entry["levels"]} == counted


def test_the_json_beside_a_page_is_the_same(made, tmp_path):
    path = made.to_html(tmp_path / "report.json", external=True)
    assert json.loads(path.read_text("utf-8")) == made.account(external=True)


def test_a_report_is_not_overwritten_and_is_a_page_or_json(made, tmp_path):
    path = made.to_html(tmp_path / "report.html")
    with pytest.raises(SpecError, match="exists"):
        made.to_html(path)
    assert made.to_html(path, force=True) == path
    with pytest.raises(SpecError, match="a page or JSON"):
        made.to_html(tmp_path / "report.pdf")


def test_a_private_report_tells_the_choices_that_were_looked_at(made, tmp_path):
    tried = sweep(visits(), ROLES, k=[2, 5, 500])
    page = made.to_html(tmp_path / "report.html", sweep=tried).read_text("utf-8")
    assert "Recommended: k = " in page
    assert "1 choice not feasible" in page


def test_a_notebook_shows_no_row(made):
    shown = made._repr_html_()
    assert "k-anonymity" in shown or "look-alikes" in shown
    assert not [value for value in ("Aam", "measles", "person 1", "987654321") if value in shown]


def test_a_table_that_is_all_alike_has_a_report(tmp_path):
    frame = pl.DataFrame({"town": ["a"] * 6})
    made = anonymize(frame, Schema(quasi_identifiers=["town"]), models=KAnonymity(k=2), seed=1)
    made.to_html(tmp_path / "internal.html")
    made.to_html(tmp_path / "external.html", external=True)


def publishes_boxes(name):
    return getattr(ALGORITHMS[name], "publishes", "boxes") == "boxes"


@pytest.mark.parametrize("name", sorted(filter(publishes_boxes, ALGORITHMS)))
def test_whatever_the_algorithm_a_release_has_both_accounts(name):
    frame = visits().with_columns(pl.Series("disease", ["flu", "cold"] * 120))
    # Half of the table has each disease, and a sample need not.
    models = KAnonymity(k=2) if name == "sampled" else LDiversity(sensitive="disease", l=2, kind="frequency")
    made = release(frame, algorithm=name, models=[models])
    for external in (False, True):
        account = made.account(external=external)
        json.dumps(account, allow_nan=False)
        assert {found["column"] for found in account["distributions"]} == {"age", "town"}
        for found in account["distributions"]:
            assert sum(group["before"] for group in found["groups"]) <= 240
            # Each group is rounded by itself.
            assert sum(group["after"] for group in found["groups"]) <= 240 + len(found["groups"]) / 2


def test_places_in_groups_are_not_called_people_where_somebody_is_in_several():
    # 40 people with six visits each, at ages far apart: far more places in groups than people.
    visited = pl.DataFrame(
        {"who": [f"p{i % 40}" for i in range(240)], "age": [f"{20 + i * 7 % 60}" for i in range(240)]}
    )
    schema = Schema(quasi_identifiers=["age"], unit="who")
    account = anonymize(visited, schema, models=KAnonymity(k=5), algorithm="optimal", seed=1).account()
    assert account["rows"]["people"] == 40
    before = sum(group["members_before"] for group in account["class_sizes"]["bins"])
    assert before > 40
    told = html.unescape(account_page(account))
    assert f"of {before} people" not in told
    assert f"of {before} places of people in groups" in told
