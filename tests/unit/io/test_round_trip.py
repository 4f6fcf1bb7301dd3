"""What is read, written and read again is the same; what is broken says nothing of what is in it."""

import csv
import io
import traceback

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.records import parse
from shoal.errors import ShoalError
from shoal.io.frames import from_frame
from shoal.io.missing import count_markers
from shoal.io.opening import open_source
from shoal.io.sink import write
from shoal.io.source import reading

quick = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)
cells = st.text(alphabet=st.sampled_from('ab01é"\n\r,;\t |#=*?'), max_size=4)
NAME = "Zebedee"


@st.composite
def texts(draw):
    """Rows of equal length."""
    width = draw(st.integers(1, 4))
    return draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=6))


@quick
@given(
    texts(), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]), st.sampled_from([(), ("",), ("?", "a")])
)
def test_any_table_is_read_as_written_and_written_as_read(tmp_path, rows, delimiter, line_end, missing):
    names = [f"c{i}" for i in range(len(rows[0]))]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    path = tmp_path / "in.csv"
    path.write_text(text.getvalue(), newline="")
    wanted = [tuple(None if cell in missing else cell for cell in row) for row in rows]
    source = open_source(path, delimiter=delimiter, missing=missing)
    assert source.scan().collect().rows() == wanted
    assert source.n_rows() == len(rows)
    out = tmp_path / "out.csv"
    write(source.scan(), out, kind="csv", dialect=source.dialect)
    missing_again = missing if "" in missing or len(missing) == 1 else (*missing, "")
    if None not in [cell for row in wanted for cell in row]:
        missing_again = ()
    assert open_source(out, delimiter=delimiter, missing=missing_again).scan().collect().rows() == [
        tuple(None if cell in missing_again else cell for cell in row) for row in wanted
    ]


@quick
@given(texts(), st.sampled_from(["csv", "tsv", "parquet"]))
def test_a_frame_comes_back_from_every_format(tmp_path, rows, kind):
    frame = pl.DataFrame(rows, schema=[f"c{i}" for i in range(len(rows[0]))], orient="row")
    path = tmp_path / f"out.{kind}"
    write(frame.lazy(), path, kind=kind)
    assert open_source(path, delimiter="," if kind == "csv" else None, missing=[]).scan().collect().equals(frame)


mutations = st.lists(
    st.tuples(
        st.integers(0, 200),
        st.sampled_from([b"", b"\xff", b"\0", b'"', b"\n", b",", b";", b"\xc3", b"\r", b"\xe2\x80"]),
    ),
    min_size=1,
    max_size=3,
)


def everything_said(error):
    # The traceback as a user would see it, causes included; source lines hold no cell.
    return "".join(traceback.format_exception(error)) + str(error) + repr(error)


@quick
@given(mutations, st.sampled_from([None, "utf-8", "utf-16", "cp1252", "ascii"]), st.sampled_from([None, ",", ";"]))
def test_no_error_about_a_broken_file_holds_a_cell(tmp_path, changes, encoding, delimiter):
    content = b"name,age,note\n" + b"".join(
        b'%s%d,"%s",%s\n' % (NAME.encode(), i, *[NAME.encode()] * 2) for i in range(5)
    )
    # The header stays whole: names of columns may be said.
    for at, change in changes:
        place = 14 + at % (len(content) - 14)
        content = content[:place] + change + content[place + 1 :]
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    said = ""
    try:
        with open_source(path, encoding=encoding, delimiter=delimiter) as source, reading(source):
            source.scan().collect()
            count_markers(source)
            write(source.scan(), tmp_path / "out.csv", kind="csv", dialect=source.dialect)
    except ShoalError as error:
        said = everything_said(error)
    assert NAME not in said


@pytest.mark.parametrize(
    "cells",
    [
        [NAME, 1],
        [NAME, b"x"],
        [[NAME], [NAME]],
        [{"a": NAME}, None],
        [NAME, 2**70],
        [2**70, 1],
        [object()],
    ],
    ids=["mixed", "bytes", "lists", "dicts", "big", "too-big", "objects"],
)
def test_no_error_about_a_frame_holds_a_cell(cells):
    pd = pytest.importorskip("pandas")
    with pytest.raises(ShoalError) as caught:
        from_frame(pd.DataFrame({"name": pd.Series(cells, dtype=object)}))
    assert NAME not in everything_said(caught.value)
    assert "'name'" in str(caught.value)


def test_a_file_that_changes_while_it_is_read_says_nothing_of_its_cells(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('a,b\n"1",2\n')
    source = open_source(path)
    frame = source.scan()
    path.write_text(f'a,b\n1,"{NAME}" x\n')
    with pytest.raises(ShoalError, match="rows cannot be read") as caught, reading(source):
        frame.collect()
    assert NAME not in everything_said(caught.value)
    with pytest.raises(ShoalError, match="rows cannot be written") as caught:
        write(frame, tmp_path / "out.csv", kind="csv")
    assert NAME not in everything_said(caught.value)
    with pytest.raises(ShoalError, match="changed"):
        source.scan()


def test_a_file_that_grows_while_it_is_read_is_noticed_afterwards(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b\n1,2\n")
    source = open_source(path)

    def read():
        with reading(source):
            source.scan().collect()
            path.write_text("a,b\n1,2\n3\n")

    with pytest.raises(ShoalError, match="changed after it was opened"):
        read()


signs = st.lists(
    st.sampled_from(['"', '""', ",", "\n", "a", "\r\n", "b", " ", "é", "\r", '"a"', "a,b\n"]), max_size=12
)


@settings(quick, max_examples=100)
@given(
    signs.map("".join),
    st.sampled_from(["x,y\n", "x\n", 'x,"y\n"\n', 'x,"y\r\n""z"\r\n', "x,y", 'x"y,z\n', '"x"y,z\n', '"x,y\n']),
)
def test_a_text_is_read_by_the_grammar_or_refused(tmp_path, text, header):
    path = tmp_path / "in.csv"
    path.write_text(header + text, newline="")
    records = parse(header + text, ",")
    lines = (header + text).removesuffix("\n").split("\n")
    while records and len(records[0]) > 1 and records[-1] == [""] and lines.pop() in ("", "\r"):
        records.pop()
    right = records and len({len(cells) for cells in records}) == 1
    right = right and len(set(records[0])) == len(records[0]) and all(name.strip() for name in records[0])
    if not right or ("\r" in text and "\n" not in header + text):
        with pytest.raises(ShoalError):
            open_source(path, delimiter=",")
    else:
        source = open_source(path, delimiter=",", missing=[])
        assert source.columns == tuple(records[0])
        assert source.scan().collect().rows() == [tuple(cells) for cells in records[1:]]
        assert source.n_rows() == len(records) - 1
