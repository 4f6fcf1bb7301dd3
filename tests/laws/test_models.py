"""What holds of every privacy model, on random tables with and without people and missing values."""

import importlib
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.core.classes import Classes, Histogram
from shoal.core.hierarchy import Hierarchy
from shoal.core.protocols import Closure, PrivacyModel
from shoal.core.table import FrequencyTable
from shoal.core.verdict import judge
from shoal.models import (
    MODELS,
    AlphaKAnonymity,
    BetaLikeness,
    DAlphaLinkable,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    TCloseness,
)
from strategies import hierarchies

LAW = settings(max_examples=60, deadline=None)

shares = st.fractions(min_value="1/20", max_value=1, max_denominator=20)
named = st.lists(st.sampled_from(["v0", "v1", "v2", "never", None]), min_size=1, max_size=3, unique=True)
sizes = st.integers(1, 4)


def alphas(*forms):
    form = st.sampled_from(forms or ["ratio", "ceiling"])
    return st.one_of(
        st.builds(AlphaKAnonymity, sensitive=st.just("s"), alpha=shares, k=sizes, form=form),
        st.builds(
            AlphaKAnonymity,
            sensitive=st.just("s"),
            alpha=shares,
            k=sizes,
            values=named,
            form=form,
            reading=st.sampled_from(["per-value", "union"]),
        ),
        st.builds(
            AlphaKAnonymity,
            sensitive=st.just("s"),
            alpha=st.dictionaries(st.sampled_from(["v0", "v1", "v3", "never"]), shares, min_size=1, max_size=3),
            k=sizes,
            form=form,
        ),
    )


MODEL_STRATEGIES = {
    "k-anonymity": st.builds(KAnonymity, k=sizes),
    "alpha-k-anonymity": alphas(),
    "l-diversity": st.one_of(
        st.builds(LDiversity, sensitive=st.just("s"), l=sizes, count_nulls=st.booleans()),
        st.builds(
            LDiversity,
            sensitive=st.just("s"),
            l=st.fractions(1, 4, max_denominator=7),
            kind=st.sampled_from(["frequency", "entropy"]),
        ),
        st.builds(
            LDiversity,
            sensitive=st.just("s"),
            l=sizes,
            kind=st.just("recursive"),
            c=st.fractions("1/3", 4, max_denominator=5),
        ),
    ),
    "t-closeness": st.builds(
        TCloseness,
        sensitive=st.just("s"),
        t=st.fractions(0, 1, max_denominator=20),
        ground=st.sampled_from(["equal", "ordered", "hierarchical"]),
    ),
    "beta-likeness": st.builds(
        BetaLikeness,
        sensitive=st.just("s"),
        beta=st.fractions("1/10", 3, max_denominator=10),
        kind=st.sampled_from(["basic", "enhanced"]),
    ),
    "delta-disclosure": st.builds(
        DeltaDisclosure,
        sensitive=st.just("s"),
        delta=st.fractions("1/10", 2, max_denominator=10),
        present_only=st.booleans(),
        base=st.sampled_from(["e", "2"]),
    ),
    "d-alpha-linkable": st.builds(
        DAlphaLinkable,
        sensitive=st.just("s"),
        d=st.integers(1, 3),
        # Chances in small tables are no multiples of 1/101, so that none is met by a hair.
        alpha=st.integers(1, 101).map(lambda share: Fraction(share, 101)),
        count_nulls=st.booleans(),
    ),
}
OF_TABLES = {
    "k-map",
    "delta-presence",
    "km-anonymity",
    "average-risk",
    "sample-uniqueness",
    "population-uniqueness",
}
"""Models that look at the whole table or at a population: test_table_models.py."""

models = st.one_of(*MODEL_STRATEGIES.values())


class Drawn:
    """A table whose classes are given: records (class, value code, person or None)."""

    def __init__(self, tree, records):
        self.tree, self.records = tree, records
        self.context = count(tree, records)[1]
        self.texts = [(tree.leaves[value], person) for _, value, person in records]

    def classes(self, groups=None):
        """The classes, or those that lists of record numbers make."""
        if groups is None:
            return count(self.tree, self.records)[0]
        made = [(c, *self.records[i][1:]) for c, group in enumerate(groups) for i in group]
        return count(self.tree, made)[0]

    def groups(self):
        """The record numbers of each class, in the order of :meth:`classes`."""
        numbers = sorted({c for c, _, _ in self.records})
        return [[i for i, record in enumerate(self.records) if record[0] == c] for c in numbers]

    def violates(self, model, group):
        """What the oracle of the model says of some records."""
        oracle = importlib.import_module(f"oracles.{model.name.replace('-', '_')}")
        given = {key: value for key, value in settings_of(model).items() if key != "sensitive"}
        if isinstance(model, TCloseness):
            given |= {
                "order": list(self.tree.leaves),
                "paths": dict(zip(self.tree.leaves, self.tree.levels.T.tolist(), strict=True)),
            }
        return oracle.violates([self.texts[i] for i in group], self.texts, **given)


