"""Worked example 8 of the specification of composition attacks: boxes on age alone, with exact risks."""

from fractions import Fraction

import numpy as np
import pytest

from shoal.attacks import Composition
from shoal.core.published import LeafSets, PublishedClasses
from shoal.risk.composition import composition_risk

VALUES = ["flu", "cold", "asthma", "ulcer"]
T1 = {
    "a": (21, "flu"),
    "b": (23, "cold"),
    "e": (41, "cold"),
    "f": (44, "flu"),
    "g": (47, "asthma"),
    "h": (49, "ulcer"),
}
T2 = {"a": (21, "flu"), "p": (30, "ulcer"), "q": (36, "cold"), "g": (47, "asthma"), "r": (48, "ulcer")}
R1 = [((20, 29), "flu cold"), ((40, 49), "flu cold asthma ulcer")]
PEOPLE = sorted({**T1, **T2})


def release(boxes):
    values = [sorted(VALUES.index(s) for s in texts.split()) for _, texts in boxes]
    offsets = np.concatenate([[0], np.cumsum([len(v) for v in values])])
    sides = LeafSets.from_runs([box] for box, _ in boxes)
    cells = np.arange(len(boxes), dtype=np.int32)[:, None]
    return PublishedClasses(cells, (sides,), offsets, np.array([v for some in values for v in some], np.int32))


def risk(first, second):
    releases = [release(first), release(second)]
    ages = np.array([[(T1.get(u) or T2[u])[0]] for u in PEOPLE], np.int32)
    truth = np.array([[VALUES.index(t[u][1]) if u in t else -1 for t in (T1, T2)] for u in PEOPLE], np.int32)
    links = Composition().link(releases, [ages, ages])
    true, own = Composition().true_matches(releases, links, truth)
    triples = Composition().meet(*releases).triples
    matches = dict(zip(PEOPLE, links.matches.tolist(), strict=True))
    return matches, composition_risk(links.matches, true, truth, own, triples=triples)


def test_the_example():
    matches, found = risk(R1, [((20, 34), "flu ulcer"), ((35, 49), "cold asthma ulcer")])
    assert matches == {"a": 1, "b": 1, "e": 3, "f": 3, "g": 3, "h": 3, "p": 0, "q": 0, "r": 3}
    assert found.risk_all == Fraction(2, 17)
    assert float(found.risk_all) == pytest.approx(0.11765, abs=5e-6)
    assert found.risk_overlap == Fraction(2, 4)
    # E1 and F1 share flu, E2 and F2 share cold, asthma and ulcer; a has flu, g asthma.
    assert found.risk_class == Fraction(2, 4)


def test_a_value_more_in_a_class_lowers_the_risk():
    _, found = risk(R1, [((20, 34), "flu ulcer cold"), ((35, 49), "cold asthma ulcer")])
    assert (found.risk_all, found.risk_overlap) == (Fraction(2, 19), Fraction(2, 5))


def test_a_true_value_that_is_gone_is_no_true_match():
    matches, found = risk(R1, [((20, 34), "flu ulcer"), ((35, 49), "cold ulcer")])
    assert [matches[u] for u in "efghr"] == [2] * 5
    assert found.risk_all == Fraction(1, 12)


def test_no_person_in_both_is_no_risk():
    assert (
        composition_risk(np.array([3]), np.array([False]), np.array([[0, -1]]), np.array([[0, -1]])).risk_all == 0
    )
