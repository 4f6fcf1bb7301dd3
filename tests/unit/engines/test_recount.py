"""The recount agrees with counting plain rows by hand."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.recount import recount

cell = st.one_of(st.none(), st.sampled_from(["a", "b", "*"]))
row = st.tuples(cell, cell, st.one_of(st.none(), st.sampled_from("xyz")), st.integers(0, 3))


@given(st.lists(row, min_size=1, max_size=20), st.booleans())
def test_recount_equals_counting_the_rows(rows, by_people):
    frame = pl.LazyFrame(
        {
            "age": [r[0] for r in rows],
            "sex": [r[1] for r in rows],
            "disease": [r[2] for r in rows],
        },
        schema=dict.fromkeys(("age", "sex", "disease"), pl.String),
    )
    codes = {"x": 0, "y": 1, "z": 2, None: 3}
    unit = np.array([r[3] for r in rows], np.uint32) if by_people else None
    found = recount(frame, ["age", "sex"], {"disease": codes}, unit=unit)

    groups = {}
    for age, sex, disease, person in rows:
        groups.setdefault((age, sex), []).append((disease, person))
    residue = groups.pop(("*", "*"), [])
    assert found.residue_rows == len(residue)
    expected = []
    for members in groups.values():
        histogram = {}
        for value in {v for v, _ in members}:
            people = [p for v, p in members if v == value]
            histogram[codes[value]] = len(set(people)) if by_people else len(people)
        size = len({p for _, p in members}) if by_people else len(members)
        expected.append((size, len(members), sorted(histogram.items())))
    classes, histogram = found.classes, found.classes.histograms["disease"]
    got = []
    for c in range(len(classes)):
        entries = slice(histogram.offsets[c], histogram.offsets[c + 1])
        pairs = sorted(zip(histogram.values[entries].tolist(), histogram.counts[entries].tolist(), strict=True))
        got.append((int(classes.size[c]), int(classes.rows[c]), pairs))
    assert sorted(got) == sorted(expected)
