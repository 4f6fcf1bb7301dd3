"""Worked examples of the methods that bucket releases are compared with: eight patients, a to h."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest

from shoal.algorithms import DPCounts, Hybrid, Mondrian, Sampled
from shoal.algorithms.hybrid import amplified
from shoal.algorithms.noise import noisy_cells
from shoal.core.classes import Classes
from shoal.core.context import Context, SensitiveColumn
from shoal.core.hierarchy import Hierarchy
from shoal.core.protocols import Problem
from shoal.core.table import FrequencyTable
from shoal.loss import NCP, Distortion
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity, DAlphaLinkable, KAnonymity

ROWS = """21 M Z1 flu
23 F Z1 cold
25 F Z2 ulcer
28 M Z2 flu
41 M Z3 cold
44 F Z3 flu
47 F Z4 asthma
49 M Z4 ulcer"""
AGES = [str(age) for age in range(21, 50)]
TREES = {
    "age": Hierarchy.from_paths(AGES, [[]] * 29, order=range(21, 50), type="integer"),
    "sex": Hierarchy.from_paths(["M", "F"], [[], []]),
    "zip": Hierarchy.from_paths(["Z1", "Z2", "Z3", "Z4"], [["Z12"], ["Z12"], ["Z34"], ["Z34"]]),
    "disease": Hierarchy.from_paths(["flu", "cold", "ulcer", "asthma"], [[]] * 4),
}


def patients():
    """The table; its items are a to h in this order, since they are sorted by age."""
    cells = zip(*(line.split() for line in ROWS.splitlines()), strict=True)
    columns = {
        name: (tree, np.array([tree.codes[cell] for cell in column], np.int32))
        for (name, tree), column in zip(TREES.items(), cells, strict=True)
    }
    disease = {"disease": columns.pop("disease")}
    return FrequencyTable.from_columns(columns, disease)[0]


def problem(table, *models):
    return Problem(models=models, loss=NCP(), context=table.context())


def together(regions):
    """Patients by class, as words."""
    found = {}
    for name, region in zip("abcdefgh", regions.region.tolist(), strict=True):
        found[region] = found.get(region, "") + name
    return set(found.values())


@dataclass
class Given:
    """Noise that is listed."""

    noises: list
    chance: float = 0.0
    drawn: list = field(default_factory=list)

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
    assert together(plain.recoding) == {"ad", "bc", "eh", "fg"}
    algorithm = Sampled(rate=1, labels="ranges")
    found = algorithm.search(table, problem(table, KAnonymity(k=2), half), np.random.default_rng(0)).recoding
    assert "ad" not in together(found)
    assert not half.violating(found.classes(table, ["disease"]), table.context())[0]


CLASSICAL = {"algorithm": "mondrian", "labels": "ranges", "cuts": "widest"}


@pytest.mark.skipif("cuts" not in Mondrian.__dataclass_fields__, reason="needs cuts of the widest column")
def test_the_classes_of_the_comparison():
    table = patients()
    rng = np.random.default_rng(0)
    sampled = Sampled(inner=CLASSICAL, rate=1)
    plain = sampled.search(table, problem(table, KAnonymity(k=2)), rng).recoding
    assert together(plain) == {"ad", "bc", "eh", "fg"}
    boxes = [(plain.lo[r, 0] + 21, plain.hi[r, 0] + 21) for r in plain.region.tolist()]
    assert boxes == [(21, 28)] * 4 + [(29, 49)] * 4
    # Ages (4 * 7/28 + 4 * 20/28), no sex, half of the zip codes: over 24 cells.
    assert measure(NCP(), table, plain) == pytest.approx((4 * 7 / 28 + 4 * 20 / 28 + 8 / 3) / 24)
    assert measure(Distortion(), table, plain) == pytest.approx((8 + 8) / (8 + 8 + 16))
    half = AlphaKAnonymity(sensitive="disease", alpha=Fraction(1, 2))
    found = sampled.search(table, problem(table, KAnonymity(k=2), half), rng).recoding
    assert together(found) == {"ab", "cd", "eh", "fg"}
