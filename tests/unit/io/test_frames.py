"""Any frame in, the same kind out."""

import datetime as dt
import subprocess
import sys

import polars as pl
import pytest

from shoal.errors import EngineError, InputError, SchemaError
from shoal.io.frames import from_frame, restore
from shoal.io.source import reading

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")


def scanned(native, **options):
    with from_frame(native, **options) as source:
        return source.scan().collect()


PEOPLE = {"zip": ["02139", None, ""], "age": [34, 7, None]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table], ids=lambda f: f.__module__)
def test_every_kind_reads_the_same_and_comes_back_as_it_was(make):
    native = make(PEOPLE)
    source = from_frame(native)
    assert source.columns == ("zip", "age")
    assert source.kind == "frame"
    frame = source.scan().collect()
    assert frame["zip"].to_list() == ["02139", None, None]
    assert [None if age is None else int(age) for age in frame["age"]] == [34, 7, None]
    back = restore(native, frame)
    assert type(back) is type(native)
    assert scanned(back).equals(frame)
    assert scanned(native, missing=())["zip"].to_list() == ["02139", None, ""]


def test_a_pandas_index_is_no_part_of_the_table():
    native = pd.DataFrame({"a": ["x", "y", "z"]}, index=pd.Index(["Ann", "Bob", "Ann"], name="person"))
    source = from_frame(native)
    assert source.columns == ("a",)
    back = restore(native, source.scan().collect())
    assert list(back.index) == [0, 1, 2]
    assert back.index.name is None
    native = pd.DataFrame({"a": [1.5, 2.5]}, index=pd.MultiIndex.from_tuples([(1, 2), (3, 4)]))
    assert scanned(native)["a"].to_list() == [1.5, 2.5]


def test_everything_that_pandas_calls_missing_is_missing():
    native = pd.DataFrame(
        {
            "text": pd.Series(["a", None, float("nan"), pd.NA, pd.NaT], dtype=object),
            "whole": pd.array([1, None, 3, 4, 5], dtype="Int64"),
            "real": [1.0, float("nan"), 2.0, 3.0, 4.0],
            "time": pd.to_datetime(["2024-01-01", None, "2024-01-02", "2024-01-03", "2024-01-04"]),
            "group": pd.Categorical(["u", "v", None, "u", "v"], categories=["u", "v", "secret"]),
            "string": pd.array(["x", None, "y", "z", ""], dtype="string"),
        }
    )
    frame = scanned(native)
    assert frame.null_count().row(0) == (4, 1, 1, 1, 1, 2)
    assert frame.schema["group"] == pl.String
    back = restore(native, frame)
    assert back["whole"].dtype == native["whole"].dtype
    assert back["string"].dtype == native["string"].dtype
    assert back["time"].dtype == native["time"].dtype
    assert back["text"].to_list() == ["a", None, None, None, None]
    assert back["group"].dtype == object


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([True, None, False], pl.Boolean),
        ([1, None, 3], pl.Int64),
        ([1, 2.5, None], pl.Float64),
        ([dt.date(2024, 1, 2), None], pl.Date),
        ([dt.datetime(2024, 1, 2, 3), None], pl.Datetime),  # noqa: DTZ001 - a time of no zone is meant
        ([None, None], pl.String),
    ],
)
def test_object_columns_of_one_kind_are_read_as_that_kind(values, dtype):
    native = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    frame = scanned(native)
    assert frame["a"].to_list() == values
    assert frame.schema["a"] == dtype
    assert restore(native, frame)["a"].to_list() == values


def test_categories_that_are_numbers_are_read():
    assert scanned(pd.DataFrame({"a": pd.Categorical([3, 1, None])}))["a"].to_list() == [3, 1, None]


