"""Typed columns have one text per value."""

import datetime as dt
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.io.texts import cells_of, declared_type, text_expr


def texts(values, dtype):
    frame = pl.DataFrame({"a": pl.Series(values, dtype=dtype, strict=False)})
    return frame.select(text_expr("a", frame.schema["a"]))["a"].to_list()


@pytest.mark.parametrize(
    ("values", "dtype", "wanted"),
    [
        (["01", None], pl.String, ["01", None]),
        ([-5, None], pl.Int8, ["-5", None]),
        ([2**63], pl.UInt64, ["9223372036854775808"]),
        ([34.0, -0.0, 0.0, -7.0], pl.Float64, ["34", "0", "0", "-7"]),
        ([0.1, 1e22, 1e-9, 2.0**53], pl.Float64, ["0.1", "1e+22", "1e-9", "9007199254740992.0"]),
        ([float("nan"), float("inf")], pl.Float64, [None, "inf"]),
        ([0.1, 2.0], pl.Float32, ["0.1", "2"]),
        ([True, False, None], pl.Boolean, ["true", "false", None]),
        ([Decimal("1.50"), Decimal("2.00")], pl.Decimal(10, 2), ["1.50", "2.00"]),
        ([dt.date(2024, 3, 1)], pl.Date, ["2024-03-01"]),
        ([dt.datetime(2024, 3, 1, 2, 3, 10)], pl.Datetime("us"), ["2024-03-01T02:03:10"]),  # noqa: DTZ001
        ([dt.datetime(2024, 3, 1, 2, 3, 4, 500_000)], pl.Datetime("ns"), ["2024-03-01T02:03:04.5"]),  # noqa: DTZ001
        ([dt.time(2, 3, 10)], pl.Time, ["02:03:10"]),
        ([dt.time(2, 3, 10, 500_000), dt.time(2, 3, 10, 5)], pl.Time, ["02:03:10.5", "02:03:10.000005"]),
        (["x", None], pl.Categorical, ["x", None]),
        (["x", "y"], pl.Enum(["y", "x"]), ["x", "y"]),
    ],
)
def test_the_text_of_each_type(values, dtype, wanted):
    assert texts(values, dtype) == wanted


def test_a_zone_keeps_its_offset():
    moment = pl.Series("a", [dt.datetime(2024, 3, 1, 1, 0, 0)], pl.Datetime("us")).dt.replace_time_zone(  # noqa: DTZ001
        "Europe/Berlin"
    )
    assert texts(moment, moment.dtype) == ["2024-03-01T01:00:00+01:00"]


MOMENT = dt.datetime(2024, 7, 1, 1, 30, 0, 250_000)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (["01", None], pl.String()),
        ([-5, None], pl.Int8()),
        ([34.0, 0.1, None], pl.Float64()),
        ([True, False, None], pl.Boolean()),
        ([Decimal("1.50"), None], pl.Decimal(10, 2)),
        ([dt.date(2024, 3, 1), dt.date.max, None], pl.Date()),
        ([MOMENT, None], pl.Datetime("ns")),
        ([MOMENT, None], pl.Datetime("us", "Europe/Berlin")),
        ([dt.time(2, 3, 10), dt.time(2, 3, 10, 5), None], pl.Time()),
        (["x", None], pl.Enum(["y", "x"])),
    ],
)
def test_cells_come_back_from_their_texts(values, dtype):
    cells = pl.Series(values, dtype=dtype)
    back = cells_of(pl.Series(texts(cells, dtype), dtype=pl.String), dtype)
    assert back.dtype == dtype
    assert back.to_list() == cells.to_list()


@pytest.mark.parametrize("dtype", [pl.Int8(), pl.Boolean(), pl.Date(), pl.Time(), pl.Datetime(), pl.Enum(["y"])])
def test_a_text_that_is_no_cell_of_the_type_gives_none(dtype):
    assert cells_of(pl.Series(["x", None]), dtype) is None


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_the_text_of_a_number_reads_back_as_the_number(values):
    assert [float(text) for text in texts(values, pl.Float64)] == values


def test_types_declare_how_a_column_is_read():
    assert [declared_type(t) for t in (pl.Int8(), pl.UInt64(), pl.Float32(), pl.Decimal(10, 2), pl.Date())] == [
        "integer",
        "integer",
        "decimal",
        "decimal",
        "date",
    ]
    assert [declared_type(t) for t in (pl.String(), pl.Categorical(), pl.Boolean(), pl.Datetime())] == [
        None,
        None,
        "text",
        "text",
    ]
