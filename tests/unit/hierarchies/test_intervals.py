"""Intervals by hand."""

import json

import pytest

from shared import ROOT, needs_shared
from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies import intervals


def path(h, leaf):
    """Labels from a leaf to the root."""
    return [h.labels[node] for node in h.levels[:, h.codes[leaf]]]


def groups(h):
    return list(h.labels[h.n_values :])


def ages(*extra):
    return [str(age) for age in range(17, 31)] + list(extra)


def test_integers_are_labelled_with_both_ends():
    h = intervals(5, 10).build(ages())
    assert path(h, "23") == ["23", "[20, 24]", "[20, 29]", "*"]
    # No value lies in [10, 14], so both levels are one node and bear the lowest label.
    assert path(h, "17") == ["17", "[15, 19]", "[15, 19]", "*"]
    assert h.type == "integer"
    assert h.ordered


def test_decimals_are_half_open_and_without_float_noise():
    h = intervals("0.1", "0.3").build(
        ["0.05", "0.1", "0.15", "0.2", "0.25", "0.29", "0.3", "0.35"], type="decimal"
    )
    assert path(h, "0.25") == ["0.25", "[0.2, 0.3)", "[0, 0.3)", "*"]
    assert path(h, "0.3") == ["0.3", "[0.3, 0.4)", "[0.3, 0.4)", "*"]


def test_a_float_width_is_read_by_its_digits():
    assert intervals(0.1) == intervals("0.1")
    assert groups(intervals(0.1).build(["0.70", "0.75"]))[-1] == "*"
    assert "[0.7, 0.8)" in groups(intervals(0.1).build(["0.70", "0.75", "0.8"]))


def test_negative_numbers_fall_into_the_interval_below():
    h = intervals(10).build(["-11", "-10", "-1", "0", "9"])
    assert groups(h) == ["[-10, -1]", "[0, 9]", "*"]
    assert h.leaves == ("-11", "-10", "-1", "0", "9")


def test_the_origin_moves_the_grid():
    assert groups(intervals(10, origin=18).build(["18", "27", "28", "37"])) == ["[18, 27]", "[28, 37]", "*"]


def test_open_ends_are_one_group_from_the_lowest_level_on():
    h = intervals(5, 10, bottom=17, top=28).build(ages("45", "3"))
    assert path(h, "3") == ["3", "<= 17", "<= 17", "*"]
    assert path(h, "45") == ["45", ">= 28", ">= 28", "*"]
    # 18 and 19 remain of [15, 19]; 25, 26 and 27 of [25, 29].
    assert path(h, "18") == ["18", "[18, 19]", "[18, 19]", "*"]
    assert path(h, "26") == ["26", "[25, 27]", "[20, 27]", "*"]


def test_open_ends_of_decimals_exclude_the_bound_from_the_interval_beside_it():
    h = intervals(5, bottom=18, top=28).build(
        ["17.5", "18.0", "18.5", "19", "26", "27.9", "28", "99"], type="decimal"
    )
    assert groups(h) == ["<= 18", "(18, 20)", "[25, 28)", ">= 28", "*"]


def test_open_ends_alone_leave_the_middle_as_it_is():
    h = intervals(bottom=17, top=90).build(["3", "17", "40", "90", "99"])
    assert path(h, "40") == ["40", "40", "*"]
    assert path(h, "3") == ["3", "<= 17", "*"]
    assert path(h, "99") == ["99", ">= 90", "*"]


def test_a_declared_domain_of_integers_is_the_leaves_and_clips_the_labels():
    h = intervals(10, low=17, high=33).build(["20"])
    assert h.leaves == tuple(str(age) for age in range(17, 34))
    assert groups(h) == ["[17, 19]", "[20, 29]", "[30, 33]", "*"]


def test_a_text_of_the_table_stands_for_its_number_in_a_declared_domain():
    h = intervals(2, low=6, high=9).build(["07", "8"])
    assert h.leaves == ("6", "07", "8", "9")


def test_a_wide_domain_holds_only_the_values_that_occur():
    assert intervals(1000, low=0, high=100_000).build(["5"]).n_values == 1
    assert intervals(1000, low=0, high=99_999).build(["5"]).n_values == 100_000


def test_the_upper_end_of_a_domain_of_decimals_joins_the_interval_below():
    h = intervals(5, 10, low=0, high=100).build(["7", "94", "95.5", "99.9", "100"], type="decimal")
    assert path(h, "100") == ["100", "[95, 100]", "[90, 100]", "*"]


def test_values_outside_the_domain_are_refused_and_counted():
    with pytest.raises(HierarchyError, match=r"2 value\(s\) lie outside the declared domain") as caught:
        intervals(5, low=17, high=90).build(["16", "17", "90", "91"])
    assert caught.value.examples == ("16", "91")


def test_cut_points_hold_their_lower_end_and_the_last_its_upper_end_too():
    h = intervals(cuts=[0, 18, 65, 120]).build(["0", "17", "18", "64", "65", "119", "120"])
    assert groups(h) == ["[0, 17]", "[18, 64]", "[65, 120]", "*"]
    h = intervals(cuts=[0, 0.5, 1]).build(["0", "0.49", "0.5", "1"], type="decimal")
    assert groups(h) == ["[0, 0.5)", "[0.5, 1]", "*"]


def test_cut_points_of_several_levels():
    h = intervals(cuts=[[0, 10, 20, 40], [0, 20, 40]]).build(["1", "5", "11", "15", "25", "39"])
    assert groups(h) == ["[0, 9]", "[10, 19]", "[20, 40]", "[0, 19]", "*"]


