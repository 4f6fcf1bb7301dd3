"""Worked examples of the methods that bucket releases are compared with: eight patients, a to h."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from hospital_example import NAMES, ROWS, TREES, problem, together
from shoal.algorithms import DPCounts, Hybrid, Mondrian, Sampled
from shoal.algorithms.hybrid import amplified
from shoal.algorithms.noise import noisy_cells
from shoal.core.classes import Classes
from shoal.core.context import Context, SensitiveColumn
from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable
from shoal.loss import NCP, Precision
from shoal.loss.measure import measure_columns
from shoal.models import AlphaKAnonymity, DAlphaLinkable, KAnonymity

AGES = range(21, 50)
AGE = Hierarchy.from_paths([str(age) for age in AGES], [[]] * 29, order=AGES, type="integer")


def patients():
    """The table with all ages between the youngest and the oldest; its items are a to h in this order."""
    trees = {**dict(zip(NAMES, TREES, strict=True)), "age": AGE}
    columns = {
        name: (tree, np.array([tree.codes[row[1 + j]] for row in ROWS], np.int32))
        for j, (name, tree) in enumerate(trees.items())
    }
    disease = {"disease": columns.pop("disease")}
    return FrequencyTable.from_columns(columns, disease)[0]


@dataclass
class Given:
    """Noise that is listed."""

    noises: list
    chance: float = 0.0

    def draw(self, n, rng):
        return np.rint(self.noises[:n]).astype(np.int64)


def test_noise_takes_values_away_and_invents_others():
    # Counts (2, 1, 0) and noise (+0.4, -1.7, +1.2): the second value is lost, the third invented.
    found, counts = noisy_cells(
        np.array([0, 1]), np.array([2, 1]), n_cells=3, noise=Given([0.4, -1.7, 1.2]), rng=np.random.default_rng(0)
    )
    assert found.tolist() == [0, 2]
    assert counts.tolist() == [2, 1]


def test_how_likely_it_is_that_values_recur():
    # |E| = 4, p = (.3, .2): q = (.7599, .5904); one value recurs with .901655, both with .448645.
    context = Context({"s": SensitiveColumn(Hierarchy.from_paths("abc", [[]] * 3), np.array([3, 2, 5]))}, 10)
    classes = Classes.from_counts([4], {"s": [[2, 2, 0]]})
    one, two = (DAlphaLinkable(sensitive="s", d=d) for d in (1, 2))
    assert one.achieved(classes, context) == pytest.approx(0.901655, abs=5e-7)
    assert two.achieved(classes, context) == pytest.approx(0.448645, abs=5e-7)
    assert not one.violating(classes, context)[0]
    assert two.violating(classes, context)[0]


def test_what_sampling_makes_of_a_budget():
    assert amplified(1.0, 0.9) == pytest.approx(0.9347, abs=5e-5)
    assert amplified(0.3, 1.0) == pytest.approx(0.3)
    assert amplified(1000.0, 0.5) == pytest.approx(1000 + np.log(0.5))


def test_default_settings_are_those_of_the_comparison():
    assert DPCounts().epsilon == "0.3"
    assert (Hybrid().beta, Hybrid().epsilon) == ("0.9", 1)
    assert Sampled().sampling_rate == 0.9
    assert (DAlphaLinkable(sensitive="s").d, DAlphaLinkable(sensitive="s").required) == (2, 0.9)


def test_a_class_is_refused_where_one_value_has_more_than_half():
    # Two of two in the class ad have the flu.
    table = patients()
    half = AlphaKAnonymity(sensitive="disease", alpha=Fraction(1, 2))
    plain = Mondrian(labels="ranges").search(table, problem(table, KAnonymity(k=2)), np.random.default_rng(0))
    assert together(plain.recoding.region.tolist()) == {"ad", "bc", "eh", "fg"}
    algorithm = Sampled(rate=1, labels="ranges")
    found = algorithm.search(table, problem(table, KAnonymity(k=2), half), np.random.default_rng(0)).recoding
    assert "ad" not in together(found.region.tolist())
    assert not half.violating(found.classes(table, ["disease"]), table.context())[0]


CLASSICAL = {"algorithm": "mondrian", "labels": "ranges", "cuts": "widest"}


def test_the_classes_of_the_comparison():
    table = patients()
    rng = np.random.default_rng(0)
    sampled = Sampled(inner=CLASSICAL, rate=1)
    plain = sampled.search(table, problem(table, KAnonymity(k=2)), rng).recoding
    assert together(plain.region.tolist()) == {"ad", "bc", "eh", "fg"}
    boxes = [(plain.lo[r, 0] + 21, plain.hi[r, 0] + 21) for r in plain.region.tolist()]
    assert boxes == [(21, 28)] * 4 + [(29, 49)] * 4
    # Ages by their width, 4 * 7/28 + 4 * 20/28; zip codes by levels, 8 * 1/2; the sexes as they were: of 24 cells.
    cost = measure_columns(NCP(), table, plain)["age"][0] + measure_columns(Precision(), table, plain)["zip"][0]
    assert cost / 24 == pytest.approx(0.32738, abs=5e-6)
    assert measure_columns(NCP(), table, plain)["sex"][0] == 0
    half = AlphaKAnonymity(sensitive="disease", alpha=Fraction(1, 2))
    found = sampled.search(table, problem(table, KAnonymity(k=2), half), rng).recoding
    assert together(found.region.tolist()) == {"ab", "cd", "eh", "fg"}
