"""Facts about columns, hand counted and against plain Python."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.io.facts import MARKERS
from shoal.io.profile import profile

cells = st.one_of(
    st.none(),
    st.sampled_from(["", "?", "NA", "1", "01", "-3", "1.5", "1,5", "2020-02-29", "2021-02-29", " x", "X", "13*"]),
    st.text(max_size=4),
)


def facts_of(values, **options):
    return profile(pl.LazyFrame({"c": values}, schema={"c": pl.String}), **options).columns[0]


@pytest.mark.parametrize(
    ("pattern", "fits", "does_not"),
    [
        ("integer", ["0", "-7", "123456789012345"], ["007", "1.0", "+1", "1234567890123456", "٣", ""]),
        ("leading_zero", ["01", "00501"], ["0", "10", "0a"]),
        ("decimal", ["1.5", ".5", "1e-05", "3", "-0.0"], ["1,5", "01.5", "1e999", "nan", "inf"]),
        ("decimal_comma", ["1234,50", ",5", "-0,1"], ["1.5", "1.234,5", "1,234.5", ","]),
        ("date", ["2020-02-29", "0001-01-01"], ["2021-02-29", "0000-01-01", "2020-1-1", "2020-13-01"]),
        ("timestamp", ["2020-02-29T10:30", "2020-02-29 10:30:00Z"], ["2021-02-29T10:30", "2020-02-29T25:00"]),
        ("other_date", ["3/4/2020", "24.12.1999", "1/2/99", "2020/12/24"], ["2020-12-24", "1.5", "3/4"]),
        ("masked", ["1305*", "*", "(617)*"], ["a*b", "13"]),
        ("padded", [" Private", "private ", "\tx"], ["a b"]),
    ],
)
def test_a_pattern_fits_what_its_name_says(pattern, fits, does_not):
    assert facts_of(fits, missing=()).counts[pattern] == len(fits)
    assert facts_of(does_not, missing=()).counts[pattern] == 0


def test_missing_texts_are_declared_and_markers_only_counted():
    facts = facts_of(["39", "39", None, "", "NA", "-", "99"])
    assert facts.n_missing == 2
    assert facts.markers == {"NA": 1, "-": 1}
    assert not facts.all_are("integer")
    assert facts.all_are("integer", markers=True)
    assert facts_of(["39", "", "NA"], missing=("NA",)).n_missing == 1


def test_length_words_lines_and_variants():
    facts = facts_of(["one two", "a\nb c", "Private", " private", "private"])
    assert (facts.min_length, facts.max_length) == (5, 8)
    assert facts.mean_length == pytest.approx((7 + 5 + 7 + 8 + 7) / 5)
    assert facts.mean_words == pytest.approx((2 + 3 + 1 + 1 + 1) / 5)
    assert facts.n_multiline == 1
    assert facts.n_variants == 2


def test_numbers_with_a_decimal_comma_have_a_span():
    assert facts_of(["1234,5", "0,5", "10"]).extent == (0.5, 1234.5)
    assert facts_of(["a"]).span is None


@settings(max_examples=60, deadline=None)
@given(st.lists(cells, max_size=12))
def test_facts_agree_with_plain_python(values):
    facts = facts_of(values)
    present = [value for value in values if value not in (None, "")]
    assert facts.n_rows == len(values)
    assert facts.n_present == len(present)
    assert facts.n_distinct == len(set(present))
    assert facts.distinct_exact
    assert facts.max_length == max(map(len, present), default=0)
    assert dict(facts.markers) == {m: present.count(m) for m in MARKERS if m in present}
    assert facts.counts["masked"] == sum(value.endswith("*") for value in present)
    assert facts.counts["leading_zero"] == present.count("01")


def test_a_sample_is_spread_over_the_table_and_rare_cells_are_still_counted():
    n = 5_000
    frame = pl.LazyFrame({"c": [str(i) for i in range(n)], "d": ["a"] * (n - 2) + ["?", "b*"]})
    facts = profile(frame, sample_rows=100)
    assert facts.sample.height == 100
    assert facts.columns[0].extent == (0.0, 4950.0)
    assert facts.columns[1].markers == {"?": 1}
    assert facts.columns[1].counts["masked"] == 1
    assert len(facts.values("c", limit=10)) == 10


def test_distinct_values_of_a_long_table_are_estimated():
    n = 400_000
    numbers = pl.select(i=pl.int_range(n)).with_columns(
        unique=pl.col("i").cast(pl.String),
        half=(pl.col("i") // 2).cast(pl.String),
        few=(pl.col("i") % 7).cast(pl.String),
    )
    unique, half, few = profile(numbers.lazy().select("unique", "half", "few")).columns
    assert not unique.distinct_exact
    assert unique.n_distinct == pytest.approx(n, rel=0.03)
    assert half.n_distinct == pytest.approx(n / 2, rel=0.03)
    assert (few.n_distinct, few.distinct_exact) == (7, True)


def test_texts_that_come_back_are_looked_at_once_and_counted_for_all_their_rows():
    texts = ["a", "b*", " c", "01", "2.50", "1,5", "2020-02-30", "2020-02-28", "?", "NA", "", None, "*"]
    # An odd number of texts, so that every second row has each of them.
    n = 40 * len(texts)
    frame = pl.LazyFrame({"c": texts * 40, "d": ["x", None] * (n // 2), "e": [None] * n})
    once, each = profile(frame, sample_rows=10**6), profile(frame, sample_rows=n // 2)
    for few, all_ in zip(each.columns, once.columns, strict=True):
        for fact in ("n_missing", "n_distinct", "min_length", "max_length", "counts", "markers"):
            assert getattr(few, fact) == getattr(all_, fact), fact
        assert few.mean_length == pytest.approx(all_.mean_length)


def test_typed_columns_are_read_as_the_texts_they_would_be():
    frame = pl.LazyFrame(
        {
            "day": [dt.date(2020, 2, 29)],
            "at": [dt.datetime(2020, 2, 29, 10, 30)],  # noqa: DTZ001 - a column without a zone
            "n": [7],
            "x": [1.5],
            "c": pl.Series(["a"], dtype=pl.Categorical),
            "nothing": [None],
            "many": [[1, 2]],
            "bytes": [b"x"],
        }
    )
    facts = {column.name: column for column in profile(frame).columns}
    assert facts["day"].all_are("date")
    assert facts["at"].all_are("timestamp")
    assert facts["n"].all_are("integer")
    assert facts["x"].all_are("decimal")
    assert facts["c"].n_distinct == 1
    assert facts["nothing"].n_present == 0
    assert not facts["many"].readable
    assert not facts["bytes"].readable


@pytest.mark.parametrize("name", ["", "^.*$", "^a$", "row", "c0", "c0 present", "a b\n"])
def test_a_column_may_have_any_name(name):
    frame = pl.LazyFrame({name: ["1", "x"], "other": ["y", "y"]})
    facts = profile(frame, sample_rows=1)
    assert [column.name for column in facts.columns] == [name, "other"]
    assert facts.columns[0].counts["integer"] == 1
    assert facts.values(name) == ["1"]


def test_a_table_without_rows_or_columns_has_facts_too():
    assert profile(pl.LazyFrame()).columns == ()
    facts = facts_of([])
    assert (facts.n_rows, facts.n_distinct, facts.share_distinct) == (0, 0, 0.0)
    assert not facts.all_are("integer")


def test_the_sample_is_not_shown():
    facts = profile(pl.LazyFrame({"c": ["secret"]}))
    assert "secret" not in repr(facts)
