"""What a release says of itself when it is asked why."""

import json
import re
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from shoal.algorithms import Best, Exhaustive, Incognito, Mondrian
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.core.schema import Schema
from shoal.examples.hospital import hospital_visits
from shoal.hierarchies import flat, intervals, prefix, tree
from shoal.loss import NCP
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity
from shoal.workflow.anonymize import anonymize
from shoal.workflow.explain import Explanation
from shoal.workflow.other_k import OtherK, other_k
from strategies import table_of

HALVES = tree({"south": ["0", "1"], "north": ["2", "3"]})


def release(cells, illness, *models, algorithm="optimal", **options):
    """Publish two columns: the place, and an illness."""
    frame = pl.DataFrame({"place": list(cells), "illness": list(illness)})
    schema = Schema(quasi_identifiers={"place": HALVES}, sensitive=["illness"])
    return anonymize(frame, schema, models=models, algorithm=algorithm, seed=1, **options)


def test_k_forces_one_half_up():
    # 0 and 1 occur twice each, 2 and 3 once: with k = 2 a full-domain node tells both halves.
    found = release("001123", "abcabc", KAnonymity(k=2)).explain()
    (step,) = found.steps
    assert (step.classes, step.rows, step.open_classes) == (2, 6, 1)
    (refusal,) = step.refused
    assert (refusal.model, refusal.classes, refusal.rows) == ("k-anonymity", 1, 2)
    (hold,) = found.models
    assert (hold.classes, hold.rows, hold.of_classes) == (1, 2, 0.5)
    assert hold.decisive_classes == 1
    assert found.sentences == (
        "place lost 33.3 % of its detail, 100 % of all that is lost, everywhere alike.",
        (
            "place is generalized in 2 classes; one step finer it would break k-anonymity in 1 (2 records), "
            "and the whole column is told on one level."
        ),
        (
            "k-anonymity holds 1 class (50 %, 2 records) in place: every column one step finer breaks it; is "
            "the only model to refuse some step in 1 class (2 records)."
        ),
        "The loss (ncp) is 0.3333; with k = 3 it would be 1 (+200.0 %), and with k = 1 it would be 0 (-100.0 %).",
    )


def test_the_sensitive_values_in_the_way_are_counted_and_named_in_private_alone():
    # Each place has one illness, each half two: one half of a class at most.
    found = release(
        "0011", ["SECRET", "SECRET", "flu", "flu"], AlphaKAnonymity(sensitive="illness", alpha="1/2")
    ).explain()
    (hold,) = found.models
    assert (hold.classes, hold.values) == (1, 2)
    assert "2 values of illness are in the way" in " ".join(found.sentences)
    assert "SECRET" not in json.dumps(found.as_dict())
    assert "SECRET" not in repr(found)
    (told,) = found.as_dict(private=True)["models"]
    assert told["value_counts"] == [{"value": "SECRET", "classes": 1}, {"value": "flu", "classes": 1}]


def test_models_that_do_not_tell_blame_the_value_that_is_most_over_represented():
    model = LDiversity(sensitive="illness", l=2)
    found = release("0011", ["cold", "cold", "flu", "flu"], model).explain(budget_s=0)
    assert [entry["value"] for entry in found.as_dict(private=True)["models"][0]["value_counts"]] == [
        "cold",
        "flu",
    ]
    assert found.other_k == ()


def test_a_model_that_forces_nothing_says_so():
    found = release("0011", "abab", KAnonymity(k=2), AlphaKAnonymity(sensitive="illness", alpha=1)).explain(
        budget_s=0
    )
    assert found.sentences[0] == "Nothing was lost of place."
    assert "alpha-k-anonymity on illness forces nothing" in found.sentences[-1]


def test_suppressed_records_are_told():
    found = release("00001111" + "3", "ababababa", KAnonymity(k=2), suppression_limit="0.2").explain(budget_s=0)
    assert "1 record (11.1 %) is suppressed and counts as lost in every column." in found.sentences


def test_where_a_column_lost_most_is_told_by_labels_of_another_one():
    # Women's places are told, men's are not: two each share a place among the women.
    frame = pl.DataFrame({"sex": ["f"] * 4 + ["m"] * 2, "place": list("002203")})
    schema = Schema(quasi_identifiers={"sex": tree({"people": ["f", "m"]}), "place": HALVES})
    found = anonymize(frame, schema, models=KAnonymity(k=2), algorithm=Mondrian(labels="nodes"), seed=1).explain()
    sex, place = found.columns
    assert (sex.loss, sex.most) == (0, ())
    assert place.loss == pytest.approx(2 / 6)
    (most,) = place.most
    assert (most.column, most.label, most.rows, most.loss) == ("sex", "m", 2, 1.0)
    assert any(
        "it lost most, 100 % in the 2 records whose sex is 'm'." in sentence for sentence in found.sentences
    )


