"""Opening delimited files: what is detected, and which error a bad file gets."""

import io
import stat

import polars as pl
import pytest

from shoal.errors import InputError, SchemaError, ShoalError, SpecError
from shoal.io.opening import open_source
from shoal.io.source import reading


@pytest.fixture
def file(tmp_path):
    def make(content, name="people.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def rows(source):
    return source.scan().collect().rows()


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\n1,5\t2;5\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"a,x";b\n"1,5";2\n', ";"),
        ("a;b,x;c\n1;2;3\n", ";"),
        ("a\n1\n2\n", ","),
        ('a,b\n"x;\n;;",2\n', ","),
    ],
)
def test_the_delimiter_that_fits_every_record_is_found(file, text, delimiter):
    assert open_source(file(text)).dialect.delimiter == delimiter


def test_two_delimiters_that_fit_alike_are_asked_for(file):
    with pytest.raises(InputError, match="comma and semicolon"):
        open_source(file("a;b,c\n1;2,3\n"))


def test_a_suffix_decides_before_the_content_does(file):
    source = open_source(file("a,b\tc\n1,2\t3\n", "people.tsv"))
    assert (source.kind, source.columns) == ("tsv", ("a,b", "c"))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_and_quotes_are_read_as_they_are_meant(file, end, last):
    lines = ["a,b", '1,"x, ""y"""', '2,"two' + end + 'lines"', "3,"]
    source = open_source(file(end.join(lines) + (end if last else "")))
    assert rows(source) == [("1", 'x, "y"'), ("2", f"two{end}lines"), ("3", None)]
    assert source.n_rows() == 3


def test_a_header_may_hold_quotes_and_line_ends(file):
    source = open_source(file('"a\n""x""",b\n1,2\n'))
    assert source.columns == ('a\n"x"', "b")
    assert rows(source) == [("1", "2")]


