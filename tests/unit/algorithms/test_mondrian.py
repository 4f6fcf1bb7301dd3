"""Mondrian on tables that can be checked by hand."""

from fractions import Fraction

import numpy as np
import pytest

from shoal.algorithms import ALGORITHMS, Mondrian, partition
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError
from shoal.loss import NCP
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity
from strategies import table_of

AGE = Hierarchy.from_paths([str(i) for i in range(20, 30)], [["20s"]] * 10, order=range(10), type="integer")
TREE = Hierarchy.from_paths(["a", "b", "c", "d"], [["ab"], ["ab"], ["cd"], ["cd"]])


def rows_of(*codes):
    return [((code,) if isinstance(code, int) else code, (), None) for code in codes]


def search(table, *models, algorithm=None, **settings):
    problem = Problem(models=models, loss=NCP(), context=table.context(), **settings)
    return (algorithm or Mondrian()).search(table, problem, np.random.default_rng(0))


def boxes_of(table, *models, algorithm=None, **settings):
    """Each published box with its rows."""
    regions = search(table, *models, algorithm=algorithm, **settings).recoding
    sides = [
        tuple(zip(lo, hi, strict=True)) for lo, hi in zip(regions.lo.tolist(), regions.hi.tolist(), strict=True)
    ]
    return dict(zip(sides, regions.region_rows.tolist(), strict=True))


def test_the_registry_knows_it():
    assert ALGORITHMS.make("mondrian", labels="sets") == Mondrian(labels="sets")


@pytest.mark.parametrize(
    "settings", [{"labels": "node"}, {"boxes": "loose"}, {"cuts_per_column": 0}, {"lookahead": -1}]
)
def test_refuses_unknown_settings(settings):
    with pytest.raises(SpecError):
        Mondrian(**settings)


def test_the_example_of_six_patients():
    # LeFevre et al. 2006, figure 3: six people in the plane of age and zip, k = 2.
    age = Hierarchy.from_paths(["25", "26", "27", "28"], [["*"]] * 4, order=range(4))
    zip_ = Hierarchy.from_paths(["53710", "53711", "53712"], [["*"]] * 3, order=range(3))
    people = [(0, 1), (0, 2), (1, 1), (2, 0), (2, 2), (3, 1)]
    table = table_of(rows_of(*people), [age, zip_])
    boxes = boxes_of(table, KAnonymity(k=2), algorithm=Mondrian(labels="ranges", boxes="tight"))
    # 53712 goes alone, then the others part between 26 and 27.
    assert boxes == {((0, 1), (1, 1)): 2, ((0, 2), (2, 2)): 2, ((2, 3), (0, 1)): 2}


def test_cut_boxes_leave_no_gap_and_tell_no_minimum():
    table = table_of(rows_of(1, 1, 6, 6, 6), [AGE])
    two = KAnonymity(k=2)
    # The gap 2..5 goes to the two rows, where it costs less.
    assert boxes_of(table, two, algorithm=Mondrian(labels="ranges", boxes="cut")) == {((0, 5),): 2, ((6, 9),): 3}
    assert boxes_of(table, two, algorithm=Mondrian(labels="ranges")) == {((1, 1),): 2, ((6, 6),): 3}


def test_ends_of_an_ordered_side_stay_hidden_by_default():
    table = table_of(rows_of(2, 3, 6, 7), [AGE])
    assert boxes_of(table, KAnonymity(k=4), algorithm=Mondrian(labels="ranges")) == {((0, 9),): 4}
    assert boxes_of(table, KAnonymity(k=4), algorithm=Mondrian(labels="ranges", boxes="tight")) == {((2, 7),): 4}


def test_a_child_lends_records_to_siblings_that_are_too_few():
    # Five a, one c: c alone would be too few, so one a stays with it at the root.
    table = table_of([*rows_of(*[(0, i) for i in range(5)]), *rows_of((2, 4))], [TREE, AGE])
    boxes = boxes_of(table, KAnonymity(k=2))
    # The a of age 24 stays, since its age is that of c.
    assert boxes[(0, 3), (4, 4)] == 2
    assert sum(boxes.values()) == 6
    assert all(first == (0, 0) for first, second in boxes if second != (4, 4))


