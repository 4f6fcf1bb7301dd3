"""What holds of classes that are not to be larger than wished."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_recodings import members, models, passes_of, problem_of, published, search
from oracles.caps import can_be_cut
from shoal.algorithms import Best
from shoal.algorithms.capping import capped, larger_than
from shoal.core.hierarchy import Hierarchy
from shoal.core.regions import Regions, publishable
from shoal.errors import InfeasibleError, SpecError
from shoal.loss.measure import measure
from shoal.models import KAnonymity, LDiversity
from strategies import table_of, tables

LAW = settings(max_examples=40, deadline=None)

labels = st.sampled_from(["nodes", "ranges", "sets", "stars"])


def whole(table, labels):
    """All rows as one class."""
    lo = np.zeros((1, table.n_qi), np.int32)
    hi = np.array([[h.n_values - 1 for h in table.hierarchies]], np.int32)
    n = table.n_items
    region = np.zeros(n, np.int32)
    return Regions(lo, hi, np.arange(n + 1), region, table.counts, labels).normalized(table.hierarchies)


def size_of(rows):
    """Rows, or people where these are known."""
    people = [person for _, _, person in rows]
    return len(rows) if None in people else len(set(people))


@LAW
@given(tables(max_rows=8, unit=False), labels, st.integers(1, 3), st.integers(1, 6))
def test_what_stays_larger_cannot_be_cut(drawn, labels, k, most):
    table, rows = drawn
    problem = problem_of(table, (KAnonymity(k=min(k, len(rows))),))
    regions = capped(whole(table, labels), table, problem, most, boxes="tight")

    def box(some):
        sides = zip(*(codes for codes, _, _ in some), strict=True)
        ends = [(np.array([min(s)], np.int32), np.array([max(s)], np.int32)) for s in sides]
        told = (publishable(h, *e, labels) for h, e in zip(table.hierarchies, ends, strict=True))
        return [(int(lo[0]), int(hi[0])) for lo, hi in told]

    passes = passes_of(table, problem)
    for held in members(table, rows, regions).values():
        if len(held) > most:
            assert not can_be_cut(held, passes, box)


@LAW
@given(tables(max_rows=20), labels, models, st.integers(1, 8), st.sampled_from(["fit", "tight"]))
def test_capped_classes_pass_and_lose_no_more(drawn, labels, models, most, boxes):
    table, rows = drawn
    problem = problem_of(table, models)
    before = whole(table, labels)
    if problem.violating(before.classes(table, problem.columns)).any():
        return
    after = capped(before, table, problem, most, boxes=boxes)
    passes = passes_of(table, problem)
    classes = published(table, rows, after, labels)
    assert all(passes(found) for found in classes.values())
    assert len(larger_than(most, after, table)) == sum(size_of(found) > most for found in classes.values())
    assert measure(problem.loss, table, after) <= measure(problem.loss, table, before) + 1e-12


@LAW
@given(tables(max_rows=20), labels, models, st.integers(3, 8))
def test_best_says_how_many_classes_are_larger(drawn, labels, models, most):
    table, rows = drawn
    problem = problem_of(table, models)
    try:
        solution = Best(labels=labels, max_class_size=most).search(table, problem, np.random.default_rng(0))
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            Best(labels=labels).search(table, problem, np.random.default_rng(0))
        return
    classes = published(table, rows, solution.recoding, labels).values()
    passes = passes_of(table, problem)
    assert all(passes(found) for found in classes)
    larger = sum(size_of(found) > most for found in classes)
    told = [note for note in solution.notes if "class(es) have more than" in note]
    assert bool(told) == bool(larger)
    assert all(note.startswith(f"{larger} class(es)") for note in told)


@LAW
@given(tables(max_rows=20), labels, models)
def test_a_size_that_is_never_reached_changes_nothing(drawn, labels, models):
    table, _ = drawn
    problem = problem_of(table, models)
    first, second = (search(Best(labels=labels, max_class_size=most), table, problem) for most in (None, 1000))
    assert (first is None) == (second is None)
    if first is not None:
        for name in ("lo", "hi", "offsets", "region", "rows"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_a_size_below_what_the_models_need_is_refused():
    with pytest.raises(SpecError, match="at least 1"):
        Best(max_class_size=0)
    tree = Hierarchy.from_paths(["a", "b"], [["*"]] * 2)
    table = table_of([((i % 2,), (i % 2,), None) for i in range(20)], (tree,), (tree,))
    for model in (KAnonymity(k=5), LDiversity(sensitive="s0", l=5)):
        with pytest.raises(SpecError, match="classes of 5 or more") as refused:
            Best(max_class_size=4).search(table, problem_of(table, (model,)), np.random.default_rng(0))
        assert "allow 9" in refused.value.fix
