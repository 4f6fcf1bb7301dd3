"""Texts that mean missing, or look as if they did, are counted per column."""

from collections import Counter

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.io import missing
from shoal.io.frames import from_frame
from shoal.io.missing import count_markers
from shoal.io.opening import open_source

CELLS = st.sampled_from(["", "NA", "na", " NA", "?", "x", "x ", "1305*", "*", "[20, 29]", "none", None])


@settings(deadline=None, max_examples=40)
@given(st.lists(CELLS, min_size=1, max_size=30), st.sampled_from([(), ("",), ("?", "NA")]))
def test_counts_are_those_of_the_cells(cells, declared):
    source = from_frame(pl.DataFrame({"a": pl.Series(cells, dtype=pl.String)}), missing=declared)
    found = count_markers(source)
    counted = Counter("" if cell is None else cell for cell in cells)
    means_missing = {"", *declared}
    assert found.missing.get("a", {}) == {t: n for t, n in counted.items() if t in means_missing}
    assert found.suspicious.get("a", {}) == {
        t: n for t, n in counted.items() if t not in {*means_missing, "x", "x "}
    }
    assert found.padded.get("a", 0) == sum(n for t, n in counted.items() if t != t.strip())


def test_batches_are_added_up(monkeypatch):
    monkeypatch.setattr(missing, "_BATCH", 3)
    source = from_frame(pl.DataFrame({"a": ["NA", "x", None, ""] * 5, "n": [1.5, float("nan"), None, 2.0] * 5}))
    found = count_markers(source)
    assert found.missing == {"a": {"": 10}, "n": {"": 10}}
    assert found.suspicious == {"a": {"NA": 5}}


def test_many_generalized_values_are_cut_to_the_most_frequent():
    source = from_frame(pl.DataFrame({"zip": [f"{i}*" for i in range(50)] + ["7*", "NA"]}))
    found = count_markers(source).suspicious["zip"]
    assert len(found) == 21
    assert (found["7*"], found["NA"]) == (2, 1)


def test_a_file_is_counted_as_it_stands(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('a,b\n"",?\n,x\n')
    found = count_markers(open_source(path, missing=["?"]))
    assert found.missing == {"a": {"": 2}, "b": {"?": 1}}
    assert found.suspicious == {}