def test_few_missing_values_do_not_cost_the_whole_column():
    with_null = Hierarchy.from_paths(["a", "b"], [["*"]] * 2, null=True)
    table = table_of(rows_of(*[0] * 4, *[1] * 4, 2), [with_null])
    # One missing value and k = 2: whole points are lent, so the four of one value stay with it.
    assert boxes_of(table, KAnonymity(k=2), algorithm=Mondrian(labels="sets")) == {((0, 2),): 5, ((1, 1),): 4}
    relaxed = Mondrian(labels="sets", strict=False)
    assert sum(boxes_of(table, KAnonymity(k=2), algorithm=relaxed).values()) == 9


def test_missing_values_stand_alone_where_they_are_enough():
    with_null = Hierarchy.from_paths(["a", "b"], [["*"]] * 2, null=True)
    table = table_of(rows_of(0, 1, 2, 2), [with_null])
    boxes = boxes_of(table, KAnonymity(k=2), algorithm=Mondrian(labels="sets"))
    assert boxes == {((0, 1),): 2, ((2, 2),): 2}


def test_relaxed_deals_rows_of_one_value_to_both_sides():
    table = table_of(rows_of(*[0] * 3, *[9] * 5), [AGE])
    assert boxes_of(table, KAnonymity(k=4), algorithm=Mondrian(labels="ranges")) == {((0, 9),): 8}
    relaxed = Mondrian(labels="ranges", strict=False)
    assert boxes_of(table, KAnonymity(k=4), algorithm=relaxed) == {((0, 9),): 4, ((9, 9),): 4}


def test_people_count_not_their_rows():
    # Four rows of value a are of one person; two people have value b.
    rows = [((0,), (), 0)] * 4 + [((1,), (), 1), ((1,), (), 2)]
    table = table_of(rows, [TREE])
    assert boxes_of(table, KAnonymity(k=2)) == {((0, 1),): 6}


def test_models_beyond_k_decide_over_cuts():
    sick = Hierarchy.from_paths(["flu", "cold"], [["*"]] * 2)
    rows = [((q,), (s,), None) for q, s in [(0, 0), (0, 0), (1, 0), (1, 1), (2, 0), (2, 1)]]
    table = table_of(rows, [TREE], [sick])
    both = LDiversity(sensitive="s0", l=2)
    # a has one disease only, so it stays with b.
    assert boxes_of(table, both) == {((0, 1),): 4, ((2, 2),): 2}
    # ceil(2/3 * 2) = 2: the refined form lets a class of two agree.
    refined = AlphaKAnonymity(sensitive="s0", alpha="2/3", form="ceiling", k=2)
    assert boxes_of(table, refined) == {((0, 0),): 2, ((1, 1),): 2, ((2, 2),): 2}


def test_weights_say_which_column_matters():
    square = rows_of(*[(a, b) for a in (0, 3) for b in (0, 3)])
    table = table_of(square, [TREE, TREE])
    assert boxes_of(table, KAnonymity(k=2), weights={"q1": 5.0}) == {((0, 3), (0, 0)): 2, ((0, 3), (3, 3)): 2}
    assert boxes_of(table, KAnonymity(k=2), weights={"q0": 5.0}) == {((0, 0), (0, 3)): 2, ((3, 3), (0, 3)): 2}


def test_without_time_the_most_general_table_is_returned():
    table = table_of(rows_of(0, 1, 2, 3), [TREE])
    solution = search(table, KAnonymity(k=1), budget_s=0.0)
    assert solution.recoding.n_regions == 1
    assert solution.statistics["out of time"]


