"""Dates by hand."""

from datetime import date

import pytest

from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies import dates


def path(h, leaf):
    return [h.labels[node] for node in h.levels[:, h.codes[leaf]]]


DAYS = [
    "2024-02-29",
    "2024-02-01",
    "2024-03-31",
    "2024-04-01",
    "2021-12-31",
    "2020-01-01",
    "1999-12-31",
    "1990-01-01",
]


def test_periods_of_the_calendar():
    h = dates("month", "quarter", "year", "decade").build(DAYS)
    assert path(h, "2024-02-29") == ["2024-02-29", "2024-02", "2024-Q1", "2024", "2020s", "*"]
    assert path(h, "1999-12-31") == ["1999-12-31"] * 4 + ["1990s", "*"]
    assert h.leaves == tuple(sorted(DAYS))
    assert h.ordered
    assert h.type == "date"
    assert h.positions[h.codes["2024-02-29"]] == date(2024, 2, 29).toordinal()


def test_weeks_are_those_of_iso_8601():
    # 30 December 2019 was the Monday of week 1 of 2020; 3 January 2021 the Sunday of week 53 of 2020.
    h = dates("week").build(["2019-12-29", "2019-12-28", "2019-12-30", "2020-01-01", "2021-01-03", "2020-12-28"])
    assert path(h, "2019-12-29")[1] == "2019-W52"
    assert path(h, "2020-01-01")[1] == "2020-W01"
    assert path(h, "2021-01-03")[1] == "2020-W53"


def test_times_are_leaves_and_their_day_decides():
    h = dates("day", "month").build(
        ["2024-03-05T23:59", "2024-03-05 08:00:01.5", "2024-03-05", "2024-03-06T01:00Z"]
    )
    assert path(h, "2024-03-05T23:59")[:3] == ["2024-03-05T23:59", "2024-03-05 (level 1)", "*"]
    assert h.positions[h.codes["2024-03-05T23:59"]] == h.positions[h.codes["2024-03-05"]]


def test_months_without_a_day():
    h = dates("quarter", "year").build(["2024-03", "2024-01", "2023-01"])
    assert path(h, "2024-03") == ["2024-03", "2024-Q1", "2024-Q1", "*"]
    with pytest.raises(HierarchyError, match=r"1 value\(s\) are months without a day"):
        dates("week").build(["2024-03", "2024-03-01"])


@pytest.mark.parametrize(
    "wrong",
    ["2023-02-30", "2023-02-29", "2100-02-29", "2023-13-01", "2023-00-01", "2023-01-00", "0000-01-01", "20230101",
     "2023-1-1", "01.02.2023", "2023-01-01T25:00", "2023-01-01T", " 2023-01-01", "2023", "٢٠٢٣-01-01"],
)  # fmt: skip
def test_dates_that_are_none_are_refused_and_counted(wrong):
    with pytest.raises(HierarchyError, match=r"^1 of 2 value") as caught:
        dates("year").build([wrong, "2024-02-29"], column="born")
    assert caught.value.examples == (wrong,)


@pytest.mark.parametrize(
    ("periods", "message"),
    [
        (("month", "week"), "not longer"),
        (("week", "month"), "do not nest"),
        (("week", "year"), "do not nest"),
        (("year", "month"), "not longer"),
        (("month", "month"), "not longer"),
        (("months",), "did you mean 'month'"),
    ],
)
def test_periods_that_do_not_nest(periods, message):
    with pytest.raises(SpecError) as caught:
        dates(*periods)
    assert message in str(caught.value)
