"""Wrong settings are refused at once and all together, without a value in the message."""

import json
from fractions import Fraction

import numpy as np
import pytest

from shoal.core.classes import Classes
from shoal.core.context import Context, SensitiveColumn
from shoal.core.hierarchy import Hierarchy
from shoal.core.verdict import judge
from shoal.errors import SpecError
from shoal.models import MODELS, AlphaKAnonymity, LDiversity, TCloseness


@pytest.mark.parametrize(
    ("model", "settings", "problem"),
    [
        (AlphaKAnonymity, {"alpha": 0}, "above 0"),
        (AlphaKAnonymity, {"alpha": "3/2"}, "at most 1"),
        (AlphaKAnonymity, {"alpha": "half"}, "not a number"),
        (AlphaKAnonymity, {"alpha": 0.5, "k": 0}, "k must"),
        (AlphaKAnonymity, {"alpha": 0.5, "k": True}, "k must"),
        (AlphaKAnonymity, {"alpha": 0.5, "form": "floor"}, "form"),
        (AlphaKAnonymity, {"alpha": 0.5, "values": []}, "empty"),
        (AlphaKAnonymity, {"alpha": 0.5, "values": [1]}, "by their texts"),
        (AlphaKAnonymity, {"alpha": 0.5, "values": ["a", True]}, "by their texts"),
        (AlphaKAnonymity, {"alpha": {1: 0.5}}, "by their texts"),
        (AlphaKAnonymity, {"alpha": {}}, "names no value"),
        (AlphaKAnonymity, {"alpha": {"a": 0.5}, "values": ["a"]}, "one of the two"),
        (AlphaKAnonymity, {"alpha": 0.5, "reading": "both"}, "reading"),
        (AlphaKAnonymity, {"alpha": 0.5, "reading": "union"}, "union reading needs values"),
        (AlphaKAnonymity, {"alpha": 0.5, "k": 0, "form": "floor"}, "k must.*; form"),
        (LDiversity, {"l": 0}, "at least 1"),
        (LDiversity, {"l": 2.5}, "whole number"),
        (LDiversity, {"l": 2, "kind": "entropie"}, "did you mean 'entropy'"),
        (LDiversity, {"l": 2, "kind": "recursive"}, "needs c"),
        (LDiversity, {"l": 2, "kind": "recursive", "c": 0}, "c must"),
        (LDiversity, {"l": 2, "c": 3}, "recursive alone"),
        (LDiversity, {"l": 2, "kind": "entropy", "count_nulls": True}, "distinct alone"),
        (TCloseness, {"t": 1.5}, "t must"),
        (TCloseness, {"t": 0.2, "ground": "numeric"}, "ground"),
    ],
)
def test_wrong_settings_are_refused(model, settings, problem):
    with pytest.raises(SpecError, match=problem):
        model(sensitive="s", **settings)


def test_exact_alpha_has_no_float_trap():
    # ceil(0.07 * 100) is 8 in floats and 7 in truth; 3 of 30 is not above 0.1.
    seven = Classes.from_counts([100, 100], {"s": [[7, 93], [8, 92]]})
    trees = {"s": SensitiveColumn(flat("a", "b"), np.array([15, 185]))}
    ceiling = AlphaKAnonymity(sensitive="s", alpha=0.07, values=["a"], form="ceiling")
    assert ceiling.violating(seven, Context(trees)).tolist() == [False, True]
    ratio = AlphaKAnonymity(sensitive="s", alpha=0.1, values=["a"])
    assert ratio.violating(Classes.from_counts([30], {"s": [[3, 27]]}), Context(trees)).tolist() == [False]


def flat(*values, null=False):
    return Hierarchy.from_paths(values, [["*"]] * len(values), null=null)


def test_an_alpha_per_value_leaves_others_free():
    classes = Classes.from_counts([4, 4], {"s": [[1, 2, 1], [2, 1, 1]]})
    context = Context({"s": SensitiveColumn(flat("a", "b", "c"), np.array([3, 3, 2]))})
    model = AlphaKAnonymity(sensitive="s", alpha={"a": "1/4", "never": "1/9"})
    assert model.violating(classes, context).tolist() == [False, True]
    # The second class shows twice the share that its value may have.
    assert model.achieved(classes, context) == 2.0
    assert model.required == 1.0


def test_a_union_bounds_the_sum_of_its_values():
    classes = Classes.from_counts([4], {"s": [[1, 1, 2]]})
    context = Context({"s": SensitiveColumn(flat("a", "b", "c"), np.array([1, 1, 2]))})
    settings = {"sensitive": "s", "alpha": "1/4", "values": ["a", "b"]}
    assert not AlphaKAnonymity(**settings).violating(classes, context).any()
    assert AlphaKAnonymity(**settings, reading="union").violating(classes, context).all()
    assert AlphaKAnonymity(**settings, reading="union").achieved(classes, context) == 0.5


