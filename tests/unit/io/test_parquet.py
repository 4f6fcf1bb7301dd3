"""Parquet keeps its types and brings nothing else along."""

import polars as pl
import pytest

from shoal.errors import InputError, SchemaError
from shoal.io.opening import open_source
from shoal.io.sink import write

pq = pytest.importorskip("pyarrow.parquet")
pd = pytest.importorskip("pandas")


def test_types_stay_and_missing_is_null(tmp_path):
    path = tmp_path / "p.parquet"
    pl.DataFrame(
        {"zip": ["02139", "", None], "age": [1, None, 3], "pay": [1.5, float("nan"), None]}
    ).write_parquet(path)
    source = open_source(path)
    assert (source.kind, source.n_rows(), source.dialect) == ("parquet", 3, None)
    assert source.schema() == {"zip": pl.String(), "age": pl.Int64(), "pay": pl.Float64()}
    assert source.scan().collect().rows() == [("02139", 1, 1.5), (None, None, None), (None, 3, None)]
    assert source.raw().collect()["zip"].to_list() == ["02139", "", None]


def test_levels_and_metadata_of_pandas_do_not_reach_the_output(tmp_path):
    path, out = tmp_path / "p.parquet", tmp_path / "o.parquet"
    frame = pd.DataFrame({"a": pd.Categorical(["x"], categories=["x", "Zebedee"])}, index=["Ann"])
    frame.attrs["author"] = "Zebedee"
    frame.to_parquet(path)
    # pandas stores an index with names as a column of its own.
    source = open_source(path)
    assert source.columns == ("a", "__index_level_0__")
    write(source.scan().select("a"), out, kind="parquet")
    assert b"Zebedee" in path.read_bytes()
    assert b"Zebedee" not in out.read_bytes()
    assert b"pandas" not in out.read_bytes()
    assert pq.read_table(out).to_pydict() == {"a": ["x"]}


def test_nested_columns_are_refused_by_name(tmp_path):
    path = tmp_path / "p.parquet"
    pl.DataFrame({"id": [1], "visits": [[1]], "home": [{"zip": "1"}]}).write_parquet(path)
    with pytest.raises(SchemaError, match="2 column") as caught:
        open_source(path)
    assert "visits, home" in caught.value.where


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PAR1", b"PAR1" + b"x" * 100 + b"PAR1"])
def test_files_that_are_no_parquet_are_refused(tmp_path, content):
    path = tmp_path / "p.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError):
        open_source(path)


def test_a_parquet_file_under_another_name_is_recognized(tmp_path):
    path = tmp_path / "p.csv"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    with pytest.raises(InputError, match="a Parquet file"):
        open_source(path)
