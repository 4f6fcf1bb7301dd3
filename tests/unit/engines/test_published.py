"""Classes of a published table, read by their labels."""

from itertools import pairwise

import polars as pl

from shoal.engines.published import read_published

FRAME = pl.DataFrame(
    {
        "age": ["b", "a", None, "b", "a", None],
        "sex": ["*", "m", "m", "*", "m", "m"],
        "disease": ["flu", "cold", None, "flu", "acne", "flu"],
    }
)


def test_classes_are_sorted_by_their_labels_and_hold_each_value_once():
    found = read_published(FRAME.lazy(), ["age", "sex"], ["disease"], name="it")
    labels = {name: [side.label for side in sides] for name, sides in found.sides.items()}
    assert labels == {"age": ["a", "b", None], "sex": ["*", "m"]}
    assert found.cells.tolist() == [[0, 1], [1, 0], [2, 1]]
    values = found.sensitive["disease"]
    texts = [values.texts[code] for code in values.codes]
    cut = values.offsets.tolist()
    assert [texts[a:b] for a, b in pairwise(cut)] == [
        ["acne", "cold"],
        ["flu"],
        ["flu", None],
    ]


def test_the_order_of_rows_changes_nothing():
    one, other = (
        read_published(frame.lazy(), ["age", "sex"], ["disease"], name="it") for frame in (FRAME, FRAME[::-1])
    )
    assert one.sides == other.sides
    assert one.cells.tolist() == other.cells.tolist()
    assert one.sensitive["disease"].codes.tolist() == other.sensitive["disease"].codes.tolist()


def test_a_table_without_rows_has_no_class():
    found = read_published(FRAME[:0].lazy(), ["age"], ["disease"], name="it")
    assert found.cells.shape == (0, 1)
    assert found.sensitive["disease"].offsets.tolist() == [0]