def test_a_union_counts_a_person_with_two_values_at_most_as_the_class():
    # Two people, each with both values: the sum of 4 is read as the 2 that they are.
    classes = Classes.from_counts([2], {"s": [[2, 2]]})
    context = Context({"s": SensitiveColumn(flat("a", "b"), np.array([2, 2]))}, n_rows=4, people=2)
    model = AlphaKAnonymity(sensitive="s", alpha=1, values=["a", "b"], reading="union")
    assert model.achieved(classes, context) == 1.0
    assert not model.violating(classes, context).any()


def test_missing_values_count_as_distinct_only_when_asked():
    dense = Classes.from_counts([2], {"s": [[1, 1]]})
    histogram = dense.histograms["s"]
    with_null = Classes(
        dense.size,
        dense.rows,
        {"s": type(histogram)(histogram.offsets, histogram.values, histogram.counts, null=1)},
    )
    context = Context({"s": SensitiveColumn(flat("a", null=True), np.array([1, 1]))})
    assert LDiversity(sensitive="s", l=2).violating(with_null, context).all()
    assert not LDiversity(sensitive="s", l=2, count_nulls=True).violating(with_null, context).any()
    assert not LDiversity(sensitive="s", l=2, kind="frequency").violating(with_null, context).any()


def test_an_order_is_needed_for_the_ordered_distance():
    context = Context({"s": SensitiveColumn(flat("a", "b"), np.array([1, 1]))})
    classes = Classes.from_counts([2], {"s": [[1, 1]]})
    with pytest.raises(SpecError, match="declare its type"):
        TCloseness(sensitive="s", t=0.2, ground="ordered").violating(classes, context)


