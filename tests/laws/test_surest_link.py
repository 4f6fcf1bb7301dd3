"""How surely a bucket release links somebody, read from its rows, is what the decision says."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as sh
from bucket_releases import Dealt
from shoal.workflow.forms import surest
from shoal.workflow.forms.surest import surest_link

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

GROUPS = [
    (("p", "q", "r"), ("s",)),
    (("p", "q"), ("r", "s")),
    (("p",), ("q",), ("r", "s")),
    (("p",), ("q", "r", "s")),
]

cell = st.one_of(st.none(), st.sampled_from("abc"))
rows = st.lists(
    st.tuples(cell, cell, st.sampled_from("mn"), st.one_of(st.none(), st.sampled_from("uvw"))), min_size=1
)


@pytest.mark.parametrize("most_pairs", [1, 1 << 20])
@given(rows=rows, groups=st.sampled_from(GROUPS), size=st.integers(1, 4), widened=st.booleans())
@settings(max_examples=40)
def test_it_is_that_of_the_decision(most_pairs, rows, groups, size, widened):
    frame = pl.DataFrame(rows, schema=dict.fromkeys("pqrs", pl.String), orient="row")
    schema = sh.Schema(quasi_identifiers=["p", "q", "r"], sensitive=["s"])
    try:
        release = sh.anonymize(
            frame,
            schema,
            models=sh.LDiversity(sensitive="s", l=1, count_nulls=True),
            algorithm=Dealt(rows=size, groups=groups, widened=widened),
            seed=1,
        )
    except sh.InfeasibleError:
        return
    table = release.table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surest, "MOST_PAIRS", most_pairs)
        found = surest_link(
            release.data.with_columns(pl.col("bucket").cast(pl.String)),
            pl.DataFrame({name: table.codes[:, j] for j, name in enumerate(table.names)}),
            dict(zip(table.names, table.hierarchies, strict=True)),
            groups,
            bucket="bucket",
            sensitive="s",
        )
    assert found == pytest.approx(release.link["highest"])


def test_whoever_is_covered_by_no_bucket_counts_as_known():
    tree = sh.Hierarchy.from_paths(["a", "b"], [["*"], ["*"]])
    published = pl.DataFrame({"bucket": ["0", "0"], "p": ["a", "a"], "s": ["u", "v"]})
    people = pl.DataFrame({"p": [0, 1]}, schema={"p": pl.Int32})
    found = [
        surest_link(published, some, {"p": tree}, [("p",), ("s",)], bucket="bucket", sensitive="s")
        for some in (people[:1], people)
    ]
    assert found == [0.5, 1.0]
