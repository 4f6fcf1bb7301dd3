"""Every awkward file is read, or refused, as its README says.

Each file is a small reproduction of a fault that another tool had; the README names its source.
"""

import csv

import pytest

from shared import ROOT, needs_shared
from shoal.errors import InputError, SchemaError
from shoal.io.missing import count_markers
from shoal.io.opening import open_source
from shoal.io.sink import write

pytestmark = [needs_shared, pytest.mark.shared]
AWKWARD = ROOT / "awkward"


def rows(source):
    return source.scan().collect().rows()


def read_back(source, folder):
    """Write the source's rows and read them again."""
    path = folder / "out.csv"
    write(source.scan(), path, kind="csv", dialect=source.dialect)
    return open_source(path, delimiter=source.dialect.delimiter, missing=source.missing)


def test_01_semicolons_decimal_commas_and_latin1(tmp_path):
    path = AWKWARD / "01_semicolon_decimal_comma_latin1.csv"
    with pytest.raises(InputError, match="not utf-8") as caught:
        open_source(path)
    # The header has 44 bytes with its line end, and 20 stand before the "ü" of the first row.
    assert "byte 64 of" in caught.value.where
    assert 'encoding = "latin-1"' in caught.value.fix
    with open_source(path, encoding="latin-1", decimal_columns=["einkommen"]) as source:
        assert source.dialect.delimiter == ";"
        assert [row[2] for row in rows(source)] == ["01067", "01069", "04103", "01067", "04103"]
        assert [row[3] for row in rows(source)] == ["Müller", "Weiß", "Gößl", "Øre", "Niño"]
        assert [float(row[4]) for row in rows(source)] == [1234.5, 1234.5, 2750.0, 15000.0, 0.0]
    with open_source(path, encoding="latin-1") as source:
        back = read_back(source, tmp_path)
        assert rows(back) == rows(source)
        assert rows(back)[0][4] == "1234,50"
        assert (tmp_path / "out.csv").read_text(encoding="utf-8").count("Müller") == 1


def test_02_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    source = open_source(AWKWARD / "02_utf8_bom_excel.csv")
    assert source.columns == ("id", "age", "zip")
    assert [row[2] for row in rows(source)] == ["02139", "02139", "07307", "07307"]
    assert read_back(source, tmp_path).columns == source.columns


@pytest.mark.parametrize(
    "path", ["awkward/04_trailing_delimiter_header.csv", "cases/04-header-with-trailing-comma/data.csv"]
)
def test_04_a_header_with_a_name_too_many_is_refused(path):
    with pytest.raises(InputError, match="header has 5 names, rows have 4 fields") as caught:
        open_source(ROOT / path)
    assert caught.value.fix == "remove the delimiter at the end of the header"


def test_06_quoted_line_ends_delimiters_and_quotes_come_back(tmp_path):
    source = open_source(AWKWARD / "06_quoted_newline_separator_quote.csv")
    assert source.n_rows() == len(rows(source)) == 4
    assert [row[2] for row in rows(source)] == [
        'fell, then\nstood up "fine"',
        "line one\r\nline two",
        "plain",
        "tab\there",
    ]
    assert rows(read_back(source, tmp_path)) == rows(source)


def test_08_missing_texts_are_the_callers_choice_and_are_counted():
    path = AWKWARD / "08_missing_markers.csv"
    source = open_source(path)
    found = count_markers(source)
    assert found.suspicious == {
        "age": {"NA": 1, "-": 1},
        "workclass": {"?": 1, "None": 1},
        "country": {"NA": 1, "N/A": 1, "nan": 1},
        "zip": {"*": 1, "1305*": 1},
        "disease": {"NULL": 1, ".": 1},
    }
    assert found.missing == {"age": {"": 1}, "zip": {"": 1}}
    assert found.padded == {"workclass": 2}
    assert [row[2] for row in rows(source)] == ["US", "US", "NA", "Namibia", "N/A", "nan"]
    assert [row[1] for row in rows(source)] == ["State-gov", "?", " Private", "Private", "private ", "None"]
    assert "Treated as missing: empty cells." in source.notes
    assert rows(open_source(path, missing=["", "?"]))[1][1] is None


def test_09_codes_keep_their_zeros_and_long_numbers_their_digits(tmp_path):
    source = open_source(AWKWARD / "09_leading_zeros_bigids.csv")
    assert [row[2] for row in rows(source)] == ["02139", "02139", "00501", "00501"]
    accounts = [row[1] for row in rows(source)]
    assert accounts[:2] == ["9007199254740993", "9007199254740992"]
    assert accounts[2:] == ["12345678901234567890", "12345678901234567891"]
    assert rows(read_back(source, tmp_path)) == rows(source)


def test_11_double_and_blank_names_are_refused_with_their_positions():
    with pytest.raises(SchemaError) as caught:
        open_source(AWKWARD / "11_duplicate_blank_headers.csv")
    assert "'age' at positions 2, 3" in caught.value.problem
    assert "blank names at positions 4, 6" in caught.value.problem


def test_13_many_columns_are_read():
    source = open_source(AWKWARD / "13_wide_141_columns.csv")
    assert source.scan().collect().shape == (12, 141)


def test_15_free_text_is_read_as_it_stands():
    notes = [row[2] for row in rows(open_source(AWKWARD / "15_free_text_pii.csv"))]
    assert notes[0] == "Pt. John Doe, tel 555-0100, seen by Dr. Roe on 3/4/2020"
    assert notes[3] is None


def test_16_the_table_of_the_hierarchies_is_read():
    source = open_source(AWKWARD / "16_hierarchies" / "ages.csv")
    with (AWKWARD / "16_hierarchies" / "ages.csv").open(newline="") as file:
        header, *records = csv.reader(file)
    assert source.columns == tuple(header)
    assert rows(source) == [tuple(record) for record in records]


def test_20_an_empty_file_is_refused_and_a_header_is_a_table_without_rows():
    with pytest.raises(InputError, match="the file is empty"):
        open_source(AWKWARD / "20_empty_and_header_only" / "empty.csv")
    source = open_source(AWKWARD / "20_empty_and_header_only" / "header_only.csv")
    assert source.n_rows() == len(rows(source)) == 0
    assert len(source.columns) > 1


def test_23_formulas_go_through_unchanged(tmp_path):
    source = open_source(AWKWARD / "23_csv_injection.csv")
    assert rows(source) == [
        ("1", "=1+1", "@SUM(A1)"),
        ("2", "+4930123", "-2"),
        ("3", '=HYPERLINK("http://example.org")', "ok"),
    ]
    assert rows(read_back(source, tmp_path)) == rows(source)
    assert (tmp_path / "out.csv").read_bytes() == (AWKWARD / "23_csv_injection.csv").read_bytes()


def test_25_a_single_row_is_read():
    source = open_source(AWKWARD / "25_tiny_single_row.csv")
    assert rows(source) == [("34", "F", "flu")]
