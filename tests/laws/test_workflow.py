"""Whatever the table, what leaves is safe, complete and covers what came in."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.core.label_reading import parse_label
from shoal.core.schema import Schema
from shoal.errors import InfeasibleError, SchemaError, ShoalError
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness
from shoal.workflow.anonymize import anonymize

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

cell = st.one_of(st.none(), st.sampled_from(["a", "b", "ç", "1", "02", "{x}", "y, z"]))
number = st.one_of(st.none(), st.integers(-3, 12).map(str))


@st.composite
def frames(draw, max_rows=12):
    n = draw(st.integers(1, max_rows))
    column = lambda values: draw(st.lists(values, min_size=n, max_size=n))  # noqa: E731
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "group": column(cell),
            "age": column(number),
            "note": column(st.text(max_size=2)),
            "disease": column(st.one_of(st.none(), st.sampled_from("uvw"))),
            "person": column(st.sampled_from("pqrs")),
        },
        schema=dict.fromkeys(("name", "group", "age", "note", "disease", "person"), pl.String),
    )


METHODS = [
    *(ALGORITHMS.make("best", labels=labels) for labels in ("nodes", "ranges", "sets", "stars")),
    ALGORITHMS.make("optimal"),
    ALGORITHMS.make("exhaustive"),
    ALGORITHMS.make("incognito"),
    *(ALGORITHMS.make("mondrian", labels=labels) for labels in ("nodes", "ranges", "sets", "stars")),
    ALGORITHMS.make("mondrian", labels="ranges", strict=False),
    *(ALGORITHMS.make("hilbert", labels=labels) for labels in ("nodes", "sets", "stars")),
    *(ALGORITHMS.make("tds", labels=labels) for labels in ("nodes", "ranges")),
]
MODELS = [
    (KAnonymity(k=2),),
    (KAnonymity(k=3),),
    (KAnonymity(k=2), LDiversity(sensitive="disease", l=2, kind="distinct")),
    (KAnonymity(k=2), AlphaKAnonymity(sensitive="disease", alpha="1/2")),
    (KAnonymity(k=1), AlphaKAnonymity(sensitive="disease", alpha="1/2", form="ceiling", k=2)),
    (KAnonymity(k=2), TCloseness(sensitive="disease", t=0.4)),
]


def plain_schema(*, unit):
    return Schema(
        quasi_identifiers=["group", "age"],
        sensitive=["disease"],
        insensitive=["note"],
        identifiers=["name"] + ([] if unit else ["person"]),
        unit="person" if unit else None,
    )


@pytest.mark.parametrize("algorithm", METHODS, ids=str)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_what_leaves_is_safe_complete_and_covers_what_came_in(algorithm, data):
    frame = data.draw(frames())
    models = data.draw(st.sampled_from(MODELS))
    limit = data.draw(st.sampled_from([0, 0.25, 1]))
    unit = data.draw(st.booleans())
    schema = plain_schema(unit=unit)
    try:
        release = anonymize(
            frame, schema, models=models, algorithm=algorithm, suppression_limit=limit, seed=5, keep_order=True
        )
    except InfeasibleError as error:
        assert error.fix
        return
    out = release.data
    assert out.columns == ["group", "age", "note", "disease"]
    assert out["disease"].to_list() == frame["disease"].to_list()
    assert out["note"].to_list() == frame["note"].to_list()

    k = max(getattr(model, "k", 1) for model in models)
    members = {}
    for row in zip(out["group"], out["age"], frame["person"], strict=True):
        members.setdefault(row[:2], []).append(row[2])
    residue = members.pop(("*", "*"), [])
    for people in members.values():
        assert (len(set(people)) if unit else len(people)) >= k
    if residue and len(residue) > limit * frame.height:
        assert (len(set(residue)) if unit else len(residue)) >= k

    for name, hierarchy in zip(release.table.names, release.table.hierarchies, strict=True):
        for before, after in zip(frame[name], out[name], strict=True):
            if after is None:
                assert before is None
            else:
                assert parse_label(hierarchy, after)[hierarchy.codes[before]]


@given(frames(), st.sampled_from(METHODS))
@settings(max_examples=25, deadline=None)
def test_the_same_seed_gives_the_same_table_and_shuffling_changes_only_the_order(frame, algorithm):
    schema = plain_schema(unit=False)
    try:
        first, again, kept = (
            anonymize(frame, schema, models=KAnonymity(k=2), algorithm=algorithm, seed=3, keep_order=keep).data
            for keep in (False, False, True)
        )
    except InfeasibleError:
        assume(False)
    assert first.equals(again)
    assert Counter(first.rows()) == Counter(kept.rows())


@given(st.lists(st.sampled_from([None, "", "u", "v"]), min_size=4, max_size=12), st.booleans(), st.data())
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_rows_of_the_input_does_not_matter(diseases, noted, data):
    # A null and an empty cell leave as they came and are counted as one value, whose rows go into several classes.
    n = len(diseases)
    ages = data.draw(st.lists(st.sampled_from("12"), min_size=n, max_size=n))
    notes = [str(i % 2) if noted else "" for i in range(n)]
    frame = pl.DataFrame(
        {"age": ages, "note": notes, "disease": diseases}, schema_overrides={"disease": pl.String}
    )
    schema = Schema(quasi_identifiers=["age"], insensitive=["note"], sensitive=["disease"])
    models = LDiversity(sensitive="disease", l=2, kind="frequency")
    tables = []
    for order in (range(n), data.draw(st.permutations(range(n)))):
        try:
            release = anonymize(frame[list(order)], schema, models=models, algorithm="hilbert", seed=4)
        except InfeasibleError:
            assume(False)
        tables.append(Counter(release.data.rows()))
    assert tables[0] == tables[1]


@given(frames(max_rows=1))
@settings(max_examples=5, deadline=None)
def test_one_record_cannot_be_two_anonymous(frame):
    with pytest.raises(InfeasibleError, match=r"(?s)fix: .*k"):
        anonymize(frame, plain_schema(unit=False), models=KAnonymity(k=2))


def test_no_quasi_identifier_is_an_error():
    with pytest.raises(SchemaError, match="no column is a quasi-identifier"):
        anonymize(pl.DataFrame({"a": ["x"]}), Schema(sensitive=["a"]), models=KAnonymity(k=2))


SECRET = "S3CR3T"


@given(
    st.sampled_from(["integer", "date", "decimal"]),
    st.lists(st.sampled_from([SECRET, SECRET + "2", "1", None]), min_size=1, max_size=6),
    st.integers(2, 9),
)
@example("integer", [SECRET], 2)
@settings(max_examples=25, deadline=None)
def test_no_message_holds_a_cell_value(kind, values, k):
    frame = pl.DataFrame({"a": values, "s": [SECRET] * len(values)}, schema=dict.fromkeys("as", pl.String))
    schema = Schema(quasi_identifiers=["a"], sensitive=["s"], types={"a": kind})
    try:
        release = anonymize(frame, schema, models=[KAnonymity(k=k), LDiversity(sensitive="s", l=2)])
    except ShoalError as error:
        assert SECRET not in str(error)
        assert SECRET not in repr(error)
        assert SECRET not in str(error.as_dict())
    else:
        assert SECRET not in str(release.manifest)
