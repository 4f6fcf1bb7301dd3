"""The frequency table: counts, classes, people."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.recoding import Generalization, regions_of
from strategies import tables


@given(tables(n_sensitive=2), st.data())
def test_classes_of_any_node_equal_counting_the_rows(drawn, data):
    table, rows = drawn
    levels = tuple(data.draw(st.integers(0, h.height)) for h in table.hierarchies)
    regions = regions_of(Generalization(levels, np.zeros(table.n_points, bool)), table)
    classes = regions.classes(table, table.sensitive_names)

    expected = {}
    for quasi, sensitive, person in rows:
        nodes = [h.levels[level][c] for h, level, c in zip(table.hierarchies, levels, quasi, strict=True)]
        box = tuple((int(h.lo[n]), int(h.hi[n])) for h, n in zip(table.hierarchies, nodes, strict=True))
        expected.setdefault(box, []).append((sensitive, person))
    boxes = [
        tuple(zip(lo, hi, strict=True)) for lo, hi in zip(regions.lo.tolist(), regions.hi.tolist(), strict=True)
    ]
    assert sorted(boxes) == sorted(expected)
    for c, box in enumerate(boxes):
        members = expected[box]
        assert classes.rows[c] == len(members)
        people = {p for _, p in members}
        assert classes.size[c] == (len(members) if table.unit is None else len(people))
        for j, name in enumerate(table.sensitive_names):
            histogram = classes.histograms[name]
            entries = slice(histogram.offsets[c], histogram.offsets[c + 1])
            found = dict(zip(histogram.values[entries].tolist(), histogram.counts[entries].tolist(), strict=True))
            values = [s[j] for s, _ in members]
            if table.unit is None:
                assert found == {v: values.count(v) for v in values}
            else:
                assert found == {v: len({p for s, p in members if s[j] == v}) for v in values}


@given(tables(), st.randoms())
def test_row_order_changes_nothing(drawn, random):
    from strategies import table_of

    table, rows = drawn
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = table_of(shuffled, table.hierarchies, table.sensitive_hierarchies)
    np.testing.assert_array_equal(table.codes, again.codes)
    np.testing.assert_array_equal(table.counts, again.counts)
    np.testing.assert_array_equal(table.sensitive, again.sensitive)
    np.testing.assert_array_equal(table.offsets, again.offsets)


@given(tables(), st.data())
def test_a_table_with_other_counts_is_that_of_the_rows_that_are_left(drawn, data):
    table, _ = drawn
    kept = np.array([data.draw(st.integers(0, count)) for count in table.counts.tolist()], np.int64)
    part, item = table.with_counts(kept)
    assert part.n_rows == kept.sum()
    assert part.n_points == len({tuple(table.codes[p]) for p in table.point_of_item[kept > 0]})
    np.testing.assert_array_equal(part.codes[part.point_of_item], table.codes[table.point_of_item[item]])
    np.testing.assert_array_equal(part.sensitive, table.sensitive[item])
    np.testing.assert_array_equal(part.counts, kept[item])
    assert (np.diff(part.offsets) > 0).all()
    if table.unit is not None:
        np.testing.assert_array_equal(part.unit, table.unit[item])
