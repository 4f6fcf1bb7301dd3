"""A table of formulas and markup from the wild: its report escapes every value, and its CSV leaves them alone."""

import csv
import html
import re

from shared import ROOT, needs_shared
from shoal.cli.main import main


@needs_shared
def test_formulas_go_through_a_file_as_they_are_and_are_text_in_a_page(tmp_path):
    table = ROOT / "awkward/23_csv_injection.csv"
    options = ["--quasi", "name", "--sensitive", "comment", "-k", "1", "--quiet"]
    reports = ["--report", str(tmp_path / "in.html"), "--external-report", str(tmp_path / "ex.html")]
    assert main(["anonymize", str(table), *options, "-o", str(tmp_path / "out.csv"), *reports]) == 0
    with table.open(encoding="utf-8", newline="") as before, (tmp_path / "out.csv").open(newline="") as after:
        names = {row["name"] for row in csv.DictReader(before)}
        assert {row["name"] for row in csv.DictReader(after)} == names
    for page in ("in.html", "ex.html"):
        text = (tmp_path / page).read_text("utf-8")
        assert not re.search(r'(href|src)="(?!#)', text)
        assert text.count("<script") == 1
    assert '=HYPERLINK("http' in html.unescape((tmp_path / "in.html").read_text("utf-8"))
