"""Groups of columns of Adult, as a prototype of the method found them on all 48,842 records."""

import polars as pl
import pytest

import shoal as sh
from shared import ROOT, needs_shared
from shoal.algorithms.column_groups import column_groups, correlations
from shoal.io.frames import from_frame
from shoal.workflow.prepare import prepare

pytestmark = [pytest.mark.shared, needs_shared]

QUASI = ["age", "workclass", "marital-status", "relationship", "sex", "salary-class"]


@pytest.fixture(scope="module")
def frame():
    return pl.read_parquet(ROOT / "data" / "adult-uci" / "adult_full.parquet")


def table_of(frame, sensitive):
    schema = sh.Schema(quasi_identifiers=QUASI, sensitive=[sensitive], types={"age": "integer"})
    return prepare(from_frame(frame.select([*QUASI, sensitive])), schema, sensitive=[sensitive]).table


def test_how_strongly_columns_go_together(frame):
    table = table_of(frame, "occupation")
    found = correlations(table, "occupation")
    at = {name: i for i, name in enumerate([*table.names, "occupation"])}
    for first, second, value in [
        ("sex", "relationship", 0.418),
        ("marital-status", "relationship", 0.238),
        ("marital-status", "sex", 0.211),
        ("occupation", "sex", 0.180),
        ("occupation", "workclass", 0.160),
        ("occupation", "salary-class", 0.123),
    ]:
        assert found[at[first], at[second]] == pytest.approx(value, abs=6e-4)


@pytest.mark.parametrize(("sensitive", "anchor"), [("occupation", "sex"), ("education", "salary-class")])
def test_what_stays_with_the_sensitive_column(frame, sensitive, anchor):
    others, last = column_groups(table_of(frame, sensitive), sensitive)
    assert last == (anchor, sensitive)
    assert set(others) == set(QUASI) - {anchor}


@pytest.mark.parametrize(
    ("sensitive", "c", "alone"),
    [
        ("occupation", 2, {"workclass", "occupation"}),
        ("education", 2, {"workclass"}),
        ("education", 3, {"education"}),
    ],
)
def test_clusters_of_all_columns_are_no_design(frame, sensitive, c, alone):
    # Which columns stay with the sensitive one depends on how many clusters there are, and on the others.
    found = column_groups(table_of(frame, sensitive), sensitive, grouping="pam", c=c)
    assert alone in [set(group) for group in found]
