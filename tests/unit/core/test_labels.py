"""Labels of published cells: written by hand-computed rule, read back, never shared by two intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.hierarchy import Hierarchy
from shoal.core.label_reading import label_interval, label_parts, parse_label
from shoal.core.labels import LABEL_FORMS, label_intervals, quoted
from shoal.core.regions import publishable
from shoal.errors import HierarchyError, SpecError
from strategies import hierarchies

AWKWARD = [
    "a",
    "b",
    "a, b",
    "[a, b]",
    "{a, b}",
    "{a, b} (set)",
    "[a, b] (range)",
    '"',
    " a",
    "",
    "(",
    "a\nb",
    "*x",
    "]",
]


@st.composite
def awkward(draw):
    """A hierarchy whose texts look like labels."""
    leaves = draw(st.lists(st.sampled_from(AWKWARD), min_size=1, max_size=6, unique=True))
    groups = [draw(st.sampled_from(["a", "[a, b]", "{b, a}", "*", "g"])) for _ in leaves]
    order = draw(st.none() | st.just(range(len(leaves))))
    kind = "text" if order is None else "ordered"
    return Hierarchy.from_paths(leaves, [[g] for g in groups], order=order, null=draw(st.booleans()), type=kind)


def labels(h, lo, hi, form):
    return label_intervals(h, np.array([lo], np.int32), np.array([hi], np.int32), form)[0]


def every_interval(h, form):
    """All intervals that a form can say, once each."""
    lo, hi = (side.astype(np.int32) for side in np.triu_indices(h.n_values))
    return sorted(set(zip(*(side.tolist() for side in publishable(h, lo, hi, form)), strict=True)))


@given(awkward() | hierarchies())
def test_a_label_is_one_interval_in_whatever_form(h):
    interval_of = {}
    for form in LABEL_FORMS:
        for lo, hi in every_interval(h, form):
            assert interval_of.setdefault(labels(h, lo, hi, form), (lo, hi)) == (lo, hi)


@given(awkward() | hierarchies())
def test_a_label_reads_back_as_its_interval(h):
    for form in LABEL_FORMS:
        for lo, hi in every_interval(h, form):
            mask = parse_label(h, labels(h, lo, hi, form))
            assert np.flatnonzero(mask).tolist() == list(range(lo, hi + 1))
            if labels(h, lo, hi, form) is not None:
                assert label_interval(h, labels(h, lo, hi, form)) in (None, (lo, hi))


@given(hierarchies(null=True))
def test_a_range_never_covers_the_missing_value(h):
    null = h.n_values - 1
    for form in ("ranges", "sets"):
        for lo, hi in every_interval(h, form):
            assert hi < null or lo == null or labels(h, lo, hi, form) == "*"
    assert labels(h, null, null, "ranges") is None


@given(hierarchies(), st.sampled_from(LABEL_FORMS))
def test_many_intervals_at_once_are_written_like_each_alone(h, form):
    lo, hi = (np.array(side, np.int32) for side in zip(*(every_interval(h, form) * 2)[::-1], strict=True))
    assert label_intervals(h, lo, hi, form) == [
        labels(h, a, b, form) for a, b in zip(lo.tolist(), hi.tolist(), strict=True)
    ]


@pytest.fixture
def ages():
    leaves = [str(age) for age in (18, 20, 29, 30, 41)]
    groups = [["young"], ["young"], ["young"], ["old"], ["old"]]
    return Hierarchy.from_paths(leaves, groups, order=[float(a) for a in leaves], null=True, type="integer")


@pytest.fixture
def marital():
    rows = {"Married": "with", "Divorced": "without", "Widowed": "without", "Never, ever": "without"}
    return Hierarchy.from_paths(list(rows), [[group] for group in rows.values()])


def test_forms_of_an_ordered_column(ages):
    assert labels(ages, 0, 2, "nodes") == "young"
    assert labels(ages, 1, 2, "ranges") == "[20, 29]"
    assert labels(ages, 0, 2, "ranges") == "[18, 29]"
    assert labels(ages, 0, 4, "ranges") == "[18, 41]"
    assert labels(ages, 1, 2, "sets") == "{20, 29}"
    for form in LABEL_FORMS:
        assert labels(ages, 3, 3, form) == "30"
        assert labels(ages, 5, 5, form) is None
        assert labels(ages, 0, 5, form) == "*"


def test_a_nominal_column_has_no_ranges(marital):
    assert labels(marital, 1, 2, "ranges") == "{Divorced, Widowed}"
    assert labels(marital, 2, 3, "sets") == '{Widowed, "Never, ever"}'


def test_a_domain_of_one_value_prints_it():
    h = Hierarchy.from_paths(["only"], [["*"]])
    assert [labels(h, 0, 0, form) for form in LABEL_FORMS] == ["only"] * 4


def test_a_label_that_a_value_has_already_is_qualified():
    h = Hierarchy.from_paths(["1", "2", "[1, 2]", "3"], [["*"]] * 4, order=[1, 2, 3, 4], type="ordered")
    assert labels(h, 0, 1, "ranges") == "[1, 2] (range)"
    assert parse_label(h, "[1, 2] (range)").tolist() == [True, True, False, False]
    assert parse_label(h, "[1, 2]").tolist() == [False, False, True, False]


def test_a_label_that_a_group_has_for_other_values_is_qualified():
    h = Hierarchy.from_paths(["1", "2", "3", "4"], [["[1, 2]"]] * 3 + [["x"]], order=[1, 2, 3, 4], type="integer")
    assert labels(h, 0, 1, "ranges") == "[1, 2] (range)"
    assert labels(h, 0, 2, "nodes") == "[1, 2]"


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("*", ["18", "20", "29", "30", "41", None]),
        (None, [None]),
        ("20", ["20"]),
        ("old", ["30", "41"]),
        ("[20, 29]", ["20", "29"]),
        ("[19, 30)", ["20", "29"]),
        ("(18,30]", ["20", "29", "30"]),
        ("[18.5, 1e2]", ["20", "29", "30", "41"]),
        ("<= 29", ["18", "20", "29"]),
        ("<29", ["18", "20"]),
        (">= 30", ["30", "41"]),
        ("> 41", []),
        ("[91, 95]", []),
        ("{41, 18}", ["18", "41"]),
        ("{old,20}", ["20", "30", "41"]),
    ],
)
def test_labels_of_other_tools(ages, text, covered):
    mask = parse_label(ages, text)
    interval = label_interval(ages, text) if text is not None else None
    if interval is not None:
        assert np.flatnonzero(mask).tolist() == list(range(interval[0], interval[1] + 1))
    assert interval is not None or text is None or text.startswith("{")
    assert [leaf for leaf, inside in zip(ages.leaves, mask, strict=True) if inside] == covered


def test_masked_codes_of_other_tools(ages):
    zips = Hierarchy.from_paths(["13012", "13045", "1301", "14850"], [["*"]] * 4)
    assert parse_label(zips, "130**").tolist() == [True, True, False, False]
    assert parse_label(zips, "1301*").tolist() == [True, False, False, False]
    assert [leaf for leaf, inside in zip(ages.leaves, parse_label(ages, "2*"), strict=True) if inside] == [
        "20",
        "29",
    ]
    with pytest.raises(HierarchyError):
        parse_label(zips, "9****")


def test_labels_that_a_chain_gave_up_are_read_and_never_written():
    paths = [["x", "All"], ["x", "All"], ["y", "All"], ["c", "All"]]
    h = Hierarchy.from_paths(["a", "b", "c", "d"], paths)
    assert parse_label(h, "y").tolist() == [False, False, True, False]
    assert parse_label(h, "All").all()
    # "c" is a value, so the group of that name is not read as it.
    assert parse_label(h, "c").tolist() == [False, False, True, False]
    assert labels(h, 2, 2, "nodes") == "c"
    assert labels(h, 0, 3, "nodes") == "*"


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        ("*", "any", ()),
        ("young", "value", ("young",)),
        (">=40", "range", ("40",)),
        ("[1, 2] (range)", "range", ("1", "2")),
        ('{a, "b, c"}', "set", ("a", "b, c")),
        ("3*", "masked", ("3*",)),
        ("[a]", "value", ("[a]",)),
    ],
)
def test_what_a_label_looks_like_without_a_hierarchy(text, kind, parts):
    assert label_parts(text) == (kind, parts)


def test_ends_of_a_range_of_dates_need_not_occur():
    days = ["2024-01-01", "2024-02-29", "2024-03-01"]
    h = Hierarchy.from_paths(days, [["*"]] * 3, order=[738886, 738945, 738946], type="date")
    assert parse_label(h, "[2024-01-15, 2024-03-01)").tolist() == [False, True, False]


@pytest.mark.parametrize(
    "text", ["19", "[20, x]", "[20]", "{20, 19}", "{}", "", "[2024-01-01, 30]", ">= x", "20-29"]
)
def test_unknown_labels_are_refused_without_being_named(ages, text):
    with pytest.raises(HierarchyError) as caught:
        parse_label(ages, text)
    assert caught.value.examples == (text,)
    assert not text or text not in str(caught.value)


def test_no_range_of_a_nominal_column_and_no_missing_value_is_read(marital):
    for text in ("[Divorced, Widowed]", None):
        with pytest.raises(HierarchyError):
            parse_label(marital, text)


def test_intervals_that_a_form_cannot_say(ages):
    for lo, hi, form in [(1, 2, "nodes"), (0, 1, "stars"), (4, 5, "ranges"), (4, 5, "sets"), (4, 5, "nodes")]:
        with pytest.raises(ValueError, match="cannot be written"):
            labels(ages, lo, hi, form)
    with pytest.raises(SpecError, match="did you mean 'ranges'"):
        labels(ages, 0, 1, "range")


def test_no_intervals_have_no_labels(ages):
    assert label_intervals(ages, np.empty(0, np.int32), np.empty(0, np.int32), "nodes") == []


@pytest.mark.parametrize(
    ("text", "written"),
    [("a", "a"), ("a b", "a b"), ("a,b", '"a,b"'), ("{", '"{"'), ('"', '""""'), (" a", '" a"'), ("", '""')],
)
def test_items_are_quoted_as_in_csv(text, written):
    assert quoted(text) == written
