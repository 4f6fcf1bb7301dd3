"""The frontier: which choices no other beats, and which one is recommended."""

import sys

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms import Mondrian
from shoal.core.schema import Schema
from shoal.errors import SpecError
from shoal.hierarchies import flat, intervals
from shoal.models import KAnonymity
from shoal.workflow import anonymize, sweep
from shoal.workflow.frontier import knee, marked
from shoal.workflow.prepare import prepare as count_rows
from shoal.workflow.sweep_result import Point

FRAME = pl.DataFrame(
    {"age": [str(20 + (i * 7) % 50) for i in range(120)], "town": [("a", "b", "c")[i % 3] for i in range(120)]}
)
ROLES = Schema(quasi_identifiers={"age": intervals(5, 10, 20), "town": flat()}, types={"age": "integer"})

points = st.lists(
    st.tuples(st.sampled_from([0.5, 0.25, 0.2, 0.1, 0.05]), st.sampled_from([0.0, 0.1, 0.2, 0.4])), max_size=8
)


def made(pairs):
    return [
        Point(k=i, algorithm="x", feasible=True, risk=risk, highest_risk=risk, loss=loss, suppressed=0, classes=1)
        for i, (risk, loss) in enumerate(pairs, 1)
    ]


@given(points)
def test_a_point_is_dominated_where_another_is_as_good_in_both_and_better_in_one(pairs):
    for point, pair in zip(marked(made(pairs)), pairs, strict=True):
        better = [other for other in pairs if other != pair and other[0] <= pair[0] and other[1] <= pair[1]]
        assert point.dominated == bool(better)


@given(points)
def test_what_is_recommended_lies_on_the_frontier(pairs):
    choices = marked(made(pairs))
    best, reason = knee(choices)
    assert reason.endswith(".")
    assert (best is None) == (not pairs)
    if best is not None:
        assert not best.dominated


def test_the_knee_is_the_corner():
    # Halving the risk is cheap up to the third point and dear from there on.
    choices = marked(made([(0.5, 0.0), (0.25, 0.02), (0.125, 0.04), (0.0625, 0.5)]))
    best, reason = knee(choices)
    assert best.k == 3
    assert "costs 0.460 more" in reason


def test_an_infeasible_choice_is_never_recommended():
    best, reason = knee(marked([Point(k=9, algorithm="x", feasible=False, why="too few records")]))
    assert best is None
    assert reason == "No choice is feasible."


def test_a_sweep_counts_the_table_once_and_measures_as_a_run_does(monkeypatch):
    counted = []

    def prepare(*args, **options):
        counted.append(1)
        return count_rows(*args, **options)

    monkeypatch.setattr(sys.modules["shoal.workflow.sweep"], "prepare", prepare)
    found = sweep(FRAME, ROLES, k=[2, 5, 200], algorithms=["mondrian", "optimal"], seed=3)
    assert len(counted) == 1
    assert [(p.k, p.algorithm, p.feasible) for p in found.points] == [
        (k, name, k < 200) for k in (2, 5, 200) for name in ("mondrian", "optimal")
    ]
    for point in found.points[:4]:
        alone = anonymize(FRAME, ROLES, models=KAnonymity(k=point.k), algorithm=point.algorithm, seed=3)
        assert (point.loss, point.risk) == (alone.loss, alone.risk.average)
        assert point.highest_risk == alone.risk.highest
    assert all(point.why for point in found.points[4:])


def test_two_settings_of_one_algorithm_are_told_apart():
    found = sweep(FRAME, ROLES, k=[5], algorithms=["mondrian", Mondrian(labels="ranges")], seed=1)
    assert [point.algorithm for point in found.points] == ["mondrian", "mondrian (labels = ranges)"]


def test_a_sweep_is_written_as_a_page_and_as_json(tmp_path):
    found = sweep(FRAME, ROLES, k=[2, 5, 10, 200], seed=1)
    page = found.to_html(tmp_path / "sweep.html").read_text("utf-8")
    assert "Recommended" in page
    assert "Not feasible" in page
    found.to_html(tmp_path / "sweep.json")
    nothing = sweep(FRAME, ROLES, k=[200], seed=1)
    assert nothing.recommended is None
    nothing.to_html(tmp_path / "nothing.html")


def test_nothing_to_try_is_a_mistake():
    with pytest.raises(SpecError, match="nothing to try"):
        sweep(FRAME, ROLES, k=[])


def test_the_reason_writes_shares_as_the_table_does():
    _, reason = knee(marked(made([(0.5, 0.0), (0.256, 0.01), (0.0421, 0.9)])))
    assert "from 50.0 % to 25.6 %" in reason
    assert "fall to 4.2 %" in reason
