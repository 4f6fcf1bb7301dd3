"""The hash of a row is the keyed BLAKE2b of its texts, each behind its length."""

from hashlib import blake2b

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.row_hash import hash_rows

texts = st.one_of(st.none(), st.sampled_from(["", "a", "ab"]), st.text(max_size=6))


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=12), st.binary(min_size=1, max_size=16), st.data())
def test_equals_the_definition(rows, key, data):
    wanted = sorted(data.draw(st.sets(st.integers(0, len(rows) - 1))))
    frame = pl.LazyFrame({"a": [a for a, _ in rows], "b": [b for _, b in rows]}, {"a": pl.String, "b": pl.String})
    expected = []
    for i in wanted:
        parts = [b"-" if t is None else b"%d:%s" % (len(t.encode()), t.encode()) for t in rows[i]]
        expected.append(int.from_bytes(blake2b(b"".join(parts), digest_size=8, key=key).digest(), "big"))
    assert hash_rows(frame, np.array(wanted, np.int64), key=key).tolist() == expected


def test_rows_that_are_alike_get_the_same_hash_each_in_its_place():
    frame = pl.LazyFrame({"a": ["x", "y", "x", "x", "y", "x"]})
    found = hash_rows(frame, np.arange(6), key=b"k").tolist()
    one, other = (hash_rows(frame, np.array([i]), key=b"k")[0] for i in (0, 1))
    assert found == [one, other, one, one, other, one]


def test_texts_that_run_together_differ_and_a_missing_one_is_no_text():
    frame = pl.LazyFrame({"a": ["ab", "a", None, "", "-"], "b": ["c", "bc", "x", "x", "x"]})
    assert len(set(hash_rows(frame, np.arange(5), key=b"k").tolist())) == 5


def test_the_names_of_columns_do_not_matter():
    plain, named = pl.LazyFrame({"a": ["x", "y"]}), pl.LazyFrame({"__wanted__": ["x", "y"]})
    assert hash_rows(named, np.arange(2), key=b"k").tolist() == hash_rows(plain, np.arange(2), key=b"k").tolist()