def settings_of(model):
    return {field.name: getattr(model, field.name) for field in fields(model)}


def count(tree, records):
    """Classes of records, one per distinct class number in increasing order, and the context of them all."""
    n_classes = max(c for c, _, _ in records) + 1
    flat = Hierarchy.from_paths([str(c) for c in range(n_classes)], [["*"]] * n_classes)
    people = [person for _, _, person in records]
    table, _ = FrequencyTable.from_columns(
        {"q": (flat, np.array([c for c, _, _ in records], np.int32))},
        {"s": (tree, np.array([value for _, value, _ in records], np.int32))},
        unit=None if None in people else np.array(people, np.int64),
    )
    return table.classes(table.point_of_item.astype(np.int32), table.n_points, ["s"]), table.context()


@st.composite
def drawn(draw, *, max_records=12, max_classes=3, unit=None, ordered=None):
    tree = draw(hierarchies(max_leaves=5, max_inner=3).filter(lambda h: ordered is None or h.ordered == ordered))
    with_unit = draw(st.booleans()) if unit is None else unit
    record = st.tuples(
        st.integers(0, max_classes - 1),
        st.integers(0, tree.n_values - 1),
        st.integers(0, 5) if with_unit else st.none(),
    )
    records = draw(st.lists(record, min_size=1, max_size=max_records))
    if with_unit:
        rank = {person: i for i, person in enumerate(sorted({person for _, _, person in records}))}
        records = [(c, value, rank[person]) for c, value, person in records]
    return Drawn(tree, records)


def applies(model, table):
    return getattr(model, "ground", "") != "ordered" or table.tree.ordered


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_an_oracle_and_a_strategy(name):
    module = name.replace("-", "_")
    path = Path(__file__).parent.parent / "oracles" / f"{module}.py"
    assert path.is_file(), f"write {path.name} with: def violates(records, whole, *, <settings>): ..."
    if name in OF_TABLES:
        assert callable(importlib.import_module(f"oracles.{module}").passes)
        return
    assert callable(importlib.import_module(f"oracles.{module}").violates)
    line = f'"{name}": st.builds({MODELS[name].__name__}, ...),'
    assert name in MODEL_STRATEGIES, f"add to MODEL_STRATEGIES: {line}"


@pytest.mark.parametrize("name", MODEL_STRATEGIES)
@LAW
@given(st.data())
def test_violating_is_what_the_definition_says(name, data):
    table, model = data.draw(drawn()), data.draw(MODEL_STRATEGIES[name])
    if not applies(model, table):
        return
    assert isinstance(model, PrivacyModel)
    found = model.violating(table.classes(), table.context)
    assert found.dtype == bool
    assert found.tolist() == [table.violates(model, group) for group in table.groups()]


@LAW
@given(drawn(), models)
def test_a_class_passes_by_itself_as_it_does_among_others(table, model):
    if not applies(model, table):
        return
    together = model.violating(table.classes(), table.context)
    alone = [model.violating(table.classes([group]), table.context)[0] for group in table.groups()]
    assert together.tolist() == alone


@LAW
@given(drawn(), models, st.randoms())
def test_the_order_of_rows_changes_nothing(table, model, random):
    if not applies(model, table):
        return
    shuffled = list(table.records)
    random.shuffle(shuffled)
    again = Drawn(table.tree, shuffled)
    for method in (model.violating, model.must_suppress):
        first, second = method(table.classes(), table.context), method(again.classes(), again.context)
        assert first.tolist() == second.tolist()
    assert model.achieved(table.classes(), table.context) == model.achieved(again.classes(), again.context)


def closer(model, achieved, *, by):
    """The model with the threshold at *achieved*, or slightly stricter; None where it makes no sense."""
    if isinstance(model, KAnonymity):
        return replace(model, k=int(achieved) + bool(by))
    if isinstance(model, TCloseness):
        t = Fraction(achieved).limit_denominator(10**6) - by
        return replace(model, t=t) if 0 <= t <= 1 else None
    if isinstance(model, (BetaLikeness, DeltaDisclosure)):
        # The threshold of the second is not reached, so the strictest lies a little above what is achieved.
        if achieved == float("inf"):
            return None
        letter = "beta" if isinstance(model, BetaLikeness) else "delta"
        threshold = Fraction(achieved).limit_denominator(10**6) - by + (0 if by else Fraction(1, 10**5))
        threshold = threshold.limit_denominator(10**9)
        return replace(model, **{letter: threshold}) if threshold > 0 else None
    if isinstance(model, DAlphaLinkable):
        alpha = Fraction(achieved).limit_denominator(10**7) + (by or -Fraction(1, 10**7))
        return replace(model, alpha=alpha.limit_denominator(10**9)) if 0 < alpha <= 1 else None
    if isinstance(model, AlphaKAnonymity):
        # In the ceiling form the share is what an attacker gets and no threshold.
        alpha = Fraction(achieved).limit_denominator(10**3) - by
        usable = model.form == "ratio" and not isinstance(model.alpha, dict) and 0 < alpha <= 1
        return replace(model, alpha=alpha, k=1) if usable else None
    if model.kind in ("distinct", "recursive"):
        l = int(achieved) + bool(by)
        return replace(model, l=l) if l >= 1 else None
    l = Fraction(achieved).limit_denominator(10**3 if model.kind == "frequency" else 10**7)
    l += by - (Fraction(1, 10**8) if model.kind == "entropy" and not by else 0)
    return replace(model, l=l.limit_denominator(10**9)) if l >= 1 else None


