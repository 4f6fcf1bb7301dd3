"""Every order has the same chance, however many piles there are."""

from collections import Counter

import numpy as np
import pytest

from shoal.engines import shuffle
from shoal.engines.shuffle import shuffled


@pytest.mark.parametrize("n_rows", [0, 1, 5, 70_000])
def test_every_row_comes_once(n_rows):
    assert np.sort(shuffled(n_rows, np.random.default_rng(1))).tolist() == list(range(n_rows))


def test_the_same_numbers_give_the_same_order():
    one, again, other = (shuffled(70_000, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_no_order_is_favoured(monkeypatch):
    monkeypatch.setattr(shuffle, "PILE", 1)
    rng = np.random.default_rng(7)
    drawn = Counter(tuple(shuffled(4, rng).tolist()) for _ in range(24_000))
    assert len(drawn) == 24
    # Chi square with 23 degrees of freedom: one seed in 10,000 would exceed 58.6.
    assert sum((count - 1000) ** 2 / 1000 for count in drawn.values()) < 58.6