@pytest.mark.parametrize("labels", ["nodes", "sets"])
def test_the_default_search_tells_all_three(labels):
    """Columns and where they lost, what forced it, and another k with the effort of the release."""
    visits = hospital_visits(400).select("age", "sex", "postcode", "diagnosis")
    schema = Schema(
        quasi_identifiers={"age": intervals(5, 10, 20, 40), "sex": flat(), "postcode": prefix(5)},
        sensitive=["diagnosis"],
    )
    released = anonymize(visits, schema, models=KAnonymity(k=3), algorithm=Best(labels=labels), seed=1)
    found = released.explain(budget_s=600)
    assert [column.name for column in found.columns] == ["age", "sex", "postcode"]
    assert sum(column.loss for column in found.columns) / 3 == pytest.approx(released.loss)
    assert any(column.most for column in found.columns)
    assert found.models
    assert [other.k for other in found.other_k] == [4, 2]
    for other in found.other_k:
        assert other.complete
        again = anonymize(visits, schema, models=KAnonymity(k=other.k), algorithm=Best(labels=labels), seed=1)
        assert other.loss == pytest.approx(again.loss)
    assert found.other_k[1].loss < released.loss < found.other_k[0].loss


def test_the_explanation_is_part_of_the_plain_data_only_when_asked():
    found = release("001123", "abcabc", KAnonymity(k=2))
    assert "explanation" not in found.as_dict()
    asked = replace(found, explanation=found.explain(budget_s=0))
    assert isinstance(asked.explanation, Explanation)
    told = asked.as_dict()["explanation"]
    assert set(told) == {"columns", "steps", "models", "loss", "other_k", "sentences"}
    assert json.loads(json.dumps(told)) == json.loads(json.dumps(asked.explanation.as_dict()))
    with pytest.raises(FrozenInstanceError):
        asked.explanation.loss = 0.0


def counted():
    """Two records of each of four values over a binary tree of height 2."""
    codes = Hierarchy.from_paths(list("0123"), [["s", "*"], ["s", "*"], ["n", "*"], ["n", "*"]])
    return table_of([((code,), (), None) for code in (0, 0, 1, 1, 2, 2, 3, 3)], [codes])


def problem_of(table, *models):
    return Problem(models=models, loss=NCP(), context=table.context(), suppression_limit=Fraction(0))


@pytest.mark.parametrize("algorithm", [Exhaustive(), Incognito(), Mondrian()])
def test_another_k_is_searched_by_the_same_algorithm(algorithm):
    table = counted()
    found = other_k(table, problem_of(table, KAnonymity(k=4)), algorithm, seed=1, budget_s=60)
    assert [(other.k, other.feasible, other.complete) for other in found] == [(5, True, True), (3, True, True)]
    for other in found:
        problem = problem_of(table, KAnonymity(k=other.k))
        solution = algorithm.search(table, problem, np.random.default_rng([1, 1]))
        assert other.loss == measure(NCP(), table, regions_of(solution.recoding, table))


def test_a_k_that_cannot_be_met_is_told():
    table = counted()
    (more, fewer) = other_k(table, problem_of(table, KAnonymity(k=8)), Exhaustive(), seed=1, budget_s=60)
    assert more == OtherK(k=9, loss=None)
    assert fewer.k == 7
    assert not more.feasible
    found = release("0011", "abab", KAnonymity(k=4)).explain()
    assert re.search(r"k = 5 cannot be met within the limits, and with k = 3 it would be", found.sentences[-1])


def test_the_largest_k_moves_and_a_model_without_k_has_none():
    table = counted()
    models = (KAnonymity(k=2), AlphaKAnonymity(sensitive="s0", alpha=1, k=3))
    tree_ = Hierarchy.from_paths(["a"], [["*"]])
    table = table_of([((code,), (0,), None) for code in (0, 0, 1, 1, 2, 2, 3, 3)], table.hierarchies, [tree_])
    assert [
        other.k for other in other_k(table, problem_of(table, *models), Exhaustive(), seed=1, budget_s=60)
    ] == [4, 2]
    assert (
        other_k(table, problem_of(table, LDiversity(sensitive="s0", l=1)), Exhaustive(), seed=1, budget_s=60) == ()
    )
    assert other_k(table, problem_of(table, *models), Exhaustive(), seed=1, budget_s=0) == ()
