"""The curve visits every point of a cube once, in unit steps."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.hilbert_curve import point
from shoal.kernels import parts
from shoal.kernels.hilbert import curve_order, hilbert_keys


def whole(keys):
    """The keys as Python integers, however many words they have."""
    return [sum(int(word) << 64 * i for i, word in enumerate(reversed(row))) for row in keys.tolist()]


def test_the_order_of_sixteen_points():
    points = np.array(list(product(range(4), repeat=2)), np.int32)
    ordered = points[np.argsort(hilbert_keys(points, 2)[:, 0])].tolist()
    assert "".join(f"{x}{y} " for x, y in ordered) == (
        "00 10 11 01 02 03 13 12 22 23 33 32 31 21 20 30 "
    )  # fmt: skip


@pytest.mark.parametrize(
    ("d", "bits"), [(1, 6), (2, 1), (2, 4), (3, 3), (4, 2), (5, 2), (6, 2), (7, 1), (8, 1), (9, 1), (10, 1)]
)
def test_every_point_once_and_one_step_at_a_time(d, bits):
    points = np.array(list(product(range(2**bits), repeat=d)), np.int32)
    keys = hilbert_keys(points, bits)
    assert sorted(whole(keys)) == list(range(len(points)))
    steps = np.abs(np.diff(points[np.argsort(keys[:, 0])], axis=0))
    assert (steps.sum(axis=1) == 1).all()


@given(d=st.integers(1, 20), bits=st.integers(1, 24), data=st.data())
def test_any_number_of_words(d, bits, data):
    key = data.draw(st.integers(0, 2 ** (d * bits) - 2))
    pair = np.array([point(key, bits, d), point(key + 1, bits, d)], np.int32)
    assert whole(hilbert_keys(pair, bits)) == [key, key + 1]
    assert np.abs(np.diff(pair, axis=0)).sum() == 1


def test_many_points_are_done_in_parts(monkeypatch):
    points = np.array(list(product(range(8), repeat=3)), np.int32)[:-1]
    at_once = hilbert_keys(points, 3)
    monkeypatch.setattr(parts, "MANY", 1)
    assert np.array_equal(hilbert_keys(points, 3), at_once)


def test_ten_columns_of_seven_bits_are_sorted_by_two_words():
    rng = np.random.default_rng(0)
    points = rng.integers(0, 128, (500, 10)).astype(np.int32)
    keys = hilbert_keys(points, 7)
    assert keys.shape == (500, 2)
    assert keys[:, 0].any()
    assert curve_order(points).tolist() == sorted(range(500), key=whole(keys).__getitem__)


def test_nothing_to_order():
    assert curve_order(np.empty((0, 3), np.int32)).tolist() == []
    assert curve_order(np.zeros((2, 0), np.int32)).tolist() == [0, 1]
    assert curve_order(np.zeros((3, 2), np.int32)).tolist() == [0, 1, 2]
