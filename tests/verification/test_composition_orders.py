"""The orders that the specification of composition attacks calls safe, on Adult, over ten pairs of releases."""

import numpy as np
import pytest

from experiments import modules_of
from shared import needs_shared

pytestmark = [pytest.mark.slow, pytest.mark.shared, needs_shared]

TABLES = [(sensitive, k) for sensitive in ("occupation", "education") for k in (4, 6)]


@pytest.fixture
def modules(monkeypatch):
    with modules_of("composition", monkeypatch) as found:
        yield found


@pytest.mark.parametrize(("sensitive", "k"), TABLES)
def test_noise_buckets_and_hybrid_are_below_mondrian_and_risk_grows_with_the_overlap(modules, sensitive, k):
    measures, methods = modules["measures"], modules["methods"].METHODS
    found = {
        name: [measures.risks(method, measures.wave(sensitive, o, 5), sensitive, k) for o in (100, 300, 500)]
        for name, method in methods.items()
    }
    for each in found.values():
        assert each[0]["risk_all"] < each[1]["risk_all"] < each[2]["risk_all"]
    for name in ("DP", "Hybrid", "Merging"):
        assert found[name][-1]["risk_overlap"] < found["Mondrian"][-1]["risk_overlap"]


@pytest.mark.parametrize(("sensitive", "k"), TABLES)
def test_merging_has_the_least_distortion_and_at_6_the_least_error_of_queries(modules, sensitive, k):
    measures, methods = modules["measures"], modules["methods"]
    tables = measures.wave(sensitive, 500, 5).tables
    distortion, error = {}, {}
    for name, method in methods.METHODS.items():
        releases = [methods.publish(method, table, sensitive, k, seed=i) for i, table in enumerate(tables)]
        distortion[name] = sum(measures.distortion(release) for release in releases)
        error[name] = np.zeros(3)
        for release, table in zip(releases, tables, strict=True):
            original = measures.original_of(table, sensitive)
            found = measures.query_errors(release, original, sensitive, queries=300, dimensions=(1, 3, 5))
            error[name] = [
                sum(each) for each in zip(error[name], (found[f"expected {d}"] for d in (1, 3, 5)), strict=True)
            ]
    assert min(distortion, key=distortion.get) == "Merging"
    # With classes of 4, one fake in each bucket disturbs counts more than boxes do.
    for place in range(3 if k == 6 else 0):
        assert min(error, key=lambda name: error[name][place]) == "Merging"


@pytest.mark.parametrize("k", [4, 6])
def test_merging_predicts_the_relationship_best(modules, k):
    pytest.importorskip("sklearn")
    measures, methods, tables = modules["measures"], modules["methods"], modules["tables"]
    _, pool = tables.sets(0)
    tested = tables.private(pool[500:], "education").codes
    score = {}
    for name, method in methods.METHODS.items():
        found = []
        for i, table in enumerate(measures.wave("education", 500, 5).tables):
            release = methods.publish(method, table, "education", k, seed=i)
            original = measures.original_of(table, "education")
            drawn = release.rows.drawn(np.random.default_rng(3))
            found.append(measures.accuracies(original, drawn, tested, ["relationship"]))
        score[name] = [sum(each[f"relationship, {p}"] for each in found) for p in ("drawn", "held out")]
    for place in (0, 1):
        assert max(score, key=lambda name: score[name][place]) == "Merging"
