"""Mondrian as it was published: the widest column is cut first, beside its median or into its node's children."""

import numpy as np
import pytest

from hospital_example import patients, problem, together
from shoal.algorithms import Mondrian
from shoal.algorithms.bucket_partition import boxes_of_records
from shoal.core.hierarchy import Hierarchy
from shoal.errors import SpecError
from shoal.models import KAnonymity, LDiversity
from strategies import table_of

CLASSICAL = Mondrian(labels="ranges", boxes="cut", cuts="widest")


def buckets(table, *models):
    return CLASSICAL.search(table, problem(table, *models), np.random.default_rng(0)).recoding.region


def test_the_classes_of_two_anonymity():
    # Age spans 8/8, sex 2/2, zip 4/4: age is the first column. Then sex (2/2) before age (7/28) and zip (2/4).
    assert together(buckets(patients(), KAnonymity(k=2))) == {"ad", "bc", "eh", "fg"}


def test_the_classes_of_two_distinct_values():
    # The men of the younger half all have the flu, so sex is refused and zip is next.
    found = buckets(patients(), LDiversity(sensitive="disease", l=2))
    assert together(found) == {"ab", "cd", "eh", "fg"}


def test_both_cuts_beside_a_skewed_median_are_tried():
    # Values 0 1 1 1 1: no cut behind the median 1, one before it, which leaves one record alone.
    tree = Hierarchy.from_paths(["0", "1"], [[], []], order=[0, 1], type="integer")
    table = table_of([((v,), (0,), None) for v in (0, 0, 1, 1, 1)], [tree], [tree])
    assert sorted(buckets(table, KAnonymity(k=2)).tolist()) == [0, 1]
    assert buckets(table, KAnonymity(k=3)).tolist() == [0, 0]


def test_the_most_even_child_is_tried_where_few_cuts_are():
    # Children with 1, 2, 4 and 1 of 8 records: the third parts them evenly.
    tree = Hierarchy.from_paths(["a", "b", "c", "d"], [[]] * 4)
    rows = [((v,), (0,), None) for v, n in enumerate((1, 2, 4, 1)) for _ in range(n)]
    table = table_of(rows, [tree], [tree])
    one = Mondrian(cuts="widest", cuts_per_column=1)
    found = one.search(table, problem(table, KAnonymity(k=4)), np.random.default_rng(0)).recoding
    assert found.region[0] == found.region[1] == found.region[3] != found.region[2]


def test_an_unknown_order_of_cuts_is_refused():
    with pytest.raises(SpecError, match="unknown cuts 'wide'"):
        Mondrian(cuts="wide")


def test_cutting_in_parts_gives_the_same_buckets(monkeypatch):
    rng = np.random.default_rng(4)
    tree = Hierarchy.from_paths([str(v) for v in range(30)], [[]] * 30, order=range(30), type="integer")
    rows = [((int(a), int(b)), (int(s),), None) for a, b, s in rng.integers(0, [30, 30, 5], (400, 3))]
    table = table_of(rows, [tree, tree], [tree])
    model = LDiversity(sensitive="s0", l=3)
    whole, _ = boxes_of_records(table, problem(table, model))
    monkeypatch.setattr("shoal.algorithms.partition.PART", 10)
    parts, _ = boxes_of_records(table, problem(table, model))
    assert whole.max() > 20
    assert (whole == parts).all()