@LAW
@given(drawn(), models)
def test_achieved_is_the_strictest_threshold_that_passes(table, model):
    if not applies(model, table):
        return
    classes = table.classes()
    achieved = model.achieved(classes, table.context)
    if isinstance(model, TCloseness):
        # A rational near the distance may lie on either side of it.
        looser, stricter = (
            closer(model, achieved, by=Fraction(-1, 10**6)),
            closer(model, achieved, by=Fraction(1, 10**5)),
        )
    else:
        looser, stricter = closer(model, achieved, by=0), closer(model, achieved, by=Fraction(1, 10**5))
    if looser is not None:
        assert not looser.violating(classes, table.context).any()
    if stricter is not None:
        assert stricter.violating(classes, table.context).any()


@LAW
@given(models, st.booleans())
def test_without_classes_nothing_is_achieved_and_nothing_violates(model, by_people):
    table = Drawn(Hierarchy.from_paths(["v0"], [["*"]], order=[0]), [(0, 0, 0 if by_people else None)])
    nothing = np.empty(0, np.int64)
    none = Classes(nothing, nothing, {"s": Histogram(np.zeros(1, np.int64), nothing.astype(np.int32), nothing)})
    assert model.achieved(none, table.context) is None
    assert model.violating(none, table.context).tolist() == []
    assert model.must_suppress(none, table.context).tolist() == []
    (verdict,) = judge([model], none, table.context)
    assert verdict.satisfied


@pytest.mark.parametrize("name", MODEL_STRATEGIES)
@LAW
@given(st.data())
def test_the_claimed_closure_holds_for_random_unions(name, data):
    table, model = data.draw(drawn(max_classes=2)), data.draw(MODEL_STRATEGIES[name])
    groups = table.groups()
    if len(groups) < 2 or not applies(model, table):
        return
    first, second, union = (
        ~model.violating(table.classes([*groups, groups[0] + groups[1]]), table.context)
    ).tolist()
    closure = model.closure(by_people=table.context.by_people)
    if closure is Closure.SUPERSET and (first or second):
        assert union
    if closure is Closure.UNION and first and second:
        assert union


@pytest.mark.parametrize("name", MODEL_STRATEGIES)
@LAW
@given(st.data())
def test_no_refinement_suppresses_less_than_must_suppress(name, data):
    table, model = data.draw(drawn(max_classes=2, max_records=9)), data.draw(MODEL_STRATEGIES[name])
    if not applies(model, table):
        return
    bounds = model.must_suppress(table.classes(), table.context)
    assert bounds.dtype == np.int64
    for bound, group in zip(bounds.tolist(), table.groups(), strict=True):
        if len(group) <= 7:
            assert bound <= least_suppressed(model, table, group)


def least_suppressed(model, table, group):
    """The fewest rows in violating parts over all partitions of the group."""
    n = len(group)
    subsets = [[group[i] for i in range(n) if mask >> i & 1] for mask in range(1, 1 << n)]
    fails = [False, *model.violating(table.classes(subsets), table.context).tolist()]
    least = [0]
    for mask in range(1, 1 << n):
        low, best, part = mask & -mask, n, mask
        while part:
            if part & low:
                best = min(best, fails[part] * part.bit_count() + least[mask ^ part])
            part = (part - 1) & mask
        least.append(best)
    return least[-1]


@LAW
@given(st.data())
def test_the_bound_is_the_rest_of_the_largest_passing_part_where_that_is_known(data):
    table = data.draw(drawn(max_classes=3, max_records=9, unit=False))
    model = data.draw(
        st.one_of(
            alphas("ratio").filter(lambda m: m.k == 1),
            MODEL_STRATEGIES["l-diversity"].filter(lambda m: m.kind in ("frequency", "recursive")),
        )
    )
    group, bound = table.groups()[0], int(model.must_suppress(table.classes(), table.context)[0])
    parts = [[row for i, row in enumerate(group) if mask >> i & 1] for mask in range(1, 1 << len(group))]
    passes = ~model.violating(table.classes(parts), table.context)
    kept = max((len(part) for part, passing in zip(parts, passes, strict=True) if passing), default=0)
    assert bound == len(group) - kept
