"""The links of a bucket release, read from labels, are those that looking at every row finds."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.links import links
from shoal.core.hierarchy import Hierarchy
from shoal.workflow.forms import links as module
from shoal.workflow.forms.links import links_of

TREE = Hierarchy.from_paths(["a", "b", "c", "d"], [["ab", "*"], ["ab", "*"], ["cd", "*"], ["cd", "*"]], null=True)
COVERS = {
    "ab": ["a", "b"],
    "cd": ["c", "d"],
    "*": ["a", "b", "c", "d", None],
    **{x: [x] for x in "abcd"},
    None: [None],
}

leaf = st.sampled_from(["a", "b", "c", "d", None])
label = st.sampled_from(["a", "b", "c", "d", "ab", "cd", "*", None])
bucket = st.sampled_from("xy")
value = st.sampled_from(["u", "v", "w", None])


@pytest.mark.parametrize("most_pairs", [1, 5, 1 << 20])
@given(
    rows=st.lists(st.tuples(bucket, st.tuples(label, label), value), max_size=12),
    people=st.lists(st.tuples(bucket, st.tuples(leaf, leaf)), min_size=1, max_size=8, unique=True),
)
def test_links_are_those_of_looking_at_every_row(most_pairs, rows, people):
    published = pl.DataFrame(
        [(b, *labels, s) for b, labels, s in rows],
        schema=dict.fromkeys(("bucket", "p", "q", "s"), pl.String),
        orient="row",
    )
    known = pl.DataFrame(
        [(b, *(TREE.codes[v] for v in values)) for b, values in people],
        schema={"bucket": pl.String, "p": pl.Int32, "q": pl.Int32},
        orient="row",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_PAIRS", most_pairs)
        found = links_of(published, known, {"p": TREE, "q": TREE}, bucket="bucket", sensitive="s")
    fewest, largest = links(
        rows, people, lambda labels, values: all(v in COVERS[x] for x, v in zip(labels, values, strict=True))
    )
    assert found.fewest == fewest
    assert found.largest == pytest.approx(largest)


def test_a_label_that_cannot_be_read_covers_nobody():
    published = pl.DataFrame({"bucket": ["x"], "p": ["z"], "s": ["u"]})
    known = pl.DataFrame({"bucket": ["x"], "p": [0]}, schema_overrides={"p": pl.Int32})
    found = links_of(published, known, {"p": TREE}, bucket="bucket", sensitive="s")
    assert (found.fewest, found.largest) == (0, 1.0)
