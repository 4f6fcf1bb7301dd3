"""The structure check finds what the grammar says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.records import parse
from shoal.kernels import records
from shoal.kernels.records import Fault, check_records

alphabet = st.sampled_from(['"', ",", "\n", "a", "\r\n", "b", " ", "\0", "é", "\r"])


def check(text, n_fields=2, **options):
    return check_records(
        np.frombuffer(text.encode(), np.uint8), delimiter=ord(","), quote=ord('"'), n_fields=n_fields, **options
    )


@settings(deadline=None)
@given(st.lists(alphabet, max_size=14).map("".join), st.integers(1, 3))
def test_a_text_passes_exactly_where_the_grammar_gives_every_record_the_same_fields(text, n_fields):
    records = parse(text, ",")
    found = check(text, n_fields)
    if records is not None and all(len(cells) == n_fields for cells in records):
        assert found.fault is Fault.NONE
        assert found.n_records == len(records)
        assert found.ascii == text.isascii()
    else:
        assert found.fault is not Fault.NONE


@settings(deadline=None)
@given(st.lists(st.sampled_from(["1,2\n", '"x,\n",2\n', "3\n", "1,2,3\n", 'a"b,2\n']), max_size=30))
def test_parts_and_threads_change_nothing(lines):
    whole = check("".join(lines))
    size, records._PART = records._PART, 3
    try:
        assert check("".join(lines)) == whole
    finally:
        records._PART = size


@pytest.mark.parametrize(
    ("text", "fault", "offset", "n_records"),
    [
        ("1,2\n3\n", Fault.FIELDS, 4, 1),
        ("1,2\n3,4,5\n", Fault.FIELDS, 4, 1),
        ("1,2\n3,4\n5", Fault.FIELDS, 8, 2),
        ("1,2\n\n3,4\n", Fault.FIELDS, 4, 1),
        ('1,x"y\n', Fault.STRAY_QUOTE, 3, 0),
        ('1,"x" \n', Fault.AFTER_QUOTE, 5, 0),
        ('1,"x\n2,3\n', Fault.UNCLOSED, 2, 0),
        ("1,2\n3,\0\n", Fault.NUL, 6, 1),
        ("1,2\r\n3,\r4\n", Fault.CARRIAGE_RETURN, 7, 1),
        ('"1",2\n3,4\r\r\n', Fault.CARRIAGE_RETURN, 9, 1),
    ],
)
def test_the_first_fault_has_its_place(text, fault, offset, n_records):
    found = check(text)
    assert (found.fault, found.offset, found.n_records) == (fault, offset, n_records)


def test_without_a_quote_character_quotes_are_letters():
    data = np.frombuffer(b'5" pipe,2\n', np.uint8)
    assert check_records(data, delimiter=ord(","), quote=None, n_fields=2).fault is Fault.NONE


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["1,2\n", "a long cell without an end in sight,2\r\n", ",\n"]), max_size=12),
    st.data(),
)
def test_one_wrong_byte_in_a_long_text_is_found_wherever_it_stands(lines, data):
    text = "".join(lines)
    assert check(text).n_records == len(lines)
    at = data.draw(st.integers(0, len(text)))
    for wrong in (",", "\n", "\0", "\r", '"'):
        broken = text[:at] + wrong + text[at:]
        records = parse(broken, ",")
        right = records is not None and all(len(cells) == 2 for cells in records)
        assert (check(broken).fault is Fault.NONE) == right