def test_a_second_root_on_top_changes_no_distance():
    # {a, b} under g, c alone: classes {a} and {c} of the table a, b, c.
    once = Hierarchy.from_paths(["a", "b", "c"], [["g", "*"], ["g", "*"], ["c", "*"]])
    twice = Hierarchy.from_paths(["a", "b", "c"], [["g", "all", "*"], ["g", "all", "*"], ["c", "all", "*"]])
    classes = Classes.from_counts([1, 1], {"s": [[1, 0, 0], [0, 0, 1]]})
    model = TCloseness(sensitive="s", t=0, ground="hierarchical")
    for tree in (once, twice):
        context = Context({"s": SensitiveColumn(tree, np.array([1, 1, 1]))})
        # From {a}: 1/3 to b at height 1 of 2, 1/3 to c at 2 of 2. From {c}: 2/3 at 2 of 2.
        assert model.distances(classes, context) == pytest.approx([1 / 6 + 1 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("model", "bound"),
    [
        # (5, 1): half lets one of the five stay beside the one.
        (AlphaKAnonymity(sensitive="s", alpha="1/2"), 4),
        # ... and two rows are too few for k = 3.
        (AlphaKAnonymity(sensitive="s", alpha="1/2", k=3), 6),
        # At k = 3 the ceiling form lets 2/3 show: two of the five beside the one.
        (AlphaKAnonymity(sensitive="s", alpha="1/2", k=3, form="ceiling"), 3),
        (LDiversity(sensitive="s", l=2, kind="frequency"), 4),
        (LDiversity(sensitive="s", l=2, kind="recursive", c=3), 3),
        (LDiversity(sensitive="s", l=3), 6),
        # H = 0.450561, ln 2 = 0.693147: 6 (1 - 0.65) = 2.1.
        (LDiversity(sensitive="s", l=2, kind="entropy"), 3),
        # n = 5 shares 2.5 + 1 rows with the table and needs 0.7 * 5; n = 6 shares 3 + 1, needs 4.2.
        (TCloseness(sensitive="s", t="0.3"), 1),
        # n = 4 shares 2 + 1 and needs 0.75 * 4.
        (TCloseness(sensitive="s", t="0.25"), 2),
    ],
)
def test_what_every_refinement_must_suppress(model, bound):
    context = Context({"s": SensitiveColumn(flat("a", "b"), np.array([6, 6]))})
    classes = Classes.from_counts([6], {"s": [[5, 1]]})
    assert model.must_suppress(classes, context).tolist() == [bound]


def test_the_bound_of_entropy_by_concavity():
    # H = 0.450561, ln 2 = 0.693147: 60 (1 - 0.650022) = 20.9987.
    classes = Classes.from_counts([60], {"s": [[50, 10]]})
    assert LDiversity(sensitive="s", l=2, kind="entropy").must_suppress(classes, Context()).tolist() == [21]


def test_the_bound_by_convexity():
    # Table (6, 6), class (5, 1): d = 1/3; of one value alone 1/2. 6 (1/3 - 0.2)/(1/2 - 0.2) = 2.67.
    tree = Hierarchy.from_paths(["a", "b"], [["*"], ["*"]], order=[0, 1])
    context = Context({"s": SensitiveColumn(tree, np.array([6, 6]))})
    classes = Classes.from_counts([6], {"s": [[5, 1]]})
    for ground in ("ordered", "hierarchical"):
        assert TCloseness(sensitive="s", t="0.2", ground=ground).must_suppress(classes, context).tolist() == [3]


def test_thresholds_with_many_digits_stay_exact_on_large_counts():
    big = 10**9
    classes = Classes.from_counts([3 * big], {"s": [[2 * big, big]]})
    context = Context({"s": SensitiveColumn(flat("a", "b"), np.array([2 * big, big]))})
    for l, violating in ((Fraction(3, 2), False), ("1.500000001", True), ("987654321.123456789", True)):
        model = LDiversity(sensitive="s", l=l, kind="frequency")
        assert model.violating(classes, context).tolist() == [violating]
        assert 0 <= model.must_suppress(classes, context)[0] <= 3 * big
    # 2 < 2.000000001 * 1 in billions, but not 2 < 2 * 1.
    for c, violating in ((2, True), ("2.000000001", False), ("987654321.123456789", False)):
        model = LDiversity(sensitive="s", l=2, kind="recursive", c=c)
        assert model.violating(classes, context).tolist() == [violating]
        assert (model.must_suppress(classes, context)[0] > 0) == violating


def test_the_verdict_of_two_thresholds_names_both():
    model = MODELS.make("alpha-k-anonymity", sensitive="s", alpha="1/2", k=3, form="ceiling")
    (verdict,) = judge([model], Classes.from_counts([3], {"s": [[2, 1]]}), Context())
    assert verdict.satisfied
    assert verdict.figures == {"k": 3, "effective_alpha": 2 / 3}
    json.dumps(verdict.as_dict(), allow_nan=False)


TOY = Context({"s": SensitiveColumn(flat("a", "b", "c"), np.array([4, 3, 1]))}, n_rows=8)
TOY_CLASSES = Classes.from_counts([4, 4], {"s": [[2, 1, 1], [2, 2, 0]]})


@pytest.mark.parametrize(
    ("model", "first", "second"),
    [
        (MODELS["beta-likeness"](sensitive="s", beta=1), 1.0, 1 / 3),
        (MODELS["delta-disclosure"](sensitive="s", delta=1, present_only=True), np.log(2), np.log(4 / 3)),
        (MODELS["delta-disclosure"](sensitive="s", delta=1, present_only=True, base="2"), 1.0, np.log2(4 / 3)),
        (MODELS["delta-disclosure"](sensitive="s", delta=1), np.log(2), np.inf),
    ],
)
def test_gains_and_factors_of_two_classes(model, first, second):
    for at, expected in enumerate((first, second)):
        alone = TOY_CLASSES.only(np.arange(2) == at)
        assert model.achieved(alone, TOY) == pytest.approx(expected)


def test_the_enhanced_kind_bounds_frequent_values_by_their_own_share():
    # -ln p is 0.69, 0.98 and 2.08; the gain of c in the first class is 1, of a 0, of b in the second 1/3.
    enhanced = MODELS["beta-likeness"](sensitive="s", beta=3, kind="enhanced")
    assert not enhanced.violating(TOY_CLASSES, TOY).any()
    # All a: the gain is 1, above 0.69, so no beta is large enough.
    pure = Classes.from_counts([2], {"s": [[2, 0, 0]]})
    assert enhanced.violating(pure, TOY).all()
    assert enhanced.achieved(pure, TOY) == np.inf
    assert not MODELS["beta-likeness"](sensitive="s", beta=3).violating(pure, TOY).any()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("beta-likeness", {"sensitive": "s", "beta": 0}),
        ("beta-likeness", {"sensitive": "s", "beta": 1, "kind": "better"}),
        ("delta-disclosure", {"sensitive": "s", "delta": 0}),
        ("delta-disclosure", {"sensitive": "s", "delta": 1, "base": "10"}),
        ("delta-presence", {"delta_max": 0}),
        ("delta-presence", {"delta_max": "1/2", "delta_min": "2/3"}),
        ("k-map", {"k": 0}),
        ("k-map", {"k": True}),
        ("km-anonymity", {"k": 2, "m": 0}),
        ("km-anonymity", {"k": 1.5, "m": 1}),
        ("average-risk", {"risk": 0}),
        ("sample-uniqueness", {"share": 2}),
        ("population-uniqueness", {"share": 0.1, "sampling_fraction": 0}),
        ("population-uniqueness", {"share": 0.1, "sampling_fraction": 1, "method": "guess"}),
    ],
)
def test_settings_of_further_models_that_are_out_of_range(name, settings):
    with pytest.raises(SpecError):
        MODELS.make(name, **settings)