def test_progress_grows_to_one():
    told = []
    table = table_of(rows_of(0, 0, 1, 1, 2, 3), [TREE])
    search(table, KAnonymity(k=2), progress=lambda share, _text: told.append(share))
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_rows_in_the_way_of_a_highest_level_are_suppressed_within_the_limit():
    table = table_of(rows_of(0, 1, 1, 2), [TREE])
    settings = {"max_levels": {"q0": 1}, "suppression_limit": Fraction(1, 4)}
    regions = search(table, KAnonymity(k=2), **settings).recoding
    assert regions.suppressed_rows == 1
    assert (regions.lo.tolist(), regions.hi.tolist()) == ([[0]], [[1]])
    with pytest.raises(InfeasibleError) as caught:
        search(table, KAnonymity(k=2), max_levels={"q0": 1})
    assert caught.value.choices == (
        "lower k to 1",
        "allow higher levels (max_levels) of q0",
        "raise the suppression limit to 0.25",
    )


def test_more_people_asked_for_than_there_are():
    with pytest.raises(InfeasibleError) as caught:
        search(table_of(rows_of(0, 1, 2), [TREE]), KAnonymity(k=4))
    assert caught.value.choices == ("lower k to 3",)
    assert "3 of 3 rows" in str(caught.value)


def test_what_each_failing_model_needs_is_one_choice():
    sick = Hierarchy.from_paths(["flu", "cold"], [["*"]] * 2)
    table = table_of([((0,), (s,), None) for s in (0, 0, 0, 1)], [TREE], [sick])
    with pytest.raises(InfeasibleError) as caught:
        search(table, LDiversity(sensitive="s0", l=3), AlphaKAnonymity(sensitive="s0", alpha="1/2", k=9))
    assert caught.value.choices == ("lower l to 2 on s0 and raise alpha to 0.75 and lower k to 4 on s0",)


@pytest.mark.parametrize("labels", ["nodes", "ranges", "sets", "stars"])
def test_one_row_and_equal_rows(labels):
    algorithm = Mondrian(labels=labels)
    assert boxes_of(table_of(rows_of(2), [TREE]), KAnonymity(k=1), algorithm=algorithm) == {((2, 2),): 1}
    assert boxes_of(table_of(rows_of(2, 2, 2), [TREE]), KAnonymity(k=2), algorithm=algorithm) == {((2, 2),): 3}


def test_no_rows_give_no_boxes():
    table, _ = FrequencyTable.from_columns({"q0": (TREE, np.empty(0, np.int32))})
    assert search(table, KAnonymity(k=2)).recoding.n_regions == 0


def test_a_level_done_in_parts_gives_the_same_boxes(monkeypatch):
    rng = np.random.default_rng(5)
    table = table_of(rows_of(*map(tuple, rng.integers(0, 4, (60, 3)).tolist())), [TREE] * 3)
    whole = boxes_of(table, KAnonymity(k=3))
    monkeypatch.setattr(partition, "MOST_CUTS", 20)
    assert boxes_of(table, KAnonymity(k=3)) == whole


def test_where_finer_classes_may_pass_it_says_so():
    sick = Hierarchy.from_paths(["flu", "cold"], [["*"]] * 2)
    table = table_of([((0,), (s,), None) for s in (0, 0, 0, 1)], [TREE], [sick])
    with pytest.raises(InfeasibleError) as caught:
        search(table, AlphaKAnonymity(sensitive="s0", alpha="1/2", form="ceiling"))
    assert caught.value.choices[0] == "raise alpha to 0.75 on s0"
    assert "optimal" in caught.value.choices[1]


@pytest.mark.parametrize("labels", ["nodes", "ranges"])
def test_a_large_table_cut_in_parts_gives_the_same_boxes(labels, monkeypatch):
    """Boxes do not depend on each other, so neither on what is cut together."""
    codes = np.random.default_rng(1).integers(0, 4, (400, 3))
    table = table_of([(tuple(row), (), None) for row in codes.tolist()], [TREE] * 3)
    whole = regions_of(search(table, KAnonymity(k=3), algorithm=Mondrian(labels=labels)).recoding, table)
    monkeypatch.setattr("shoal.algorithms.partition.PART", 10)
    parts = regions_of(search(table, KAnonymity(k=3), algorithm=Mondrian(labels=labels)).recoding, table)
    assert np.array_equal(whole.lo, parts.lo)
    assert np.array_equal(whole.hi, parts.hi)
    assert np.array_equal(whole.region, parts.region)
