"""Encoding reads every text once, in any order of rows, and keeps missing values apart."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.encode import compact, encode

texts = st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=30)


@given(texts)
def test_codes_give_the_texts_back(values):
    column = encode(pl.LazyFrame({"a": pl.Series(values, dtype=pl.String)}), ["a"])["a"]
    assert [column.texts[code] for code in column.codes] == values
    assert list(column.texts) == sorted({v for v in values if v is not None}) + [None] * (None in values)


@given(texts, st.randoms())
def test_the_numbering_does_not_depend_on_the_order_of_rows(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    first, second = (
        encode(pl.LazyFrame({"a": pl.Series(v, dtype=pl.String)}), ["a"])["a"].texts for v in (values, shuffled)
    )
    assert first == second


def test_recoding_goes_to_another_numbering_of_the_same_texts():
    column = encode(pl.LazyFrame({"a": ["x", None, "y"]}), ["a"])["a"]
    assert column.recoded({"y": 0, "x": 1, None: 2}, 3).tolist() == [1, 2, 0]


def test_codes_take_the_smallest_type_that_holds_them():
    assert compact(np.array([0]), 256).dtype == np.uint8
    assert compact(np.array([0]), 257).dtype == np.uint16
    assert compact(np.array([0]), 65_537).dtype == np.uint32
