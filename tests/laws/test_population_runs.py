"""Runs with a population, and with models of whole tables: what leaves meets them, and verify agrees."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as sh

LAW = settings(max_examples=25, deadline=None)

cells = st.tuples(
    st.sampled_from(["10", "11", "20", "21", "30"]), st.sampled_from(["f", "m", None]), st.sampled_from(["x", "y"])
)
SCHEMA = sh.Schema(
    quasi_identifiers={"age": sh.intervals(10, 20, low=0, high=39), "sex": sh.flat()},
    sensitive=["disease"],
    types={"age": "integer"},
)


def frame(rows):
    return pl.DataFrame(rows, schema=["age", "sex", "disease"], orient="row", schema_overrides={"sex": pl.String})


def covers(label, value):
    if label == "*" or label == value:
        return True
    if label is None or value is None or not label.startswith("["):
        return False
    low, high = (int(end) for end in label[1:-1].split(","))
    return low <= int(value) <= high


def people_like(labels, population):
    return sum(all(map(covers, labels, person)) for person in population)


@LAW
@given(st.lists(cells, min_size=3, max_size=14), st.lists(cells, max_size=10), st.integers(1, 4))
def test_k_map_holds_in_what_leaves(rows, more, k):
    people = rows + more
    population = frame(people).select("age", "sex")
    options = {"models": [sh.KMap(k=k)], "population": population}
    try:
        release = sh.anonymize(frame(rows), SCHEMA, algorithm="optimal", seed=1, **options)
    except sh.InfeasibleError:
        assert len(people) < k
        return
    published = release.data.select("age", "sex").rows()
    known = [person[:2] for person in people]
    found = [people_like(labels, known) for labels in published if set(labels) != {"*"}]
    assert all(n >= k for n in found)
    verified = sh.verify(release.data, SCHEMA, **options)
    assert verified.satisfied
    assert verified.verdicts[0].achieved == min(found, default=None)


@LAW
@given(st.lists(cells, min_size=3, max_size=14), st.integers(1, 3))
def test_all_m_holds_in_what_leaves(rows, k):
    model = sh.KmAnonymity(k=k, m=1)
    try:
        release = sh.anonymize(frame(rows), SCHEMA, models=model, algorithm="optimal", suppression_limit="1/3")
    except sh.InfeasibleError:
        return
    kept = [row for row in release.data.select("age", "sex").rows() if set(row) != {"*"}]
    for column in zip(*kept, strict=True):
        assert min(Counter(column).values()) >= k
    assert sh.verify(release.data, SCHEMA, models=model, suppression_limit="1/3").satisfied


def test_presence_counts_the_people_outside():
    people = frame([("10", "f", "x")] * 4 + [("30", "m", "x")] * 2)
    table = frame([("10", "f", "x")] * 2)
    upper = sh.DeltaPresence(delta_max="1/2")
    assert sh.verify(table, SCHEMA, models=upper, population=people).satisfied
    both = sh.DeltaPresence(delta_min="1/10", delta_max="1/2")
    found = sh.verify(table, SCHEMA, models=both, population=people)
    assert not found.satisfied
    assert found.verdicts[0].figures == {"delta_min": 0.0}


def test_a_population_must_have_the_quasi_identifiers():
    table = frame([("10", "f", "x")] * 3)
    with pytest.raises(sh.SchemaError, match="population lacks"):
        sh.anonymize(table, SCHEMA, models=sh.KMap(k=2), algorithm="optimal", population=table.select("age"))
    with pytest.raises(sh.SpecError, match="none is given"):
        sh.anonymize(table, SCHEMA, models=sh.KMap(k=2), algorithm="optimal")
    with pytest.raises(sh.SpecError, match="cannot hold"):
        sh.anonymize(table, SCHEMA, models=sh.KMap(k=2), algorithm="best", population=table)
    assert sh.anonymize(table, SCHEMA, models=sh.KMap(k=2), population=table).algorithm == "optimal"


def test_a_spec_names_the_file_of_the_population(tmp_path):
    frame([("10", "f", "x")] * 3 + [("11", "f", "x")]).write_csv(tmp_path / "people.csv")
    frame([("10", "f", "x"), ("11", "f", "y")]).write_csv(tmp_path / "table.csv")
    text = """
version = 1
[columns.age]
role = "quasi-identifier"
[columns.sex]
role = "quasi-identifier"
[columns.disease]
role = "sensitive"
[population]
file = "people.csv"
[[models]]
model = "k-map"
k = 3
[method]
algorithm = "optimal"
"""
    (tmp_path / "spec.toml").write_text(text)
    spec = sh.Spec.from_toml(tmp_path / "spec.toml")
    assert sh.Spec.from_toml(spec.to_toml(), folder=tmp_path) == spec
    assert 'PopulationSpec(file="people.csv")' in spec.to_python().replace("'", '"')
    from shoal.workflow import anonymize_file, verify_file

    release = anonymize_file(tmp_path / "table.csv", spec, tmp_path / "out.csv", seed=1)
    assert release.verdicts[0].achieved == 4
    assert verify_file(tmp_path / "out.csv", spec).satisfied
    with pytest.raises(sh.SpecError, match="cannot hold"):
        sh.Spec.from_toml(text.replace("optimal", "mondrian"))


def test_a_value_of_the_population_that_the_hierarchy_lacks_is_named_on_examples_only():
    tree = sh.tree({"known": ["x"]})
    schema = sh.Schema(quasi_identifiers={"city": tree})
    table, people = pl.DataFrame({"city": ["x", "x"]}), pl.DataFrame({"city": ["x", "SECRET"]})
    with pytest.raises(sh.HierarchyError) as caught:
        sh.audit(table, schema, population=people)
    assert "SECRET" not in str(caught.value)
    with pytest.raises(sh.HierarchyError) as caught:
        sh.anonymize(table, schema, models=sh.KMap(k=1), algorithm="optimal", population=people)
    assert "SECRET" not in str(caught.value)
