"""Whenever the best recoding is stopped, what it returns passes, also when it is counted again."""

import itertools
import time
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as sh
from local_recodings import models, passes_of, problem_of, published, search
from shoal.algorithms import Best
from shoal.examples.hospital import hospital_visits
from strategies import tables

LAW = settings(max_examples=40, deadline=None)

COLUMNS = {"age": sh.intervals(5, 10, 20, 40), "sex": sh.flat(), "postcode": sh.prefix(5)}


class Clock:
    """A clock that goes on by a second whenever somebody looks at it."""

    def __init__(self):
        self._ticks = itertools.count(1)

    def __call__(self):
        return float(next(self._ticks))


@LAW
@given(
    tables(max_rows=20),
    st.sampled_from(["nodes", "ranges", "sets", "stars"]),
    models,
    st.integers(0, 60),
    st.sampled_from([None, 4]),
)
def test_at_any_tick_the_classes_pass(drawn, labels, models, ticks, most):
    table, rows = drawn
    problem = problem_of(table, models, budget_s=float(ticks))
    if most is not None and max(getattr(model, "k", 1) or 1 for model in models) > most:
        return
    with patch.object(time, "monotonic", Clock()):
        regions = search(Best(labels=labels, max_class_size=most), table, problem)
    if regions is None:
        return
    passes = passes_of(table, problem)
    assert not regions.suppressed_rows
    assert all(passes(found) for found in published(table, rows, regions, labels).values())


@pytest.mark.parametrize("ticks", [1, 3, 10, 30, 100])
@pytest.mark.parametrize("unit", [None, "patient"])
def test_at_any_tick_the_release_passes_the_recount(ticks, unit):
    frame = hospital_visits(600).select(*([unit] if unit else []), *COLUMNS, "diagnosis")
    schema = sh.Schema(quasi_identifiers=COLUMNS, sensitive=["diagnosis"], unit=unit)
    asked = [sh.KAnonymity(k=3), sh.LDiversity(sensitive="diagnosis", l=2)]
    with patch.object(time, "monotonic", Clock()):
        release = sh.anonymize(frame, schema, models=asked, algorithm="best", budget_s=ticks, seed=1)
    assert all(verdict.satisfied for verdict in release.verdicts)


@LAW
@given(tables(max_rows=20), models, st.integers(0, 30))
def test_more_changes_never_lose_more(drawn, models, moves):
    table, _ = drawn
    problem = problem_of(table, models)

    def loss(moves):
        try:
            solution = Best(moves=moves).search(table, problem, np.random.default_rng(0))
        except sh.InfeasibleError:
            return None
        return solution.statistics["trace"][-1][1]

    less, more = loss(moves), loss(moves + 1)
    assert (less is None) == (more is None)
    assert less is None or more <= less + 1e-9