@pytest.mark.parametrize(
    ("native", "message"),
    [
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), "'a' at positions 1, 3"),
        (pd.DataFrame([[1, 2]]), "no texts at positions 1, 2"),
        (pd.DataFrame([[1, 2]], columns=["a", " "]), "blank names at positions 2"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "'a' at positions 1, 2"),
        (pd.DataFrame({"a": ["x", 1]}), "column 'a' mixes kinds of values: int, str"),
        (pd.DataFrame({"a": pd.period_range("2024", periods=2, freq="M")}), "column 'a' has the type period"),
    ],
    ids=["double", "numbers", "blank", "arrow", "mixed", "period"],
)
def test_frames_that_cannot_be_read_are_refused_by_column(native, message):
    with pytest.raises(SchemaError) as caught:
        from_frame(native)
    assert message in str(caught.value)
    assert caught.value.fix


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, pa.table], ids=["polars", "lazy", "arrow"])
def test_nested_columns_are_refused_by_name(make):
    with pytest.raises(SchemaError, match="nested") as caught:
        from_frame(make({"id": [1], "visits": [[1, 2]]}))
    assert "visits" in caught.value.where
    assert "id" not in caught.value.where.split(" in ")[0]


def test_what_is_no_frame_is_refused():
    for thing in ([1, 2], {"a": [1]}, "people.csv", None):
        with pytest.raises(InputError, match="no data frame"):
            from_frame(thing)


def test_a_frame_without_columns_is_refused():
    with pytest.raises(InputError, match="no columns"):
        from_frame(pl.DataFrame())


def test_anything_with_an_arrow_stream_is_read():
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table(PEOPLE).__arrow_c_stream__(requested_schema)

    assert scanned(Stream())["zip"].to_list() == ["02139", None, None]
    assert isinstance(restore(Stream(), pl.DataFrame(PEOPLE)), pa.Table)


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "int64[pyarrow]", "object"])
def test_whole_numbers_beyond_2_to_the_53_come_back_beside_missing_ones(dtype):
    frame = pd.DataFrame({"id": pd.Series([2**60 + 1, None, 2**60], dtype=dtype)})
    back = restore(frame, scanned(frame))["id"]
    assert back.dtype == frame["id"].dtype
    assert [int(number) for number in back.dropna()] == [2**60 + 1, 2**60]


def test_whole_numbers_of_numpy_stay_exact_where_one_is_missing_now():
    frame = pd.DataFrame({"id": [2**60 + 1, 7]})
    back = restore(frame, pl.DataFrame({"id": [2**60 + 1, None]}))["id"]
    assert int(back[0]) == 2**60 + 1
    assert back.isna().tolist() == [False, True]


def test_an_extension_type_is_refused():
    with pytest.raises(SchemaError, match="nested or have no text"):
        from_frame(pd.DataFrame({"a": pd.interval_range(0, 3)}))


def test_a_lazy_frame_gives_the_same_rows_each_time():
    order = iter([[1, 2], [2, 1], [1, 2]])
    lazy = pl.LazyFrame({"a": [0, 0]}).map_batches(
        lambda frame: frame.with_columns(a=pl.Series(next(order))), schema={"a": pl.Int64}
    )
    with from_frame(lazy) as source:
        assert source.scan().collect().equals(source.scan().collect())


def test_a_lazy_frame_that_fails_says_nothing_of_its_cells():
    lazy = pl.LazyFrame({"a": ["Zebedee"]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(InputError) as caught:
        from_frame(lazy)
    assert "Zebedee" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_dictionary_levels_that_no_row_has_do_not_come_back():
    table = pa.table({"a": pa.DictionaryArray.from_arrays([0, 0], ["x", "secret"])})
    source = from_frame(table)
    with reading(source):
        back = restore(table, source.scan().collect())
    assert back.schema.field("a").type == pa.string()
    assert back.schema.metadata is None


def test_pandas_without_pyarrow_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(EngineError) as caught:
        from_frame(pd.DataFrame({"a": [1]}))
    assert "shoal[pandas]" in caught.value.fix


def test_reading_needs_neither_pandas_nor_pyarrow():
    code = (
        "import sys; sys.modules['pandas'] = sys.modules['pyarrow'] = None\n"
        "import polars as pl\n"
        "from shoal.io.frames import from_frame, restore\n"
        "from shoal.io.opening import open_source\n"
        "frame = from_frame(pl.DataFrame({'a': ['x']})).scan().collect()\n"
        "class Stream:\n"
        "    def __arrow_c_stream__(self, requested_schema=None):\n"
        "        return pl.DataFrame({'a': ['x']}).__arrow_c_stream__(requested_schema)\n"
        "assert from_frame(Stream()).scan().collect().rows() == [('x',)]\n"
        "assert isinstance(restore(Stream(), frame), pl.DataFrame)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