def test_cut_points_with_open_ends_lose_no_value():
    h = intervals(cuts=[18, 40, 65], bottom=17, top=65).build(["2", "9", "18", "20", "41", "64", "65", "99"])
    assert groups(h) == ["<= 17", "[18, 39]", "[40, 64]", ">= 65", "*"]


def test_a_value_below_the_lowest_cut_point_is_never_lost_silently():
    with pytest.raises(HierarchyError, match=r"1 value\(s\) lie outside all cut points") as caught:
        intervals(cuts=[1, 10, 20, 131]).build(["0", "9", "79"], column="age")
    assert caught.value.examples == ("0",)


@needs_shared
def test_the_breaks_of_a_public_report_lose_no_row():
    case = ROOT / "cases" / "17-recode-lowest-break-excluded"
    breaks = json.loads((case / "breaks.json").read_text())["breaks"]
    expected = json.loads((case / "expected.json").read_text())["expected"]
    rows = (ROOT / "data" / "sdcmicro" / "testdata.csv").read_text().splitlines()
    header = rows[0].replace('"', "").split(",")
    column = [row.replace('"', "").split(",")[header.index("age")] for row in rows[1:]]
    assert len(column) == expected["rows"]
    # Closed on the right, integers: the intervals start one above each break, and 0 is in none.
    right_closed = [b + 1 for b in breaks]
    with pytest.raises(HierarchyError) as caught:
        intervals(cuts=right_closed).build(column)
    assert caught.value.examples == (str(expected["value"]),)
    assert column.count("0") == expected["outside_all_intervals"]
    # From the lowest break on, every row has an interval.
    h = intervals(cuts=[0, *right_closed[1:]]).build(column)
    counts = {}
    for value in column:
        label = h.labels[h.levels[1, h.codes[value]]]
        counts[label] = counts.get(label, 0) + 1
    assert counts["[0, 9]"] == expected["counts_right_closed"]["1-9"] + expected["outside_all_intervals"]
    assert counts["[10, 19]"] == expected["counts_right_closed"]["10-19"]
    assert sum(counts.values()) == expected["rows"]


@pytest.mark.parametrize(
    ("values", "type_", "n"),
    [
        (["1", "2", "NA"], None, 1),
        (["1.5", "2"], "integer", 1),
        (["1e999", "inf", "nan", "1_0", " 5", "٣"], "decimal", 6),
        (["9007199254740993", "1"], "integer", 1),
        (["9" * 300, "1"], "integer", 1),
    ],
)
def test_texts_that_are_no_numbers_of_the_type_are_refused_and_counted(values, type_, n):
    with pytest.raises(HierarchyError, match=rf"^{n} (of|value)") as caught:
        intervals(5).build(values, type=type_)
    assert len(caught.value.examples) == n


def test_values_of_one_number_are_leaves_of_their_own():
    h = intervals(5).build(["1.0", "1.00", "1e0", "7"], type="decimal")
    assert h.leaves == ("1.0", "1.00", "1e0", "7")
    assert groups(h) == ["[0, 5)", "*"]


def test_differences_beyond_a_float_are_kept():
    h = intervals(cuts=["0", "0.10000000000000000005", "1"]).build(
        ["0.1", "0.10000000000000000001", "0.10000000000000000009", "0.5"], type="decimal"
    )
    assert h.ordered
    assert groups(h)[0] == "[0, 0.10000000000000000005)"
    assert h.leaves[1] == "0.10000000000000000001"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"widths": (5, 12)}, "not a multiple"),
        ({"widths": (10, 5)}, "not a multiple"),
        ({"widths": (5, 5)}, "not a multiple"),
        ({"widths": (0,)}, "above 0"),
        ({"widths": (-5,)}, "above 0"),
        ({"widths": ("five",)}, "not a number"),
        ({"widths": (float("nan"),)}, "not a number"),
        ({"widths": (True,)}, "not a number"),
        ({"widths": (1e-300, 1e300), "cuts": [1, 2]}, "one of the two"),
        ({}, "need widths"),
        ({"cuts": [1]}, "two or more"),
        ({"cuts": [1, 1]}, "rise"),
        ({"cuts": [2, 1]}, "rise"),
        ({"cuts": []}, "two or more"),
        ({"cuts": 5}, "not a list"),
        ({"cuts": [[1, 2], 3]}, "mixed"),
        ({"cuts": [[0, 5, 10], [0, 6, 10]]}, "level 2 are not some"),
        ({"cuts": [[0, 5, 10], [0, 5]]}, "level 2 are not some"),
        ({"cuts": [[0, 5, 10], [0, 5, 10]]}, "level 2 are not some"),
        ({"widths": (5,), "low": 9, "high": 3}, "low must be below high"),
        ({"widths": (5,), "bottom": 9, "top": 9}, "bottom must be below top"),
    ],
)
def test_settings_that_do_not_nest_are_refused(arguments, message):
    arguments = dict(arguments)
    with pytest.raises(SpecError) as caught:
        intervals(*arguments.pop("widths", ()), **arguments)
    assert message in str(caught.value)


def test_integers_have_no_fractional_widths():
    with pytest.raises(SpecError, match="not whole"):
        intervals("2.5").build(["1", "2"])
    assert intervals("2.5").build(["1", "2"], type="decimal").type == "decimal"
