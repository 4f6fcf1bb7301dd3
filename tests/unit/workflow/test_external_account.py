"""What may be published of a release: nothing that fewer than k have, no extreme, no risk, no seed."""

import json
from itertools import product

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms import Mondrian
from shoal.core.hierarchy import Hierarchy
from shoal.core.schema import Column, Role, Schema
from shoal.errors import InfeasibleError
from shoal.hierarchies import flat, intervals
from shoal.models import KAnonymity, LDiversity
from shoal.workflow import anonymize
from shoal.workflow.account.external import safe_label, told_counts

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

K = 3
SEED = 7411058236


def texts_of(value):
    """Every text in plain data."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from texts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of(inner)
    elif isinstance(value, str):
        yield value


def told(release):
    """The external account as data, and as the one text that a reader could search."""
    account = release.account(external=True)
    return account, json.dumps(account, ensure_ascii=False)


@st.composite
def frames(draw):
    """Columns whose values are texts that stand nowhere else, common ones and rare ones."""
    n = draw(st.integers(6, 30))

    def column(name, values):
        return [f"{name}-{v}" for v in draw(st.lists(st.integers(0, values), min_size=n, max_size=n))]

    ages = draw(st.lists(st.integers(1000, 1040), min_size=n, max_size=n))
    return pl.DataFrame(
        {
            "town": column("town", 5),
            "age": [str(age) for age in ages],
            "disease": column("disease", 4),
            "note": column("note", 9),
            "cost": [str(cost) for cost in draw(st.lists(st.integers(50_000, 50_020), min_size=n, max_size=n))],
            "person": column("person", 12),
        }
    )


def schema(*, unit):
    return Schema(
        quasi_identifiers={"town": flat(), "age": intervals(5, 10, 20)},
        sensitive=["disease"],
        insensitive=["note", "cost"],
        unit="person" if unit else None,
        types={"age": "integer"},
    )


FORMS = list(product(["nodes", "ranges", "sets", "stars"], [False, True]))


@pytest.mark.parametrize(("labels", "unit"), FORMS)
@given(frame=frames(), suppressed=st.sampled_from(["star", "drop", "blank-sensitive"]))
@settings(max_examples=8)
def test_no_value_of_fewer_than_k_is_told(labels, unit, frame, suppressed):
    try:
        release = anonymize(
            frame, schema(unit=unit), models=[KAnonymity(k=K), LDiversity(sensitive="disease", l=2)],
            algorithm=Mondrian(labels=labels), suppression_limit="1/2", suppressed=suppressed, seed=SEED,
        )  # fmt: skip
    except InfeasibleError:
        return
    account, text = told(release)
    for name in ("town", "disease", "note"):
        for value, rows in (
            frame.group_by(name).agg((pl.col("person").n_unique() if unit else pl.len()).alias("n")).iter_rows()
        ):
            if rows < K:
                assert f'"{value}"' not in text
                assert not any(
                    value in found.replace("{", "").replace("}", "").split(", ") for found in texts_of(account)
                )
    for name in ("person", "cost"):
        assert not any(value in text for value in frame[name].unique())
    extremes = {frame["age"].min(), frame["age"].max()}
    assert not any(value in found for value in extremes for found in texts_of(account))
    assert str(SEED) not in text


def test_no_count_below_k_is_told():
    frame = pl.DataFrame(
        {"town": ["a"] * 20 + ["b"] * 2 + ["c"] * 9, "disease": ["x"] * 25 + ["y"] * 4 + ["z"] * 2}
    )
    release = anonymize(
        frame,
        Schema(quasi_identifiers={"town": flat()}, sensitive=["disease"]),
        models=KAnonymity(k=5),
        suppression_limit="0.1",
        algorithm="optimal",
        seed=1,
    )
    assert release.suppressed == 2
    account, _ = told(release)
    assert account["rows"] == {"published": 31, "suppressed": "fewer than 5", "suppressed_form": "star"}
    book = {column["name"]: column for column in account["codebook"]}
    # The two rare values together are 6 of 31: neither can be worked out from what is left.
    assert book["disease"]["levels"] == [{"label": "x", "rows": 25}]
    # One hidden count would be what is left of 31, so a second one is hidden with it.
    assert book["town"]["levels"] == [{"label": "a", "rows": 20}]
    (town,) = account["distributions"]
    assert [group["label"] for group in town["groups"]] == ["a"]


def test_neither_risk_nor_what_was_reached_is_told():
    frame = pl.DataFrame({"town": ["a"] * 20 + ["b"] * 9})
    release = anonymize(frame, Schema(quasi_identifiers=["town"]), models=KAnonymity(k=5), seed=1)
    account, _ = told(release)
    keys = set(_keys(account))
    assert not keys & {"risk", "highest", "average", "achieved", "uniques", "class_sizes", "seed", "statistics"}
    assert account["verdicts"][0]["required"] == 5


def _keys(value):
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=8), st.integers(1, 6))
def test_a_count_that_is_not_told_cannot_be_worked_out(counts, k):
    seen = told_counts(counts, counts, k)
    hidden = [n for n, may in zip(counts, seen, strict=True) if not may]
    assert all(n == 0 or n >= k for n, may in zip(counts, seen, strict=True) if may)
    if any(seen[i] and counts[i] for i in range(len(counts))):
        # More than one, and together at least k, or nothing is hidden.
        assert not hidden or (len(hidden) > 1 and sum(hidden) >= k)


@pytest.mark.parametrize(
    ("label", "first", "last", "expected"),
    [
        ("17", 0, 0, "lowest group"),
        ("[17, 20]", 0, 1, "lowest group"),
        ("[20, 90]", 1, 2, "highest group"),
        ("20", 1, 1, "20"),
        ("170+", 0, 1, "170+"),
        ("4 other values", -1, -1, "4 other values"),
    ],
)
def test_a_label_does_not_name_an_extreme(label, first, last, expected):
    ages = Hierarchy.from_paths(["17", "20", "90"], [["*"]] * 3, order=[17, 20, 90], type="integer")
    assert safe_label(ages, label, first, last) == expected


def test_a_secret_in_every_cell_of_a_row_is_not_told():
    secret = "Aphelion-1934"
    frame = pl.DataFrame({name: ["a"] * 12 + [secret] for name in ("town", "disease", "note", "name")})
    columns = [
        Column("town", Role.QUASI_IDENTIFIER, hierarchy=flat()),
        Column("disease", Role.SENSITIVE),
        Column("note", Role.INSENSITIVE),
        Column("name", Role.IDENTIFIER),
    ]
    for labels in ("nodes", "sets", "stars"):
        release = anonymize(
            frame, Schema(columns=columns), models=KAnonymity(k=2), algorithm=Mondrian(labels=labels),
            suppression_limit="0.1", seed=1,
        )  # fmt: skip
        _, text = told(release)
        assert secret not in text
        assert secret not in json.dumps(release.manifest)