def test_a_header_longer_than_the_sample_is_read_whole(file):
    names = [f"column_{i}_{'x' * 90}" for i in range(4000)]
    source = open_source(file(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"))
    assert source.columns == tuple(names)


def test_text_stays_text(file):
    source = open_source(file("zip,id\n02139,9007199254740993\n00501,1e5\n"))
    assert rows(source) == [("02139", "9007199254740993"), ("00501", "1e5")]


def test_only_declared_texts_are_missing_in_quotes_or_not(file):
    path = file('a,b\n,"?"\n"",NA\n')
    assert rows(open_source(path)) == [(None, "?"), (None, "NA")]
    assert rows(open_source(path, missing=["?"])) == [("", None), ("", "NA")]
    assert rows(open_source(path, missing=["", "NA", "?"])) == [(None, None), (None, None)]
    assert rows(open_source(path, missing=[])) == [("", "?"), ("", "NA")]
    assert open_source(path).raw().collect().rows() == [("", "?"), ("", "NA")]


def test_a_name_that_reads_as_a_pattern_is_refused(file):
    with pytest.raises(SchemaError, match=r"patterns, at positions 2"):
        open_source(file("ab,^a.*$\n1,2\n"))


def test_a_name_that_reads_as_all_columns_is_refused(file):
    with pytest.raises(SchemaError, match=r"all columns, at positions 2"):
        open_source(file("ab,*\n1,2\n"))


def test_a_blank_line_in_one_column_is_a_missing_cell(file):
    source = open_source(file("a\n1\n\n2\n"))
    assert rows(source) == [("1",), (None,), ("2",)]
    assert source.n_rows() == 3


def test_blank_lines_at_the_end_are_left_out_and_reported(file):
    source = open_source(file("a,b\r\n1,2\r\n\r\n\n"))
    assert rows(source) == [("1", "2")]
    assert source.n_rows() == 1
    assert "Blank lines at the end were left out." in source.notes


def test_decimal_commas_become_points_only_where_numbers_are_declared(file):
    path = file("a;b;c\n1,5;x,5;1\n-2,25;y;2\n")
    source = open_source(path, decimal_columns=["a", "b"])
    assert rows(source) == [("1.5", "x,5", "1"), ("-2.25", "y", "2")]
    assert source.dialect.decimal_comma
    assert "Decimal comma in: a." in source.notes
    assert rows(open_source(path))[0] == ("1,5", "x,5", "1")
    assert rows(open_source(path, decimal_columns=["a"], decimal_comma=False))[0] == ("1,5", "x,5", "1")


def test_thousands_in_a_comma_file_are_no_decimal_commas(file):
    source = open_source(file('a,b\n"1,234",2\n'), decimal_columns=["a"])
    assert rows(source) == [("1,234", "2")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_names_the_encoding(file, encoding):
    source = open_source(file("näme,b\nMüller,2\n".encode(encoding)))
    assert source.columns == ("näme", "b")
    assert rows(source) == [("Müller", "2")]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "shift-jis"])
def test_a_declared_encoding_is_read_through_a_private_copy(file, encoding):
    word = "日本" if encoding == "shift-jis" else "Müller"
    with open_source(file(f"a,b\n{word},2\n".encode(encoding)), encoding=encoding) as source:
        assert rows(source) == [(word, "2")]
        folder = source._spool._folder
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert [stat.S_IMODE(copy.stat().st_mode) for copy in folder.iterdir()] == [0o600]
    assert not folder.exists()


def test_bytes_that_are_not_utf8_are_an_error_with_their_offset(file):
    # "a,b\n" are bytes 0 to 3 and "M" is byte 4.
    with pytest.raises(InputError) as caught:
        open_source(file("a,b\nMüller,2\n".encode("latin-1")))
    assert "byte 5 of" in caught.value.where
    assert 'encoding = "latin-1"' in caught.value.fix
    with pytest.raises(InputError) as caught:
        open_source(file("a,b\n“x”,2\n".encode("cp1252")))
    assert 'encoding = "cp1252"' in caught.value.fix


@pytest.mark.parametrize("padding", [3 << 17, (1 << 22) - 6, 1 << 22])
def test_bytes_far_behind_the_header_are_checked_too(file, padding):
    content = b"a,b\n" + b"1,2\n" * (padding // 4)
    with pytest.raises(InputError) as caught:
        open_source(file(content + b"\xc3\xa9,\xff\n"))
    assert f"byte {len(content) + 3} of" in caught.value.where


def test_an_undecodable_byte_of_a_declared_encoding_has_its_offset(file):
    with pytest.raises(InputError, match="not cp1252") as caught:
        open_source(file(b"a,b\n1,\x81\n"), encoding="cp1252")
    assert "byte 6 of" in caught.value.where


def test_a_declared_encoding_against_the_mark_is_refused(file):
    with pytest.raises(InputError, match="byte order mark of utf-8"):
        open_source(file("a,b\n1,2\n".encode("utf-8-sig")), encoding="latin-1")


def test_unknown_encodings_are_refused(file):
    for name in ("klingon", "base64"):
        with pytest.raises(SpecError, match="unknown encoding"):
            open_source(file("a\n1\n"), encoding=name)


@pytest.mark.parametrize(
    ("content", "problem", "where"),
    [
        ("", "the file is empty", ""),
        ("\ufeff", "the file is empty", ""),
        ("\n\n", "nothing but line ends", ""),
        ("a,b\r1,2\r", "carriage return alone", ""),
        ("a,b,c\n1,2,3\n4,5\n", "record 2 has 2 fields, the header has 3 names", "record 2, line 3, byte 12"),
        ("a,b\n1,2\n3,4,5\n", "record 2 has 3 fields, the header has 2 names", "record 2, line 3, byte 8"),
        ('a,b\n"x\n\n",2\n3\n', "record 2 has 1 fields", "record 2, line 5, byte 12"),
        ("a,b\n1,2\n\n3,4\n", "record 2 is a blank line", "line 3"),
        ("a,b,\n1,2\n3,4\n", "header has 3 names, rows have 2 fields", ""),
        ("a,b\n1,2,\n3,4,\n", "header has 2 names, rows have 3 fields", ""),
        ("a\n1,2\n3,4\n", "header has 1 names, rows have 2 fields", ""),
        ('a,b\n1,"2\n3,4\n', "opened and never closed", "record 1, line 2, byte 6"),
        ('a,b\n1,x"2"\n', "a quote stands inside a cell", "record 1, line 2, byte 7"),
        ('a,b\n1,"2" \n', "behind the closing quote", "record 1, line 2, byte 9"),
        ("a,b\n1,2\r\r\n", "carriage return stands inside", "record 1, line 2, byte 7"),
        ("a,b\n1,\0\n", "NUL byte", "byte 6"),
        ("a,b\n" + "1,2\n" * 80_000 + "1,\0\n", "NUL byte", "line 80002, byte 320006"),
        (b"\x1f\x8b\x08\0", "compressed with gzip", ""),
        (b"PK\x03\x04rest", "a zip archive or a spreadsheet", ""),
    ],
)
def test_a_bad_file_gets_an_error_with_its_place(file, content, problem, where):
    with pytest.raises(InputError) as caught:
        open_source(file(content))
    assert problem in caught.value.problem
    assert where in caught.value.where
    assert caught.value.exit_code == 4


def test_header_names_must_be_there_and_differ(file):
    with pytest.raises(SchemaError) as caught:
        open_source(file("id,age,age,,sex, \n1,2,3,4,5,6\n"))
    assert "'age' at positions 2, 3" in caught.value.problem
    assert "blank names at positions 4, 6" in caught.value.problem


def test_a_delimiter_at_the_end_of_every_line_is_an_unnamed_column(file):
    with pytest.raises(SchemaError, match="positions 3") as caught:
        open_source(file("a,b,\n1,2,\n"))
    assert "delimiter at the end" in caught.value.fix


def test_paths_that_are_no_files_are_refused(tmp_path, file):
    with pytest.raises(InputError, match="does not exist"):
        open_source(tmp_path / "none.csv")
    with pytest.raises(InputError, match="a folder"):
        open_source(tmp_path)
    with pytest.raises(InputError, match="suffix"):
        open_source(file("a\n1\n", "people.docx"))
    # A pattern is a name like any other.
    file("a\n1\n", "p1.csv")
    with pytest.raises(InputError, match="does not exist"):
        open_source(tmp_path / "p*.csv")


def test_a_file_that_vanishes_after_it_was_opened_is_an_input_error(file):
    path = file("a,b\n1,2\n")
    source = open_source(path)
    frame = source.scan()
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"), reading(source):
        frame.collect()
    with pytest.raises(InputError, match="does not exist"):
        source.scan()


@pytest.mark.parametrize(
    "options",
    [{"delimiter": ";;"}, {"delimiter": "\n"}, {"delimiter": "é"}, {"delimiter": '"'}, {"missing": "NA"}],
)
def test_wrong_options_are_errors_of_the_spec(file, options):
    with pytest.raises(SpecError):
        open_source(file("a\n1\n"), **options)


def test_a_number_column_that_is_not_there_is_passed_over(file):
    """A published table lacks columns that its spec names; the schema says which are wanted."""
    with open_source(file("age;b\n1,5;2\n"), decimal_columns=["age", "cost"]) as source:
        assert rows(source) == [("1.5", "2")]


def test_standard_input_is_spooled_and_removed():
    with open_source("-", stdin=io.BytesIO(b"a,b\n1,2\n")) as source:
        assert rows(source) == rows(source) == [("1", "2")]
        folder = source._spool._folder
    assert not folder.exists()


def test_a_failed_opening_leaves_no_temporary_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ShoalError):
        open_source("-", stdin=io.BytesIO(b"a,b\n1\n"))
    assert list(tmp_path.iterdir()) == []


def test_quotes_can_be_letters(file):
    source = open_source(file('a,b\n5" pipe,"2\n'), quote=None)
    assert rows(source) == [('5" pipe', '"2')]


def test_header_only_is_a_table_without_rows(file):
    for text in ("a,b\n", "a,b"):
        source = open_source(file(text))
        assert source.scan().collect().schema == {"a": pl.String(), "b": pl.String()}
        assert source.n_rows() == 0


def test_without_a_standard_input_the_error_says_so(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        open_source("-")
