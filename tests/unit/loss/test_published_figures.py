"""Losses against figures that others published or that were added up by hand."""

import csv
import json

import numpy as np
import pytest

from shared import ROOT, needs_shared
from shoal.core.hierarchy import Hierarchy
from shoal.core.recoding import Generalization, regions_of
from shoal.core.regions import Regions
from shoal.errors import SpecError
from shoal.loss import (
    NCP,
    AverageClassSize,
    Discernibility,
    Distortion,
    NCPValue,
    NonUniformEntropy,
    Precision,
    Stars,
)
from shoal.loss.measure import measure
from strategies import table_of


def binary_tree(height):
    """A tree of 2^height leaves with two children each."""
    leaves = [f"{i:0{height}b}" for i in range(2**height)]
    return Hierarchy.from_paths(
        leaves, [[leaf[: height - up] or "*" for up in range(1, height + 1)] for leaf in leaves]
    )


def test_the_node_g0_b1_p1_of_wong_et_al():
    """Heights 1, 2 and 4; one edge climbed in two columns by 4 records: 8 of 28, and (0/1 + 1/2 + 1/4)/3."""
    trees = [binary_tree(1), binary_tree(2), binary_tree(4)]
    table = table_of([((i % 2, i, 3 * i), (), None) for i in range(4)], trees)
    regions = regions_of(Generalization((0, 1, 1), np.zeros(4, bool)), table)
    assert measure(Distortion(), table, regions) == pytest.approx(2 / 7)
    assert measure(Precision(), table, regions) == pytest.approx(1 / 4)


def test_entropy_of_a_a_b_c_with_a_and_b_joined():
    """2 log2(3/2) + log2(3/1) + 0 bits."""
    tree = Hierarchy.from_paths(["a", "b", "c"], [["ab"], ["ab"], ["c"]])
    table = table_of([((code,), (), None) for code in (0, 0, 1, 2)], [tree])
    regions = regions_of(Generalization((1,), np.zeros(3, bool)), table)
    assert measure(NonUniformEntropy(), table, regions) == pytest.approx(2.754888, abs=5e-7)


@needs_shared
def test_case_27_information_loss_figures():
    folder = ROOT / "cases" / "27-information-loss-figures"
    expected = json.loads((folder / "expected.json").read_text())["expected"]
    with (folder / "original.csv").open() as file:
        records = list(csv.DictReader(file))
    # The domains are larger than these seven records, else "81***" would be the whole of them.
    ages = [str(age) for age in range(20, 90)]
    zips = ["81675", "81667", "81925", "81931", "90001"]
    trees = [
        Hierarchy.from_paths(ages, [["<50" if int(age) < 50 else ">=50", "*"] for age in ages]),
        Hierarchy.from_paths(["male", "female"], [["*"], ["*"]]),
        Hierarchy.from_paths(zips, [[code[: 5 - up] + "*" * up for up in range(1, 6)] for code in zips]),
    ]
    names = ("age", "gender", "zipcode")
    rows = [
        (tuple(tree.codes[record[name]] for tree, name in zip(trees, names, strict=True)), (), None)
        for record in records
    ]
    table = table_of(rows, trees)
    nobody = np.zeros(table.n_points, bool)
    alone = nobody.copy()
    alone[[i for i, codes in enumerate(table.codes.tolist()) if tuple(codes) == rows[3][0]]] = True
    whole = regions_of(Generalization((1, 0, 3), nobody), table)
    without = regions_of(Generalization((1, 0, 3), alone), table)

    assert 1 - measure(Precision(), table, whole) == pytest.approx(
        expected["precision_of_the_node_without_suppression"]
    )
    assert 1 - measure(Precision(), table, without) == pytest.approx(
        expected["precision_with_suppressed_record_at_top"]
    )
    assert measure(Discernibility(), table, without) == 19
    assert AverageClassSize(k=2).of_sizes(without.region_rows, 0) == expected["c_avg_kept_rows"]
    assert measure(AverageClassSize(k=2), table, whole) == expected["c_avg_all_rows_suppressed_as_class"]
    # All 7 records over 3 published classes, in multiples of k = 2.
    assert measure(AverageClassSize(k=2), table, without) == pytest.approx(7 / 3 / 2)
    assert without.suppressed_rows / 7 == pytest.approx(expected["suppression_rate"])


def test_suppressed_record_is_a_star_in_every_column():
    tree = binary_tree(1)
    table = table_of([((0, 0), (), None), ((1, 1), (), None)], [tree, tree])
    regions = regions_of(Generalization((0, 1), np.array([False, True])), table)
    assert measure(Stars(), table, regions) == 3
    assert measure(NCP(), table, regions) == pytest.approx(3 / 4)


def test_weights_pull_the_mean_towards_a_column():
    tree = binary_tree(1)
    table = table_of([((0, 0), (), None), ((1, 1), (), None)], [tree, tree])
    regions = regions_of(Generalization((0, 1), np.zeros(2, bool)), table)
    assert measure(NCP(), table, regions, {"q1": 3.0}) == pytest.approx(3 / 4)


def test_value_distance_follows_the_numbers_and_not_the_codes():
    # b lies between a and c in number but not in the tree, so the column is nominal: {a, c} spans 0 to 10.
    tree = Hierarchy.from_paths(["a", "b", "c"], [["ac"], ["b"], ["ac"]], order=[0, 4, 10], null=True)
    assert not tree.ordered
    leaf = np.zeros(3, np.int32)
    costs = NCPValue().costs(tree, np.ones(4, np.int64), leaf, leaf, np.array([0, 1, 3], np.int32))
    assert costs.tolist() == [0.0, 1.0, 1.0]


def test_average_class_size_of_nothing_published_is_the_whole_table():
    none = np.empty(0, np.int64)
    assert AverageClassSize().of_sizes(none, 12) == 12
    assert Discernibility().of_sizes(none, 12) == 144


def test_k_of_average_class_size_must_be_positive():
    with pytest.raises(SpecError):
        AverageClassSize(k=0)


def test_shares_of_one_item_may_lie_in_several_boxes():
    tree = binary_tree(1)
    table = table_of([((0,), (), None)] * 3, [tree])
    regions = Regions(
        np.zeros((2, 1), np.int32),
        np.array([[0], [1]], np.int32),
        np.array([0, 2]),
        np.array([0, 1], np.int32),
        np.array([1, 2]),
        "ranges",
    )
    assert measure(NCP(), table, regions) == pytest.approx(2 / 3)
